// The texts that the runtime sends to models, read once from the *.md files beside this one.
// Invariant: a text for a model is prose in a file, never a string in code.
import { readFileSync } from "node:fs";
import path from "node:path";
import { packageRoot } from "../base/package-root.ts";

export type PromptName =
  | "system-native"
  | "system-heartbeat"
  | "summarize"
  | "summarize-focus"
  | "side-question"
  | "synopsis"
  | "update-scratchpad";

/** The text of a prompt, without its final newline. */
export function loadPrompt(name: PromptName): string {
  return readFileSync(path.join(packageRoot(), "src", "prompts", `${name}.md`), "utf8").trimEnd();
}
