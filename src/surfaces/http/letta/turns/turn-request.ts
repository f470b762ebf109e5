// Checks the request that sends messages or decides about waiting calls, and returns the input and options of its turn.
// Invariant: unknown fields are ignored, as in Letta; requests that cannot be carried out are refused before anything is
// written.
import * as z from "zod";
import type { CallResult, ClientTool, SentMessage, TurnOptions } from "../../../../agent/turn-options.ts";
import type { FileInput } from "../../../../base/message/file-part.ts";
import { Fault } from "../../fault.ts";
import { unserved } from "../wire-fault.ts";
import { each, flag, given, text } from "../wire-record.ts";

const part = z.looseObject({
  type: z.string(),
  text: z.string().nullish(),
  source: z.looseObject({ type: text, ...each(text.nullish(), "url", "data", "media_type") }).nullish(),
});

const content = z.union([z.string(), z.array(part)]);

const decision = z.looseObject({
  type: z.enum(["approval", "tool"]).nullish(),
  tool_call_id: z.string(),
  approve: z.boolean().nullish(),
  reason: z.string().nullish(),
  tool_return: content.nullish(),
  status: z.enum(["success", "error"]).nullish(),
  ...each(z.array(text).nullish(), "stdout", "stderr"),
});

const messageForm = z
  .looseObject({
    ...each(text.nullish(), "type", "name", "otid", "approval_request_id", "reason"),
    role: z.enum(["user", "system", "assistant"]).nullish(),
    content: content.nullish(),
    approvals: z.array(decision).nullish(),
    approve: flag.nullish(),
  })
  .refine((sent) => sent.type === "approval" || (sent.content ?? null) !== null, {
    path: ["content"],
    message: "Expected the content of a message.",
    abort: true,
  });

const clientTool = z.looseObject({
  name: z.string(),
  description: z.string().nullish(),
  parameters: z.looseObject({ type: z.literal("object") }).nullish(),
});

/** The fields that requests on agents and on conversations share. */
const options = {
  messages: z.array(messageForm).nullish(),
  input: content.nullish(),
  max_steps: z.int().min(1).nullish(),
  ...each(flag.nullish(), "streaming", "stream_tokens", "background", "include_pings", "include_compaction_messages"),
  use_assistant_message: flag.nullish(),
  ...each(text.nullish(), "assistant_message_tool_name", "assistant_message_tool_kwarg"),
  ...each(text.nullish(), "override_model", "override_system"),
  include_return_message_types: z.array(text).nullish(),
  client_tools: z.array(clientTool).nullish(),
  callback_url: unserved,
};

const hasOneInput = (body: { readonly messages?: unknown; readonly input?: unknown }): boolean =>
  Object.keys(given({ messages: body.messages, input: body.input })).length === 1;

const oneInput = { path: ["messages"], message: "Expected either `messages` or `input`." };

export const turnRequest = z.looseObject(options).refine(hasOneInput, oneInput);

/** The request on a conversation. Its answer is streamed unless `streaming` is false. */
export const conversationRequest = z
  .looseObject({ ...options, agent_id: text.nullish() })
  .refine(hasOneInput, oneInput);

export type TurnRequest = z.output<typeof turnRequest>;
type GivenMessage = z.output<typeof messageForm>;
type GivenDecision = z.output<typeof decision>;
type Content = z.output<typeof content>;

/** A decision about a waiting call. `verdict-of-all`, in Letta's older form, decides all calls of a message, or one call. */
export type CallDecision =
  | { readonly type: "verdict"; readonly callId: string; readonly approve: boolean; readonly reason: string | null }
  | {
      readonly type: "verdict-of-all";
      readonly requestId: string;
      readonly approve: boolean;
      readonly reason: string | null;
    }
  | { readonly type: "result"; readonly result: CallResult };

export interface TurnInput {
  readonly messages: readonly SentMessage[];
  readonly decisions: readonly CallDecision[];
}

