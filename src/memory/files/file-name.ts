// Makes a file's name safe to show, store and send to a model.
import { codePointLength, storableText, takeCodePoints } from "../../base/code-points.ts";

const maxCodePoints = 255;
// Controls (C0, DEL, C1), line and paragraph separators, and characters that change the direction of text.
const unsafe = /[\p{Cc}\u2028\u2029\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;

/** Replaces forbidden characters with U+FFFD; a name that is too long keeps its beginning and its extension. */
export function safeFileName(name: string): string {
  const safe = storableText(name).replaceAll(unsafe, "\uFFFD").trim();
  if (safe === "") return "file";
  if (codePointLength(safe) <= maxCodePoints) return safe;
  const extension = /\.[^.]{1,16}$/u.exec(safe)?.[0] ?? "";
  return `${takeCodePoints(safe, maxCodePoints - codePointLength(extension) - 1)}…${extension}`;
}

/** Returns the name's extension in lower case without its dot; empty if it has none. */
export function extensionOf(name: string): string {
  return /\.([a-z\d]{1,8})$/iu.exec(name)?.[1]?.toLowerCase() ?? "";
}
