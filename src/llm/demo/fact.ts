// A fact about the user as it is kept: one tidy line, `Label: value`.
// Invariant: a value is one line, at most 200 characters, without the words that only colour it.
import { takeCodePoints } from "../../base/code-points.ts";

/**
 * How a fact meets what is known: `single` replaces, `list` joins the others of its label, `entry` stands beside them,
 * `drop` takes back what is known (all of the label if the value is empty).
 */
export type FactMode = "single" | "list" | "entry" | "drop";

/** One fact as a person stated it. */
export interface Fact {
  readonly label: string;
  readonly value: string;
  readonly mode: FactMode;
}

/** Recognises one way of stating facts. The first rule that matches a clause and yields a fact wins. */
export interface FactRule {
  readonly pattern: RegExp;
  readonly facts: (match: readonly string[]) => readonly Fact[];
}

const trailing =
  / (?:now|too|as well|a lot|so much|very much|these days|nowadays|at the moment|currently|right now|anymore|any more|by the way|though|actually|please|already|recently|last (?:week|month|year)|yesterday|since .+|because .+|where .+|which .+|for (?:the |a |many |over |about )?\S+ (?:years?|months?|weeks?)(?: now)?)$/i;

/** A value as it is kept: without quotes, final punctuation and trailing colour words. */
export function tidyValue(raw: string): string {
  let value = raw.replace(/\s+/g, " ").trim();
  for (let round = 0; round < 3; round += 1) {
    value = withoutEdges(value).replace(trailing, "").trim();
  }
  return takeCodePoints(withoutEdges(value), 200).trim();
}

/** The items of an enumeration: "sailing, tea and the sea" has three. */
export function listItems(raw: string): readonly string[] {
  return raw
    .split(/, and | and |, | & |,/i)
    .map((item) => tidyValue(item.replace(/^(?:also|both) /i, "")))
    .filter((item) => item !== "");
}

/** A fact of the given mode, or none when nothing is left of its value. */
export function factOf(label: string, raw: string, mode: FactMode = "single"): readonly Fact[] {
  const value = tidyValue(raw);
  return value === "" && mode !== "drop" ? [] : [{ label: capitalized(tidyValue(label)), value, mode }];
}

/** The text with its first letter in upper case. */
export function capitalized(text: string): string {
  const first = takeCodePoints(text, 1);
  return first.toUpperCase() + text.slice(first.length);
}

function withoutEdges(text: string): string {
  let start = 0;
  let end = text.length;
  const edges = " \"'“”.,;:!?";
  while (start < end && edges.includes(text[start]!)) start += 1;
  while (end > start && edges.includes(text[end - 1]!)) end -= 1;
  return text.slice(start, end);
}
