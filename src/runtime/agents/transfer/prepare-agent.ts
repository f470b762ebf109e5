// Prepares imported agents: gives each a model, a prompt and settings that this runtime can use, counts the tokens of its
// messages for that model, and loads the texts of files from Letta into their sources.
// Invariant: values that would require trust in the writer of the agent file are ignored: the address of a server, fewer
// approvals, and numbers of tokens, which decide what fits the window. If a file of a source cannot be read, a note is
// added, and the other files are loaded.
import { ConfigError, RequestError } from "../../../base/errors.ts";
import type { AgentSettings, StoredMessage } from "../../../store/port/records.ts";
import type { TransferredAgent, TransferredConversation } from "../../../store/port/transfer-store.ts";
import { defaultSystemPrompt } from "../../../context/prompts/load-prompt.ts";
import { checkedDetails, requireSettings } from "../agent-inputs.ts";
import { requirePromptLength } from "../system-prompt.ts";
import type { OperationDeps } from "../../operations/operation-deps.ts";
import { addressOrNull, addressFor } from "../../operations/opening/agent-models.ts";
import { protocolOf } from "../../../agent/protocol/protocol-of.ts";
import { countMessage, type TokenCounter } from "../../../model/tokens/token-counter.ts";
import type { TextFile } from "../../../transfer/read-agent-file.ts";
import { loadFiles, type SourceDeps } from "../../sources/source-operations.ts";

type PrepareDeps = Pick<OperationDeps, "registry" | "defaults" | "checkSettings" | "models">;

export interface Preparation {
  readonly model: string | undefined;
  /** Names under which this runtime may know the agent's model, the most exact name first. */
  readonly models: readonly string[];
  /** Whether the agent gets its settings from the file unchanged. */
  readonly isTrusted: boolean;
  /** Receives a sentence if the agent gets another model than in the file. */
  readonly notes: string[];
}

/**
 * Returns the agent with a model, a prompt and settings that this runtime can use. Throws ConfigError, RequestError
 * `input_invalid` and DefinitionError.
 */
export function preparedAgent(
  deps: PrepareDeps,
  agent: TransferredAgent,
  { model: given, models, isTrusted, notes }: Preparation,
): TransferredAgent {
  deps.registry.classOf(agent.memoryType);
  checkedDetails(agent);
  requirePromptLength(agent.systemPrompt);
  const wanted = given === undefined ? models : [];
  const model = usableModel(deps, wanted) ?? deps.models.find(given ?? deps.defaults.model, null).name;
  if (given === undefined && !wanted.includes(model)) {
    notes.push(`agent "${agent.name}": its model is not available here, so it uses ${model}.`);
  }
  const { settings: usual } = deps.defaults;
  const { summarizer } = agent.settings;
  const isAllowed = summarizer === null || passes(() => deps.checkSettings(usual, usual, summarizer));
  if (!isAllowed) notes.push(`agent "${agent.name}": its summarizer may not be used here, so it uses the default.`);
  const fitting = isAllowed ? agent.settings : { ...agent.settings, summarizer: usual.summarizer };
  const settings = settingsFor(deps, { ...agent, model, settings: fitting }, isTrusted);
  const systemPrompt = agent.systemPrompt.trim() === "" ? defaultSystemPrompt(agent.protocol) : agent.systemPrompt;
  return { ...agent, model, systemPrompt, settings };
}

function usableModel({ models, defaults, checkSettings }: PrepareDeps, names: readonly string[]): string | undefined {
  const { settings } = defaults;
  return names.find((name) =>
    passes(() => {
      models.find(name, addressOrNull(name, settings.baseUrl));
      checkSettings(settings, settings, name);
    }),
  );
}

function passes(check: () => void): boolean {
  try {
    check();
    return true;
  } catch (error) {
    if (error instanceof ConfigError || error instanceof RequestError) return false;
    throw error;
  }
}

/**
 * Returns the settings of an agent. A file that is not trusted cannot remove approvals, and its address of the model's server
 * is ignored, because the user's messages and key would be sent to that address.
 */
