// Asks for a model and saves the choice.
// Invariant: nothing is written before the model has answered; leaving changes nothing.
import type { ModelChoice, SavedChoice } from "../../../runtime/setup.ts";
import type { CommandCall } from "../command.ts";
import { notice } from "../print.ts";
import { settingsOf } from "../parse/setting-flags.ts";
import { askModel } from "./ask-model.ts";
import { openQuestions, type Questions } from "./questions.ts";
import { readSetupContext } from "./read-setup-context.ts";

export interface SetupRun {
  readonly introduction: string;
  readonly isFirstRun: boolean;
  /** Asks further questions about the saved choice. */
  readonly afterwards?: (questions: Questions, choice: ModelChoice) => Promise<void>;
}

/** Returns the saved choice; null if the user left. Both streams must be terminals. */
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
