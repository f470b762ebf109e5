// Converts the messages of a conversation to messages of the AI SDK, for a page that is loaded again.
// Invariant: a turn has one message of the assistant, with the same id as in its stream; a message of the user has the id that
// the client gave it.
import type { ConversationCall, ConversationMessage } from "../../../store/port/conversation-store.ts";
import type { Protocol, RevisionRecord } from "../../../store/port/records.ts";
import type { FilePart } from "../../../base/message/file-part.ts";
import { clientOutput, jsonOr } from "./encode-calls.ts";
import type { UiDataParts, UiMessageMetadata } from "./ui-chunk.ts";

export interface UiToolPart {
  /** `tool-NAME` for a tool that the client runs. */
  readonly type: "dynamic-tool" | `tool-${string}`;
  readonly toolName?: string;
  readonly toolCallId: string;
  readonly state:
    | "input-available"
    | "approval-requested"
    | "approval-responded"
    | "output-available"
    | "output-error"
    | "output-denied";
  readonly input: unknown;
  readonly output?: unknown;
  readonly errorText?: string;
  readonly providerExecuted?: boolean;
  readonly approval?: { readonly id: string; readonly approved?: boolean; readonly reason?: string };
}

export type UiMessagePart =
  | { readonly type: "step-start" }
  | { readonly type: "text" | "reasoning"; readonly text: string; readonly state?: "done" }
  | { readonly type: "file"; readonly mediaType: string; readonly filename: string; readonly url: string }
  | UiToolPart
  | { readonly type: "data-memory-edit"; readonly id: string; readonly data: UiDataParts["memory-edit"] };

export interface UiMessage {
  readonly id: string;
  readonly role: "system" | "user" | "assistant";
  readonly parts: readonly UiMessagePart[];
  readonly metadata: UiMessageMetadata & { /** In ISO 8601. */ readonly at: string };
}

export interface UiMessageOptions {
  readonly protocol: Protocol;
  /** Names of tools whose calls are not shown. Default none. */
  readonly hiddenTools?: readonly string[];
  /** Returns the address of a file with stored content; null leaves the file out. Default: null for every file. */
  readonly urlOf?: (file: FilePart) => string | null;
}

/** Separates a message's id from the mark of an edit. An edited message keeps its id, but needs a new idempotency key. */
const editMark = "~edit-";

/** Returns the idempotency key of an edit of the client's message with this id. `mark` distinguishes the edits. */
export function editedKey(clientId: string, mark: string): string {
  return `${clientId}${editMark}${mark}`;
}

export function clientIdOf({ id, idempotencyKey }: Pick<ConversationMessage, "id" | "idempotencyKey">): string {
  if (idempotencyKey === null) return id;
  const at = idempotencyKey.lastIndexOf(editMark);
  return at > 0 ? idempotencyKey.slice(0, at) : idempotencyKey;
}

/** Returns the messages in the AI SDK's form, in the same order, without those that the runtime wrote. */
export function uiMessagesOf(
  messages: readonly ConversationMessage[],
  options: UiMessageOptions,
): readonly UiMessage[] {
  const shown: UiMessage[] = [];
  for (const message of messages) {
    if (message.kind === "event" || message.role === "tool") continue;
    if (message.role === "user") shown.push(sentMessage(message, options));
    else addReply(shown, message, options);
  }
  return shown;
}

function sentMessage(message: ConversationMessage, { urlOf = () => null }: UiMessageOptions): UiMessage {
  const parts = message.content.flatMap((part): readonly UiMessagePart[] => {
    if (part.type === "text") return [{ type: "text", text: part.text }];
    if (part.type !== "file") return [];
    const url = part.location.type === "url" ? part.location.url : urlOf(part);
    return url === null ? [] : [{ type: "file", mediaType: part.mediaType, filename: part.name, url }];
  });
  const role = message.kind === "system" ? "system" : "user";
  return { id: clientIdOf(message), role, parts, metadata: metadataOf(message) };
}

function addReply(shown: UiMessage[], message: ConversationMessage, options: UiMessageOptions): void {
  const parts = replyParts(message, options);
  const last = shown.at(-1);
  if (last?.role === "assistant" && last.id === message.turnId) {
    shown[shown.length - 1] = { ...last, parts: [...last.parts, ...parts] };
  } else shown.push({ id: message.turnId, role: "assistant", parts, metadata: metadataOf(message) });
}

function metadataOf({ turnId, at }: ConversationMessage): UiMessage["metadata"] {
  return { turnId, at: at.toISOString() };
}

function replyParts(message: ConversationMessage, options: UiMessageOptions): readonly UiMessagePart[] {
  const { protocol, hiddenTools = [] } = options;
  const texts = message.content.flatMap((part): readonly UiMessagePart[] => {
    if (part.type === "thought") return [{ type: "reasoning", text: part.text, state: "done" }];
    if (part.type !== "text" || part.text === "") return [];
    return [{ type: protocol === "native" ? "text" : "reasoning", text: part.text, state: "done" }];
  });
  const calls = message.calls.filter(({ name }) => !hiddenTools.includes(name)).map(toolPart);
  // In the heartbeat protocol, the text for the user is an argument of a call.
  const said: readonly UiMessagePart[] =
    protocol === "native" || message.text === "" ? [] : [{ type: "text", text: message.text, state: "done" }];
  return [{ type: "step-start" }, ...texts, ...calls, ...said, ...message.edits.map(editPart)];
}

function editPart({ callId, label, before, after, revision }: RevisionRecord): UiMessagePart {
  const data = { callId, label, before, after, revision };
  return { type: "data-memory-edit", id: `${label}:${revision}`, data };
}

function toolPart(call: ConversationCall): UiToolPart {
  const { callId: toolCallId, name, request } = call;
  const input = jsonOr(call.arguments);
  const isClients = request?.awaits === "result";
  const facts = isClients
    ? ({ type: `tool-${name}`, toolCallId, input } as const)
    : ({ type: "dynamic-tool", toolName: name, toolCallId, input, providerExecuted: true } as const);
  return { ...facts, ...outcomeOf(call, isClients), ...approvalOf(call) };
}

type Outcome = Pick<UiToolPart, "state" | "output" | "errorText">;

function outcomeOf({ status, request, result }: ConversationCall, isClients: boolean): Outcome {
  if (status === "awaiting-approval") return { state: "approval-requested" };
  if (status === "interrupted")
    return { state: "output-error", errorText: result?.text ?? "The call was interrupted." };
  if (result === null) return { state: request?.verdict === "approved" ? "approval-responded" : "input-available" };
  if (request?.verdict === "denied") return { state: "output-denied" };
  if (status !== "ok") return { state: "output-error", errorText: result.text };
  return { state: "output-available", output: isClients ? clientOutput(result.text) : result.text };
}

function approvalOf({ callId: id, request }: ConversationCall): Pick<UiToolPart, "approval"> {
  if (request?.awaits !== "approval") return {};
  const { verdict, reason } = request;
  if (verdict === null) return { approval: { id } };
  return { approval: { id, approved: verdict === "approved", ...(reason === null ? {} : { reason }) } };
}