function settingsFor(deps: PrepareDeps, agent: TransferredAgent, isTrusted: boolean): AgentSettings {
  const { settings: usual } = deps.defaults;
  const given: Partial<AgentSettings> = agent.settings;
  const baseUrl = addressOrNull(agent.model, (isTrusted ? given.baseUrl : undefined) ?? usual.baseUrl);
  const approvals = isTrusted ? {} : { approvals: [...new Set([...usual.approvals, ...(given.approvals ?? [])])] };
  return requireSettings(deps, { ...usual, ...given, ...approvals, baseUrl }, agent.model);
}

/** Maximum number of agent names in a note. */
const maxNames = 5;

/** Adds a note for each reason why a model cannot be used here, such as a missing key, with the agents that have the model. */
export function noteMissing(
  { models }: Pick<OperationDeps, "models">,
  agents: readonly TransferredAgent[],
  notes: string[],
): void {
  const names = new Map<string, string[]>();
  for (const agent of agents) {
    try {
      models.resolve(agent.model, addressFor(agent, agent.model));
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      names.set(error.message, [...(names.get(error.message) ?? []), JSON.stringify(agent.name)]);
    }
  }
  for (const [missing, all] of names) {
    const others = all.length > maxNames ? ` and ${all.length - maxNames} others` : "";
    notes.push(`agent${all.length === 1 ? "" : "s"} ${all.slice(0, maxNames).join(", ")}${others}: ${missing}`);
  }
}

type Counted = Pick<TransferredAgent, "model" | "protocol" | "settings">;

export function countTokens<Agent extends Counted & Pick<TransferredAgent, "conversations">>(
  deps: Pick<OperationDeps, "models">,
  agent: Agent,
): Agent {
  const counter = counterFor(deps, agent);
  // Loading the tokenizer blocks the event loop, so it is not loaded for an agent without messages.
  if (agent.conversations.some(({ messages }) => messages.length > 0)) counter.prepare();
  return { ...agent, conversations: agent.conversations.map((one) => countedConversation(one, agent, counter)) };
}

export function counterFor({ models }: Pick<OperationDeps, "models">, agent: Counted): TokenCounter {
  return models.counterFor(agent.model, addressFor(agent, agent.model));
}

export function countedConversation(
  conversation: TransferredConversation,
  agent: Counted,
  counter: TokenCounter,
): TransferredConversation {
  const protocol = protocolOf(agent.protocol);
  const messages = conversation.messages.map((message) => {
    const { speaker, at, calls: _calls, isRecalled: _isRecalled, ...rest } = message;
    const stored: StoredMessage = { ...rest, ...(speaker === null ? {} : { speaker }), at: new Date(at) };
    return { ...message, tokens: countMessage(counter, protocol.render(stored, agent.settings.timeZone)) };
  });
  return { ...conversation, messages };
}

/** Loads the texts into their sources, with a note for each file that cannot be loaded. Returns the number of new files. */
export async function loadTexts(
  deps: SourceDeps,
  files: readonly TextFile[],
  { sources, notes }: { readonly sources: readonly { readonly id: string }[]; readonly notes: string[] },
): Promise<number> {
  let count = 0;
  for (const source of sources) {
    const named = files
      .filter(({ sourceId }) => sourceId === source.id)
      .map((file, index) => ({ ...file, name: relativeName(file.name, index) }));
    if (named.length === 0) continue;
    const inputs = named.map(({ name, text }) => ({ name, data: text }));
    const fileIds = new Map(named.flatMap(({ name, id }): [string, string][] => (id === null ? [] : [[name, id]])));
    const { added, failed, skipped } = await loadFiles(deps, { name: source.id, inputs, options: {}, fileIds });
    count += added;
    for (const file of [...failed, ...skipped]) notes.push(`file ${JSON.stringify(file.name)}: ${file.reason}.`);
  }
  return count;
}

/** Returns the path inside of the source: without a leading slash, `.` and `..`. */
function relativeName(name: string, index: number): string {
  const parts = name.split(/[/\\]+/u).filter((part) => part !== "" && part !== "." && part !== "..");
  return parts.length === 0 ? `file-${index + 1}.txt` : parts.join("/");
}
