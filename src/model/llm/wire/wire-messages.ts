// Converts a request to the form common to all providers: wire messages with alternating roles, and one system text.
// Invariant: the first message is the user's; no message and no text is empty; results of calls are in the message after
// the calls; all text is well-formed Unicode without NUL; call ids are unique; no message has more calls than a provider
// accepts; the runtime's state entries stay where they were put.
import { appendAll } from "../../../base/lists.ts";
import { storableText } from "../../../base/code-points.ts";
import type { FilePart } from "../../../base/message/file-part.ts";
import type {
  ContentPart,
  Message,
  StatePart,
  TextPart,
  ThoughtPart,
  ToolCallPart,
  ToolResultPart,
} from "../../../base/message/message.ts";
import type { SystemPrompt } from "../model.ts";
import { type CallIds, createCallIds, wireToolName } from "./tool-json.ts";

/** Consecutive user messages and tool results of a request, merged. */
export interface UserMessage {
  readonly role: "user";
  readonly results: readonly ToolResultPart[];
  readonly content: readonly UserPart[];
}

export type UserPart = TextPart | FilePart | StatePart;

/** The runtime's text about the agent's state, for an API with a separate role for such texts. */
export interface StateMessage {
  readonly role: "state";
  readonly text: string;
}

export type AssistantPart = TextPart | ThoughtPart | ToolCallPart;

/** Consecutive assistant messages of a request, merged. */
export interface AssistantMessage {
  readonly role: "assistant";
  /** Never ends with a thought: providers refuse a thought without a continuation. */
  readonly content: readonly AssistantPart[];
}

export type WireMessage = UserMessage | AssistantMessage;

const opening: UserMessage = {
  role: "user",
  results: [],
  content: [{ type: "text", text: "(Earlier messages are not shown.)" }],
};

/** Returns the wire messages of a request, with state entries at the end of the user's messages. */
export function toWireMessages(messages: readonly Message[]): readonly WireMessage[] {
  const ids = createCallIds();
  const merged: WireMessage[] = [];
  for (const message of messages) appendMerged(merged, toWireMessage(message, ids));
  return splitCalls(merged[0]?.role === "user" ? merged : [opening, ...merged]);
}

/**
 * Returns the message with its state entries appended to the last result, if it has results and no other content: many
 * chat templates refuse a user message after a tool message.
 */
export function withStateInResults(message: UserMessage): UserMessage {
  const { results, content } = message;
  const last = results.at(-1);
  if (last === undefined || content.length === 0 || !content.every((part) => part.type === "state")) return message;
  const text = [last.text, ...content.map((part) => part.text)].join("\n\n");
  return { ...message, results: results.with(-1, { ...last, text }), content: [] };
}

/**
 * Returns the messages. If a user message follows the results of a reply's calls, the reply's text is moved between results
 * and user message: many chat templates refuse a user message directly after a tool message.
 */
export function withTextAfterResults(messages: readonly WireMessage[]): readonly WireMessage[] {
  if (!messages.some((message) => message.role === "user" && message.results.length > 0)) return messages;
  return messages.flatMap((message, at): readonly WireMessage[] => {
    const reply = message.role === "assistant" ? message : messages[at - 1];
    const next = message.role === "user" ? message : messages[at + 1];
    if (reply?.role !== "assistant" || next?.role !== "user" || !endsWithResults(reply, next)) return [message];
    const texts = reply.content.filter(({ type }) => type === "text");
    return message === reply
      ? [{ ...reply, content: reply.content.filter(({ type }) => type !== "text") }]
      : [
          { ...next, content: [] },
          { role: "assistant", content: texts },
          { ...next, results: [] },
        ];
  });
}

/** Whether the reply has text and calls, and the user's content follows the results of the calls. */
function endsWithResults(reply: AssistantMessage, { results, content }: UserMessage): boolean {
  return (
    results.length > 0 &&
    content.some(({ type }) => type !== "state") &&
    reply.content.some(({ type }) => type === "text") &&
    reply.content.some(({ type }) => type === "tool-call")
  );
}

/** Returns the wire messages of a request. Each state entry is a separate message after the message that has it. */
export function toWireMessagesWithState(messages: readonly Message[]): readonly (WireMessage | StateMessage)[] {
  const ids = createCallIds();
  const wire: (WireMessage | StateMessage)[] = [];
  let merged: WireMessage[] = [];
  const flush = (): void => {
    appendAll(wire, splitCalls(wire.length === 0 && merged[0]?.role !== "user" ? [opening, ...merged] : merged));
    merged = [];
  };
  for (const message of messages) {
    const entries = message.content.filter((part) => part.type === "state" && part.isMaterial !== true);
    if (entries.length === 0) appendMerged(merged, toWireMessage(message, ids));
    else {
      appendMerged(
        merged,
        toWireMessage({ ...message, content: message.content.filter((part) => !entries.includes(part)) }, ids),
      );
      flush();
      for (const { text } of entries as readonly StatePart[]) wire.push({ role: "state", text: storableText(text) });
    }
  }
  flush();
  return wire;
}

const toWireMessage = cachedForTexts(
  (message: Message, ids: CallIds): WireMessage =>
    message.role === "assistant" ? assistantMessage(message, ids) : userMessage(message, ids),
);

