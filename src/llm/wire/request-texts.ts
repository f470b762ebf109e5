// The texts around the history of a request: the system prompt before it, the retrieved items and the state block after it.
// Invariant: all text is well-formed and without NUL; the state block comes last, with nothing after it.
import { storableText } from "../../base/code-points.ts";
import type { ModelRequest, SystemPrompt } from "../model.ts";

/**
 * Returns the system prompt as one text, for APIs that take one: instructions first, so that a provider's prefix cache
 * keeps them if only the memory changes. May be empty.
 */
export function systemText({ instructions, memory }: SystemPrompt): string {
  return storableText([instructions, memory].filter((text) => text.trim() !== "").join("\n\n"));
}

export interface RequestEnd {
  /** Null for none. */
  readonly retrieved: string | null;
  readonly state: string | null;
}

/** Returns the two parts, for a wire with a position for each. */
export function requestEnd({ retrieved, state }: Pick<ModelRequest, "retrieved" | "state">): RequestEnd {
  return { retrieved: wireText(retrieved), state: wireText(state) };
}

/** Returns both parts as one text, for a wire without a position that content cannot imitate; null for none. */
export function joinedEnd(request: Pick<ModelRequest, "retrieved" | "state">): string | null {
  const { retrieved, state } = requestEnd(request);
  const parts = [retrieved, state].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join("\n");
}

function wireText(text = ""): string | null {
  return text.trim() === "" ? null : storableText(text);
}
