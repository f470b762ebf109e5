// What somebody means to do.
// Invariant: what somebody wants from the conversation itself ("I want to know …") is no plan.
import { type Fact, type FactRule, factOf, tidyValue } from "./fact.ts";

const noPlan =
  /^(?:know|ask|hear|tell|say|talk|thank|understand|see (?:if|what|whether|how)|find out|be honest|bed|sleep|check|test|try this|try you|you)\b/i;
const when =
  "(?:next (?:week|month|year|weekend|spring|summer|autumn|fall|winter|\\p{L}+day)|tomorrow(?: morning| evening| afternoon)?|tonight|this (?:week|weekend|month|year|evening|summer|winter)|on (?:mon|tues|wednes|thurs|fri|satur|sun)day|in (?:january|february|march|april|may|june|july|august|september|october|november|december))";

/** Rules for plans. */
export const planRules: readonly FactRule[] = [
  {
    pattern: new RegExp(
      `^(${when}),? (?:I|we) (?:will |am going to |are going to |am |are |have to |want to |plan to |need to )?(.+)$`,
      "iu",
    ),
    facts: ([, time, deed]) => planFact(deed!, time!),
  },
  {
    pattern:
      /^I (?:am planning|plan|intend|am hoping|hope|want|would love|aim|am going|have decided|decided) to (.+)$/i,
    facts: ([, deed]) => planFact(deed!),
  },
  { pattern: /^my plan is to (.+)$/i, facts: ([, deed]) => planFact(deed!) },
  { pattern: /^I am planning (?!to )(.+)$/i, facts: ([, deed]) => planFact(deed!) },
  { pattern: /^I am (moving to .+)$/i, facts: ([, deed]) => planFact(deed!) },
  {
    pattern: new RegExp(`^I (?:will |am )?(.{2,120}?),? (${when})$`, "iu"),
    facts: ([, deed, time]) => planFact(deed!, time!),
  },
];

function planFact(deed: string, time = ""): readonly Fact[] {
  if (noPlan.test(deed)) return [];
  return factOf("Plan", time === "" ? deed : `${tidyValue(deed)} (${time.toLowerCase()})`, "entry");
}
