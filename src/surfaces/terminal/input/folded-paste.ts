// Folds long pastes: a single character represents each paste in the typed text, and the screen shows a short label.
// Invariant: the complete paste is sent; the characters are noncharacters of Unicode, so no text contains them.
import { codePointLength } from "../../../base/code-points.ts";

const maxLines = 10;
const maxCharacters = 2_000;
const firstFold = 0xfd_d0;
const folds = 32;
const foldPattern = /[\ufdd0-\ufdef]/gu;

/** The folded pastes, by the characters that represent them. */
export type FoldedPastes = Readonly<Record<string, string>>;

/** Whether a pasted text is so long that it is folded. */
export function isLong(text: string): boolean {
  return text.length > maxCharacters * 2 || lineCount(text) > maxLines || codePointLength(text) > maxCharacters;
}

/** Returns the text with U+FFFD for each character that could represent a paste. */
export function withoutFolds(text: string): string {
  return text.replaceAll(foldPattern, "\ufffd");
}

/** Returns a character that does not represent a paste in this text yet; undefined if all are used. */
export function freeFold(text: string): string | undefined {
  const all = Array.from({ length: folds }, (_, index) => String.fromCharCode(firstFold + index));
  return all.find((fold) => !text.includes(fold));
}

/** Returns the text with its pastes expanded. */
export function unfolded(text: string, pastes: FoldedPastes): string {
  return text.replaceAll(foldPattern, (fold) => pastes[fold] ?? fold);
}

/** Returns the text for the screen: `[pasted 120 lines]` instead of each paste. */
export function withLabels(text: string, pastes: FoldedPastes): string {
  return text.replaceAll(foldPattern, (fold) => pasteLabel(pastes[fold] ?? ""));
}

/** Returns `[pasted 120 lines]`, or for few lines `[pasted 2,345 characters]`. */
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
