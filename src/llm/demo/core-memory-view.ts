// Core memory as the prompt shows it: modules read back out of the rendered text, and the tidy lines in them.
// Invariant: what is read is only what the prompt holds; nothing is kept between requests.
import { type Fact, factOf } from "./fact.ts";

/** One module of core memory as the prompt shows it. */
export interface ModuleView {
  readonly label: string;
  readonly value: string;
}

/** A line `Label: value` of a module. */
export interface FactLine {
  readonly line: string;
  readonly label: string;
  readonly value: string;
}

const opening = /<([A-Za-z_][\w-]*) characters="\d+\/\d+">\n/g;
const placeholder =
  /\b(?:nothing|unknown|no information|not yet|don't know|do not know|not known|little is known|to be filled)\b/i;

/** The modules in the rendered text of core memory, in order. */
export function readModules(rendered: string): readonly ModuleView[] {
  const found: { label: string; from: number; to: number; next: number }[] = [];
  let position = 0;
  for (const match of rendered.matchAll(opening)) {
    if (match.index < position) continue;
    const from = match.index + match[0].length;
    const closing = `\n</${match[1]!}>`;
    const to = rendered.indexOf(closing, from - 1);
    if (to === -1) continue;
    position = to + closing.length;
    found.push({ label: match[1]!, from, to: Math.max(from, to), next: position });
  }
  const escapedTag = new RegExp(`&lt;(?=/?(?:${found.map(({ label }) => label).join("|")})\\b)`, "gi");
  return found.map(({ label, from, to }) => ({ label, value: rendered.slice(from, to).replace(escapedTag, "<") }));
}

/** The value of a module, or undefined if there is none with that label. */
export function moduleValue(modules: readonly ModuleView[], label: string): string | undefined {
  return modules.find((module) => module.label === label)?.value;
}

/** A line taken apart, or undefined if it is not of the form `Label: value`. */
export function readFactLine(line: string): FactLine | undefined {
  const match = /^\s*(?:[-*] )?([^:\n]{1,60}):\s+(\S.*)$/.exec(line);
  return match === null ? undefined : { line, label: match[1]!.trim(), value: match[2]!.trim() };
}

/** The last line of a text that has one of the labels, whatever their case. */
export function findFactLine(text: string, labels: readonly string[]): FactLine | undefined {
  const wanted = labels.map((label) => label.toLowerCase());
  return text
    .split("\n")
    .map(readFactLine)
    .filter((line) => line !== undefined)
    .findLast((line) => wanted.includes(line.label.toLowerCase()));
}

/** The lines that say something: not blank, and not a text that stands in for a user still unknown. */
export function tellingLines(text: string): readonly string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && (readFactLine(line) !== undefined || !placeholder.test(line)));
}

/** A sentence about "the user" turned to the first person, so that the rules for facts can read it. */
export function inFirstPerson(line: string): string {
  return line
    .replace(/^(?:the )?user's /i, "my ")
    .replace(/^(?:their|his|her) /i, "my ")
    .replace(/^(?:the user|they|he|she) (?:is|are) /i, "I am ")
    .replace(/^(?:the user|they|he|she) (?:has|have) /i, "I have ")
    .replace(/^(?:the user|they|he|she) (\w+?)s? /i, "I $1 ");
}

/** A line as a fact, when it is of the tidy form. */
export function lineFact(line: string): readonly Fact[] {
  const read = readFactLine(line);
  return read === undefined ? [] : factOf(read.label, read.value);
}
