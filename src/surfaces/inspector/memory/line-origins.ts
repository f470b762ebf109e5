// Finds the revision that wrote each line of a module.
// Invariant: pure; a line that the known revisions do not explain has no revision.
import { linesOf } from "../../../base/line-diff.ts";
import { alignLines } from "../parts/align-lines.ts";

export interface ModuleLine {
  readonly text: string;
  /** The revision that wrote the line; null if the line is older than the known revisions, or as old as the module. */
  readonly revision: number | null;
}

export interface TextChange {
  readonly revision: number;
  readonly before: string;
  readonly after: string;
}

/**
 * Returns the lines of a module, each with the revision that wrote it. `changes`: newest first, without gaps; `after` of the
 * first one is the current text.
 */
export function lineOrigins(value: string, changes: readonly TextChange[]): readonly ModuleLine[] {
  const lines = linesOf(value);
  const origins = lines.map((): number | null => null);
  /** The index of each line in the text before the examined revision, or -1 once the revision of the line is known. */
  let places = lines.map((_, at) => at);
  let expected = value;
  for (const { revision, before, after } of changes) {
    // If `after` is not the text that the next newer revision changed, a revision between the two is missing.
    if (after !== expected || places.every((place) => place === -1)) break;
    const aligned = alignLines(linesOf(before), linesOf(after));
    places = places.map((place, at) => {
      if (place === -1) return -1;
      const earlier = aligned[place] ?? -1;
      if (earlier === -1) origins[at] = revision;
      return earlier;
    });
    expected = before;
  }
  return lines.map((text, at) => ({ text, revision: origins[at] ?? null }));
}
