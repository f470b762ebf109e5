// Defines the request of the AI SDK's chat transport, and returns the part that becomes the input of a turn.
// Invariant: pure; only the last message is input, because the agent has the others in its own memory and window.
import * as z from "zod";
import type { CallResult, ClientTool, SentMessage } from "../../../agent/turn-options.ts";
import type { Verdict } from "../decide-calls.ts";
import { type Fault, invalidField } from "../fault.ts";
import { fileOf } from "../sent-file.ts";

const part = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  url: z.string().optional(),
  mediaType: z.string().optional(),
  filename: z.string().optional(),
  toolCallId: z.string().optional(),
  state: z.string().optional(),
  output: z.unknown().optional(),
  errorText: z.string().optional(),
  approval: z.looseObject({ approved: z.boolean().optional(), reason: z.string().optional() }).optional(),
});

const message = z.looseObject({
  id: z.string().min(1, { abort: true }).max(200, { abort: true }),
  role: z.enum(["system", "user", "assistant"]),
  parts: z.array(part),
});

const definition = z.looseObject({
  description: z.string().optional(),
  parameters: z.looseObject({ type: z.literal("object") }).optional(),
  inputSchema: z.looseObject({ type: z.literal("object") }).optional(),
});

export const chatRequest = z.looseObject({
  id: z.string().min(1).max(500).describe("The id of the chat; a UUID is also the id of its conversation."),
  messages: z.array(message).min(1),
  trigger: z.enum(["submit-message", "regenerate-message"]).optional(),
  messageId: z.string().optional(),
  tools: z.record(z.string(), definition).optional().describe("The tools that the client runs, by name."),
  hasResets: z.boolean().optional().describe("Accepts `reset-step` chunks, which `ai` 7 reads and `ai` 6 does not."),
});

export type ChatRequest = z.output<typeof chatRequest>;
type UiMessage = ChatRequest["messages"][number];
type UiPart = UiMessage["parts"][number];

export interface ChatInput {
  /** The client's id of the message to send or to answer again; null if the request only decides about calls. */
  readonly messageId: string | null;
  readonly message: SentMessage | null;
  readonly manner: "send" | "edit" | "regenerate";
  /** The verdicts about calls in the last message of the assistant. Some of the calls may no longer wait. */
  readonly verdicts: readonly Verdict[];
  readonly results: readonly CallResult[];
  readonly clientTools: readonly ClientTool[];
}

/** Returns the input of a turn. Throws Fault `request_invalid` if there is nothing to answer. */
export function inputOf(request: ChatRequest): ChatInput {
  const { messages, tools = {}, trigger, messageId } = request;
  const clientTools = Object.entries(tools).map(([name, tool]) => {
    const parameters = tool.parameters ?? tool.inputSchema ?? { type: "object" as const, properties: {} };
    return { name, description: tool.description ?? name, parameters };
  });
  const shown = messages.filter(({ role }) => role !== "system");
  const last = trigger === "regenerate-message" ? shown.findLast(({ role }) => role === "user") : shown.at(-1);
  if (last === undefined) throw nothingToAnswer();
  const lastReply = shown.findLast(({ role }) => role === "assistant");
  const decided = trigger === "regenerate-message" ? undefined : lastReply;
  const decisions = { verdicts: verdictsOf(decided), results: resultsOf(decided), clientTools };
  if (last.role === "assistant") {
    if (decisions.verdicts.length + decisions.results.length === 0) throw nothingToAnswer();
    return { ...decisions, messageId: null, message: null, manner: "send" };
  }
  const edited = messageId === last.id ? "edit" : "send";
  const manner = trigger === "regenerate-message" ? "regenerate" : edited;
  return { ...decisions, messageId: last.id, message: sentOf(last), manner };
}

function sentOf({ parts }: UiMessage): SentMessage {
  const text = parts.flatMap((one) => (one.type === "text" ? [one.text ?? ""] : [])).join("\n");
  const files = parts
    .filter(({ type }) => type === "file")
    .map(({ url = "", filename: name, mediaType }, at) => fileOf({ url, name, mediaType, number: at + 1 }));
  if (text.trim() === "" && files.length === 0) throw nothingToAnswer();
  return { text, ...(files.length === 0 ? {} : { files }) };
}

function toolParts(reply: UiMessage | undefined): readonly (UiPart & { readonly toolCallId: string })[] {
  return (reply?.parts ?? []).flatMap((one) => {
    const { type, toolCallId } = one;
    const isCall = type === "dynamic-tool" || type.startsWith("tool-");
    return isCall && toolCallId !== undefined ? [{ ...one, toolCallId }] : [];
  });
}

function verdictsOf(reply: UiMessage | undefined): readonly Verdict[] {
  return toolParts(reply).flatMap(({ state, toolCallId: callId, approval }) => {
    if (state !== "approval-responded" || approval?.approved === undefined) return [];
    return [{ callId, approve: approval.approved, reason: approval.reason ?? null }];
  });
}

function resultsOf(reply: UiMessage | undefined): readonly CallResult[] {
  return toolParts(reply).flatMap(({ state, toolCallId: callId, output, errorText }): readonly CallResult[] => {
    if (state === "output-error") return [{ callId, status: "failed", text: errorText ?? "" }];
    if (state !== "output-available") return [];
    return [{ callId, status: "ok", text: typeof output === "string" ? output : (JSON.stringify(output) ?? "") }];
  });
}

function nothingToAnswer(): Fault {
  return invalidField(
    "body.messages",
    "Expected the last message to be a message of the user with text or files, or a message of the assistant with decisions about its calls.",
  );
}
