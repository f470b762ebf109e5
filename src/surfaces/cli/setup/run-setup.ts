// Asks for a model and saves the choice: for `palimpsest configure`, and in the first run without a configured model.
// Invariant: nothing is written before the model has answered; leaving changes nothing. The first run asks only if a user can
// answer, and only once, because each answer is saved.
import type { ModelChoice, SavedChoice } from "../../../runtime/setup.ts";
import type { CommandCall } from "../command.ts";
import { notice } from "../print.ts";
import { settingsOf } from "../parse/flag-values.ts";
import { askModel } from "./ask-model.ts";
import { readSetupContext, settingOf } from "./dialogue.ts";
import { openQuestions, type Questions } from "./questions.ts";

export interface SetupRun {
  readonly introduction: string;
  readonly isFirstRun: boolean;
  /** Asks further questions about the saved choice. */
  readonly afterwards?: (questions: Questions, choice: ModelChoice) => Promise<void>;
}

/** Asks for a model and saves the choice. Returns it; null if the user left. Both streams must be terminals. */
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

/** Returns a text about the written files, with the notes. */
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
  // With a model in the call, an existing agent with another model switches to it. The demo model must not replace any other.
  if (choice.model === "demo") return call;
  return { ...call, line: { ...call.line, texts: { ...call.line.texts, model: choice.model } } };
}

const introduction =
  "Palimpsest: an agent that remembers, and shows you what.\n\n" +
  "Which model should it use? Your choice is tested before it is saved.";
