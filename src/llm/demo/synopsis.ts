// Writes a synopsis by rules: facts that memories state, the newest first, and what the newest memories begin with.
// Invariant: nothing is invented: each text stands in a memory, or is a fact that a rule reads there.
import { takeCodePoints } from "../../base/code-points.ts";
import { textOf } from "../../message.ts";
import type { ModelRequest } from "../model.ts";
import { type Fact, factOf } from "./fact.ts";
import { readFacts } from "./facts.ts";
import { examinedText, splitSentences } from "./sentences.ts";

const writerOpening = "You write the synopsis";
const mostItems = 12;
const mostTopics = 5;
const longestTopic = 80;
const labelled = /^([\p{L}][\p{L} ]{0,38}): (.{1,200})$/u;
const thirdPerson: readonly (readonly [RegExp, string])[] = [
  [/^(?:The user|User)'s /, "my "],
  [/^(?:The user|User) is /, "I am "],
  [/^(?:The user|User) has /, "I have "],
  [/^(?:The user|User) (\p{L}{2,20}?)s /u, "I $1 "],
];

/** Whether the request asks for a synopsis and not for a turn. */
export function asksForSynopsis(request: ModelRequest): boolean {
  return request.tools.length === 0 && request.system.instructions.trimStart().startsWith(writerOpening);
}

/** The parts that the request asks for, as JSON. */
export function writeSynopsis(request: ModelRequest): string {
  const lines = request.messages.map(textOf).join("").split("\n");
  const wanted = (lines[0] ?? "").replace("Parts: ", "").split(", ");
  const memories = lines.flatMap(memoryOf).toReversed();
  const facts = memories.flatMap(factsOf);
  const parts: Readonly<Record<string, object>> = { identity: identityOf(facts), context: contextOf(facts, memories) };
  return JSON.stringify(Object.fromEntries(wanted.map((part) => [part, parts[part]])));
}

/** The text of a line `2026-11-20 "…"`. */
function memoryOf(line: string): readonly string[] {
  if (!/^\d{4}-\d{2}-\d{2} "/.test(line)) return [];
  return [JSON.parse(line.slice("2026-11-20 ".length)) as string];
}

function factsOf(memory: string): readonly Fact[] {
  return splitSentences(examinedText(memory).text).flatMap(({ text }) => {
    const [, label, value] = labelled.exec(text) ?? [];
    if (label !== undefined && value !== undefined) return factOf(label, value);
    return readFacts(thirdPerson.reduce((said, [pattern, own]) => said.replace(pattern, own), text));
  });
}

function identityOf(facts: readonly Fact[]): object {
  const known = facts.filter(({ mode, label }) => mode !== "drop" && label !== "Name" && label !== "Plan");
  return {
    name: facts.find(({ label, mode }) => label === "Name" && mode !== "drop")?.value ?? null,
    preferences: texts(known.filter(isTaste)),
    traits: texts(known.filter((fact) => !isTaste(fact))),
  };
}

function isTaste({ label }: Fact): boolean {
  return /^(?:Likes|Dislikes|Favourite|Prefer)/.test(label);
}

function contextOf(facts: readonly Fact[], memories: readonly string[]): object {
  const topics = memories.slice(0, mostTopics).map((memory) => takeCodePoints(examinedText(memory).text, longestTopic));
  const goals = facts.filter(({ label }) => label === "Plan").map(({ value }) => value);
  return { recentTopics: topics, currentGoals: [...new Set(goals)].slice(0, mostItems) };
}

function texts(facts: readonly Fact[]): readonly string[] {
  return [...new Set(facts.map(({ label, value }) => `${label}: ${value}`))].slice(0, mostItems);
}
