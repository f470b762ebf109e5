// The request that sends messages, or decides about calls that wait: what of it becomes input of a turn.
// Invariant: unknown fields are ignored, as Letta does; what cannot be carried out is refused before anything is written.
import * as z from "zod";
import type { CallResult, ClientTool, SentMessage, TurnOptions } from "../../../../agent/turn-options.ts";
import { Fault } from "../../fault.ts";
import { unserved } from "../unserved.ts";

const part = z.looseObject({
  type: z.string(),
  text: z.string().nullish(),
  source: z
    .looseObject({
      type: z.string(),
      url: z.string().nullish(),
      data: z.string().nullish(),
      media_type: z.string().nullish(),
    })
    .nullish(),
});

const content = z.union([z.string(), z.array(part)]);

const decision = z.looseObject({
  type: z.enum(["approval", "tool"]).nullish(),
  tool_call_id: z.string(),
  approve: z.boolean().nullish(),
  reason: z.string().nullish(),
  tool_return: content.nullish(),
  status: z.enum(["success", "error"]).nullish(),
  stdout: z.array(z.string()).nullish(),
  stderr: z.array(z.string()).nullish(),
});

const message = z
  .looseObject({
    type: z.string().nullish(),
    role: z.enum(["user", "system", "assistant"]).nullish(),
    content: content.nullish(),
    name: z.string().nullish(),
    otid: z.string().nullish(),
    approvals: z.array(decision).nullish(),
    approve: z.boolean().nullish(),
    approval_request_id: z.string().nullish(),
    reason: z.string().nullish(),
  })
  .refine((sent) => sent.type === "approval" || (sent.content ?? null) !== null, {
    path: ["content"],
    message: "Expected the content of a message.",
  });

const clientTool = z.looseObject({
  name: z.string(),
  description: z.string().nullish(),
  parameters: z.looseObject({ type: z.literal("object") }).nullish(),
});

/** What requests on agents and on conversations have in common. */
const options = {
  messages: z.array(message).nullish(),
  input: content.nullish(),
  max_steps: z.int().min(1).nullish(),
  stream_tokens: z.boolean().nullish(),
  background: z.boolean().nullish(),
  include_pings: z.boolean().nullish(),
  include_return_message_types: z.array(z.string()).nullish(),
  include_compaction_messages: z.boolean().nullish(),
  use_assistant_message: z.boolean().nullish(),
  assistant_message_tool_name: z.string().nullish(),
  assistant_message_tool_kwarg: z.string().nullish(),
  client_tools: z.array(clientTool).nullish(),
  override_model: z.string().nullish(),
  override_system: z.string().nullish(),
  callback_url: unserved,
};

const hasOneInput = (body: { readonly messages?: unknown; readonly input?: unknown }): boolean =>
  (body.messages ?? null) === null ? (body.input ?? null) !== null : (body.input ?? null) === null;

const oneInput = { path: ["messages"], message: "Expected either `messages` or `input`." };

export const turnRequest = z
  .looseObject({ ...options, streaming: z.boolean().nullish() })
  .refine(hasOneInput, oneInput);

/** A conversation streams unless the request says otherwise. */
export const conversationRequest = z
  .looseObject({ ...options, streaming: z.boolean().nullish(), agent_id: z.string().nullish() })
  .refine(hasOneInput, oneInput);

export type TurnRequest = z.output<typeof turnRequest>;
type GivenMessage = z.output<typeof message>;
type GivenDecision = z.output<typeof decision>;
type Content = z.output<typeof content>;

/** A decision about a call that waits. `callId` null: about all calls of the message `requestId`, in Letta's older form. */
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

/** Throws Fault `request_invalid` for input that is empty, or that an agent cannot take. */
export function inputOf({ messages, input }: TurnRequest): TurnInput {
  const given: readonly GivenMessage[] = messages ?? [{ role: "user", content: input ?? "" }];
  const sent = given.filter(({ type }) => type !== "approval");
  const read = {
    messages: sent.map(sentMessage),
    decisions: given.filter(({ type }) => type === "approval").flatMap(decisionsOf),
  };
  if (read.messages.length + read.decisions.length === 0)
    throw refused("messages", "Expected at least one message, or a decision about a call.");
  return read;
}

function sentMessage({ role, content: given, name, otid }: GivenMessage, index: number): SentMessage {
  if (role === "assistant")
    throw refused(
      `messages.${index}.role`,
      "Expected a message of the user or of the system: only the agent itself writes messages of the assistant here.",
    );
  const parts = typeof given === "string" ? [] : (given ?? []);
  const files = parts.flatMap((one, at) => fileOf(one, at + 1));
  return {
    ...(role === "system" ? { role } : {}),
    text: textOf(given ?? ""),
    ...((name ?? null) === null ? {} : { name: name as string }),
    ...((otid ?? null) === null ? {} : { idempotencyKey: otid as string }),
    ...(files.length === 0 ? {} : { files }),
  };
}

type SentFile = NonNullable<SentMessage["files"]>[number];

function fileOf({ type, source }: z.output<typeof part>, number: number): readonly SentFile[] {
  if (type !== "image") return [];
  const { url = null, data = null, media_type: mediaType = null } = source ?? {};
  if (data !== null) {
    const type = mediaType ?? "image/png";
    return [
      { data: Buffer.from(data, "base64"), name: `image-${number}.${type.split("/")[1] ?? "bin"}`, mediaType: type },
    ];
  }
  if (url !== null) return [{ url }];
  throw refused("messages", "Expected an image with a `source` that has `data` or a `url`.");
}

function textOf(given: Content): string {
  if (typeof given === "string") return given;
  return given.flatMap(({ type, text }) => (type === "text" ? [text ?? ""] : [])).join("\n");
}

function decisionsOf({
  approvals,
  approve,
  approval_request_id: requestId,
  reason,
}: GivenMessage): readonly CallDecision[] {
  if ((approvals ?? []).length > 0) return (approvals ?? []).map(decisionOf);
  if ((requestId ?? null) === null || (approve ?? null) === null)
    throw refused(
      "messages",
      "Expected `approvals` with at least one decision, or `approve` with an `approval_request_id`.",
    );
  return [
    { type: "verdict-of-all", requestId: requestId as string, approve: approve as boolean, reason: reason ?? null },
  ];
}

function decisionOf(given: GivenDecision): CallDecision {
  const { tool_call_id: callId, approve, reason, tool_return: returned } = given;
  if (given.type === "tool" || (returned ?? null) !== null) return { type: "result", result: resultOf(given) };
  if ((approve ?? null) === null)
    throw refused("messages", `Expected \`approve\` or a \`tool_return\` for the call ${callId}.`);
  return { type: "verdict", callId, approve: approve as boolean, reason: reason ?? null };
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
  return {
    ...(maxSteps === null || maxSteps === undefined ? {} : { maxSteps }),
    ...(model === null || model === undefined ? {} : { model }),
    ...(systemPrompt === null || systemPrompt === undefined ? {} : { systemPrompt }),
    ...(clientTools.length === 0 ? {} : { clientTools }),
  };
}

function clientToolsOf({ client_tools: given }: TurnRequest): readonly ClientTool[] {
  return (given ?? []).map(({ name, description, parameters }) => ({
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
