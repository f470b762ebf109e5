// Builds the JSON of the messages that Letta's API shows.
// Invariant: a field without a value is present and null, except in the pieces of a call. A call of the tool that sends
// text to the user is shown as a message of the assistant, or as a call if its arguments lack the text.
import * as z from "zod";
import { parseObject } from "../../../../base/json-values.ts";
import { nullableText, text } from "../wire-record.ts";
import { messageId, otidOf, stepId } from "../ids.ts";

const messageShape = z.looseObject({
  id: text,
  date: text,
  message_type: text,
  otid: nullableText,
  step_id: nullableText,
  run_id: nullableText,
});

export const messagesShape = z.array(messageShape);

/** A message, ping or event as Letta shows it. */
export interface ShownMessage {
  readonly id: string;
  readonly message_type: string;
  readonly [field: string]: unknown;
}

/** The fields that all shown messages of one stored message share. */
export interface ShownPlace {
  /** The id, with Letta's prefix. */
  readonly id: string;
  readonly at: Date;
  /** The UUID of the turn; null for the prompt. */
  readonly turnId: string | null;
  /** The UUID of the reply of the model call; null if there is none yet. */
  readonly replyId: string | null;
}

export interface ShownCall {
  readonly callId: string;
  readonly name: string;
  /** The arguments, as JSON. */
  readonly arguments: string;
}

export interface ShownResult {
  readonly callId: string;
  readonly name: string;
  readonly status: "ok" | "failed";
  readonly text: string;
  /** The output of a Python tool, or of a tool that the client ran. */
  readonly printed?: { readonly stdout: string; readonly stderr: string };
}

/** Returns a time in the form of Letta's messages, without fractions of a second. */
export function dateOf(at: Date): string {
  return `${at.toISOString().slice(0, 19)}+00:00`;
}

/** Returns a shown message with its fields in Letta's order. `otid`: its `otid`, or the index that `otidOf` takes. */
export function shown(
  { id, at, turnId, replyId }: ShownPlace,
  type: string,
  { otid, name = null }: { readonly otid: string | number | null; readonly name?: string | null },
  own: Readonly<Record<string, unknown>>,
): ShownMessage {
  return {
    id,
    date: dateOf(at),
    name,
    message_type: type,
    otid: typeof otid === "number" ? otidOf(id, otid) : otid,
    sender_id: null,
    step_id: replyId === null ? null : stepId(replyId),
    is_err: null,
    seq_id: null,
    run_id: turnId === null ? null : `run-${turnId}`,
    ...own,
  };
}

/** The `source` of a thought: `reasoner_model` in the native protocol, `non_reasoner_model` in the heartbeat protocol. */
export type ThoughtSource = "reasoner_model" | "non_reasoner_model";

export function thoughtMessage(
  place: ShownPlace,
  index: number,
  { text, source, signature = null }: { text: string; source: ThoughtSource; signature?: string | null },
): ShownMessage {
  return shown(place, "reasoning_message", { otid: index }, { source, reasoning: text, signature });
}

export function assistantMessage(place: ShownPlace, index: number, content: string): ShownMessage {
  return shown(place, "assistant_message", { otid: index }, { content });
}

/** The type of a message about calls: calls that run, or calls that wait for the client. */
export type CallMessageType = "tool_call_message" | "approval_request_message";

/** Returns the message about the calls of a reply. `calls`: at least one. */
export function callMessage(
  place: ShownPlace,
  index: number,
  { type, calls }: { readonly type: CallMessageType; readonly calls: readonly ShownCall[] },
): ShownMessage {
  const tool_calls = calls.map(({ callId, name, arguments: json }) => ({
    name,
    arguments: json,
    tool_call_id: callId,
  }));
  const otid = type === "approval_request_message" ? place.id : index;
  return shown(place, type, { otid }, { tool_call: tool_calls[0], tool_calls });
}

/** Returns the two pieces of a streamed call: its name, then its arguments. */
export function callPieces(
  place: ShownPlace,
  index: number,
  { type, call }: { readonly type: CallMessageType; readonly call: ShownCall },
): readonly ShownMessage[] {
  const isRequest = type === "approval_request_message";
  const pieces = isRequest
    ? [
        { name: call.name, arguments: null },
        { name: null, arguments: call.arguments },
      ]
    : [{ name: call.name }, { arguments: call.arguments }];
  return pieces.map((piece) => {
    const tool_call = { ...piece, tool_call_id: call.callId };
    return shown(place, type, { otid: isRequest ? place.id : index }, { tool_call, tool_calls: tool_call });
  });
}

/** Returns the message with results. `results`: at least one, all for the calls of one message. */
export function resultMessage(place: ShownPlace, results: readonly ShownResult[]): ShownMessage {
  const tool_returns = results.map(returnOf);
  const [first] = tool_returns;
  return shown(
    place,
    "tool_return_message",
    { otid: 0, name: results[0]?.name ?? null },
    {
      tool_return: first?.tool_return,
      status: first?.status,
      tool_call_id: first?.tool_call_id,
      stdout: first?.stdout,
      stderr: first?.stderr,
      tool_returns,
    },
  );
}

function returnOf({ callId, status, text, printed }: ShownResult) {
  const listed = (output = ""): readonly string[] | null => (output === "" ? null : [output]);
  return {
    type: "tool",
    tool_return: text,
    status: status === "ok" ? "success" : "error",
    tool_call_id: callId,
    stdout: listed(printed?.stdout),
    stderr: listed(printed?.stderr),
  };
}

export type ShownDecision =
  | { readonly type: "approval"; readonly callId: string; readonly approve: boolean; readonly reason: string | null }
  | { readonly type: "tool"; readonly result: ShownResult };

/** Returns the message with decisions. `decisions`: at least one, all about the calls of one message. */
export function decisionMessage(place: ShownPlace, decisions: readonly ShownDecision[]): ShownMessage {
  const approvals = decisions.map((decision) => {
    if (decision.type === "approval") {
      const { callId, approve, reason } = decision;
      return { type: "approval", tool_call_id: callId, approve, reason };
    }
    return returnOf(decision.result);
  });
  const first = decisions.find((decision) => decision.type === "approval");
  return shown(
    place,
    "approval_response_message",
    { otid: 0 },
    {
      approvals,
      approve: first?.approve ?? null,
      approval_request_id: first?.callId ?? null,
      reason: first?.reason ?? null,
    },
  );
}

export function ping(turnId: string, pingId: string, at: Date): ShownMessage {
  return shown({ id: `ping-${pingId}`, at, turnId, replyId: null }, "ping", { otid: null }, {});
}

/** Returns the id of the message with the results of a message's calls. */
export const resultIdOf = (uuid: string): string => messageId(uuid, "derived");

/** A tool by which the model sends text to the user, and the argument that holds the text. */
export interface MessageTool {
  readonly name: string;
  readonly argument: string;
}

/** Returns the text for the user in a call; null for any other call. */
export function spokenText(
  tool: MessageTool,
  call: { readonly name: string; readonly arguments: string },
): string | null {
  if (call.name !== tool.name) return null;
  const spoken = parseObject(call.arguments)?.[tool.argument];
  return typeof spoken === "string" ? spoken : null;
}
