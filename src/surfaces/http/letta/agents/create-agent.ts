// Creates an agent as a client of Letta describes it.
// Invariant: everything is checked before the agent exists, and an agent that cannot be completed is deleted again.
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import { setFolders } from "../archives/collections.ts";
import { changeBlock } from "../blocks/agent-blocks.ts";
import { moduleOf, type NewBlock } from "../blocks/shown-block.ts";
import { type ToolSet, toolSetOf, toolSettings } from "../tools/tool-set.ts";
import { given } from "../wire-values.ts";
import { withFreeName } from "../free-names.ts";
import { extensionsOf, keptOf } from "./agent-notes.ts";
import {
  type AgentChangeRequest,
  embedderOf,
  modelOf,
  type NewAgentRequest,
  requireSupported,
  settingsOf,
} from "./agent-request.ts";
import { type AgentRecord, defaultAgentType } from "./agent-state.ts";

/** The tools of a new agent, by its type; types that are not listed have those of the default one. */
const baseTools: Readonly<Record<string, readonly string[]>> = {
  [defaultAgentType]: ["conversation_search", "memory_insert", "memory_replace"],
  memgpt_agent: [
    "send_message",
    "conversation_search",
    "archival_memory_insert",
    "archival_memory_search",
    "core_memory_append",
    "core_memory_replace",
  ],
  memgpt_v2_agent: [
    "send_message",
    "conversation_search",
    "archival_memory_insert",
    "archival_memory_search",
    "memory_insert",
    "memory_replace",
  ],
  sleeptime_agent: ["memory_insert", "memory_replace", "memory_rethink"],
  workflow_agent: [],
};

/** Types of agents that answer with the tool `send_message`. */
const heartbeatTypes: readonly string[] = ["memgpt_agent", "memgpt_v2_agent"];

/** As in Letta, core memory is in the prompt, and nothing follows the last message. */
const lettasLayout = { layout: "inline", stateBlock: "changes" } as const;

export async function createAgent(runtime: UserRuntime, request: NewAgentRequest): Promise<AgentRecord> {
  requireSupported(request);
  const kept = keptOf(request);
  const type = kept.agent_type ?? defaultAgentType;
  const model = await modelOf(runtime, request);
  const embedder = await embedderOf(runtime, request);
  const tools = await toolSetOf(runtime, { names: namesOf(request, type), ids: request.tool_ids ?? [] });
  const settings = { ...lettasLayout, ...settingsOf(request), ...(await toolSettings(runtime, tools.builtIn)) };
  const blocks = request.memory_blocks ?? [];
  const record = await withFreeName(request.name ?? "agent", ({ name, shown }) => {
    const notes = { ...kept, ...given({ name: shown, embedding: embedder }), absent_tools: [...tools.absent] };
    return runtime.agents.create({
      name,
      ...given({ model, systemPrompt: request.system }),
      ...given({ description: request.description, tags: request.tags, metadata: request.metadata }),
      protocol: heartbeatTypes.includes(type) ? "heartbeat" : "native",
      memoryType: "free",
      modules: [...(request.block_ids ?? []), ...blocks.map(moduleOf)],
      settings,
      extensions: extensionsOf({ ...notes, identity_ids: request.identity_ids ?? [] }),
    });
  });
  try {
    await complete(runtime, record, { tools, blocks, embedder, folders: foldersOf(request) ?? [] });
  } catch (error) {
    await runtime.agents.delete(record.id);
    throw error;
  }
  return record;
}

function namesOf({ tools, include_base_tools: hasBase }: NewAgentRequest, type: string): readonly string[] {
  const base = hasBase === false ? [] : (baseTools[type] ?? baseTools[defaultAgentType] ?? []);
  return [...new Set([...base, ...(tools ?? [])])];
}

/** The ids of the folders that a request names; older clients call them sources. Null if it names none. */
export function foldersOf({ folder_ids: folders, source_ids: sources }: AgentChangeRequest): readonly string[] | null {
  const named = [folders, sources].filter((ids) => Array.isArray(ids));
  return named.length === 0 ? null : [...new Set(named.flat())];
}

interface Completion {
  readonly tools: ToolSet;
  readonly blocks: readonly NewBlock[];
  readonly embedder: string | null;
  readonly folders: readonly string[];
}

/** Adds to an agent what needs its id. */
async function complete(
  runtime: UserRuntime,
  { id }: AgentRecord,
  { tools, blocks, embedder, folders }: Completion,
): Promise<void> {
  for (const tool of tools.stored) await runtime.tools.attach(id, tool.id);
  if (folders.length > 0) await setFolders(runtime, id, folders);
  if (embedder !== null) await useEmbedder(runtime, id, embedder);
  const described = blocks.filter(({ tags, metadata }) => (tags ?? metadata ?? null) !== null);
  if (described.length === 0) return;
  const modules = await runtime.memory.show(id);
  for (const { label, tags, metadata } of described) {
    const module = modules.find((one) => one.label === label);
    if (module !== undefined) await changeBlock(runtime, module.id, { tags, metadata });
  }
}

/** Searches of the agent use this embedder from now on. Does nothing for the one that it has. */
export async function useEmbedder(
  { embeddings, models }: Pick<UserRuntime, "embeddings" | "models">,
  agent: string,
  name: string,
): Promise<void> {
  const [state] = await embeddings.list([agent]);
  const current = state?.searched?.embedder ?? (await models.embedders()).find(({ isUsed }) => isUsed)?.name;
  if (name !== current) await embeddings.reembed({ to: name, agents: [agent] });
}
