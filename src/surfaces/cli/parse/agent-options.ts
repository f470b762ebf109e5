// Converts flags to the options of a new agent.
import { nearestName } from "../../../base/nearest-name.ts";
import { ConfigError } from "../../../base/errors.ts";
import type { CreateAgentOptions } from "../../../runtime/agents.ts";
import type { Runtime, Starter } from "../../../runtime/runtime.ts";
import type { CommandLine } from "./parse-command-line.ts";
import { readTextFile } from "./read-text.ts";

/**
 * Reads the texts that flags name; without flags, an agent with a built-in memory class gets the default starters. Limits and
 * the other settings come with the runtime's configuration.
 */
export async function createOptions(line: CommandLine, runtime: Runtime): Promise<Omit<CreateAgentOptions, "name">> {
  const { persona, human, memory, "system-file": systemFile } = line.texts;
  const { personas, humans } = runtime.starters;
  const usual = memory === undefined || memory === "chat" || memory === "scratchpad";
  const texts = {
    persona:
      persona === undefined ? await defaultText(usual, personas) : await coreText("--persona", persona, personas),
    human: human === undefined ? await defaultText(usual, humans) : await coreText("--human", human, humans),
    memoryType: memory,
    systemPrompt: systemFile === undefined ? undefined : await readTextFile(systemFile, "--system-file"),
  };
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== undefined));
}

/** The default starters. */
const defaultStarters: readonly string[] = ["companion", "unknown"];

async function defaultText(
  isDefault: boolean,
  starters: () => Promise<readonly Starter[]>,
): Promise<string | undefined> {
  if (!isDefault) return undefined;
  return (await starters()).find(({ name }) => defaultStarters.includes(name))?.text;
}

/** The starter of that name, or the text of that file. A name with a slash or a dot is a path. */
async function coreText(flag: string, given: string, starters: () => Promise<readonly Starter[]>): Promise<string> {
  if (/[/\\.]/u.test(given)) return readTextFile(given, flag);
  const known = await starters();
  const starter = known.find(({ name }) => name === given);
  if (starter !== undefined) return starter.text;
  const names = known.map(({ name }) => name);
  const near = nearestName(given, names);
  const hint = near === undefined ? `There are: ${names.join(", ")}.` : `Did you mean "${near}"?`;
  throw new ConfigError(
    `${flag}: no starter text is named "${given}". ${hint} For a file, give a path such as ./${given}.`,
  );
}
