// Asks for a model and saves the choice: for `palimpsest configure`, and in the first run without a configured model.
// Invariant: nothing is written before the model has answered; leaving changes nothing. The first run asks only if a user can
// answer, and only once, because each answer is saved.
import type { ModelChoice, SavedChoice } from "../../../runtime/setup.ts";
import type { CommandCall } from "../command.ts";
import { notice } from "../print.ts";
import { settingsOf } from "../parse/flag-values.ts";
import { type Dialogue, readSetupContext, settingOf } from "./dialogue.ts";
import { openQuestions, type Questions } from "./questions.ts";
import path from "node:path";
import { askKeyed } from "./ask-keyed.ts";
import { askServer } from "./ask-server.ts";
import { listedNames } from "./pick-model.ts";
import { isBack, tryChoice } from "./try-choice.ts";

export interface SetupRun {
  readonly introduction: string;
  readonly isFirstRun: boolean;
  /** Asks further questions about the saved choice. */
  readonly afterwards?: (questions: Questions, choice: ModelChoice) => Promise<void>;
}

/** Asks for a model, saves the choice and returns it; null if the user left. stdin and stdout must be terminals. */
export async function runSetup(
  call: CommandCall,
  { introduction, isFirstRun, afterwards }: SetupRun,
): Promise<ModelChoice | null> {
  const flags = settingsOf(call.line);
  const setup = await call.world.openSetup(flags, (line) => notice(call, line));
  const context = { ...(await readSetupContext(call)), isFirstRun };
  let saved: ModelChoice | null = null;
  const questions = openQuestions(call.world);
  try {
    questions.say(introduction);
    const choice = await askModel({ questions, setup, context });
    questions.say(savedText(choice, await setup.save(choice), call.world.command));
    saved = choice;
    await afterwards?.(questions, choice);
    return choice;
  } catch (error) {
    if (!questions.signal.aborted || error !== questions.signal.reason) throw error;
    if (saved === null) questions.say("Nothing was saved.");
    return saved;
  } finally {
    questions.close();
  }
}

/** Returns a text about the saved choice: the model, the written files and the notes. */
export function savedText(
  { model, baseUrl }: ModelChoice,
  { file, secretsFile, notes }: SavedChoice,
  command: string,
): string {
  const place = baseUrl === null ? "" : ` at ${baseUrl}`;
  const lines = [
    `Saved: ${model}${place}`,
    `  in ${file}`,
    ...(secretsFile === null ? [] : [`  the key in ${secretsFile}, which only you may read`]),
    ...notes,
    `To choose again: ${command} configure`,
  ];
  return lines.join("\n");
}

/** Whether the terminal is attended and there is no configured model, key or configuration file. Throws ConfigError. */
export async function isFirstRun({ world, line }: CommandCall): Promise<boolean> {
  if (!world.isAttended || line.texts.model !== undefined) return false;
  const flags = settingsOf(line);
  const { file, settings } = await world.configuration(flags);
  if (file !== null || settingOf(settings, "model")?.from.kind !== "default") return false;
  const { providers } = await world.settings(flags);
  return !providers.some(({ hasKey }) => hasKey);
}

/** Asks for a model. Returns the call with the chosen model; null if the user left. */
export async function askOnFirstRun(call: CommandCall): Promise<CommandCall | null> {
  const choice = await runSetup(call, { introduction, isFirstRun: true });
  if (choice === null) return null;
  // An existing agent gets the model of the call. The demo model is left out: it must not replace another model.
  if (choice.model === "demo") return call;
  return { ...call, line: { ...call.line, texts: { ...call.line.texts, model: choice.model } } };
}

const introduction =
  "Palimpsest: an agent that remembers, and shows you what.\n\n" +
  "Which model should it use? Your choice is tested before it is saved.";

/** A kind of model: its name, its line in the menu, and its questions. `ask` resolves to null to return to the menu. */
interface Way {
  readonly name: string;
  readonly line: string;
  /** The models that the menu names below the line. */
  readonly models?: readonly string[];
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
async function askModel(dialogue: Dialogue): Promise<ModelChoice> {
  const { questions, setup, context } = dialogue;
  const servers = await setup.findServers(questions.signal);
  const running = servers.filter(({ models }) => models.length > 0);
  const models = running.flatMap((server) => server.models);
  const ways = waysTo(context.providers).map((way) => (way.ask === askServer ? { ...way, models } : way));
  for (let isFirst = true; ; isFirst = false) {
    const lines = ways.flatMap(({ line, ask }, index) => [
      `  ${index + 1}  ${line}`,
      ...(ask === askServer
        ? running.map((server) => `     ${server.title} runs here: ${listedNames(server.models)}`)
        : []),
    ]);
    questions.say(["", ...lines, "", "Type a number or a name, such as openai, or choose by ↑ and ↓."].join("\n"));
    const way = await askWay(questions, ways, isFirst && context.isFirstRun ? "1" : "");
    const choice = await way.ask(dialogue);
    if (choice !== null) return choice;
  }
}

/**
 * Returns the kind of model that the user chooses. `entered`: the choice that Enter makes; empty after the first menu. Enter
 * goes back from the other questions to this menu, where a repeated Enter must choose nothing.
 */
async function askWay(questions: Questions, ways: readonly Way[], entered: "1" | ""): Promise<Way> {
  for (;;) {
    const choices = ways.map(({ name }) => name);
    const answer = await questions.ask(`Your choice${entered === "" ? "" : " (Enter: 1)"}: `, { choices });
    if (isBack(answer)) questions.leave();
    questions.signal.throwIfAborted();
    const way = wayOf(ways, (answer || entered).toLowerCase());
    if (way !== undefined) return way;
    const names = choices.join(", ");
    questions.say(`Expected a number from 1 to ${ways.length} or a name (${names}). Esc leaves without saving.`);
  }
}

/** Returns the kind for a typed number, name or model, or the first kind whose line has the text, such as `ollama`. */
function wayOf(ways: readonly Way[], typed: string): Way | undefined {
  const named =
    ways[Number(typed) - 1] ??
    ways.find(({ name, models = [] }) => [name, ...models].some((one) => one.toLowerCase() === typed));
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
