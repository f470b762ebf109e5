// How much was moved, in words.
// Invariant: pure; what was not moved at all is not mentioned.
import { numberText } from "../../../base/window-words.ts";
import type { ImportedCounts } from "../runtime-records.ts";

type MovedCounts = ImportedCounts & { readonly identities?: number };

const words: { readonly [Key in keyof Required<MovedCounts>]: readonly [one: string, many: string] } = {
  agents: ["agent", "agents"],
  modules: ["module of memory", "modules of memory"],
  tools: ["tool", "tools"],
  sources: ["source", "sources"],
  files: ["file", "files"],
  conversations: ["conversation", "conversations"],
  messages: ["message", "messages"],
  passages: ["passage", "passages"],
  identities: ["identity", "identities"],
};

/** `2 agents, 1 conversation`; `nothing new` if all counts are 0. */
export function transferText(counts: MovedCounts): string {
  const parts = Object.entries(words).flatMap(([key, [one, many]]) => {
    const count = counts[key as keyof MovedCounts] ?? 0;
    return count === 0 ? [] : [`${numberText(count)} ${count === 1 ? one : many}`];
  });
  return parts.length === 0 ? "nothing new" : parts.join(", ");
}
