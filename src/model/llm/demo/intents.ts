// Extracts the intents of a message: commands by a table, otherwise questions and facts, sentence by sentence. In core memory,
// a fact is one line, `Label: value`.
// Invariant: the intents depend only on the text, so every step of a turn finds the same ones; patterns of facts match
// one clause in the first person; time is linear in the length of the text.
import { takeCodePoints } from "../../../base/code-points.ts";
import { appendAll } from "../../../base/lists.ts";
import { stopWords } from "../../../base/query-words.ts";

export type Intent =
  | { readonly kind: "fact"; readonly fact: Fact }
  | { readonly kind: "note" | "forget" | "question"; readonly text: string }
  | { readonly kind: "call"; readonly name: string; readonly json: string };

/** The beginnings of commands, each with the intent for the rest of the sentence. */
const commands: readonly (readonly [RegExp, "note" | "forget"])[] = [
  [/^(?:please )?(?:remember|note|keep in mind|don't forget)(?: that|:|(?= to )) ?(.+)$/i, "note"],
  [/^(?:please )?forget (?:about |that )?(.+)$/i, "forget"],
];
const toolCall = /^(?:please )?(?:call|use|run) (\w+_\w+|\w+(?=(?: +with)? *\{))(?: +with)? *(\{[\s\S]*)?[.!]?$/i;
const question =
  /\?$|^(?:what|where|who|when|which|how) (?:is|are|am|was|were|do|did|does|old|many|much)\b|^(?:what's|who's|tell me|help$)/i;
const openings = /^(?:(?:hi|hello|hey|well|so|also|and|but|oh|yes|no|okay|ok|actually)(?![\p{L}'])[ ,!.]*)+/iu;
const verbs = "(?=(?:live|work|like|love|hate)\\b)";
const clauseBorder = new RegExp(
  `(?:, and |, but |, | and | but )(?=(?:I|I'm|I've|my|we|call me)\\b)| and ${verbs}`,
  "i",
);
/** Matches a name and a description in one clause: "I'm Ada, a student from Berlin". */
const nameAndDescription = /^((?:I'm|I am|[Mm]y name is) \p{Lu}\p{L}+(?: \p{Lu}\p{L}+)?), (an? .+)$/u;
const maxIntents = 40;

export function readIntents(text: string): readonly Intent[] {
  const [, name, json = "{}"] = toolCall.exec(text) ?? [];
  if (name !== undefined) return [{ kind: "call", name, json: json.trim() }];
  return sentencesOf(text).flatMap(readSentence).slice(0, maxIntents);
}

export function sentencesOf(text: string): readonly string[] {
  return text
    .split(/(?<=[.!?])(?<!\b(?:St|Dr|Mr|Mrs|Ms)\.)\s+|\n+/)
    .map((sentence) => sentence.replace(/\s+/g, " ").trim())
    .filter((sentence) => sentence !== "");
}

export function isQuestion(sentence: string): boolean {
  return question.test(sentence.replace(openings, ""));
}

/** Returns the facts of a sentence, clause by clause: "I live in Lisbon and like tea" has two. */
export function factsIn(sentence: string): readonly Fact[] {
  return sentence
    .replace(openings, "")
    .replace(nameAndDescription, "$1, and I am $2")
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

/** A fact. `isList`: the values are collected on one line; otherwise a new value replaces the old one. */
export interface Fact {
  readonly module: "human" | "persona";
  readonly label: string;
  readonly value: string;
  readonly isList: boolean;
}

const notPronoun = "(?!(?:it|that|this|you|to|how|what|when)\\b)";

/** A label and the pattern of its statement: the first group is the value. `persona`: the fact is about the agent. */
const rules: readonly (readonly [string, RegExp, ("list" | "persona")?])[] = [
  ["Name", /^(?:your name is|call yourself) (?!not\b)(.+)$/i, "persona"],
  ["Name", /^call me (.+)$/i],
  // Matches "I am Ada", but not "I am Portuguese".
  ["Name", /^I am (?!\p{L}+(?:ish|ese|ch|man|ian|can)$)(\p{Lu}\p{Ll}+(?: \p{Lu}\p{Ll}+)?)$/u],
  ["Age", /^I am (\d{1,3})(?: years old)?$/i],
  ["Lives in", /^I (?:live in|(?:have )?moved (?:from .{1,60} )?to) (.+)$/i],
  ["Job", /^I work as (?:an? )?(.+?)(?: (?:at|for) .+)?$/i],
  ["Works at", /^I work (?:as .+ )?(?:at|for) (.+)$/i],
  ["About", /^I am an? (?!bit\b|little\b)(.+)$/i, "list"],
  ["Allergic to", /^I am allergic to (.+)$/i, "list"],
  ["Speaks", /^I speak (?:fluent )?(\p{Lu}.+)$/u, "list"],
  [
    "Has",
    /^I have (?:got )?(?:an? (?!(?:bit|lot|few|look|question|problem|idea|feeling)\b)|(?=(?:one|two|three|four|five|six|seven|\d+) ))(.+)$/i,
    "list",
  ],
  ["Likes", new RegExp(`^I (?:like|love|enjoy) ${notPronoun}(.+)$`, "i"), "list"],
  ["Dislikes", new RegExp(`^I (?:do not like|don't like|dislike|hate) ${notPronoun}(.+)$`, "i"), "list"],
  ["Plans", /^I (?:plan|want|am planning|am going) to (?!(?:know|ask|hear|see|tell|say)\b)(.+)$/i, "list"],
];
/** Matches a property: "My locker code is 4711" is the fact `Locker code: 4711`. */
const property =
  /^my (?!(?:point|question|problem|guess)\b)([\p{L}][\p{L}' -]{1,39}?) (?:is|are) (?:called |named )?(?!not\b|that\b)(.+)$/iu;

function readFacts(clause: string): readonly Fact[] {
  const [, own = "", stated = ""] = property.exec(clause) ?? [];
  const label = own.slice(0, 1).toUpperCase() + own.slice(1).toLowerCase();
  const facts: Fact[] = [{ module: "human", label, value: trimmedValue(stated), isList: false }];
  for (const [name, pattern, kind] of rules) {
    const raw = pattern.exec(clause)?.[1] ?? "";
    const values = kind === "list" ? raw.split(/,? and (?:an? )?|, /i) : [raw];
    const module = kind === "persona" ? kind : "human";
    appendAll(
      facts,
      values.map((value) => ({ module, label: name, value: trimmedValue(value), isList: kind === "list" }) as const),
    );
  }
  return facts.filter(({ value }) => value !== "");
}

/** Returns the value of the line that begins with a label, ignoring case. */
export function factValue(text: string, label: string): string | undefined {
  const line = text.split("\n").find((one) => one.toLowerCase().startsWith(`${label.toLowerCase()}: `));
  return line?.slice(label.length + 2).trim();
}

/** Returns whether a line of the human module is guidance from a starter text (what to write), not a fact about the user. */
export function isGuidance(line: string): boolean {
  return /\bI do not know\b/i.test(line);
}

/** Returns a value without quotes, final punctuation and words like "now", at most 200 characters. */
function trimmedValue(raw: string): string {
  const value = raw
    .replace(/^[\s"'“]+|[\s"'”.,;:!?]+$/g, "")
    .replace(/ (?:now|too|as well|a lot|very much|these days|last (?:week|month|year))$/i, "");
  return takeCodePoints(value, 200).trim();
}

/** Words that are the topic of a question only if it has no other words: "what is X like" is about X. */
const weakWords = new Set(
  "like name called say said tell told know remember mention mentioned talk talked ever find please would could".split(
    " ",
  ),
);
const maxQuote = 300;

/** Returns the topic words of a text, in lower case and without duplicates. */
export function contentWords(text: string): readonly string[] {
  const words = [...new Set(wordsOf(text))].filter((word) => !stopWords.has(word));
  const strong = words.filter((word) => !weakWords.has(word));
  return strong.length > 0 ? strong : words;
}

/** Returns how many of the words a text contains, ignoring their endings. */
export function countMentions(text: string, words: readonly string[]): number {
  const stems = new Set(wordsOf(text).map(stemOf));
  return words.filter((word) => stems.has(stemOf(word))).length;
}

/** Returns the text on one line, in quotation marks, cut after 300 characters. */
export function quote(text: string): string {
  return `"${clip(text)}"`;
}

/** Returns the text on one line, cut after 300 characters. */
export function clip(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  const head = takeCodePoints(line, maxQuote);
  return head.length < line.length ? `${head}…` : head;
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+(?:[-_][\p{L}\p{N}]+)*/gu) ?? [];
}

function stemOf(word: string): string {
  const stem = word.replace(/(?:ing|ies|ed|es|s|e|y)$/, "");
  return stem.length >= 3 ? stem : word;
}
