// Formats the counts of moved or imported records.
// Invariant: pure; counts of 0 are omitted.
import { numberText } from "../../../base/window-words.ts";

const words = {
  agents: ["agent", "agents"],
  modules: ["module of memory", "modules of memory"],
  tools: ["tool", "tools"],
  sources: ["source", "sources"],
  files: ["file", "files"],
  conversations: ["conversation", "conversations"],
  messages: ["message", "messages"],
  passages: ["passage", "passages"],
  identities: ["identity", "identities"],
} as const;

/** Returns `2 agents, 1 conversation`; empty if all counts are 0. */
export function countsText(counts: Readonly<Partial<Record<keyof typeof words, number>>>): string {
  const parts = Object.entries(words).flatMap(([key, [one, many]]) => {
    const count = counts[key as keyof typeof words] ?? 0;
    return count === 0 ? [] : [`${numberText(count)} ${count === 1 ? one : many}`];
  });
  return parts.join(", ");
}
