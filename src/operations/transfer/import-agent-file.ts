// Imports agents from an agent file, of this program or of Letta.
// Invariant: everything is checked before the first row is stored, and all rows are stored in one transaction; texts of the file
// are external unless the caller vouches for them.
import { ConfigError, RequestError } from "../../errors.ts";
import type { AgentRecord, AgentSettings } from "../../memory/records.ts";
import type { Transfer, TransferredAgent } from "../../memory/transfer-store.ts";
import { defaultSystemPrompt } from "../../prompts/load-prompt.ts";
import type { AgentImport, AgentImportOptions } from "../../runtime/agent-files.ts";
import { lowerTrust } from "../../transfer/lower-trust.ts";
import { withoutConversations } from "../../transfer/without-conversations.ts";
import { type ReadAgents, readAgentFile } from "../../transfer/read-agent-file.ts";
import { ownIds, renewIds } from "../../transfer/renew-ids.ts";
import { checkAgentName, checkedDetails } from "../agent-inputs.ts";
import { createEmbeddingOperations } from "../embedding-operations.ts";
import type { OperationDeps } from "../operation-deps.ts";
import { addressOrNull } from "../opening/agent-models.ts";
import { requireSettings } from "../update-agent-settings.ts";
import { countTokens } from "./count-tokens.ts";
import { loadTexts } from "./load-texts.ts";
import { shareNamed } from "./share-named.ts";

export type ImportDeps = Pick<
  OperationDeps,
  | "store"
  | "registry"
  | "defaults"
  | "checkSettings"
  | "models"
  | "tools"
  | "retrieval"
  | "embedders"
  | "backFill"
  | "files"
  | "ids"
  | "clock"
  | "log"
>;

/** Throws RequestError `import_invalid`, `agent_exists`, `input_invalid`, ConfigError and DefinitionError. */
export async function importAgentFile(
  deps: ImportDeps,
  file: unknown,
  options: AgentImportOptions = {},
): Promise<AgentImport> {
  const { ids, clock, store } = deps;
  const read = readAgentFile(file, { ids, now: clock.now() });
  const notes = [...read.notes];
  const moved = options.withoutMessages === true ? withoutConversations(read.transfer) : read.transfer;
  const named = withNames(moved, options);
  const trusted = options.keepTrust === true && read.isOwn ? named : lowerTrust(named, () => ids.next());
  const agents = trusted.agents.map((agent) => preparedAgent(deps, agent, { read, options, notes }));
  await requireEmbedder(deps, options);
  const counted = { ...trusted, agents: agents.map((agent) => countTokens(deps, agent)) };
  const shared = await shareNamed(deps, await withFreeIds(deps, counted), { options, notes });
  const counts = await store.transfers.put(shared.transfer);
  await shared.replaceTools();
  await loadTexts(deps, read.files, { transfer: shared.transfer, notes });
  deps.backFill.wake();
  const records = await Promise.all(shared.transfer.agents.map(({ id }) => storedAgent(deps, id)));
  if (options.embedding !== undefined) {
    const names = records.map(({ id }) => id);
    await createEmbeddingOperations(deps).reembed({ to: options.embedding, agents: names });
  }
  return { agents: records, counts, notes };
}

function withNames(transfer: Transfer, { name, suffix = "" }: AgentImportOptions): Transfer {
  const { agents } = transfer;
  if (name !== undefined && agents.length > 1) {
    throw new RequestError(
      "input_invalid",
      `Expected no \`name\` for a file with ${agents.length} agents, got one. Pass \`suffix\`.`,
      { field: "name" },
    );
  }
  const renamed = agents.map((agent) => ({ ...agent, name: `${name ?? agent.name}${suffix}` }));
  for (const agent of renamed) checkAgentName(agent.name);
  return { ...transfer, agents: renamed };
}

interface Preparation {
  readonly read: ReadAgents;
  readonly options: AgentImportOptions;
  readonly notes: string[];
}

/** Returns the agent with a model, a prompt and settings that can be used here. */
function preparedAgent(
  deps: ImportDeps,
  agent: TransferredAgent,
  { read, options, notes }: Preparation,
): TransferredAgent {
  deps.registry.classOf(agent.memoryType);
  checkedDetails(agent);
  const wanted = options.model === undefined ? (read.models.get(agent.id) ?? []) : [];
  const model = usableModel(deps, wanted) ?? deps.models.find(options.model ?? deps.defaults.model, null).name;
  if (options.model === undefined && !wanted.includes(model)) {
    notes.push(`agent "${agent.name}": its model is not available here, so it uses ${model}.`);
  }
  const settings = settingsFor(deps, { ...agent, model }, read.isOwn && options.keepTrust === true);
  const systemPrompt = agent.systemPrompt.trim() === "" ? defaultSystemPrompt(agent.protocol) : agent.systemPrompt;
  return { ...agent, model, systemPrompt, settings };
}

function usableModel({ models, defaults }: ImportDeps, names: readonly string[]): string | undefined {
  return names.find((name) => {
    try {
      models.find(name, addressOrNull(name, defaults.settings.baseUrl));
      return true;
    } catch (error) {
      if (error instanceof ConfigError) return false;
      throw error;
    }
  });
}

/**
 * Of a file by somebody else, the address of a server is not taken: the user's messages and key would be sent there. Nor does such
 * a file take approvals away.
 */
function settingsFor(deps: ImportDeps, agent: TransferredAgent, isTrusted: boolean): AgentSettings {
  const { settings: usual } = deps.defaults;
  const given: Partial<AgentSettings> = agent.settings;
  const baseUrl = addressOrNull(agent.model, (isTrusted ? given.baseUrl : undefined) ?? usual.baseUrl);
  const approvals = isTrusted ? {} : { approvals: [...new Set([...usual.approvals, ...(given.approvals ?? [])])] };
  return requireSettings(deps, { ...usual, ...given, ...approvals, baseUrl }, agent.model);
}

async function requireEmbedder({ embedders }: ImportDeps, { embedding }: AgentImportOptions): Promise<void> {
  if (embedding !== undefined) await embedders.open(embedding);
}

/** The ids of the file are kept if the user has none of them: then what refers to them outside stays true. */
async function withFreeIds({ store, ids }: ImportDeps, transfer: Transfer): Promise<Transfer> {
  const used = await store.transfers.idsInUse(ownIds(transfer));
  return used.length === 0 ? transfer : renewIds(transfer, ids);
}

async function storedAgent({ store }: ImportDeps, id: string): Promise<AgentRecord> {
  return (await store.agents.find(id))!;
}
