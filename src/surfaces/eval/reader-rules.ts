// Finds the rules about memory that the readers of an evaluation follow if their instructions contain them.
// Invariant: pure; a rule is found in any wording that has the rule's words in one sentence.
import type { ModelRequest } from "../../model/llm/model.ts";

const rules = {
  save: [/\bsave\b/iu, /\bworth\b/iu],
  wishes: [/\bwish/iu, /\bcore memory\b/iu],
  places: [/\bone place\b/iu, /\barchival memory\b/iu],
  dates: [/\bdates?\b/iu, /\byesterday\b/iu],
  replace: [/\bchanged\b/iu, /\breplace\b/iu],
  newer: [/\b(?:newer|newest|latest|most recent)\b/iu, /\b(?:disagree|contradict|conflict|differ)/iu],
  secrets: [/\bnot save\b/iu, /\bpasswords?\b/iu],
  forget: [/\bto forget\b/iu, /\bcall\b/iu],
  search: [/\bsearch\b/iu, /\bnot know\b/iu],
} as const;

export type ReaderRule = keyof typeof rules;

export function hasRule({ system }: Pick<ModelRequest, "system">, rule: ReaderRule): boolean {
  const sentences = `${system.instructions}\n${system.memory}`.split(/(?<=[.!?])\s|\n/u);
  return sentences.some((sentence) => rules[rule].every((word) => word.test(sentence)));
}
