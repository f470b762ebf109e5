// Names of tools and ids of calls as every provider accepts them.
// Invariant: what is valid already stays as it is; the same input always gives the same name.
import { createHash } from "node:crypto";

const longestName = 64;
const longestId = 40;

/** A tool's name that matches `^[a-zA-Z0-9_-]{1,64}$`. Models make up names, and a history keeps them. */
export function wireToolName(name: string): string {
  return name.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, longestName) || "unknown_tool";
}

/** The ids of one request's calls, made valid and unique in it. */
export interface CallIds {
  ofCall(callId: string): string;
  /** The id given to the oldest call of that id that has no result yet. */
  ofResult(callId: string): string;
}

/** Some servers number their calls anew in every reply; Anthropic refuses a request in which an id comes twice. */
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
  if (callId.length <= longestId && /^[a-zA-Z0-9_-]+$/.test(callId)) return callId;
  return `call_${createHash("sha256").update(callId).digest("hex").slice(0, 32)}`;
}
