// The two pieces of a system prompt as one text, for APIs that take one.
import { storableText } from "../../base/code-points.ts";
import type { SystemPrompt } from "../model.ts";

/** Instructions first, so that a provider's prefix cache keeps them when only the memory changes. May be empty. */
export function systemText({ instructions, memory }: SystemPrompt): string {
  return storableText([instructions, memory].filter((text) => text.trim() !== "").join("\n\n"));
}