/** Returns the input of a turn. Throws Fault `request_invalid` for input that is empty, or that an agent does not accept. */
export function inputOf({ messages, input }: TurnRequest): TurnInput {
  const all: readonly GivenMessage[] = messages ?? [{ role: "user", content: input ?? "" }];
  const read = {
    messages: all.filter(({ type }) => type !== "approval").map(sentMessage),
    decisions: all.filter(({ type }) => type === "approval").flatMap(decisionsOf),
  };
  if (read.messages.length + read.decisions.length === 0)
    throw refused("messages", "Expected at least one message, or a decision about a call.");
  return read;
}

function sentMessage({ role, content: sent, name, otid }: GivenMessage, index: number): SentMessage {
  if (role === "assistant")
    throw refused(
      `messages.${index}.role`,
      'Expected "user" or "system": only the agent writes messages with the role "assistant".',
    );
  const parts = typeof sent === "string" ? [] : (sent ?? []);
  const files = parts.flatMap((one, at) => fileOf(one, at + 1));
  return {
    ...(role === "system" ? { role } : {}),
    text: textOf(sent ?? ""),
    ...given({ name, idempotencyKey: otid }),
    ...(files.length === 0 ? {} : { files }),
  };
}

function fileOf({ type, source }: z.output<typeof part>, number: number): readonly FileInput[] {
  if (type !== "image") return [];
  const { url = null, data = null, media_type } = source ?? {};
  const mediaType = media_type ?? "image/png";
  const name = `image-${number}.${mediaType.split("/")[1] ?? "bin"}`;
  if (data !== null) return [{ data: Buffer.from(data, "base64"), name, mediaType }];
  if (url !== null) return [{ url }];
  throw refused("messages", "Expected an image with a `source` that has `data` or a `url`.");
}

function textOf(sent: Content): string {
  if (typeof sent === "string") return sent;
  return sent.flatMap(({ type, text }) => (type === "text" ? [text ?? ""] : [])).join("\n");
}

function decisionsOf(message: GivenMessage): readonly CallDecision[] {
  const { approvals = null, approve = null, approval_request_id: requestId = null, reason = null } = message;
  if (approvals !== null && approvals.length > 0) return approvals.map(decisionOf);
  if (requestId === null || approve === null)
    throw refused(
      "messages",
      "Expected `approvals` with at least one decision, or `approve` with an `approval_request_id`.",
    );
  return [{ type: "verdict-of-all", requestId, approve, reason }];
}

function decisionOf(made: GivenDecision): CallDecision {
  const { type, tool_call_id: callId, approve = null, reason = null, tool_return: returned = null } = made;
  if (type === "tool" || returned !== null) return { type: "result", result: resultOf(made) };
  if (approve === null) throw refused("messages", `Expected \`approve\` or a \`tool_return\` for the call ${callId}.`);
  return { type: "verdict", callId, approve, reason };
}

function resultOf({ tool_call_id: callId, tool_return: returned, status, stdout, stderr }: GivenDecision): CallResult {
  const text = textOf(returned ?? "");
  const printed = { stdout: (stdout ?? []).join("\n"), stderr: (stderr ?? []).join("\n") };
  const isPrinted = printed.stdout !== "" || printed.stderr !== "";
  return { callId, status: status === "error" ? "failed" : "ok", text, ...(isPrinted ? { printed } : {}) };
}

/** Returns the options of the turn that the request asks for. */
export function optionsOf(request: TurnRequest): TurnOptions {
  const { max_steps: maxSteps, override_model: model, override_system: systemPrompt } = request;
  const clientTools = clientToolsOf(request);
  return { ...given({ maxSteps, model, systemPrompt }), ...(clientTools.length === 0 ? {} : { clientTools }) };
}

function clientToolsOf({ client_tools: tools }: TurnRequest): readonly ClientTool[] {
  return (tools ?? []).map(({ name, description, parameters }) => ({
    name,
    description: description ?? name,
    parameters: parameters ?? { type: "object", properties: {} },
  }));
}

function refused(field: string, message: string): Fault {
  return new Fault(400, "request_invalid", `body.${field}: ${message}`, {
    fields: [{ field: `body.${field}`, message }],
  });
}
