// Lines that say nothing but what was forgotten: without it, a name or a label would be left ("Karin Dahl, [forgotten].").
// Invariant: pure; a line with any other word is none, so no other statement goes with it.
import { forgottenMark, type Redactor } from "../../base/redactor.ts";

/** A label, or a name of at most four words, each with a capital or a digit, with what joins them ("Ludwig van Dam"). */
const label = /^[^:：]{1,40}[:：]$/u;
const name =
  /^(?:[\p{Lu}\p{Lt}\p{N}][\p{L}\p{M}\p{N}'’.-]*(?: (?:and|und|et|y|e|och|og|van|von|der|de|da|di|del))* ?){1,4}$/u;
const maxLabelWords = 4;

/** Returns those of the texts of which, without the forgotten texts, only a name or a label is left, or only marks. */
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
