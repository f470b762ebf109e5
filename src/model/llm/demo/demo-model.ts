// Replaces a language model by pattern rules, so that Palimpsest can be tried without a key.
// Invariant: a reply is a pure function of the request; the demo model keeps no state and makes no calls of its own; a
// fact is reported as stored only if its tool call succeeded; call ids continue the numbers in the request, so they are
// unique; the events end with one `end`.
import { parseObject } from "../../../base/json-values.ts";
import { fileLabel } from "../../../base/message/file-part.ts";
import { type ContentPart, toolCallsOf } from "../../../base/message/message.ts";
import type { Model, ModelEvent, ModelRequest, ModelStopReason } from "../model.ts";
import { abilities, answerFromCore, answerFromSearch, demoDisclaimer, selfIntroduction } from "./answer-question.ts";
import { keepScratchpad, summarize, writeSynopsis } from "./chores.ts";
import { clip, factValue, type Intent, quote, readIntents } from "./intents.ts";
import { nextCalls, writesFor } from "./plan-calls.ts";
import { type Call, type DoneCall, readTurn, type Turn } from "./read-turn.ts";

export interface DemoModelOptions {
  /** Tokens of the demo model's window. @default 32768 */
  readonly contextWindow?: number;
}

export function createDemoModel({ contextWindow = 32_768 }: DemoModelOptions = {}): Model {
  return {
    name: "demo",
    contextWindow,
    async *stream(request, { signal }) {
      for (const event of answerRequest(request)) {
        signal?.throwIfAborted();
        yield event;
      }
    },
  };
}

/** Requests outside of a turn, which have no tools: how their instructions begin, and the function that answers them. */
const chores: readonly (readonly [string, (request: ModelRequest) => string])[] = [
  ["You summarize", summarize],
  ["You keep the scratchpad", keepScratchpad],
  ["You write the synopsis", writeSynopsis],
];

function answerRequest(request: ModelRequest): readonly ModelEvent[] {
  const { instructions } = request.system;
  const chore = chores.find(([opening]) => request.tools.length === 0 && instructions.trimStart().startsWith(opening));
  if (chore !== undefined) return textEvents(chore[1](request), request);
  const turn = readTurn(request);
  if (turn.done.some(({ name }) => name === "send_message")) return textEvents("There is nothing more to do.", request);
  const intents = readIntents(turn.input);
  const calls = nextCalls(intents, turn);
  if (calls.length > 0) {
    const control = turn.protocol === "heartbeat" ? { request_heartbeat: true } : {};
    return callEvents(
      calls.map(({ name, input }) => ({ name, input: { ...input, ...control } })),
      request,
    );
  }
  const text = replyText(intents, turn);
  return turn.protocol === "heartbeat"
    ? callEvents([{ name: "send_message", input: { message: text } }], request)
    : textEvents(text, request);
}

/** Returns the events of a text: deltas of one word each, truncated at the maximum tokens of the reply. */
function textEvents(text: string, request: ModelRequest): readonly ModelEvent[] {
  const shown = text.slice(0, Math.max(0, request.maxOutputTokens) * 4).toWellFormed();
  const deltas = (shown.match(/\S+\s*|\s+/g) ?? []).map((word): ModelEvent => ({ type: "text-delta", text: word }));
  return [...deltas, endEvent(shown.length < text.length ? "length" : "end", shown.length, request)];
}

function callEvents(calls: readonly Call[], request: ModelRequest): readonly ModelEvent[] {
  const made = request.messages.flatMap(toolCallsOf).length;
  const events = calls.map(({ name, input }, index) => ({
    type: "tool-call" as const,
    callId: `demo_${made + index + 1}`,
    name,
    arguments: JSON.stringify(input),
  }));
  const characters = events.reduce((sum, { name, arguments: text }) => sum + name.length + text.length, 0);
  return [...events, endEvent("tool-calls", characters, request)];
}

function endEvent(stopReason: ModelStopReason, characters: number, request: ModelRequest): ModelEvent {
  const usage = { inputTokens: tokensOf(request), outputTokens: Math.ceil(characters / 4), cachedInputTokens: 0 };
  return { type: "end", stopReason, usage };
}

/** Returns an estimate of a request's tokens: a quarter of its characters. */
function tokensOf({ system, messages, tools }: ModelRequest): number {
  const prompt = system.instructions + system.memory + JSON.stringify(tools);
  const parts = messages.flatMap(({ content }) => content);
  return Math.ceil(parts.reduce((sum, part) => sum + lengthOf(part), prompt.length) / 4);
}

