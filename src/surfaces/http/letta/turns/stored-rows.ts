// Converts stored messages to Letta's form: rows of shown messages that share one id.
import type { FileLocation } from "../../../../base/message/file-part.ts";
import { type ContentPart, filesOf } from "../../../../base/message/message.ts";
import type { ConversationCall, ConversationMessage, Protocol } from "../runtime-records.ts";
import { messageId, otidOf } from "../ids.ts";
import {
  assistantMessage,
  callMessage,
  type CallMessageType,
  decisionMessage,
  type MessageTool,
  resultIdOf,
  resultMessage,
  shown,
  type ShownDecision,
  type ShownMessage,
  type ShownPlace,
  type ShownResult,
  spokenText,
  thoughtMessage,
} from "./shown-message.ts";

/** The shown messages that share one id of Letta's. A cursor is the id of a row. */
export interface StoredRow {
  readonly id: string;
  readonly at: Date;
  readonly shown: readonly ShownMessage[];
}

export interface RowOptions {
  readonly protocol: Protocol;
  readonly messageTool: MessageTool | null;
}

/** Returns the rows of messages, in the same order, without messages that the runtime wrote. */
export function rowsOf(messages: readonly ConversationMessage[], options: RowOptions): readonly StoredRow[] {
  return messages.flatMap((message, at) => {
    if (message.kind === "event") return [];
    const reply = messages.slice(at).find(({ role, turnId }) => role === "assistant" && turnId === message.turnId);
    const place = { id: messageId(message.id), at: message.at, turnId: message.turnId, replyId: reply?.id ?? null };
    return message.role === "assistant" ? replyRows(place, message, options) : [inputRow(place, message)];
  });
}

/** Returns the row with the compiled prompt of a conversation, which is not stored as a message. */
export function promptRow(
  conversationId: string,
  { at, text }: { readonly at: Date; readonly text: string },
): StoredRow {
  const id = messageId(conversationId, "derived");
  const place = { id, at, turnId: null, replyId: null };
  return { id, at, shown: [shown(place, "system_message", { otid: null }, { content: text })] };
}

function inputRow(place: ShownPlace, message: ConversationMessage): StoredRow {
  const type = message.kind === "system" ? "system_message" : "user_message";
  const otid = message.idempotencyKey ?? otidOf(place.id, 0);
  const facts = { otid, name: message.speaker ?? null };
  // The content is a text, or parts if there are files.
  const content = filesOf(message).length === 0 ? message.text : message.content.flatMap(partOf);
  return { id: place.id, at: place.at, shown: [shown(place, type, facts, { content })] };
}

function partOf(part: ContentPart): readonly unknown[] {
  if (part.type === "text") return [{ type: "text", text: part.text, signature: null }];
  if (part.type !== "file") return [];
  const { location, mediaType, name } = part;
  if (!mediaType.startsWith("image/")) return [{ type: "text", text: `[${name}]`, signature: null }];
  return [{ type: "image", source: imageSource(location, mediaType) }];
}

function imageSource(location: FileLocation, mediaType: string): unknown {
  if (location.type === "url") return { type: "url", url: location.url };
  return { type: "letta", file_id: `file-${location.id}`, data: null, media_type: mediaType, detail: null };
}

function replyRows(place: ShownPlace, message: ConversationMessage, options: RowOptions): readonly StoredRow[] {
  const spoken = (call: ConversationCall): string | null =>
    options.messageTool === null ? null : spokenText(options.messageTool, call);
  const calls = message.calls.filter((call) => spoken(call) === null);
  const rows = [
    { id: place.id, at: place.at, shown: replyMessages(place, message, { ...options, calls, spoken }) },
    decisionRow(place, message, calls),
    resultRow(place, message, calls),
  ];
  return rows.filter((row) => row.shown.length > 0);
}

interface ReplyView extends RowOptions {
  readonly calls: readonly ConversationCall[];
  readonly spoken: (call: ConversationCall) => string | null;
}

function replyMessages(
  place: ShownPlace,
  message: ConversationMessage,
  { protocol, calls, spoken }: ReplyView,
): readonly ShownMessage[] {
  const isPlain = protocol === "native";
  const thoughts = message.content.filter((part) => part.type === "thought" || (part.type === "text" && !isPlain));
  const texts = isPlain ? message.content.filter((part) => part.type === "text").map(({ text }) => text) : [];
  const thought = thoughts.map((part) => ("text" in part ? part.text : "")).join("");
  const signature = thoughts.find((part) => part.type === "thought")?.signature ?? null;
  const text = [...texts, ...message.calls.flatMap((call) => spoken(call) ?? [])].join("");
  const all: ((index: number) => ShownMessage)[] = [];
  if (thought !== "") {
    const source = isPlain ? "reasoner_model" : "non_reasoner_model";
    all.push((index) => thoughtMessage(place, index, { text: thought, source, signature }));
  }
  if (text !== "") all.push((index) => assistantMessage(place, index, text));
  const add = (type: CallMessageType, list: readonly ConversationCall[]): void => {
    if (list.length > 0) all.push((index) => callMessage(place, index, { type, calls: list }));
  };
  add(
    "tool_call_message",
    calls.filter(({ request }) => request === null),
  );
  add(
    "approval_request_message",
    calls.filter(({ request }) => request !== null),
  );
  return all.map((show, index) => show(index));
}

function decisionRow(place: ShownPlace, message: ConversationMessage, calls: readonly ConversationCall[]): StoredRow {
  const id = messageId(message.id, "decision");
  const decisions = calls.flatMap(decisionsAbout);
  return { id, at: place.at, shown: decisions.length === 0 ? [] : [decisionMessage({ ...place, id }, decisions)] };
}

function decisionsAbout(call: ConversationCall): readonly ShownDecision[] {
  const { callId, request } = call;
  if (request === null) return [];
  if (request.awaits === "result") return resultsOf([call]).map((result) => ({ type: "tool", result }));
  if (request.verdict === null) return [];
  return [{ type: "approval", callId, approve: request.verdict === "approved", reason: request.reason }];
}

function resultRow(place: ShownPlace, message: ConversationMessage, calls: readonly ConversationCall[]): StoredRow {
  const id = resultIdOf(message.id);
  const results = resultsOf(calls);
  return { id, at: place.at, shown: results.length === 0 ? [] : [resultMessage({ ...place, id }, results)] };
}

function resultsOf(calls: readonly ConversationCall[]): readonly ShownResult[] {
  return calls.flatMap(({ callId, name, status: ended, result }) => {
    if (result === null) return [];
    const { text, printed } = result;
    const status = ended === "ok" ? ("ok" as const) : ("failed" as const);
    return [{ callId, name, status, text, ...(printed === undefined ? {} : { printed }) }];
  });
}
