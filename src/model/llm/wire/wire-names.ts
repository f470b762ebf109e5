// Converts names of tools and ids of calls to forms that every provider accepts.
// Invariant: valid names are unchanged; the same input always gives the same name.
import { createHash } from "node:crypto";

const maxNameLength = 64;
const maxIdLength = 40;

/** Returns a tool's name that matches `^[a-zA-Z0-9_-]{1,64}$`. Models invent names, and a history keeps them. */
export function wireToolName(name: string): string {
  return name.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, maxNameLength) || "unknown_tool";
}

/** Makes the call ids of one request valid and unique. */
export interface CallIds {
  ofCall(callId: string): string;
  /** Returns the id that was assigned to the oldest call with this id that has no result yet. */
  ofResult(callId: string): string;
}

/** Some servers restart call ids in every reply; Anthropic refuses a request with a repeated id. */
export function createCallIds(): CallIds {
  const taken = new Set<string>();
  const waiting = new Map<string, string[]>();
  return {
    ofCall(callId) {
      let id = validId(callId);
      for (let again = 2; taken.has(id); again += 1) id = validId(`${callId}_${again}`);
      taken.add(id);
      waiting.set(callId, [...(waiting.get(callId) ?? []), id]);
      return id;
    },
    ofResult: (callId) => waiting.get(callId)?.shift() ?? validId(callId),
  };
}

function validId(callId: string): string {
  if (callId.length <= maxIdLength && /^[a-zA-Z0-9_-]+$/.test(callId)) return callId;
  return `call_${createHash("sha256").update(callId).digest("hex").slice(0, 32)}`;
}
