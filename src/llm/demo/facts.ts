// From what a person says to facts about them: each clause is held against the rules, and the first that fits wins.
// Invariant: questions and text without a first person yield nothing.
import { type Fact, type FactRule, factOf } from "./fact.ts";
import { identityRules } from "./identity-facts.ts";
import { lifeRules } from "./life-facts.ts";
import { planRules } from "./plan-facts.ts";
import { splitClauses } from "./sentences.ts";
import { tasteRules } from "./taste-facts.ts";

const noProperty =
  /^(?:point|question|problem|guess|opinion|bad|apologies|mistake|god|goodness|message|answer|idea|turn|last|next|only|other|first)\b/i;

const propertyRule: FactRule = {
  pattern: /^my ([\p{L}][\p{L}\p{N}' -]{1,39}?) (?:is|are) (.+)$/iu,
  facts: ([, property, value]) =>
    noProperty.test(property!) || /^(?:not|that|what|why)\b/i.test(value!)
      ? []
      : factOf(property!.toLowerCase(), value!),
};

const rules: readonly FactRule[] = [...planRules, ...tasteRules, ...identityRules, ...lifeRules, propertyRule];
const adverbs =
  /^(I(?: am| have| will| do)?) (?:(?:just|also|really|now|still|actually|currently|absolutely|recently|always|totally|finally|even|truly|usually|mostly|often) )+/i;
const longForms: readonly (readonly [RegExp, string])[] = [
  [/^(?:i'm|im|we're|we are) /i, "I am "],
  [/^(?:i've|we've|we have) /i, "I have "],
  [/^(?:i'll|we'll) /i, "I will "],
  [/^(?:we|i) /i, "I "],
  [/^I am not (?=living|working)/i, "I no longer "],
  [/^my name's /i, "my name is "],
  [/^our /i, "my "],
];

/** The facts that a statement holds, in the order they are stated. */
export function readFacts(sentence: string): readonly Fact[] {
  return splitClauses(sentence).flatMap((clause) => factsOfClause(longForm(clause)));
}

function longForm(clause: string): string {
  const whole = longForms.reduce((text, [short, long]) => text.replace(short, long), clause);
  return whole.replace(adverbs, "$1 ");
}

function factsOfClause(clause: string): readonly Fact[] {
  for (const rule of rules) {
    const match = rule.pattern.exec(clause);
    const facts = match === null ? [] : rule.facts(match);
    if (facts.length > 0) return facts;
  }
  return [];
}
