// Converts Letta's messages to a thread: messages of user and agent, results of tools, and the runtime's own events.
// Invariant: pure; every message keeps its time, and a result is added for every open call at the end of the thread, because
// Palimpsest must not run a call of Letta's process.
import { parseJson } from "../../base/json-values.ts";
import { appendAll } from "../../base/lists.ts";
import type { ContentPart, ToolCallPart, ToolResultPart } from "../../base/message/message.ts";
import type { Protocol } from "../../store/port/records.ts";
import type { TransferredMessage } from "../../store/port/transfer-store.ts";
import { textAt } from "../json-fields.ts";
import { envelopeOf, partsOf, plainText, resultOf, summaryOf } from "./letta-content.ts";
import type { LettaMessage } from "./letta-form.ts";

export interface ThreadOptions {
  readonly protocol: Protocol;
  /** The system prompt: messages that begin with it are left out, because the prompt is compiled again. */
  readonly system: string;
  /** Returns the UUID of a message, from its id in Letta and its index. */
  readonly idOf: (id: string | null, index: number) => string;
  /** Ids in Letta of the messages in the window; null: all. */
  readonly inContext: readonly string[] | null;
  /** The time for messages without a time. */
  readonly at: string;
}

export interface LettaThread {
  readonly messages: readonly TransferredMessage[];
  /** Number of messages before the window. */
  readonly outside: number;
  /** The summary that replaces the messages before the window; empty if there is none. */
  readonly summary: string;
}

interface Draft extends Pick<TransferredMessage, "role" | "kind" | "content" | "text" | "speaker"> {
  readonly lettaId: string | null;
  readonly index: number;
  readonly at: string;
}

/** The index of a message that is added at the end. It has the results of calls that were never run. */
export const closingIndex = -1;
/** The result of a call that was never run. */
const notRun = "This call was not run: the conversation was moved to another server while it waited.";

export function threadOf(messages: readonly LettaMessage[], options: ThreadOptions): LettaThread {
  const drafts: Draft[] = [];
  const names = new Map<string, string>();
  let summary = "";
  for (const [index, message] of messages.entries()) {
    const place: Place = { index, names, options };
    const found = summaryText(message);
    if (found === null) appendAll(drafts, draftsOf(message, place));
    // A summary before all other messages replaces messages that are not in the data, so it is kept as an event.
    else if (drafts.length === 0) appendAll(drafts, eventDrafts(message, place, found));
    else if (isShown(message, options)) summary = found;
  }
  const chained = chain([...drafts, ...openResults(drafts, options)], options);
  const window = options.inContext === null ? null : new Set(options.inContext);
  const first = window === null ? 0 : drafts.findIndex(({ lettaId }) => lettaId !== null && window.has(lettaId));
  return { messages: chained, outside: first === -1 ? chained.length : first, summary };
}

function isShown({ id }: LettaMessage, { inContext }: ThreadOptions): boolean {
  return inContext === null || (typeof id === "string" && inContext.includes(id));
}

function eventDrafts(message: LettaMessage, place: Place, text: string): readonly Draft[] {
  if (text === "") return [];
  return [
    { ...baseOf(message, place), kind: "event", role: "user", ...textContent(`[Summary of earlier messages] ${text}`) },
  ];
}

function summaryText(message: LettaMessage): string | null {
  if (message.role !== "user" && message.role !== "summary") return null;
  const text = plainText(partsOf(message));
  return summaryOf(text) ?? (message.role === "summary" ? text : null);
}

interface Place {
  readonly index: number;
  /** The names of tools by the ids of their calls. Each message with calls that is read adds names. */
  readonly names: Map<string, string>;
  readonly options: ThreadOptions;
}

function draftsOf(message: LettaMessage, place: Place): readonly Draft[] {
  const base = baseOf(message, place);
  switch (message.role) {
    case "system":
      return systemDrafts(message, base, place);
    case "user":
      return userDrafts(message, base);
    case "assistant":
      return assistantDrafts(message, base, place);
    case "approval":
      return (message.tool_calls ?? []).length > 0
        ? assistantDrafts(message, base, place)
        : approvalDrafts(message, base, place);
    case "tool":
    case "function":
      return toolDrafts(message, base, place);
    default:
      return [];
  }
}

