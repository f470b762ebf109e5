// Who somebody is: name, age, birthday, origin, languages, allergies.
// Invariant: "I am …" is taken for a name only when it is written like one.
import { capitalized, type Fact, type FactRule, factOf, listItems } from "./fact.ts";

const nationalities =
  /^(?:portuguese|spanish|french|german|italian|dutch|belgian|swiss|austrian|british|english|scottish|irish|welsh|american|canadian|mexican|brazilian|indian|chinese|japanese|korean|russian|ukrainian|polish|czech|greek|turkish|swedish|norwegian|danish|finnish|australian|european|african|asian)$/i;
const neverNames =
  /^(?:i|a|an|the|not|no|ok|okay|fine|good|great|well|back|here|there|sorry|happy|sad|tired|busy|sure|ready|done|hungry|thirsty|late|lost|new|sick|ill|bored|glad|so|very|really|in|at|on|from|with|just|all|it|that|this|what|who|your|my|later|tomorrow|maybe|when|if|retired|married|single|vegetarian|vegan)$/i;

/** Rules for who somebody is. */
export const identityRules: readonly FactRule[] = [
  {
    pattern: /^my (?:full |real |first )?name is (?:actually |now |really )?(.+)$/i,
    facts: ([, name]) => nameFact(name!),
  },
  {
    pattern: /^(?:(?:please|you can|just|you may) )*(?:people |everyone |friends |my friends )?calls? me (.+)$/i,
    facts: ([, name]) => nameFact(name!),
  },
  { pattern: /^I (?:am called|go by|am named) (.+)$/i, facts: ([, name]) => nameFact(name!) },
  {
    pattern: /^I am (?:only |almost |already )?(\d{1,3})(?: years old| years of age| years)?(?: now)?$/i,
    facts: ([, age]) => factOf("Age", age!),
  },
  { pattern: /^(?:I (?:have )?turned|my age is) (\d{1,3})(?: .*)?$/i, facts: ([, age]) => factOf("Age", age!) },
  {
    pattern: /^my (?:birthday|birth date|date of birth) (?:is|falls)(?: on)?(?: the)? (.+)$/i,
    facts: ([, day]) => factOf("Birthday", day!),
  },
  { pattern: /^I was born on (?:the )?(.+)$/i, facts: ([, day]) => factOf("Birthday", day!) },
  {
    pattern: /^I was born in (.+)$/i,
    facts: ([, where]) => factOf(/\d/.test(where!) ? "Born" : "Born in", where!),
  },
  { pattern: /^I (?:am|come) (?:originally )?from (.+)$/i, facts: ([, place]) => factOf("From", place!) },
  { pattern: /^I (?:can )?speak (.+)$/i, facts: ([, languages]) => listFacts("Speaks", languages!) },
  { pattern: /^I am (?:very |severely )?allergic to (.+)$/i, facts: ([, things]) => listFacts("Allergic to", things!) },
  { pattern: /^I am (\p{Lu}[^\s,]*(?: \p{Lu}[^\s,]*){0,2})$/u, facts: ([, word]) => nameOrNationality(word!) },
];

/** One `list` fact for each item of an enumeration. */
export function listFacts(label: string, raw: string): readonly Fact[] {
  return listItems(raw).flatMap((item) => factOf(label, item, "list"));
}

function nameOrNationality(word: string): readonly Fact[] {
  if (nationalities.test(word)) return factOf("Nationality", word);
  return word.length > 3 && word === word.toUpperCase() ? [] : nameFact(word);
}

function nameFact(raw: string): readonly Fact[] {
  const name = raw.split(/,| and | but |;| \(| not /i)[0]!.trim();
  const words = name.split(" ");
  if (words.length > 4 || neverNames.test(words[0]!)) return [];
  const isLowerCase = name === name.toLowerCase();
  return factOf("Name", isLowerCase ? words.map(capitalized).join(" ") : name);
}
