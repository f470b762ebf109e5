// Asks for a model in a local GGUF file.
import path from "node:path";
import type { ModelChoice } from "../../../runtime/setup.ts";
import type { Dialogue } from "./dialogue.ts";
import { isBack, tryChoice } from "./try-choice.ts";

/** Returns the tested choice; null to go back. */
export async function askFile(dialogue: Dialogue): Promise<ModelChoice | null> {
  const { questions } = dialogue;
  questions.say("\nllama.cpp runs the model; it needs the package node-llama-cpp: npm install node-llama-cpp@3");
  for (;;) {
    const answer = unquoted(await questions.ask("Path of the file (Enter goes back): "));
    if (answer === "" || isBack(answer)) return null;
    if (!/^\P{Cc}{1,4000}\.(?:gguf|GGUF)$/u.test(answer)) {
      questions.say("Expected the path of a file that ends in .gguf.");
      continue;
    }
    // The path must be absolute, because the program may be started in another folder next time.
    const model = answer.startsWith("~/") ? answer : path.resolve(answer);
    const choice: ModelChoice = { model, baseUrl: null, key: { kind: "none" } };
    const tried = await tryChoice(dialogue, choice);
    if (typeof tried !== "string") return tried;
  }
}

/** Removes quotes: a terminal adds them when a file is dragged into it. */
function unquoted(text: string): string {
  return /^'[^']{1,4000}'$|^"[^"]{1,4000}"$/u.test(text) ? text.slice(1, -1) : text;
}