function lengthOf(part: ContentPart): number {
  if (part.type === "file") return part.name.length;
  return part.type === "tool-call" ? part.name.length + part.arguments.length : part.text.length;
}

function replyText(intents: readonly Intent[], turn: Turn): string {
  const files = turn.files.map(fileLabel).join(" ");
  const parts = [
    ...(files === "" ? [] : [`You sent ${files}. I am a ${demoDisclaimer}, and cannot see files.`]),
    ...(intents.length === 0 && files === "" ? [smallTalk(turn)] : []),
    ...reportWrites(intents, turn),
    ...intents.flatMap((intent) => answer(intent, turn)),
  ];
  return parts.join(parts.some((part) => part.includes("\n")) ? "\n" : " ");
}

function smallTalk(turn: Turn): string {
  const user = factValue(turn.core.get("human") ?? "", "Name");
  if (/^$|^(?:hi|hello|hey|good (?:morning|evening))\b/i.test(turn.input))
    return [`Hello${user === undefined ? "" : `, ${user}`}!`, selfIntroduction(turn), ...instructionsFor(turn)].join(
      " ",
    );
  if (/^(?:thanks|thank you|great|good|ok|okay)\b/i.test(turn.input)) return "You are welcome.";
  const instructions = instructionsFor(turn);
  const explained =
    instructions.length === 0 ? ["Say `help` for examples."] : [`I am a ${demoDisclaimer}.`, ...instructions];
  return ["I have no rule for that, but the conversation history keeps it.", ...explained].join(" ");
}

/** Returns what the user can say to the demo model; nothing if an earlier reply in the window has explained it. */
function instructionsFor({ hasExplained }: Turn): readonly string[] {
  return hasExplained ? [] : [abilities];
}

function answer(intent: Intent, turn: Turn): readonly string[] {
  if (intent.kind === "question") return [answerFromCore(intent.text, turn) ?? answerFromSearch(intent.text, turn)];
  if (intent.kind !== "call") return [];
  if (parseObject(intent.json) === undefined) return [`I cannot read ${clip(intent.json)} as a JSON object.`];
  const call = turn.done.find(({ name }) => name === intent.name);
  if (call === undefined)
    return [`I have no tool named ${clip(intent.name)}. My tools: ${[...turn.tools].join(", ")}.`];
  return [`${call.name} ${call.failed ? "failed" : "returned"}: ${clip(call.result)}`];
}

function reportWrites(intents: readonly Intent[], turn: Turn): readonly string[] {
  if (!intents.some(({ kind }) => kind === "fact" || kind === "note" || kind === "forget")) return [];
  const reports = turn.done.flatMap(reportWrite);
  const kept = turn.done.filter(({ name, failed }) => name.startsWith("core_memory_") && !failed);
  const appended = kept.filter(({ name }) => name === "core_memory_append").map(writtenText);
  const user = kept.find(({ input }) => input["name"] === "human" && /^Name: ./.test(writtenText({ input })));
  if (appended.length > 0) reports.unshift(`I wrote into my core memory: ${appended.join("; ")}.`);
  if (user !== undefined) reports.unshift(`Nice to meet you, ${writtenText(user).slice("Name: ".length)}.`);
  if (reports.length > 0) return reports;
  if (writesFor(intents, turn).length > 0)
    return ["I have no tool that could write that down; only the conversation history has it."];
  const known = intents.flatMap((intent) => (intent.kind === "fact" ? [clip(intent.fact.value)] : []));
  return [
    known.length === 0 ? "There is nothing to change in my core memory." : `I know that already: ${known.join("; ")}.`,
  ];
}

function reportWrite(call: DoneCall): string[] {
  if (!/^core_memory_|^archival_memory_insert$/.test(call.name)) return [];
  if (call.failed) return [`${call.name} failed, so that is not kept: ${clip(call.result)}`];
  if (call.name === "archival_memory_insert") return [`I saved to archival memory: ${quote(writtenText(call))}.`];
  if (call.name === "core_memory_append") return [];
  const [old, text] = [quote(String(call.input["old_content"])), writtenText(call)];
  return [text === "" ? `I removed ${old} from my core memory.` : `I changed ${old} to "${text}" in my core memory.`];
}

function writtenText({ input }: Pick<DoneCall, "input">): string {
  const text = input["content"] ?? input["new_content"];
  return typeof text === "string" ? clip(text) : "";
}
