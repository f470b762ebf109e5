// Puts the passages of a file together to its lines again.
// Invariant: pure; a text that two passages share is there once; lines of the file keep their numbers.
import { smallest } from "../../base/extremes.ts";
import type { FileLines, FilePassage } from "../../store/port/attached-file-store.ts";

/** Maximum length of a text that two passages share. */
const maxShared = 2000;

/** `passages`: of one file, in order. Between parts of a file without lines is a line with their page or heading. */
export function fileLines(passages: readonly FilePassage[]): FileLines {
  const numbered = passages[0]?.lastLine ?? null;
  if (numbered !== null) return numberedLines(passages, numbered);
  const lines = passages.reduce<readonly string[]>(
    (before, passage, at) => joined(before, passage, passages[at - 1]),
    [],
  );
  return { from: 1, lines, total: lines.length };
}

function numberedLines(passages: readonly FilePassage[], total: number): FileLines {
  const from = smallest(passages.map(({ place }) => place?.lineFrom ?? total + 1));
  const lines: string[] = [];
  for (const { content, place } of passages) {
    const start = (place?.lineFrom ?? from) - from;
    for (const [at, text] of content.split("\n").entries()) {
      // Blank lines between passages belong to none.
      while (lines.length < start + at) lines.push("");
      lines[start + at] = withoutShared(lines[start + at] ?? "", text);
    }
  }
  return { from, lines, total };
}

/** Two passages can begin and end within one line, or share it. The end of a passage lacks its white space. */
function withoutShared(before: string, text: string): string {
  if (before.includes(text)) return before;
  if (text.includes(before)) return text;
  const shared = sharedLength(before, text);
  return `${before}${shared === 0 ? " " : ""}${text.slice(shared)}`;
}

function sharedLength(before: string, text: string): number {
  for (let length = Math.min(maxShared, before.length, text.length); length > 0; length -= 1)
    if (before.endsWith(text.slice(0, length))) return length;
  return 0;
}

function joined(
  before: readonly string[],
  { content, place }: FilePassage,
  previous: FilePassage | undefined,
): readonly string[] {
  const [part, partBefore] = [partOf(place), partOf(previous?.place ?? null)];
  const isNew = previous === undefined || part !== partBefore;
  const heading = isNew && part !== "" ? [`[${part}]`] : [];
  const shared = isNew ? 0 : sharedLength(previous.content, content);
  const rest = content.slice(shared).split("\n");
  if (shared === 0) return [...before, ...heading, ...rest];
  const [first = "", ...more] = rest;
  return [...before.slice(0, -1), `${before.at(-1) ?? ""}${first}`, ...more];
}

function partOf(place: FilePassage["place"]): string {
  const page = place?.page === undefined ? [] : [`page ${place.page}`];
  const heading = place?.heading === undefined ? [] : [place.heading];
  return [...page, ...heading].join(", ");
}
