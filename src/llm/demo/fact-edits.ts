// How new facts meet what the human module holds: a contradiction is replaced, a list is extended, the rest is added.
// Invariant: a fact that is known already causes no edit.
import { findFactLine, readFactLine } from "./core-memory-view.ts";
import type { Fact } from "./fact.ts";
import { appendLine, type EditedText, replaceLine } from "./memory-edits.ts";

const opposites: Readonly<Record<string, string>> = { Likes: "Dislikes", Dislikes: "Likes" };
/** Labels whose value holds more than its name: "a flat in Lisbon" is left when Lisbon is. */
const placeLabels: readonly string[] = ["Lives in", "Works at", "Job"];
const aliases: Readonly<Record<string, readonly string[]>> = {
  Name: ["Name", "First name", "Full name", "User name"],
  "Lives in": ["Lives in", "Location", "City", "Home"],
  Job: ["Job", "Occupation", "Profession"],
};

/** The edits that bring a module's text up to date with the facts. */
export function editsForFacts(text: EditedText, facts: readonly Fact[]): EditedText {
  return facts.reduce(applyFact, text);
}

/** All labels under which a kind of fact may stand, in texts that people wrote too. */
export function labelsFor(label: string): readonly string[] {
  return aliases[label] ?? [label];
}

/** The items of a list line's value. */
export function splitItems(value: string): readonly string[] {
  return value
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

/** Takes items out of a list line; a line that has none left goes too. */
export function removeItems(text: EditedText, line: string, isGone: (item: string) => boolean): EditedText {
  const read = readFactLine(line);
  if (read === undefined) return text;
  const items = splitItems(read.value);
  const left = items.filter((item) => !isGone(item));
  if (left.length === items.length) return text;
  return replaceLine(text, line, left.length === 0 ? "" : `${read.label}: ${left.join(", ")}`);
}

function applyFact(text: EditedText, fact: Fact): EditedText {
  switch (fact.mode) {
    case "entry":
      return applyEntry(text, fact);
    case "list":
      return applyItem(withoutOpposite(text, fact), fact);
    case "drop":
      return dropFact(text, fact);
    case "single":
      return applySingle(text, fact);
  }
}

function applyEntry(text: EditedText, fact: Fact): EditedText {
  const line = `${fact.label}: ${fact.value}`;
  return text.value.split("\n").some((known) => isSame(known, line)) ? text : appendLine(text, line);
}

function applySingle(text: EditedText, fact: Fact): EditedText {
  const known = findFactLine(text.value, labelsFor(fact.label));
  if (known === undefined) return appendLine(text, `${fact.label}: ${fact.value}`);
  return isSame(known.value, fact.value) ? text : replaceLine(text, known.line, `${known.label}: ${fact.value}`);
}

function applyItem(text: EditedText, fact: Fact): EditedText {
  const known = findFactLine(text.value, [fact.label]);
  if (known === undefined) return appendLine(text, `${fact.label}: ${fact.value}`);
  if (splitItems(known.value).some((item) => isSame(item, fact.value))) return text;
  return joinEdit(text, known.line, `${known.line}, ${fact.value}`);
}

/** Extends a line; one that was written by the edit before is written once, with all its items. */
function joinEdit(text: EditedText, line: string, longer: string): EditedText {
  const last = text.edits.at(-1);
  if (last === undefined || last.after !== line) return replaceLine(text, line, longer);
  const value =
    text.value.slice(0, text.value.lastIndexOf(line)) +
    longer +
    text.value.slice(text.value.lastIndexOf(line) + line.length);
  return { ...text, value, edits: [...text.edits.slice(0, -1), { ...last, after: longer }] };
}

function withoutOpposite(text: EditedText, fact: Fact): EditedText {
  const opposite = opposites[fact.label];
  const line = opposite === undefined ? undefined : findFactLine(text.value, [opposite]);
  return line === undefined ? text : removeItems(text, line.line, (item) => isSame(item, fact.value));
}

function dropFact(text: EditedText, fact: Fact): EditedText {
  const known = findFactLine(text.value, labelsFor(fact.label));
  if (known === undefined) return text;
  if (fact.value === "") return replaceLine(text, known.line, "");
  if (placeLabels.includes(fact.label) && known.value.toLowerCase().includes(fact.value.toLowerCase()))
    return replaceLine(text, known.line, "");
  return removeItems(text, known.line, (item) => isSame(item, fact.value));
}

function isSame(one: string, other: string): boolean {
  return one.trim().toLowerCase() === other.trim().toLowerCase();
}
