// Opens the agent of a chat or a headless run, and creates it on first use.
import { valueOn } from "../../base/thrown-values.ts";
import { nearestHint } from "../../base/nearest-name.ts";
import { ConfigError } from "../../base/errors.ts";
import type { CreateAgentOptions, OpenAgentOptions } from "../../runtime/agents/contract.ts";
import type { Runtime, Starter } from "../../runtime/runtime.ts";
import { shellWord } from "../surface-words.ts";
import type { CommandCall } from "./command.ts";
import { type FlagName, storedFlags } from "./parse/flags.ts";
import type { CommandLine } from "./parse/parse-command-line.ts";
import { given } from "../../base/given.ts";
import { readTextFile } from "./parse/read-text.ts";
import { notice } from "./print.ts";
import type { Agent, AgentRecord } from "./runtime-records.ts";

export interface OpeningOptions {
  /** The conversation to open if none of `--continue`, `--new` and `--resume` is given. */
  readonly otherwise: "last" | "new";
  /** Flags for new agents that this run also applies to an existing agent. */
  readonly ofThisRun?: readonly FlagName[];
}

export async function openAgent(call: CommandCall, { otherwise, ofThisRun = [] }: OpeningOptions): Promise<Agent> {
  const { line, agent: name } = call;
  const conversation = conversationOf(line) ?? otherwise;
  const ephemeral = line.switches.has("ephemeral");
  if (ephemeral && conversation !== "new") {
    throw new ConfigError("--ephemeral starts a temporary conversation: omit --continue and --resume.");
  }
  const runtime = await call.runtime();
  call.world.signal.throwIfAborted();
  const create = await createOptions(line, runtime);
  await warnOfIgnoredFlags(call, runtime, ofThisRun);
  const { model, "base-url": baseUrl } = line.texts;
  return runtime.agents.open(name, {
    conversation,
    create,
    ...given({ model, baseUrl }),
    ...(ephemeral ? { ephemeral } : {}),
  });
}

/** Returns a notice for an agent with the demo model; undefined for others. `configured`: the model of new agents. */
export function demoNotice(agent: Agent, command: string, configured = "demo"): string | undefined {
  if (agent.record.model !== "demo") return undefined;
  return configured === "demo"
    ? `demo model: pattern rules, not a language model. Change: ${command} configure`
    : `This agent keeps the demo model. Change: ${command} -m ${configured}`;
}

/** Returns the agent that `--model` is about to change; null without the flag, and for a new agent. */
export async function agentToChange({ line, agent, runtime }: CommandCall): Promise<AgentRecord | null> {
  if (line.texts.model === undefined) return null;
  return (await runtime()).agents.find(agent).catch(valueOn("agent_not_found", null));
}

/** Returns the notice that `--model` has changed the agent's model, and how to go back; undefined if it has not. */
export function changeNotice({ record }: Agent, former: AgentRecord | null, command: string): string | undefined {
  if (former === null || former.model === record.model) return undefined;
  return `Model changed to ${record.model}. Back: ${wayBack(former, record, command)}`;
}

/** Returns what to type so that the agent has its former model and base URL again. */
function wayBack(former: AgentRecord, { name, settings }: AgentRecord, command: string): string {
  const { model } = former;
  const { baseUrl } = former.settings;
  const own = `-a ${shellWord(name)}`;
  if (baseUrl === settings.baseUrl) return `/model ${model}`;
  if (baseUrl === null) return `${command} agents set ${own} baseUrl none; /model ${model}`;
  return `${command} ${own} -m ${shellWord(model)} --base-url ${baseUrl}`;
}

function conversationOf(line: CommandLine): OpenAgentOptions["conversation"] {
  const id = line.texts.resume;
  const isChosen = line.bare.has("resume");
  const wanted = [line.switches.has("continue"), line.switches.has("new"), id !== undefined || isChosen].filter(
    Boolean,
  );
  if (wanted.length > 1)
    throw new ConfigError("Expected one of --continue, --new and --resume ID, got several. Omit the others.");
  if (id !== undefined) return { id };
  if (line.switches.has("new")) return "new";
  return line.switches.has("continue") || isChosen ? "last" : undefined;
}

/** Warns if flags for new agents are given for an existing agent, to which they do not apply. */
async function warnOfIgnoredFlags(call: CommandCall, runtime: Runtime, applied: readonly FlagName[]): Promise<void> {
  const given = storedFlags.filter((name) => call.line.given.has(name) && !applied.includes(name));
  if (given.length === 0 || !(await exists(runtime, call.agent))) return;
  const names = given.map((name) => `--${name}`).join(", ");
  notice(
    call,
    `"${call.agent}" exists already and was not changed: only new agents use ${names}. Use another name with -a; \`palimpsest agents set\` changes settings.`,
  );
}

function exists(runtime: Runtime, agent: string): Promise<boolean> {
  return runtime.agents.find(agent).then(() => true, valueOn("agent_not_found", false));
}

/**
 * Returns the options of a new agent: the texts that flags name, or the default starters for a built-in memory class. Limits
 * and the other settings are part of the runtime's configuration.
 */
export async function createOptions(line: CommandLine, runtime: Runtime): Promise<Omit<CreateAgentOptions, "name">> {
  const { persona, human, memory, "system-file": systemFile } = line.texts;
  const { personas, humans } = runtime.starters;
  const usual = memory === undefined || memory === "chat" || memory === "scratchpad";
  return given({
    persona:
      persona === undefined ? await defaultText(usual, personas) : await coreText("--persona", persona, personas),
    human: human === undefined ? await defaultText(usual, humans) : await coreText("--human", human, humans),
    memoryType: memory,
    systemPrompt: systemFile === undefined ? undefined : await readTextFile(systemFile, "--system-file"),
  });
}

const defaultStarters: readonly string[] = ["companion", "unknown"];

async function defaultText(
  isDefault: boolean,
  starters: () => Promise<readonly Starter[]>,
): Promise<string | undefined> {
  if (!isDefault) return undefined;
  return (await starters()).find(({ name }) => defaultStarters.includes(name))?.text;
}

/** Returns the text of a starter or of a file. A name with a slash, a backslash or a dot is the path of a file. */
async function coreText(flag: string, given: string, starters: () => Promise<readonly Starter[]>): Promise<string> {
  if (/[/\\.]/u.test(given)) return readTextFile(given, flag);
  const known = await starters();
  const starter = known.find(({ name }) => name === given);
  if (starter !== undefined) return starter.text;
  const names = known.map(({ name }) => name);
  const hint = nearestHint(given, names, "Available");
  throw new ConfigError(
    `${flag}: no starter text is named "${given}". ${hint} For a file, give a path such as ./${given}.`,
  );
}

export function filesOf({ line }: CommandCall): readonly { readonly path: string }[] {
  return (line.lists.file ?? []).map((path) => ({ path }));
}
