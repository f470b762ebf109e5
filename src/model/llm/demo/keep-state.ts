// Answers the two requests for JSON by rules: the scratchpad of a task, and the synopsis of a user.
// Invariant: nothing is invented or removed; every text is in the request, or is a fact that a rule finds there.
import { codePointLength, takeCodePoints } from "../../../base/code-points.ts";
import { textOf } from "../../../base/message/message.ts";
import type { ModelRequest } from "../model.ts";
import { factsIn, sentencesOf } from "./intents.ts";
import { parseJson, readObject } from "./read-turn.ts";

const scratchpadQuestion = /\n\nAt most (\d+) characters\.\n\nScratchpad:\n([\s\S]*?)\n\nLatest messages:\n([\s\S]*)$/;
const maxItems = 12;

/** Returns the scratchpad with the user's facts added to `key_facts`, if it has that list and the limit allows it. */
export function keepScratchpad(request: ModelRequest): string {
  const [, limit, before = "", transcript = ""] = scratchpadQuestion.exec(request.messages.map(textOf).join("")) ?? [];
  const state = readObject(before) ?? {};
  const known = state["key_facts"];
  if (!Array.isArray(known)) return before;
  const userLines = transcript.split("\n").filter((line) => line.startsWith("user: "));
  const facts = factLines(userLines.map((line) => line.slice("user: ".length)));
  const after = JSON.stringify({ ...state, key_facts: [...new Set([...known, ...facts])] }, null, 2);
  return codePointLength(after) <= Number(limit) ? after : before;
}

/** Returns the requested parts of a synopsis: the facts that the memories state, and their beginnings as topics. */
export function writeSynopsis(request: ModelRequest): string {
  const [parts = "", ...lines] = request.messages.map(textOf).join("").split("\n");
  const memories = lines
    .map((line) => parseJson(/^\d{4}-\d{2}-\d{2} (".*)$/.exec(line)?.[1] ?? ""))
    .filter((memory) => typeof memory === "string")
    .toReversed();
  const facts = factLines(memories);
  const about = (label: RegExp): readonly string[] => facts.filter((fact) => label.test(fact)).slice(0, maxItems);
  const contents: Readonly<Record<string, object>> = {
    identity: {
      name: about(/^Name: /)[0]?.slice("Name: ".length) ?? null,
      preferences: about(/^(?:Likes|Dislikes|Favou?rite)/),
      traits: about(/^(?!Likes|Dislikes|Favou?rite|Name|Plans)/),
    },
    context: {
      recentTopics: memories.slice(0, 5).map((memory) => takeCodePoints(memory, 80)),
      currentGoals: about(/^Plans: /).map((fact) => fact.slice("Plans: ".length)),
    },
  };
  const wanted = parts.replace("Parts: ", "").split(", ");
  return JSON.stringify(Object.fromEntries(wanted.map((part) => [part, contents[part]])));
}

function factLines(texts: readonly string[]): readonly string[] {
  const facts = texts.flatMap(sentencesOf).flatMap(factsIn);
  return [...new Set(facts.map(({ label, value }) => `${label}: ${value}`))];
}
