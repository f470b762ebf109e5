// Which revision wrote each line of a module.
// Invariant: pure; a line that the known revisions do not explain has no revision.
import { alignLines, linesOf } from "../parts/align-lines.ts";

export interface ModuleLine {
  readonly text: string;
  /** The revision that wrote it; null: older than those that are known, or written when the module was created. */
  readonly revision: number | null;
}

export interface TextChange {
  readonly revision: number;
  readonly before: string;
  readonly after: string;
}

/** `changes`: newest first, without gaps, the first one with the current text as `after`. */
export function lineOrigins(value: string, changes: readonly TextChange[]): readonly ModuleLine[] {
  const lines = linesOf(value);
  const origins = lines.map((): number | null => null);
  /** The index of each line in the text that is looked at, or -1 if its revision is known. */
  let places = lines.map((_, at) => at);
  let expected = value;
  for (const { revision, before, after } of changes) {
    // A text that is not what the newer revision began with: some are missing between them.
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