type Base = Omit<Draft, "role" | "content" | "text">;

function baseOf({ id, created_at: at }: LettaMessage, { index, options }: Place): Base {
  return { lettaId: id ?? null, index, at: at ?? options.at, speaker: null, kind: "message" };
}

/** Returns a system message, which a program wrote; nothing for Letta's compiled prompt, which is compiled again. */
function systemDrafts(message: LettaMessage, base: Base, { index, options }: Place): readonly Draft[] {
  const text = plainText(partsOf(message));
  const isPrompt = index === 0 || (options.system !== "" && text.startsWith(options.system.slice(0, 200)));
  return isPrompt || text.trim() === "" ? [] : [{ ...base, kind: "system", role: "user", ...textContent(text) }];
}

function userDrafts(message: LettaMessage, base: Base): readonly Draft[] {
  const parts = partsOf(message);
  const text = plainText(parts);
  if (text.trim() === "") return [];
  const envelope = envelopeOf(text);
  if (envelope === null || envelope.type === "user_message") {
    const speaker = envelope?.name ?? message.name ?? null;
    return [{ ...base, role: "user", speaker, ...textContent(envelope?.message ?? text) }];
  }
  if (envelope.type === "system_message") {
    return [{ ...base, kind: "system", role: "user", ...textContent(envelope.message) }];
  }
  return [{ ...base, kind: "event", role: "user", ...textContent(text) }];
}

function assistantDrafts(message: LettaMessage, base: Base, { names, options }: Place): readonly Draft[] {
  const calls: ToolCallPart[] = (message.tool_calls ?? []).map(({ id, function: { name, arguments: json } }) => {
    names.set(id, name);
    return { type: "tool-call", callId: id, name, arguments: json };
  });
  const content: readonly ContentPart[] = [...partsOf(message), ...calls];
  if (content.length === 0) return [];
  const spoken = calls.filter(({ name }) => name === "send_message");
  const said = spoken.map((call) => textAt(parseJson(call.arguments), "message")).filter((text) => text !== "");
  const text = options.protocol === "heartbeat" ? said.join("\n") : plainText(content);
  return [{ ...base, role: "assistant", content, text }];
}

/** Returns the results of client tools in an approval message. Its decisions about calls do not become messages. */
function approvalDrafts(message: LettaMessage, base: Base, { names }: Place): readonly Draft[] {
  const results = (message.approvals ?? [])
    .filter(({ type }) => type === "tool")
    .flatMap((given) => {
      const { tool_call_id: callId, tool_return: text, status } = given as Readonly<Record<string, unknown>>;
      return typeof callId === "string"
        ? [toolResult(callId, names, { text: asText(text), status: asText(status) })]
        : [];
    });
  return resultDrafts(results, base, names);
}

function toolDrafts(message: LettaMessage, base: Base, { names }: Place): readonly Draft[] {
  const returns = (message.tool_returns ?? []).flatMap(({ tool_call_id: callId, func_response: text, status }) =>
    typeof callId === "string" ? [toolResult(callId, names, { text: asText(text), status: status ?? "" })] : [],
  );
  if (returns.length > 0) return resultDrafts(returns, base, names);
  const { tool_call_id: callId } = message;
  if (callId === null || callId === undefined) return [];
  const name = message.name ?? names.get(callId) ?? "";
  const result = toolResult(callId, names, { text: plainText(partsOf(message)), status: "" });
  return resultDrafts([{ ...result, name: result.name === "" ? name : result.name }], base, names);
}

function toolResult(
  callId: string,
  names: ReadonlyMap<string, string>,
  { text, status }: { readonly text: string; readonly status: string },
): ToolResultPart {
  const { text: shown, isFailed } = resultOf(text);
  const failed = isFailed || status === "error";
  return { type: "tool-result", callId, name: names.get(callId) ?? "", status: failed ? "failed" : "ok", text: shown };
}

