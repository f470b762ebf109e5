// Parses file names in a message: `@notes.md`, `@"my notes.md"`.
// Invariant: pure; an `@` within a word, as in an e-mail address, is not a file name.
import type { Editor } from "./line-editor.ts";

const maxPathLength = 500;
const maxMentions = 20;

/** A path at the cursor. */
export interface Mention {
  /** The offset in the text of the `@` before the path. */
  readonly from: number;
  readonly isQuoted: boolean;
  /** The folder of the path, with the last slash; empty for the current folder. */
  readonly folder: string;
  /** The part of the path after the last slash. */
  readonly name: string;
}

/** Returns the path before the cursor; null if there is none. */
export function mentionAt({ text, cursor }: Editor): Mention | null {
  const from = text.lastIndexOf("@", cursor - 1);
  if (cursor === 0 || from === -1 || cursor - from > maxPathLength) return null;
  if (from > 0 && !/\s/u.test(text[from - 1] ?? "")) return null;
  const typed = text.slice(from + 1, cursor);
  const isQuoted = typed.startsWith('"');
  const path = isQuoted ? typed.slice(1) : typed;
  if (isQuoted ? /["\n]/u.test(path) : /\s/u.test(path)) return null;
  const end = path.lastIndexOf("/") + 1;
  return { from, isQuoted, folder: path.slice(0, end), name: path.slice(end) };
}

/** Returns the paths in a message, each once. A path without quotes may include punctuation of the sentence. */
export function mentionedPaths(text: string): readonly string[] {
  const paths = new Set<string>();
  for (const [, quoted, plain = ""] of text.matchAll(/(?<![^\s])@(?:"([^"\n]{1,500})"|([^\s"]{1,500})(?!\S))/gu)) {
    if (paths.size >= maxMentions) break;
    paths.add(quoted ?? plain);
  }
  return [...paths];
}

/** Returns the path without punctuation at its end: `notes.md` for `notes.md,`. */
export function withoutMarks(path: string): string {
  let end = path.length;
  while (end > 0 && ".,;:!?)]}'".includes(path[end - 1] ?? "")) end -= 1;
  return path.slice(0, end);
}
