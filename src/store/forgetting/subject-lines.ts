// Finds lines in which only a name or a label would remain, such as "Karin Dahl, [forgotten].", so that they are removed too.
// Invariant: pure; a line with any further word is not found, so nothing else that was said is removed.
import { forgottenMark, type Redactor } from "../../base/redactor.ts";

/** `label`: a text up to a colon. `name`: up to four words with a capital or a digit, and joining words such as "van". */
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
