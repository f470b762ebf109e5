// What somebody likes, dislikes and likes best.
// Invariant: courtesy ("I'd like to …") and pronouns ("I like it") are no tastes.
import { type Fact, type FactRule, factOf } from "./fact.ts";
import { listFacts } from "./identity-facts.ts";

const noTaste =
  /^(?:it|that|this|you|your|him|her|them|these|those|how|what|when|the way|the idea|to know|to ask|to hear|to see you|to thank|to say|to tell)\b/i;
const liking =
  "(?:like|love|enjoy|adore|prefer|am fond of|am into|am keen on|am interested in|am crazy about|am an? (?:big |huge )?fan of)";
const disliking = "(?:dislike|hate|detest|loathe|can't stand|cannot stand|am not into|am not fond of)";

/** Rules for tastes. */
export const tasteRules: readonly FactRule[] = [
  {
    pattern: /^my (?:absolute |all-time )?favou?rite (.{1,60}?) (?:is|are) (.+)$/i,
    facts: ([, kind, thing]) => favouriteFact(kind!, thing!),
  },
  { pattern: /^(.{1,100}?) (?:is|are) my favou?rite (.+)$/i, facts: ([, thing, kind]) => favouriteFact(kind!, thing!) },
  { pattern: /^I no longer (?:like|love|enjoy) (.+)$/i, facts: ([, things]) => former(things!) },
  { pattern: /^I (?:do not|don't) (?:like|love|enjoy) (.+?) any ?more$/i, facts: ([, things]) => former(things!) },
  {
    pattern: new RegExp(`^I (?:(?:do not|don't) (?:really |much )?(?:like|love|enjoy)|${disliking}) (.+)$`, "i"),
    facts: ([, things]) => tastes("Dislikes", things!),
  },
  { pattern: new RegExp(`^I (?:do )?${liking} (.+)$`, "i"), facts: ([, things]) => tastes("Likes", things!) },
];

function tastes(label: string, raw: string): readonly Fact[] {
  return noTaste.test(raw) ? [] : listFacts(label, raw);
}

function former(raw: string): readonly Fact[] {
  return listFacts("Likes", raw).map((fact) => ({ ...fact, mode: "drop" }));
}

function favouriteFact(kind: string, thing: string): readonly Fact[] {
  return factOf(`Favourite ${kind.toLowerCase()}`, thing);
}
