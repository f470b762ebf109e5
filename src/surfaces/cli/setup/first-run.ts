// The first run in a terminal without a configured model: asks for a model, then starts the chat with it.
// Invariant: it asks only if a user can answer and no model is configured, and only once, because each answer is saved.
import type { CommandCall } from "../command.ts";
import { settingsOf } from "../parse/setting-flags.ts";
import { settingOf } from "./read-setup-context.ts";
import { runSetup } from "./run-setup.ts";

/** Whether the terminal is attended and there is no configured model, key or configuration file. Throws ConfigError. */
export async function isFirstRun({ world, line }: CommandCall): Promise<boolean> {
  if (!world.isAttended || line.texts.model !== undefined) return false;
  const flags = settingsOf(line);
  const { file, settings } = await world.configuration(flags);
  if (file !== null || settingOf(settings, "model")?.from.kind !== "default") return false;
  const { providers } = await world.settings(flags);
  return !providers.some(({ hasKey }) => hasKey);
}

/** Returns the call with the chosen model; null if the user left. */
export async function askOnFirstRun(call: CommandCall): Promise<CommandCall | null> {
  const choice = await runSetup(call, { introduction, isFirstRun: true });
  if (choice === null) return null;
  // An existing agent keeps its model, unless that is the demo model and the chosen one is not.
  if (choice.model === "demo") return call;
  return { ...call, line: { ...call.line, texts: { ...call.line.texts, model: choice.model } } };
}

const introduction =
  "Palimpsest: an agent that remembers, and shows you what.\n\n" +
  "Which model should it use? Your choice is tested before it is saved.";
