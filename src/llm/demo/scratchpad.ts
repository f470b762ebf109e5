// Keeps a scratchpad by rules: what stands there stays, facts that the user stated are added, and the current step quotes
// the user's last sentence.
// Invariant: nothing is invented or taken out, and what cannot be read as a scratchpad is handed back as it stands.
import { codePointLength, takeCodePoints } from "../../base/code-points.ts";
import { textOf } from "../../message.ts";
import type { ModelRequest } from "../model.ts";
import { readObject } from "./envelope.ts";
import { readFacts } from "./facts.ts";
import { examinedText, splitSentences } from "./sentences.ts";

const keeperOpening = "You keep the scratchpad";
const longestStep = 200;
const question =
  /^Fields, as JSON schema: (\{.*\})\n\nAt most (\d+) characters\.\n\nScratchpad:\n([\s\S]*?)\n\nLatest messages:\n([\s\S]*)$/;

type State = Readonly<Record<string, unknown>>;
/** Sentences, by message. */
type Said = readonly (readonly string[])[];

/** Whether the request asks for a scratchpad and not for a turn. */
export function asksForScratchpad(request: ModelRequest): boolean {
  return request.tools.length === 0 && request.system.instructions.trimStart().startsWith(keeperOpening);
}

/** The scratchpad as it is to be. */
export function keepScratchpad(request: ModelRequest): string {
  const [, fields, most, text = "", transcript = ""] = question.exec(request.messages.map(textOf).join("")) ?? [];
  const state = text.trim() === "" ? {} : readObject(text);
  const schema = readObject(fields ?? "");
  if (state === undefined || schema === undefined) return text;
  const limit = Number(most);
  const said = saidByUser(transcript);
  const kept = withFacts(withStep(state, schema, said), factsFor(schema, said), limit);
  return fits(kept, limit) ? JSON.stringify(kept, null, 2) : text;
}

function withStep(state: State, schema: State, said: Said): State {
  const step = said.at(-1)?.at(-1);
  if (step === undefined || typeOf(schema, "current_step") !== "string") return state;
  return { ...state, current_step: `The user said: "${takeCodePoints(step, longestStep)}"` };
}

function withFacts(state: State, facts: readonly string[], limit: number): State {
  return facts.reduce((before, fact) => withFact(before, fact, limit), state);
}

function withFact(state: State, fact: string, limit: number): State {
  const facts = Array.isArray(state["key_facts"]) ? (state["key_facts"] as readonly unknown[]) : [];
  const longer = { ...state, key_facts: [...facts, fact] };
  return facts.includes(fact) || !fits(longer, limit) ? state : longer;
}

function fits(state: State, limit: number): boolean {
  return codePointLength(JSON.stringify(state, null, 2)) <= limit;
}

function typeOf(schema: State, field: string): unknown {
  const property = schema[field];
  return typeof property === "object" && property !== null ? (property as State)["type"] : undefined;
}

/** The user's messages in a transcript, as sentences. */
function saidByUser(transcript: string): Said {
  return transcript
    .split(/\n(?=(?:user|assistant|tool): )/)
    .filter((line) => line.startsWith("user: "))
    .map((line) => splitSentences(examinedText(line.slice("user: ".length)).text).map(({ text }) => text))
    .filter((sentences) => sentences.length > 0);
}

function factsFor(schema: State, said: Said): readonly string[] {
  if (typeOf(schema, "key_facts") !== "array") return [];
  return said
    .flat()
    .flatMap(readFacts)
    .filter(({ mode }) => mode !== "drop")
    .map(({ label, value }) => `${label}: ${value}`);
}