/** Returns the results as a message, or as an event if the thread lacks their calls: providers refuse such results. */
function resultDrafts(
  results: readonly ToolResultPart[],
  base: Base,
  names: ReadonlyMap<string, string>,
): readonly Draft[] {
  const known = results.filter(({ callId }) => names.has(callId));
  if (known.length > 0) {
    const text = known.map((result) => result.text).join("\n");
    return [{ ...base, role: "tool", content: known, text }];
  }
  if (results.length === 0) return [];
  const texts = results.map(({ name, text }) => `[Result of ${name === "" ? "a tool" : name}] ${text}`);
  return [{ ...base, kind: "event", role: "user", ...textContent(texts.join("\n")) }];
}

/** Returns a message with results for the open calls at the end of the thread. */
function openResults(drafts: readonly Draft[], { at }: ThreadOptions): readonly Draft[] {
  const last = drafts.findLastIndex(({ role }) => role === "assistant");
  const reply = drafts[last];
  const following = drafts.slice(last + 1);
  if (reply === undefined || following.some(({ role }) => role !== "tool")) return [];
  const answered = new Set(following.flatMap(({ content }) => content.map((part) => "callId" in part && part.callId)));
  const open = reply.content.filter((part) => part.type === "tool-call").filter(({ callId }) => !answered.has(callId));
  if (open.length === 0) return [];
  const content = open.map(
    ({ callId, name }): ToolResultPart => ({ type: "tool-result", callId, name, status: "failed", text: notRun }),
  );
  const added = { lettaId: null, index: closingIndex, at: drafts.at(-1)?.at ?? at };
  return [{ ...added, role: "tool", kind: "message", speaker: null, content, text: notRun }];
}

function chain(drafts: readonly Draft[], { idOf }: ThreadOptions): readonly TransferredMessage[] {
  const ids = drafts.map(({ lettaId, index }) => idOf(lettaId, index));
  const calls = settledCalls(drafts, ids);
  let turnId = ids[0] ?? "";
  return drafts.map(({ lettaId: _id, index: _index, ...draft }, at) => {
    const id = ids[at]!;
    if (draft.role === "user" && draft.kind !== "event") turnId = id;
    return {
      ...draft,
      id,
      parentId: ids[at - 1] ?? null,
      turnId,
      status: "complete",
      tokens: 0,
      trust: "external",
      isRecalled: true,
      calls: calls[at] ?? [],
    };
  });
}

interface Answer {
  readonly id: string;
  readonly at: string;
  readonly status: "ok" | "failed";
}

/** Returns each draft's calls with their nearest later results. Goes backwards, so that each result is read once. */
function settledCalls(drafts: readonly Draft[], ids: readonly string[]): readonly TransferredMessage["calls"][] {
  const answers = new Map<string, Answer>();
  const calls: TransferredMessage["calls"][] = [];
  for (let at = drafts.length - 1; at >= 0; at -= 1) {
    const draft = drafts[at]!;
    for (const part of draft.content) {
      if (part.type === "tool-result") answers.set(part.callId, { id: ids[at]!, at: draft.at, status: part.status });
    }
    calls[at] = draft.content.flatMap((part) =>
      part.type === "tool-call" ? [settledCall(part, draft.at, answers.get(part.callId))] : [],
    );
  }
  return calls;
}

function settledCall({ callId, name }: ToolCallPart, createdAt: string, answer: Answer | undefined) {
  return {
    callId,
    name,
    status: answer?.status ?? ("interrupted" as const),
    resultMessageId: answer?.id ?? null,
    createdAt,
    settledAt: answer?.at ?? null,
    request: null,
  };
}

function textContent(text: string): Pick<Draft, "content" | "text"> {
  return { content: [{ type: "text", text }], text };
}

function asText(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : JSON.stringify(value);
}
