// The first start in a terminal, where nothing says which model is wanted: the choice, and the chat with what was chosen.
// Invariant: it asks where a person can answer and nothing else is set, and never a second time: every answer is saved.
import type { CommandCall } from "../command.ts";
import { settingsOf } from "../parse/setting-flags.ts";
import { settingOf } from "./read-standing.ts";
import { runSetup } from "./run-setup.ts";

/** No model is named anywhere, there is no key and no configuration file, and somebody is there to be asked. Throws ConfigError. */
export async function isFirstRun({ world, line }: CommandCall): Promise<boolean> {
  if (!world.isAttended || line.texts.model !== undefined) return false;
  const flags = settingsOf(line);
  const { file, settings } = await world.configuration(flags);
  if (file !== null || settingOf(settings, "model")?.from.kind !== "default") return false;
  const { providers } = await world.settings(flags);
  return !providers.some(({ hasKey }) => hasKey);
}

/** The call with what was chosen; null when the person left. */
export async function askAtFirst(call: CommandCall): Promise<CommandCall | null> {
  const choice = await runSetup(call, introduction);
  if (choice === null) return null;
  // An agent that was made before keeps its model, unless it was the demo and this is none.
  if (choice.model === "demo") return call;
  return { ...call, line: { ...call.line, texts: { ...call.line.texts, model: choice.model } } };
}

const introduction =
  "Palimpsest: an agent that remembers, and shows you what.\n\n" +
  "Which model shall it speak with? It is tried before it is saved.";
