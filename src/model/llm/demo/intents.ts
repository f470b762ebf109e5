// Extracts the intents of a message: commands by a table, otherwise questions and facts, sentence by sentence.
// Invariant: the intents depend only on the text, so every step of a turn finds the same ones.
import { type Fact, readFacts } from "./facts.ts";

export type Intent =
  | { readonly kind: "fact"; readonly fact: Fact }
  | { readonly kind: "note" | "forget" | "question"; readonly text: string }
  | { readonly kind: "call"; readonly name: string; readonly json: string };

/** The beginning of a sentence, and the intent that the rest of it becomes. */
const commands: readonly (readonly [RegExp, "note" | "forget"])[] = [
  [/^(?:please )?(?:remember|note|keep in mind|don't forget)(?: that|:|(?= to )) ?(.+)$/i, "note"],
  [/^(?:please )?forget (?:about |that )?(.+)$/i, "forget"],
];
const toolCall = /^(?:please )?(?:call|use|run) (\w+_\w+|\w+(?= *\{))(?: +with)? *(\{[\s\S]*)?[.!]?$/i;
const question =
  /\?$|^(?:what|where|who|when|which|how) (?:is|are|am|was|were|do|did|does|old|many|much)\b|^(?:what's|who's|tell me|help$)/i;
const openings = /^(?:(?:hi|hello|hey|well|so|also|and|but|oh|yes|no|okay|ok|actually)(?![\p{L}'])[ ,!.]*)+/iu;
const verbs = "(?=(?:live|work|like|love|hate)\\b)";
const clauseBorder = new RegExp(
  `(?:, and |, but |, | and | but )(?=(?:I|I'm|I've|my|we|call me)\\b)| and ${verbs}`,
  "i",
);
const maxIntents = 40;

/** Returns the intents of a message. */
export function readIntents(text: string): readonly Intent[] {
  const [, name, json = "{}"] = toolCall.exec(text) ?? [];
  if (name !== undefined) return [{ kind: "call", name, json: json.trim() }];
  return sentencesOf(text).flatMap(readSentence).slice(0, maxIntents);
}

/** Returns the sentences of a text. */
export function sentencesOf(text: string): readonly string[] {
  return text
    .split(/(?<=[.!?])(?<!\b(?:St|Dr|Mr|Mrs|Ms)\.)\s+|\n+/)
    .map((sentence) => sentence.replace(/\s+/g, " ").trim())
    .filter((sentence) => sentence !== "");
}

/** Whether a sentence is a question. */
export function isQuestion(sentence: string): boolean {
  return question.test(sentence.replace(openings, ""));
}

/** Returns the facts of a sentence, clause by clause: "I live in Lisbon and like tea" has two. */
export function factsIn(sentence: string): readonly Fact[] {
  return sentence
    .replace(openings, "")
    .split(clauseBorder)
    .map((clause) =>
      clause
        .replace(/^(?:I'm|we're|we are) /i, "I am ")
        .replace(/^(?:I've|we've|we have) /i, "I have ")
        .replace(new RegExp(`^(?:we )?${verbs}`, "i"), "I ")
        .replace(/^(I(?: am| have)?) (?:(?:just|also|really|now|still|actually) )+/i, "$1 "),
    )
    .flatMap(readFacts);
}

function readSentence(sentence: string): readonly Intent[] {
  const text = sentence.replace(openings, "").replace(/\bwhat's\b/gi, "what is");
  const facts = factsIn(sentence).map((fact): Intent => ({ kind: "fact", fact }));
  for (const [pattern, kind] of commands) {
    const words = pattern.exec(text)?.[1]?.replace(/[.!?]+$/, "");
    if (words === undefined) continue;
    const noted = kind === "note" ? factsIn(words).map((fact): Intent => ({ kind: "fact", fact })) : [];
    return [{ kind, text: words }, ...noted];
  }
  return question.test(text) ? [{ kind: "question", text: text.replace(/[\s.!?]+$/, "") }] : facts;
}
