// Converts the tool calls of a turn to chunks of the AI SDK's UI message stream.
// Invariant: the agent's own calls are marked as dynamic and executed by the provider, so that no client runs them. Calls of
// the client's tools have neither mark.
import type { EventOf } from "../../../agent/events.ts";
import { findCall, type TurnCall, type TurnState } from "../../../agent/fold-turn.ts";
import type { UiMessageChunk } from "./ui-chunk.ts";

export interface UiCallOptions {
  /**
   * The ids of calls that the client's message already contains, if the turn continues after a decision; these calls are not
   * sent again. Default none.
   */
  readonly shownCalls?: readonly string[];
  /** The ids of calls whose results the client itself has sent. These results are not sent back. Default none. */
  readonly answeredCalls?: readonly string[];
  /** The ids of calls that the user denied; they are reported as denied instead of failed. Default none. */
  readonly deniedCalls?: readonly string[];
  /** Names of tools whose calls are hidden, such as `send_message`, whose argument is shown as the reply. Default none. */
  readonly hiddenTools?: readonly string[];
}

type Chunks = readonly UiMessageChunk[];
type CallEvent = EventOf<"tool-call" | "approval-requested" | "result-requested" | "tool-result">;

export function isHidden({ hiddenTools = [] }: UiCallOptions, { name }: { readonly name: string }): boolean {
  return hiddenTools.includes(name);
}

/** Returns the chunks of an event about a call. `before`: the state of the turn before the event. */
export function callChunks(before: TurnState, event: CallEvent, options: UiCallOptions): Chunks {
  const { shownCalls = [], answeredCalls = [] } = options;
  const { callId, name } = event;
  const call = findCall(before, callId);
  const isKnown = call !== null || [...shownCalls, ...answeredCalls].includes(callId);
  // The result of a call from an earlier turn is left out, because it belongs to another message.
  if (event.type === "tool-result") return isKnown ? resultChunks(call, event, options) : [];
  // A turn that pauses again repeats its requests for decisions and results; the client has the earlier requests already.
  if (isKnown) return [];
  if (event.type === "result-requested") {
    return [{ type: "tool-input-available", toolCallId: callId, toolName: name, input: jsonOr(event.arguments) }];
  }
  const shown = { type: "tool-input-available", toolCallId: callId, toolName: name, ...ownCall } as const;
  const input: UiMessageChunk = { ...shown, input: jsonOr(event.arguments) };
  if (event.type === "tool-call") return [input];
  const approvalDescriptor = { preview: event.preview, expiresAt: event.expiresAt };
  return [input, { type: "tool-approval-request", approvalId: callId, toolCallId: callId, approvalDescriptor }];
}

function resultChunks(
  call: TurnCall | null,
  { callId, status, text }: EventOf<"tool-result">,
  { shownCalls = [], answeredCalls = [], deniedCalls = [] }: UiCallOptions,
): Chunks {
  if (answeredCalls.includes(callId)) return [];
  if (deniedCalls.includes(callId)) return [{ type: "tool-output-denied", toolCallId: callId }];
  const isOfClient = call?.request?.type === "result-requested";
  const facts = { toolCallId: callId, ...(isOfClient || shownCalls.includes(callId) ? {} : ownCall) };
  if (status === "failed") return [{ type: "tool-output-error", ...facts, errorText: text }];
  return [{ type: "tool-output-available", ...facts, output: isOfClient ? clientOutput(text) : text }];
}

/** Returns the output of a client's tool: the value of a JSON object or list, any other text unchanged. */
export function clientOutput(text: string): unknown {
  const value = jsonOr(text);
  return typeof value === "object" && value !== null ? value : text;
}

const ownCall = { providerExecuted: true, dynamic: true } as const;

/** Returns the value of a JSON text, and any other text unchanged. */
export function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}
