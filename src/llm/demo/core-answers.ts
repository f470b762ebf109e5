// Answers that core memory itself holds: a labelled line, all that is known of the user, or who the agent is.
// Invariant: an answer says only what the prompt shows; undefined means that the prompt does not hold it.
import {
  findFactLine,
  inFirstPerson,
  moduleValue,
  type ModuleView,
  readFactLine,
  tellingLines,
} from "./core-memory-view.ts";
import { labelsFor, splitItems } from "./fact-edits.ts";
import { readFacts } from "./facts.ts";
import { personaName } from "./persona-edits.ts";
import type { LabelQuestion, PastQuestion } from "./questions.ts";
import { examinedLength, splitSentences } from "./sentences.ts";
import { demoDisclaimer } from "./self-description.ts";
import { contentWords, countMentions } from "./words.ts";

const sayings: Readonly<Record<string, (value: string) => string>> = {
  Name: (value) => `Your name is ${value}.`,
  "Lives in": (value) => `You live in ${value}.`,
  From: (value) => `You are from ${value}.`,
  "Works at": (value) => `You work at ${value}.`,
  Job: (value) => `Your job: ${value}.`,
  Likes: (value) => `You like ${joinItems(value)}.`,
  Dislikes: (value) => `You dislike ${joinItems(value)}.`,
  Age: (value) => `You are ${value} years old.`,
  Birthday: (value) => `Your birthday: ${value}.`,
  Speaks: (value) => `You speak ${joinItems(value)}.`,
  "Allergic to": (value) => `You are allergic to ${joinItems(value)}.`,
};
const together: readonly string[] = ["Job", "Works at"];

/** The answer to a question about a labelled fact. */
export function answerFromLabel(question: LabelQuestion, modules: readonly ModuleView[]): string | undefined {
  const human = moduleValue(modules, "human") ?? "";
  if (question.labels[0] === "Plan") return answerPlans(human);
  const answers = question.labels.flatMap((label) => {
    const value = valueOf(human, label);
    return value === undefined ? [] : [(sayings[label] ?? ((text: string) => `${label}: ${text}.`))(value)];
  });
  const isJoint = question.labels.every((label) => together.includes(label));
  return answers.length === 0 ? undefined : (isJoint ? answers : answers.slice(0, 1)).join(" ");
}

/** The value of a label: from its line, or from a sentence that somebody wrote there. */
export function valueOf(human: string, label: string): string | undefined {
  const line = findFactLine(human, labelsFor(label));
  if (line !== undefined) return line.value;
  const sentences = splitSentences(human.slice(0, examinedLength)).filter(({ asks }) => !asks);
  const stated = sentences.flatMap(({ text }) => readFacts(inFirstPerson(text)));
  return stated.findLast((fact) => fact.label === label && fact.mode !== "drop")?.value;
}

/** The lines of core memory that hold every topic word of a question, as an answer. */
export function answerFromLines(question: PastQuestion, modules: readonly ModuleView[]): string | undefined {
  if (question.words.length === 0) return undefined;
  const lines = tellingLines(moduleValue(modules, "human") ?? "");
  const words = contentWords(question.words.join(" "));
  const held = lines.filter((line) => countMentions(line, words) === words.length);
  const asked = /^do i (?:like|love|enjoy|hate|dislike|speak) /i.test(question.text);
  if (held.length === 0) return undefined;
  return `${asked ? "My notes say" : "From my core memory"}: ${held
    .slice(0, 3)
    .map((line) => `"${line}"`)
    .join("; ")}.`;
}

/** Everything that core memory holds of the user. */
export function answerEverything(modules: readonly ModuleView[]): string {
  const lines = tellingLines(moduleValue(modules, "human") ?? "");
  if (lines.length === 0) return "My core memory holds nothing about you yet. Tell me something about yourself.";
  return `This is what my core memory holds about you:\n${lines.map((line) => `- ${line}`).join("\n")}`;
}

/** Who the agent is. */
export function answerAgent(modules: readonly ModuleView[]): string {
  const persona = moduleValue(modules, "persona") ?? "";
  const name = personaName(persona);
  return `${name === undefined ? "I have no name yet" : `My name is ${name}`}. I run on the ${demoDisclaimer}.`;
}

function answerPlans(human: string): string | undefined {
  const plans = human
    .split("\n")
    .map(readFactLine)
    .filter((line) => line?.label === "Plan");
  return plans.length === 0 ? undefined : `Your plans: ${plans.map((line) => line!.value).join("; ")}.`;
}

function joinItems(value: string): string {
  const items = splitItems(value);
  return items.length < 2 ? value : `${items.slice(0, -1).join(", ")} and ${items.at(-1)!}`;
}
