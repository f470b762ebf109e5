// Long pastes as one piece of the typed text: a single character stands for each, and a short label is shown for it.
// Invariant: what is sent is what was pasted, whole; the characters are noncharacters of Unicode, so no text has them.
import { codePointLength } from "../../base/code-points.ts";

const maxLines = 10;
const maxCharacters = 2_000;
const firstFold = 0xfd_d0;
const folds = 32;
const foldPattern = /[\ufdd0-\ufdef]/gu;

/** What stands for a paste, by its character. */
export type FoldedPastes = Readonly<Record<string, string>>;

/** Whether a text is folded when it is pasted. */
export function isLong(text: string): boolean {
  return text.length > maxCharacters * 2 || lineCount(text) > maxLines || codePointLength(text) > maxCharacters;
}

/** A text without the characters that stand for pastes. */
export function withoutFolds(text: string): string {
  return text.replaceAll(foldPattern, "\ufffd");
}

/** A character that stands for nothing in this text yet; undefined when all are taken. */
export function freeFold(text: string): string | undefined {
  const all = Array.from({ length: folds }, (_, index) => String.fromCharCode(firstFold + index));
  return all.find((fold) => !text.includes(fold));
}

/** A text with what its pastes stand for. */
export function unfolded(text: string, pastes: FoldedPastes): string {
  return text.replaceAll(foldPattern, (fold) => pastes[fold] ?? fold);
}

/** A text as it is shown: `[pasted 120 lines]` in place of each paste. */
export function withLabels(text: string, pastes: FoldedPastes): string {
  return text.replaceAll(foldPattern, (fold) => pasteLabel(pastes[fold] ?? ""));
}

/** `[pasted 120 lines]`; of few lines `[pasted 2,345 characters]`. */
function pasteLabel(text: string): string {
  const lines = lineCount(text);
  if (lines > maxLines) return `[pasted ${lines.toLocaleString("en")} lines]`;
  return `[pasted ${codePointLength(text).toLocaleString("en")} characters]`;
}

function lineCount(text: string): number {
  let count = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < text.length - 1; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}
