// Where and how somebody lives: place, work, studies, family and pets.
// Invariant: what somebody is ("I am a …") counts as a job only when the word names one.
import { capitalized, type Fact, type FactRule, factOf } from "./fact.ts";

const jobWord =
  /(?:nurse|doctor|chef|cook|pilot|student|accountant|architect|judge|clerk|guard|midwife|vet|dentist|surgeon|coach|priest|monk|mechanic|plumber|athlete|assistant|consultant|analyst|attendant|scientist|artist|musician|technician|electrician|physician|librarian|magician|politician|actor|author|doctor|professor|translator|conductor|sailor|tailor|er|ist)s?$/i;
const notAJob =
  /(?:lover|beginner|believer|member|sister|brother|mother|father|daughter|foreigner|smoker|number|winner|loser|owner|stranger|newcomer|teenager|partner|later|after|whatever|together|better|vegetarian|reader|customer|supporter|eater|drinker|riser)$/i;
const pastTime = /\b(?:last|ago|once|used to)\b/i;

const oneOfAKind = "mother|mom|mum|father|dad|wife|husband|partner|girlfriend|boyfriend|boss|fiancée?";
const oneOfMany =
  "dog|cat|horse|parrot|rabbit|hamster|bird|pet|puppy|kitten|fish|turtle|sister|brother|son|daughter|child|baby|friend|best friend|aunt|uncle|cousin|neighbou?r|colleague|grandmother|grandfather|niece|nephew|roommate|flatmate";
const kin = `(?:older |younger |little |big |elder |twin )?(?:${oneOfAKind}|${oneOfMany})`;
const single = new RegExp(`^(?:${oneOfAKind})$`, "i");

const havingRules: readonly FactRule[] = [
  {
    pattern: new RegExp(
      `^I have (?:an?|got an?) (?:\\p{L}+ )?(${kin}) (?:called|named) ((?:(?! and an? | and (?:one|two|three) ).)+)$`,
      "iu",
    ),
    facts: ([, who, name]) => kinFact(who!, name!),
  },
  {
    pattern: new RegExp(
      `^I have (?:got )?((?:an?|one|two|three|four|five|\\d+) (?:\\p{L}+ )?(?:${kin}|children|kids|cats|dogs|puppies|babies)s?)$`,
      "iu",
    ),
    facts: ([, what]) => factOf("Has", what!, "list"),
  },
];

/** Rules for how somebody lives. */
export const lifeRules: readonly FactRule[] = [
  { pattern: /^I (?:do not|don't|no longer) live in (.+)$/i, facts: ([, place]) => factOf("Lives in", place!, "drop") },
  { pattern: /^I (?:live|am living|am based|reside) in (.+)$/i, facts: ([, place]) => placeFact(place!) },
  {
    pattern: /^I (?:have )?(?:moved|relocated) (?:from [^,]{1,60}? )?(?:back |over )?to (.+)$/i,
    facts: ([, place]) => placeFact(place!),
  },
  {
    pattern: /^I (?:do not|don't|no longer) work (?:as|at|for|in) (?:an? )?(.+)$/i,
    facts: ([, place]) => formerWork(place!),
  },
  {
    pattern:
      /^I (?:work|am working|have a (?:new )?job|got a (?:new )?job|started(?: working)?) as (?:an? |the )?(.+)$/i,
    facts: ([, job]) => jobFacts(job!),
  },
  {
    pattern: /^I (?:work|am working|am employed) (?:at|for|in|with|by) (.+)$/i,
    facts: ([, place]) => workplaceFacts(place!),
  },
  {
    pattern: /^my (?:new )?(?:job|profession|occupation) is (?:an? |being an? |to )?(.+)$/i,
    facts: ([, job]) => jobFacts(job!),
  },
  { pattern: /^I (?:am|have) retired$/i, facts: () => factOf("Job", "retired") },
  { pattern: /^I (?:study|am studying) (.+)$/i, facts: ([, subject]) => factOf("Studies", subject!) },
  {
    pattern: new RegExp(`^my (${kin})(?:'s name)? (?:is |was )(?:called |named )(.+)$`, "i"),
    facts: ([, who, name]) => kinFact(who!, name!),
  },
  { pattern: new RegExp(`^my (${kin})'s name is (.+)$`, "i"), facts: ([, who, name]) => kinFact(who!, name!) },
  { pattern: new RegExp(`^the name of my (${kin}) is (.+)$`, "i"), facts: ([, who, name]) => kinFact(who!, name!) },
  ...havingRules,
  { pattern: /^I have (?:got )?(.+(?: and |, ).+)$/i, facts: ([, things]) => severalFacts(things!) },
  { pattern: /^I am (?:an?|the) (.+)$/i, facts: ([, what]) => occupationFacts(what!) },
];

function placeFact(raw: string): readonly Fact[] {
  return factOf("Lives in", raw.split(/,? (?:with|near) my |, (?:and|but|not) /i)[0]!);
}

function formerWork(raw: string): readonly Fact[] {
  return [...factOf("Job", raw, "drop"), ...factOf("Works at", raw, "drop")];
}

function jobFacts(raw: string): readonly Fact[] {
  const [job = "", place = ""] = raw.split(/ (?:at|for) /i, 2);
  return [...factOf("Job", job), ...factOf("Works at", place)];
}

function workplaceFacts(raw: string): readonly Fact[] {
  const [place = "", job = ""] = raw.split(/ as (?:an? )?/i, 2);
  return [...factOf("Job", job), ...factOf("Works at", place)];
}

function occupationFacts(raw: string): readonly Fact[] {
  const head = raw.split(/ (?:at|for|in|of|with|who|from|and) /i)[0]!.trim();
  if (/^(?:bit|little|lot|while|few)\b/i.test(head) || pastTime.test(raw)) return [];
  if (jobWord.test(head) && !notAJob.test(head)) return jobFacts(raw);
  return factOf("About", raw, "entry");
}

function kinFact(who: string, name: string): readonly Fact[] {
  const noun = who.split(" ").at(-1)!;
  const first = name.split(/,| and (?!\p{Lu})| but | who /u)[0]!;
  return factOf(capitalized(who.toLowerCase()), first, single.test(noun) ? "single" : "list");
}

/** "two cats and a dog named Rex": each part is read on its own. */
function severalFacts(things: string): readonly Fact[] {
  return things.split(/,? and |, /i).flatMap((thing) => {
    const rule = havingRules.find(({ pattern }) => pattern.test(`I have ${thing}`));
    return rule === undefined ? [] : rule.facts(rule.pattern.exec(`I have ${thing}`)!);
  });
}
