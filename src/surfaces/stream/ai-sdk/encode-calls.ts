// Tool calls of a turn as chunks of the AI SDK's UI message stream.
// Invariant: the agent's own calls are dynamic and executed by the provider, so that no client runs them; those of the client's
// tools are neither.
import type { AgentEvent } from "../../../agent/events.ts";
import type { UiMessageChunk } from "./ui-chunk.ts";

/** Which calls a client knows, and as what: the agent's, its own, or those that it showed or answered before. */
export type KnownCalls = Map<string, "agent" | "client" | "shown" | "answered">;

export interface UiCallOptions {
  /** The calls that the client's message has, of a turn that goes on after a decision: they are not repeated. Default none. */
  readonly shownCalls?: readonly string[];
  /** The calls whose results the client gave: they are not repeated. Default none. */
  readonly answeredCalls?: readonly string[];
  /** The calls that the user denied, which are reported as denied instead of as failed. Default none. */
  readonly deniedCalls?: readonly string[];
  /** Tools whose calls are not shown, such as one whose text is the answer itself. Default none. */
  readonly hiddenTools?: readonly string[];
}

type EventOf<Type extends AgentEvent["type"]> = Extract<AgentEvent, { readonly type: Type }>;
type Chunks = readonly UiMessageChunk[];

export function knownCalls({ shownCalls = [], answeredCalls = [] }: UiCallOptions): KnownCalls {
  return new Map([
    ...shownCalls.map((callId) => [callId, "shown"] as const),
    ...answeredCalls.map((callId) => [callId, "answered"] as const),
  ]);
}

export function isHidden({ hiddenTools = [] }: UiCallOptions, { name }: { readonly name: string }): boolean {
  return hiddenTools.includes(name);
}

export function isDenied({ deniedCalls = [] }: UiCallOptions, { callId }: { readonly callId: string }): boolean {
  return deniedCalls.includes(callId);
}

export function readCall(calls: KnownCalls, { callId, name, arguments: json }: EventOf<"tool-call">): Chunks {
  if (calls.has(callId)) return [];
  calls.set(callId, "agent");
  return [agentCall(callId, name, json)];
}

/** A turn that pauses again repeats the requests that still wait. */
export function readRequest(calls: KnownCalls, event: EventOf<"approval-requested" | "result-requested">): Chunks {
  const { callId, name, arguments: json } = event;
  if (calls.has(callId)) return [];
  if (event.type === "result-requested") {
    calls.set(callId, "client");
    return [{ type: "tool-input-available", toolCallId: callId, toolName: name, input: jsonOr(json) }];
  }
  calls.set(callId, "agent");
  const approvalDescriptor = { preview: event.preview, expiresAt: event.expiresAt };
  return [
    agentCall(callId, name, json),
    { type: "tool-approval-request", approvalId: callId, toolCallId: callId, approvalDescriptor },
  ];
}

/** `denied`: the user denied the call. */
export function readResult(
  calls: KnownCalls,
  { callId, status, text }: EventOf<"tool-result">,
  denied: boolean,
): Chunks {
  const known = calls.get(callId);
  // The result of an earlier turn's call belongs to another message.
  if (known === undefined || known === "answered") return [];
  if (denied) return [{ type: "tool-output-denied", toolCallId: callId }];
  const facts = { toolCallId: callId, ...(known === "agent" ? ownCall : {}) };
  if (status === "failed") return [{ type: "tool-output-error", ...facts, errorText: text }];
  return [{ type: "tool-output-available", ...facts, output: known === "client" ? clientOutput(text) : text }];
}

/** Clients give objects and lists as JSON. */
export function clientOutput(text: string): unknown {
  const value = jsonOr(text);
  return typeof value === "object" && value !== null ? value : text;
}

const ownCall = { providerExecuted: true, dynamic: true } as const;

function agentCall(toolCallId: string, toolName: string, json: string): UiMessageChunk {
  return { type: "tool-input-available", toolCallId, toolName, input: jsonOr(json), ...ownCall };
}

/** Returns the value of a JSON text, and any other text as it is. */
export function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}
