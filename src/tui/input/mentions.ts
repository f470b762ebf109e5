// Files that are named in a message: `@notes.md`, `@"my notes.md"`.
// Invariant: pure; an `@` within a word, as in an address, names no file.
import type { Editor } from "./line-editor.ts";

const longestPath = 500;
const maxMentions = 20;

/** A path that is being typed. */
export interface Mention {
  /** Where its `@` stands in the text. */
  readonly from: number;
  readonly isQuoted: boolean;
  /** What stands before the last slash, with it; empty for the folder that one is in. */
  readonly folder: string;
  /** What stands after it. */
  readonly name: string;
}

/** The path before the cursor; null when there is none. */
export function mentionAt({ text, cursor }: Editor): Mention | null {
  const from = text.lastIndexOf("@", cursor - 1);
  if (cursor === 0 || from === -1 || cursor - from > longestPath) return null;
  if (from > 0 && !/\s/u.test(text[from - 1] ?? "")) return null;
  const typed = text.slice(from + 1, cursor);
  const isQuoted = typed.startsWith('"');
  const path = isQuoted ? typed.slice(1) : typed;
  if (isQuoted ? /["\n]/u.test(path) : /\s/u.test(path)) return null;
  const end = path.lastIndexOf("/") + 1;
  return { from, isQuoted, folder: path.slice(0, end), name: path.slice(end) };
}

/** The paths that a message names, each once. Without quotes, also without the marks that end a sentence. */
export function mentionedPaths(text: string): readonly string[] {
  const paths = new Set<string>();
  for (const [, quoted, plain = ""] of text.matchAll(/(?<![^\s])@(?:"([^"\n]{1,500})"|([^\s"]{1,500})(?!\S))/gu)) {
    if (paths.size >= maxMentions) break;
    paths.add(quoted ?? plain);
  }
  return [...paths];
}

/** The path without the marks that end a sentence: `notes.md` of `notes.md,`. */
export function withoutMarks(path: string): string {
  let end = path.length;
  while (end > 0 && ".,;:!?)]}'".includes(path[end - 1] ?? "")) end -= 1;
  return path.slice(0, end);
}