/** Appends a message unless it is empty; merges it with the last message if both have the same role. */
export function appendMerged(merged: (WireMessage | StateMessage)[], message: WireMessage): void {
  if (isEmpty(message)) return;
  const last = merged.at(-1);
  if (last?.role === "user" && message.role === "user") {
    const content = [...last.content, ...message.content];
    merged[merged.length - 1] = { role: "user", results: [...last.results, ...message.results], content };
  } else if (last?.role === "assistant" && message.role === "assistant") {
    merged[merged.length - 1] = { role: "assistant", content: [...last.content, ...message.content] };
  } else {
    merged.push(message);
  }
}

/** OpenAI refuses a message with more than 128 calls; the other providers publish no limit. */
const maxCallsPerMessage = 64;

/** Splits a reply with too many calls into several, each followed by the results of its own calls. */
function splitCalls(messages: readonly WireMessage[]): readonly WireMessage[] {
  const split: WireMessage[] = [];
  for (const message of messages) {
    const reply = split.at(-1);
    if (message.role === "user" && reply?.role === "assistant" && hasTooManyCalls(reply)) {
      split.pop();
      for (const piece of answeredPieces(reply, message)) split.push(piece);
    } else split.push(message);
  }
  return split;
}

function hasTooManyCalls({ content }: AssistantMessage): boolean {
  return (
    content.length > maxCallsPerMessage &&
    content.filter(({ type }) => type === "tool-call").length > maxCallsPerMessage
  );
}

function answeredPieces(reply: AssistantMessage, { results, content }: UserMessage): readonly WireMessage[] {
  const pieces = piecesOf(reply.content);
  const last = pieces.length - 1;
  const places = new Map(
    pieces.flatMap((piece, at) => piece.map((part) => [part.type === "tool-call" ? part.callId : "", at] as const)),
  );
  return pieces.flatMap((piece, at): readonly WireMessage[] => [
    { role: "assistant", content: piece },
    {
      role: "user",
      results: results.filter(({ callId }) => (places.get(callId) ?? last) === at),
      content: at === last ? content : [],
    },
  ]);
}

/** Returns the parts of a reply in pieces. Each piece except the last ends with a call, never with a thought. */
function piecesOf(parts: readonly AssistantPart[]): readonly (readonly AssistantPart[])[] {
  const pieces: AssistantPart[][] = [[]];
  let calls = 0;
  for (const part of parts) {
    if (calls === maxCallsPerMessage) {
      pieces.push([]);
      calls = 0;
    }
    pieces.at(-1)?.push(part);
    if (part.type === "tool-call") calls += 1;
  }
  return pieces;
}

function isEmpty(message: WireMessage): boolean {
  return message.content.length === 0 && (message.role === "assistant" || message.results.length === 0);
}

function userMessage(message: Message, ids: CallIds): UserMessage {
  const results: ToolResultPart[] = [];
  const content: UserPart[] = [];
  for (const part of message.content) {
    if (part.type === "tool-result") results.push(wireResult(part, ids));
    if (part.type === "text" && part.text.trim() !== "") content.push({ type: "text", text: storableText(part.text) });
    if (part.type === "state") content.push({ type: "state", text: storableText(part.text) });
    if (part.type === "file") content.push(part);
  }
  return { role: "user", results, content };
}

function wireResult(part: ToolResultPart, ids: CallIds): ToolResultPart {
  const text = part.text.trim() === "" ? "(no output)" : storableText(part.text);
  return { ...part, callId: ids.ofResult(part.callId), text };
}

function assistantMessage(message: Message, ids: CallIds): AssistantMessage {
  const parts = message.content.flatMap((part) => assistantPart(part, ids));
  const end = parts.findLastIndex((part) => part.type !== "thought");
  return { role: "assistant", content: parts.slice(0, end + 1) };
}

function assistantPart(part: Message["content"][number], ids: CallIds): readonly AssistantPart[] {
  switch (part.type) {
    case "text":
      return part.text.trim() === "" ? [] : [{ type: "text", text: storableText(part.text) }];
    case "thought":
      return [{ ...part, text: storableText(part.text) }];
    case "tool-call":
      return [{ ...part, callId: ids.ofCall(part.callId), name: wireToolName(part.name) }];
    case "tool-result":
    case "file":
    case "state":
      return [];
  }
}

interface WithContent {
  readonly content: readonly Pick<ContentPart, "type">[];
  /** Results of calls, in a wire message. */
  readonly results?: readonly unknown[];
}

/**
 * Returns `convert` with a cache, whose key is the message object. It holds only messages that consist of text, as most do
 * in a long history. Other messages are converted again, because call ids, files and signatures depend on the request.
 */
export function cachedForTexts<From extends WithContent, To, Rest extends readonly unknown[]>(
  convert: (message: From, ...rest: Rest) => To,
): (message: From, ...rest: Rest) => To {
  const known = new WeakMap<From, To>();
  return (message, ...rest) => {
    const before = known.get(message);
    if (before !== undefined) return before;
    const converted = convert(message, ...rest);
    if (isText(message)) known.set(message, converted);
    return converted;
  };
}

function isText({ content, results = [] }: WithContent): boolean {
  return results.length === 0 && content.every(({ type }) => type === "text");
}

/**
 * Returns the system prompt as one text, for APIs that take one: instructions first, so that a provider's prefix cache
 * keeps them if only the memory changes. May be empty.
 */
export function systemText({ instructions, memory }: SystemPrompt): string {
  return storableText([instructions, memory].filter((text) => text.trim() !== "").join("\n\n"));
}
