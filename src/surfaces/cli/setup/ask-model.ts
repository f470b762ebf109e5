// Asks for a model: shows the menu of kinds, and asks the questions of each, until a tested model answers.
// Invariant: the returned choice was tested successfully; nothing is saved here.
import type { ModelChoice } from "../../../runtime/setup.ts";
import { askFile } from "./ask-file.ts";
import { askKeyed } from "./ask-keyed.ts";
import { askServer } from "./ask-server.ts";
import type { Dialogue } from "./dialogue.ts";
import { listedNames } from "./model-names.ts";
import type { Questions } from "./questions.ts";
import { isBack } from "./try-choice.ts";

/** A kind of model: its line in the menu, and its questions. Null goes back to the menu. */
interface Way {
  readonly line: string;
  ask(dialogue: Dialogue): Promise<ModelChoice | null>;
}

const demo: ModelChoice = { model: "demo", baseUrl: null, key: { kind: "none" } };

const waysTo = (providers: Dialogue["context"]["providers"]): readonly Way[] => [
  {
    line: "Demo: pattern rules, not a language model. Needs no setup.",
    ask: async () => demo,
  },
  ...providers.map((provider) => ({
    line: provider.offer,
    ask: (dialogue: Dialogue) => askKeyed(dialogue, provider),
  })),
  {
    line: "A server with OpenAI's API: Ollama, LM Studio, llama.cpp, vLLM, …",
    ask: askServer,
  },
  {
    line: "A model in a GGUF file, run on this machine.",
    ask: askFile,
  },
];

/** Returns the tested choice. Rejects with the reason of the questions' signal when the user leaves. */
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
    questions.say(["", ...lines, ""].join("\n"));
    const way = await askWay(questions, ways, isFirst && context.isFirstRun ? "1" : "");
    const choice = await way.ask(dialogue);
    if (choice !== null) return choice;
  }
}

/** `entered`: what Enter chooses. It goes back from the other questions, and one too many must not choose anything here. */
async function askWay(questions: Questions, ways: readonly Way[], entered: "1" | ""): Promise<Way> {
  for (;;) {
    const answer = await questions.ask(`Your choice (${entered === "" ? "a number" : "Enter: 1"}): `);
    if (isBack(answer)) questions.leave();
    questions.signal.throwIfAborted();
    const way = ways[Number(answer || entered) - 1];
    if (way !== undefined) return way;
    questions.say(`Expected a number from 1 to ${ways.length}. Esc leaves without saving.`);
  }
}
