// Exports an agent as an agent file: in Letta's form for other programs, and in full for Palimpsest.
// Invariant: reads only, and only the user's own data with the agent.
import { lettaMessageTools } from "../../../config/settings.ts";
import type { AgentRecord } from "../../../store/port/records.ts";
import type {
  Transfer,
  TransferredAgent,
  TransferredConversation,
  TransferredPassage,
} from "../../../store/port/transfer-store.ts";
import type { AgentFile } from "../agent-files.ts";
import { lettaRevision, type NamedTool, writeLetta } from "../../../transfer/letta/write-letta.ts";
import { transferVersion } from "../../../transfer/transfer-form.ts";
import { findAgent } from "../find-agent.ts";
import { modelWithoutKey } from "../../operations/opening/agent-models.ts";
import type { OperationDeps } from "../../operations/operation-deps.ts";
import { builtInTools } from "../../stored-tools/built-in-tools.ts";

export type ExportDeps = Pick<OperationDeps, "store" | "models" | "registry" | "tools" | "clock">;

/** Passages per query. */
const batchSize = 500;

/** Returns the agent file of the user's own agent. Throws RequestError `agent_not_found`, also for another user's agent. */
export async function exportAgentFile(deps: ExportDeps, name: string): Promise<AgentFile> {
  const agent = await findAgent(deps, name);
  const transfer = await readTransfer(deps, agent);
  const last = await lastConversation(deps, transfer.agents[0]!);
  return {
    ...writeLetta(transfer, {
      conversations: new Map(last === null ? [] : [[agent.id, last]]),
      builtIn: new Map([[agent.id, lettaTools(deps, agent)]]),
      windows: new Map([[agent.id, agent.settings.contextWindow ?? modelWithoutKey(deps, agent).contextWindow]]),
    }),
    groups: [],
    mcp_servers: [],
    metadata: { revision_id: lettaRevision },
    created_at: deps.clock.now().toISOString(),
    palimpsest: { version: transferVersion, ...transfer },
  };
}

async function readTransfer({ store }: ExportDeps, agent: AgentRecord): Promise<Transfer> {
  const { held, ...parts } = await store.transfers.held(agent.id);
  const conversations: TransferredConversation[] = [];
  const listed = await store.conversations.list(agent.id, { order: "oldest", limit: null });
  for (const { id } of listed) conversations.push(await store.transfers.conversation(id));
  const passages: TransferredPassage[] = [];
  for (let after: string | null = null; ; ) {
    const batch: readonly TransferredPassage[] = await store.transfers.passages(agent.id, after, batchSize);
    for (const passage of batch) passages.push(passage);
    after = batch.at(-1)?.id ?? null;
    if (batch.length < batchSize) break;
  }
  const { ownerId: _owner, createdAt, ...record } = agent;
  const exported: TransferredAgent = {
    ...record,
    createdAt: createdAt.toISOString(),
    ...held,
    conversations,
    passages,
  };
  return { ...parts, agents: [exported] };
}

async function lastConversation(
  { store }: ExportDeps,
  { id, conversations }: TransferredAgent,
): Promise<TransferredConversation | null> {
  const [last] = await store.conversations.list(id, { order: "newest", limit: 1 });
  return conversations.find((conversation) => conversation.id === last?.id) ?? null;
}

/** Palimpsest's tools that Letta also has, under the same names. */
const sameInLetta: readonly string[] = [
  "archival_memory_insert",
  "archival_memory_search",
  "conversation_search",
  "core_memory_append",
  "core_memory_replace",
  "memory_insert",
  "memory_replace",
  "memory_rethink",
  "send_message",
  ...lettaMessageTools,
];

function lettaTools(deps: ExportDeps, { settings, protocol }: AgentRecord): readonly NamedTool[] {
  const added: readonly string[] = settings.addedTools;
  return builtInTools(deps).filter(({ name, isOptional, needsFiles }) => {
    if (needsFiles) return false;
    if (!sameInLetta.includes(name) || settings.removedTools.includes(name)) return false;
    return name === "send_message" ? protocol === "heartbeat" : !isOptional || added.includes(name);
  });
}
