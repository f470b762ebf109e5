// A file's name as it can be shown, stored and told to a model.
// Invariant: one line of well-formed text without control characters, of 1 to 255 code points.
import { codePointLength, storableText, takeCodePoints } from "../base/code-points.ts";

const maxCodePoints = 255;
// Controls (C0, DEL, C1), line and paragraph separators, and what turns the direction of text around.
const unsafe = /[\p{Cc}\u2028\u2029\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;

/** What cannot stand in a name becomes U+FFFD; one that is too long keeps its beginning and its extension. */
export function safeFileName(name: string): string {
  const safe = storableText(name).replaceAll(unsafe, "\uFFFD").trim();
  if (safe === "") return "file";
  if (codePointLength(safe) <= maxCodePoints) return safe;
  const extension = /\.[^.]{1,16}$/u.exec(safe)?.[0] ?? "";
  return `${takeCodePoints(safe, maxCodePoints - codePointLength(extension) - 1)}…${extension}`;
}

/** The name's extension in small letters without its dot; empty when it has none. */
export function extensionOf(name: string): string {
  return /\.([a-z\d]{1,8})$/iu.exec(name)?.[1]?.toLowerCase() ?? "";
}
