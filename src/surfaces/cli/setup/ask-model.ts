// Asks for a model: shows the menu of kinds, and asks the questions of each, until a tested model answers.
// Invariant: the returned choice was tested successfully; nothing is saved here.
import path from "node:path";
import type { ModelChoice } from "../../../runtime/setup.ts";
import { askKeyed } from "./ask-keyed.ts";
import { askServer } from "./ask-server.ts";
import type { Dialogue } from "./dialogue.ts";
import { listedNames } from "./pick-model.ts";
import type { Questions } from "./questions.ts";
import { isBack, tryChoice } from "./try-choice.ts";

/** A kind of model: its name, its line in the menu, and its questions, which resolve to null to go back to the menu. */
interface Way {
  readonly name: string;
  readonly line: string;
  ask(dialogue: Dialogue): Promise<ModelChoice | null>;
}

const demo: ModelChoice = { model: "demo", baseUrl: null, key: { kind: "none" } };

const waysTo = (providers: Dialogue["context"]["providers"]): readonly Way[] => [
  {
    name: "demo",
    line: "Demo: pattern rules, not a language model. Needs no setup.",
    ask: async () => demo,
  },
  ...providers.map((provider) => ({
    name: provider.id,
    line: provider.offer,
    ask: (dialogue: Dialogue) => askKeyed(dialogue, provider),
  })),
  {
    name: "server",
    line: "A server with OpenAI's API: Ollama, LM Studio, llama.cpp, vLLM, …",
    ask: askServer,
  },
  {
    name: "file",
    line: "A model in a GGUF file, run on this machine.",
    ask: askFile,
  },
];

/** Asks for a model until a tested one is chosen, and returns it. Rejects with the signal's reason when the user leaves. */
export async function askModel(dialogue: Dialogue): Promise<ModelChoice> {
  const { questions, setup, context } = dialogue;
  const ways = waysTo(context.providers);
  const servers = await setup.findServers(questions.signal);
  const running = servers.filter(({ models }) => models.length > 0);
  for (let isFirst = true; ; isFirst = false) {
    const lines = ways.flatMap(({ line, ask }, index) => [
      `  ${index + 1}  ${line}`,
      ...(ask === askServer
        ? running.map(({ title, models }) => `     ${title} runs here: ${listedNames(models)}`)
        : []),
    ]);
    questions.say(["", ...lines, "", "Type a number or a name, such as openai, or choose by ↑ and ↓."].join("\n"));
    const way = await askWay(questions, ways, isFirst && context.isFirstRun ? "1" : "");
    const choice = await way.ask(dialogue);
    if (choice !== null) return choice;
  }
}

/**
 * Returns the kind of model that the user chooses. `entered` is the choice of Enter: empty after the first menu, because Enter
 * goes back from the other questions, and a repeated Enter must not choose anything here.
 */
async function askWay(questions: Questions, ways: readonly Way[], entered: "1" | ""): Promise<Way> {
  for (;;) {
    const choices = ways.map(({ name }) => name);
    const answer = await questions.ask(`Your choice${entered === "" ? "" : " (Enter: 1)"}: `, { choices });
    if (isBack(answer)) questions.leave();
    questions.signal.throwIfAborted();
    const way = wayOf(ways, (answer || entered).toLowerCase());
    if (way !== undefined) return way;
    questions.say(`Expected a number from 1 to ${ways.length} or a name. Esc leaves without saving.`);
  }
}

/** Returns the kind with a number or name, or the first one whose line contains the text, such as `ollama`. */
function wayOf(ways: readonly Way[], typed: string): Way | undefined {
  const named = ways[Number(typed) - 1] ?? ways.find(({ name }) => name === typed);
  return named ?? (typed.length < 3 ? undefined : ways.find(({ line }) => line.toLowerCase().includes(typed)));
}

/** Asks for a model in a local GGUF file. Returns the tested choice; null to go back. */
async function askFile(dialogue: Dialogue): Promise<ModelChoice | null> {
  const { questions } = dialogue;
  questions.say("\nllama.cpp runs the model; it needs the package node-llama-cpp: npm install node-llama-cpp@3");
  for (;;) {
    const answer = unquoted(await questions.ask("Path of the file (Enter goes back): "));
    if (answer === "" || isBack(answer)) return null;
    if (!/^\P{Cc}{1,4000}\.(?:gguf|GGUF)$/u.test(answer)) {
      questions.say("Expected the path of a file that ends in .gguf.");
      continue;
    }
    // The path must be absolute, because Palimpsest may be started in another folder next time.
    const model = answer.startsWith("~/") ? answer : path.resolve(answer);
    const choice: ModelChoice = { model, baseUrl: null, key: { kind: "none" } };
    const tried = await tryChoice(dialogue, choice);
    if (typeof tried !== "string") return tried;
  }
}

/** Returns a path without quotes, which a terminal adds when a file is dragged into it. */
function unquoted(text: string): string {
  return /^'[^']{1,4000}'$|^"[^"]{1,4000}"$/u.test(text) ? text.slice(1, -1) : text;
}
