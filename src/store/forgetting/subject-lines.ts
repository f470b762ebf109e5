// Finds lines that have only a name or a label beside the forgotten text, as in "Karin Dahl, [forgotten].": these lines
// are removed, too.
// Invariant: pure; a line with any other word is not found, so no other statement is removed.
import { forgottenMark, type Redactor } from "../../base/redactor.ts";

/** `label`: a text with a colon. `name`: up to four words with a capital or a digit, and the words that join them. */
const label = /^[^:：]{1,40}[:：]$/u;
const name =
  /^(?:[\p{Lu}\p{Lt}\p{N}][\p{L}\p{M}\p{N}'’.-]*(?: (?:and|und|et|y|e|och|og|van|von|der|de|da|di|del))* ?){1,4}$/u;
const maxLabelWords = 4;

/** Returns the texts that contain a forgotten text, and besides it only a name, a label or punctuation. */
export function textsOfSubject(texts: Iterable<string>, redactor: Redactor): readonly string[] {
  return [...texts].map((text) => text.trim()).filter((text) => redactor.has(text) && isSubject(redactor.redact(text)));
}

function isSubject(redacted: string): boolean {
  const [before = "", ...after] = redacted.split(forgottenMark);
  if (after.some((text) => /[\p{L}\p{N}]/u.test(text))) return false;
  const head = before.replace(/^[\s\p{P}]+/u, "").trim();
  if (head === "") return true;
  if (label.test(head)) return head.split(/\s+/u).length <= maxLabelWords;
  return name.test(head.replace(/[\s,;–—-]+$/u, ""));
}
