// Answers the requests that are not part of a turn, by rules: summaries, a task's scratchpad, and a user's synopsis.
// Invariant: nothing is invented. A summary quotes sentences verbatim and in order, within the maximum tokens. All other text
// is copied from the request, or is a fact that a rule finds in the request.
import { codePointLength, takeCodePoints } from "../../../base/code-points.ts";
import { parseJson, parseObject } from "../../../base/json-values.ts";
import { textOf } from "../../../base/message/message.ts";
import type { ModelRequest } from "../model.ts";
import { factsIn, sentencesOf } from "./intents.ts";

const maxSentence = 400;
/** Features that make a sentence more or less important, with their weights. */
const signs: readonly (readonly [RegExp, number])[] = [
  [/\b(?:I|I'm|I've|my|me|we|our)\b/i, 3],
  [/\d/, 2],
  [/[\p{Ll}\p{N},] \p{Lu}\p{Ll}/u, 2],
  [/\b(?:[A-Z]{2,}[\w-]*|\w+[_/-]\w+|\w*\d\w*[A-Za-z]\w*)\b/, 2],
  [/\b(?:name|live|moved|work|like|love|hate|plan|birthday|decided|must|never|always)\b/i, 1],
  [/[?？]$/, -2],
];
/** Lines without new facts: calls and results of the memory tools, reports of the demo model, and the runtime's events. */
const recalled =
  /\[(?:called )?(?:conversation_search|core_memory_|archival_memory_|send_message)|^assistant: I (?:wrote|saved|searched)|pattern rules|"type":"(?:heartbeat|login|system_alert)"/;
/** The beginning of a transcript's line: the role, and the time if it is known. */
const speaker = /^[a-z]+(?:, \w{3} \d{4}-\d{2}-\d{2} \d{2}:\d{2})?: /;

export function summarize(request: ModelRequest): string {
  const text = request.messages
    .map(textOf)
    .join("\n")
    .replace(/^Earlier summary: /, "")
    .replace(/^(?:In the earlier summary, and to be kept|Replaced in core memory,) .*$/gmu, "");
  const room = Math.floor(request.maxOutputTokens * 0.8);
  // A summary of a long transcript is at most half as long, so that it saves space.
  const budget = text.length > 4000 ? Math.min(room, Math.floor(estimateTokens(text) / 2)) : room;
  return bestSentences(text, budget).join("\n") || "(No sentence was worth keeping.)";
}

function bestSentences(text: string, budget: number): readonly string[] {
  const lines = newLines(text);
  const sentences = lines.flatMap((line) => line.split(/(?<=[.!?])\s+|(?<=[。！？])/));
  const ranked = firstSaid(sentences)
    .map(([said, sentence], index) => ({ sentence, index, score: scoreOf(said) }))
    .filter(({ sentence, score }) => score > 0 && sentence.length <= maxSentence)
    .toSorted((one, other) => other.score - one.score);
  let left = budget;
  const kept = ranked.filter(({ sentence }) => {
    const cost = estimateTokens(sentence) + 1;
    const fits = cost <= left;
    if (fits) left -= cost;
    return fits;
  });
  return kept.toSorted((one, other) => one.index - other.index).map(({ sentence }) => sentence);
}

/** Returns each distinct text without a speaker, paired with the first sentence that contains the text. */
function firstSaid(sentences: readonly string[]): readonly (readonly [string, string])[] {
  const first = new Map<string, string>();
  for (const sentence of sentences) {
    const said = sentence.replace(speaker, "");
    if (!first.has(said)) first.set(said, sentence);
  }
  return [...first];
}

/** Returns the lines of a transcript, without those that match `recalled` and the indented lines below them. */
function newLines(text: string): readonly string[] {
  let isRecalled = false;
  return text.split("\n").filter((line) => {
    isRecalled = /^\s/.test(line) ? isRecalled : recalled.test(line);
    return !isRecalled;
  });
}

function scoreOf(sentence: string): number {
  return signs.reduce((sum, [pattern, weight]) => sum + (pattern.test(sentence) ? weight : 0), 0);
}

/** Returns a high estimate of the tokens: four ASCII characters per token, and one character of any other script. */
function estimateTokens(text: string): number {
  const wide = text.replace(/[ -~\n]+/g, "").length;
  return Math.ceil((text.length - wide) / 4) + wide;
}

const scratchpadQuestion = /\n\nAt most (\d+) characters\.\n\nScratchpad:\n([\s\S]*?)\n\nLatest messages:\n([\s\S]*)$/;
const maxItems = 12;

/** Returns the scratchpad with the user's facts added to `key_facts`, if it has this list and the limit allows it. */
export function keepScratchpad(request: ModelRequest): string {
  const [, limit, before = "", transcript = ""] = scratchpadQuestion.exec(request.messages.map(textOf).join("")) ?? [];
  const state = parseObject(before) ?? {};
  const known = state["key_facts"];
  if (!Array.isArray(known)) return before;
  const userLines = transcript.split("\n").filter((line) => line.startsWith("user: "));
  const facts = factLines(userLines.map((line) => line.slice("user: ".length)));
  const after = JSON.stringify({ ...state, key_facts: [...new Set([...known, ...facts])] }, null, 2);
  return codePointLength(after) <= Number(limit) ? after : before;
}

/** Returns the requested parts of a synopsis: facts from the memories, and the first 80 characters of memories as topics. */
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
