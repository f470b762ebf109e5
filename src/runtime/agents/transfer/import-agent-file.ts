// Imports agents from an agent file of Palimpsest or Letta.
// Invariant: the whole file is checked before a row is stored. One transaction stores all rows, except the texts of Letta's
// files, which are loaded afterwards. Imported texts have the trust `external` unless the caller sets `keepTrust`.
import { RequestError } from "../../../base/errors.ts";
import type { Transfer } from "../../../store/port/transfer-store.ts";
import type { AgentImport, AgentImportOptions } from "../agent-files.ts";
import { lowerTrust, withImport, withoutConversations } from "../../../transfer/lower-trust.ts";
import { type ReadAgents, readAgentFile } from "../../../transfer/read-agent-file.ts";
import { attachmentsOf, ownIds, renewIds } from "../../../transfer/renew-ids.ts";
import { checkAgentName } from "../agent-inputs.ts";
import { createEmbeddingOperations } from "../../embeddings/embedding-operations.ts";
import type { OperationDeps } from "../../operations/operation-deps.ts";
import { countTokens, loadTexts, noteMissing, preparedAgent } from "./prepare-agent.ts";
import { requireRoomForAgents, requireRoomForFiles } from "../../operations/user-maximum.ts";
import { shareNamed } from "./share-named.ts";

/**
 * Creates the agents of a file. Throws RequestError `import_invalid`, `agent_exists`, `input_invalid`, `user_limit_reached`,
 * ConfigError and DefinitionError.
 */
export async function importAgentFile(
  deps: OperationDeps,
  file: unknown,
  options: AgentImportOptions = {},
): Promise<AgentImport> {
  const { ids, clock, store } = deps;
  const read = readAgentFile(file, { ids, now: clock.now() });
  const notes = [...read.notes];
  const moved = options.withoutMessages === true ? withoutConversations(read.transfer) : read.transfer;
  const messages = moved.agents.flatMap(({ conversations }) => conversations.flatMap((one) => one.messages));
  const attached = messages.flatMap(attachmentsOf).length;
  if (attached > 0) notes.push(`${attached} attached file(s): an agent file does not contain their contents.`);
  const named = withNames(moved, options);
  const isTrusted = options.keepTrust === true && read.isOwn;
  const trusted = isTrusted
    ? { ...named, modules: named.modules.map(withImport) }
    : lowerTrust(named, () => ids.next());
  const agents = trusted.agents.map((agent) =>
    preparedAgent(deps, agent, { model: options.model, models: read.models.get(agent.id) ?? [], isTrusted, notes }),
  );
  await requireRoomForAgents(deps, agents.length);
  await requireEmbedder(deps, options);
  const counted = { ...trusted, agents: agents.map((agent) => countTokens(deps, agent)) };
  const shared = await shareNamed(deps, await withFreeIds(deps, counted), { options, notes });
  await requireRoomForFiles(deps, null, pathsIn(read.files, shared.transfer));
  const counts = await store.transfers.put(shared.transfer);
  await shared.replaceTools();
  await loadTexts(deps, read.files, { sources: shared.transfer.sources, notes });
  noteMissing(deps, shared.transfer.agents, notes);
  deps.backFill.wake();
  const records = await Promise.all(shared.transfer.agents.map(async ({ id }) => (await deps.store.agents.find(id))!));
  if (options.embedding !== undefined) {
    const names = records.map(({ id }) => id);
    await createEmbeddingOperations(deps).reembed({ to: options.embedding, agents: names });
  }
  return { agents: records, counts, notes };
}

/** Returns the paths of the files that the import stores. `texts`: files whose texts are loaded afterwards. */
function pathsIn(texts: ReadAgents["files"], { sources }: Transfer): readonly string[] {
  const stored = new Set(sources.map(({ id }) => id));
  const loaded = texts.filter(({ sourceId }) => stored.has(sourceId)).map(({ name }) => name);
  return [...loaded, ...sources.flatMap((source) => source.files.map(({ path }) => path))];
}

function withNames(transfer: Transfer, { name, suffix = "" }: AgentImportOptions): Transfer {
  const { agents } = transfer;
  if (name !== undefined && agents.length > 1) {
    throw new RequestError(
      "input_invalid",
      `Expected no \`name\` for a file with ${agents.length} agents, got a name. Pass \`suffix\` instead.`,
      { field: "name" },
    );
  }
  const renamed = agents.map((agent) => ({ ...agent, name: `${name ?? agent.name}${suffix}` }));
  for (const agent of renamed) checkAgentName(agent.name);
  return { ...transfer, agents: renamed };
}

async function requireEmbedder({ embedders }: OperationDeps, { embedding }: AgentImportOptions): Promise<void> {
  if (embedding !== undefined) await embedders.open(embedding);
}

/**
 * Returns the transfer unchanged if the user has none of its ids, so that references from outside of the file stay valid;
 * otherwise returns it with new ids.
 */
async function withFreeIds({ store, ids }: OperationDeps, transfer: Transfer): Promise<Transfer> {
  const used = await store.transfers.idsInUse(ownIds(transfer));
  return used.length === 0 ? transfer : renewIds(transfer, ids);
}
