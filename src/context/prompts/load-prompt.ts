// Loads the texts that the runtime sends to models, once, from the *.md files in this folder.
import { readFileSync } from "node:fs";
import path from "node:path";
import { packageRoot } from "../../base/package-root.ts";

export type PromptName =
  | "system-native"
  | "system-heartbeat"
  | "system-assisted"
  | "memory-rules"
  | "summarize"
  | "summarize-focus"
  | "summarize-memory"
  | "side-question"
  | "state-note"
  | "changes-note"
  | "synopsis"
  | "consolidate"
  | "correct-operations"
  | "update-scratchpad"
  | "extract-facts"
  | "output-form"
  | "output-mismatch"
  | "judge-answer";

const known = new Map<PromptName, string>();

/** Returns the text of a prompt, without its final newline. */
export function loadPrompt(name: PromptName): string {
  const text =
    known.get(name) ??
    readFileSync(path.join(packageRoot(), "src", "context", "prompts", `${name}.md`), "utf8").trimEnd();
  known.set(name, text);
  return text;
}

/** Returns the system prompt of a new agent: the instructions of its protocol, and instructions about memory. */
export function defaultSystemPrompt(protocol: "native" | "heartbeat"): string {
  return `${loadPrompt(`system-${protocol}`)}\n\n${loadPrompt("memory-rules")}`;
}
