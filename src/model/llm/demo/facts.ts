// The facts that the demo model understands, their format in core memory (one line each, `Label: value`), and the words
// of texts.
// Invariant: pure, and linear in the length of the text; patterns match one clause in the first person.
import { appendAll } from "../../../base/lists.ts";
import { takeCodePoints } from "../../../base/code-points.ts";
import { stopWords } from "../../../base/query-words.ts";

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
  // "I am Ada", but not "I am Portuguese".
  ["Name", /^I am (?!\p{L}+(?:ish|ese|ch|man|ian|can)$)(\p{Lu}\p{Ll}+(?: \p{Lu}\p{Ll}+)?)$/u],
  ["Age", /^I am (\d{1,3})(?: years old)?$/i],
  ["Lives in", /^I (?:live in|(?:have )?moved (?:from .{1,60} )?to) (.+)$/i],
  ["Job", /^I work as (?:an? )?(.+?)(?: (?:at|for) .+)?$/i],
  ["Works at", /^I work (?:as .+ )?(?:at|for) (.+)$/i],
  ["About", /^I am an? (?!bit\b|little\b)(.+)$/i, "list"],
  ["Likes", new RegExp(`^I (?:like|love|enjoy) ${notPronoun}(.+)$`, "i"), "list"],
  ["Dislikes", new RegExp(`^I (?:do not like|don't like|dislike|hate) ${notPronoun}(.+)$`, "i"), "list"],
  ["Plans", /^I (?:plan|want|am planning|am going) to (?!(?:know|ask|hear|see|tell|say)\b)(.+)$/i, "list"],
];
/** "My locker code is 4711" is the fact `Locker code: 4711`. */
const property =
  /^my (?!(?:point|question|problem|guess)\b)([\p{L}][\p{L}' -]{1,39}?) (?:is|are) (?!not\b|that\b)(.+)$/iu;

/** Returns the facts that a clause states. */
export function readFacts(clause: string): readonly Fact[] {
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

/** Returns the value of the line with a label, ignoring case. */
export function factValue(text: string, label: string): string | undefined {
  const line = text.split("\n").find((one) => one.toLowerCase().startsWith(`${label.toLowerCase()}: `));
  return line?.slice(label.length + 2).trim();
}

/** Returns a value without quotes, final punctuation and words like "now", at most 200 characters. */
function trimmedValue(raw: string): string {
  const value = raw
    .replace(/^[\s"'“]+|[\s"'”.,;:!?]+$/g, "")
    .replace(/ (?:now|too|as well|a lot|very much|these days|last (?:week|month|year))$/i, "");
  return takeCodePoints(value, 200).trim();
}

/** Words that are the topic of a question only when there is no other: "what is X like" is about X. */
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
