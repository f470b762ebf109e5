// Creates and changes agents as a client of Letta describes them.
// Invariant: everything is checked before anything is written, and a new agent that cannot be completed is deleted
// again. A list of tools, blocks or folders replaces the agent's current list.
import { systemClock } from "../../../../base/clock.ts";
import type { Queues } from "../../../../base/waiting.ts";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import { setFolders } from "../collections/collections.ts";
import { changeBlock, moduleOf, type NewBlock } from "../blocks/block-record.ts";
import { withFreeName } from "../free-names.ts";
import type { AgentRecord } from "../runtime-records.ts";
import { multiAgentTools } from "../tools/tool-record.ts";
import { type ToolSet, toolSetOf, toolSettings, toolsOfAgent } from "../tools/tool-set.ts";
import { given } from "../wire-record.ts";
import { type AgentExtension, defaultAgentType, extensionsWith, keptOf, agentExtensionOf } from "./agent-extension.ts";
import {
  type AgentChangeRequest,
  handlesOf,
  type NewAgentRequest,
  requireSupported,
  settingsOf,
} from "./agent-request.ts";

const olderTools = ["send_message", "conversation_search", "archival_memory_insert", "archival_memory_search"];

/** The tools of a new agent, by its type; an unlisted type has those of the default type. */
const baseTools: Readonly<Record<string, readonly string[]>> = {
  [defaultAgentType]: ["conversation_search", "memory_insert", "memory_replace"],
  memgpt_agent: [...olderTools, "core_memory_append", "core_memory_replace"],
  memgpt_v2_agent: [...olderTools, "memory_insert", "memory_replace"],
  sleeptime_agent: ["memory_insert", "memory_replace", "memory_rethink"],
  workflow_agent: [],
};

/** The types of agents that send text to the user by the tool `send_message`. */
const heartbeatTypes: readonly string[] = ["memgpt_agent", "memgpt_v2_agent"];

/** As in Letta, the prompt contains the current core memory, and no time or counts follow the last message. */
const lettasLayout = { layout: "inline", stateBlock: "changes" } as const;

export async function createAgent(runtime: UserRuntime, request: NewAgentRequest): Promise<AgentRecord> {
  requireSupported(request);
  const kept = keptOf(request);
  const type = kept.agent_type ?? defaultAgentType;
  const { model, embedder } = await handlesOf(runtime, request);
  const tools = await toolSetOf(runtime, { names: namesOf(request, type), ids: request.tool_ids ?? [] });
  const settings = { ...lettasLayout, ...settingsOf(request), ...(await toolSettings(runtime, tools.builtIn)) };
  const blocks = request.memory_blocks ?? [];
  const record = await withFreeName(request.name ?? "agent", ({ name, shown }) => {
    const extension = { ...kept, ...given({ name: shown, embedding: embedder }), absent_tools: [...tools.absent] };
    return runtime.agents.create({
      name,
      ...given({ model, systemPrompt: request.system }),
      ...given({ description: request.description, tags: request.tags, metadata: request.metadata }),
      protocol: heartbeatTypes.includes(type) ? "heartbeat" : "native",
      memoryType: "free",
      modules: [...(request.block_ids ?? []), ...blocks.map(moduleOf)],
      settings,
      extensions: extensionsWith({ ...extension, identity_ids: request.identity_ids ?? [] }),
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

function namesOf(request: NewAgentRequest, type: string): readonly string[] {
  const { tools, include_base_tools: hasBase, include_multi_agent_tools: hasMessages } = request;
  const base = hasBase === false ? [] : (baseTools[type] ?? baseTools[defaultAgentType] ?? []);
  return [...new Set([...base, ...(hasMessages === true ? multiAgentTools : []), ...(tools ?? [])])];
}

/** Returns the ids of the folders that a request names, which older clients call sources; null if it names none. */
function foldersOf({ folder_ids: folders, source_ids: sources }: AgentChangeRequest): readonly string[] | null {
  const named = [folders, sources].filter((ids) => Array.isArray(ids));
  return named.length === 0 ? null : [...new Set(named.flat())];
}

interface Completion {
  readonly tools: ToolSet;
  readonly blocks: readonly NewBlock[];
  readonly embedder: string | null;
  readonly folders: readonly string[];
}

/** Adds to a new agent the parts that need its id: stored tools, folders, embedder, and tags and metadata of blocks. */
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

/** Re-embeds the agent's memory with this embedder; does nothing if its searches already use this embedder. */
async function useEmbedder(
  { embeddings, models }: Pick<UserRuntime, "embeddings" | "models">,
  agent: string,
  name: string,
): Promise<void> {
  const [state] = await embeddings.list([agent]);
  const current = state?.searched?.embedder ?? (await models.embedders()).find(({ isUsed }) => isUsed)?.name;
  if (name !== current) await embeddings.reembed({ to: name, agents: [agent] });
}

/** Changes an agent, and returns its record. Throws Fault and RequestError for a change that cannot be carried out. */
export async function changeAgent(
  runtime: UserRuntime,
  id: string,
  { request, agentChanges }: { readonly request: AgentChangeRequest; readonly agentChanges: Queues },
): Promise<AgentRecord> {
  const { model: own } = await runtime.agents.find(id);
  requireSupported(request);
  const { tool_ids: toolIds, block_ids: blockIds } = request;
  for (const block of blockIds ?? []) await runtime.modules.find(block);
  const settings = settingsOf(request);
  const { model, embedder } = await handlesOf(runtime, request, own);
  const tools = toolIds ? await toolSetOf(runtime, { names: [], ids: toolIds }) : null;
  await agentChanges.run(id, () => writeChange(runtime, id, { request, settings, model, embedder, tools }));
  // Computes the vectors outside of `agentChanges`, so that other changes of the agent do not wait for minutes.
  if (embedder !== null) await useEmbedder(runtime, id, embedder);
  return runtime.agents.find(id);
}

/** A checked change, with the settings, model, embedder and tools that the request names. */
interface CheckedChange {
  readonly request: AgentChangeRequest;
  readonly settings: ReturnType<typeof settingsOf>;
  readonly model: string | null;
  readonly embedder: string | null;
  readonly tools: ToolSet | null;
}

/** Writes a change, but computes no vectors for a new embedder. Fields that are not in the change keep their values. */
async function writeChange(
  runtime: UserRuntime,
  id: string,
  { request, settings, model, embedder, tools }: CheckedChange,
): Promise<void> {
  const record = await runtime.agents.find(id);
  const { block_ids: blockIds, system } = request;
  const folders = foldersOf(request);
  if (model !== null && model !== record.model) await runtime.agents.setModel(id, model);
  if (Object.keys(settings).length > 0) await runtime.agents.update(id, settings);
  if (typeof system === "string") await runtime.agents.setSystemPrompt(id, system);
  if (blockIds) await replaceBlocks(runtime, id, blockIds);
  const changed = { ...keptOf(request), ...given({ embedding: embedder, identity_ids: request.identity_ids }) };
  await setDetails(runtime, record, request, { ...agentExtensionOf(record), ...changed });
  if (tools !== null) await setTools(runtime, id, () => tools);
  if (folders !== null) await setFolders(runtime, id, folders);
}

async function setDetails(
  { agents }: UserRuntime,
  record: AgentRecord,
  request: AgentChangeRequest,
  extension: AgentExtension,
): Promise<void> {
  const { description, tags, metadata, name } = request;
  const updated = { ...extension, updated_at: systemClock.now().toISOString() };
  const write = (named: { readonly name?: string }, shown: string | undefined) => {
    const extensions = extensionsWith({ ...updated, name: shown });
    return agents.setDetails(record.id, { ...given({ description, tags, metadata }), ...named, extensions });
  };
  const isRenamed = (name ?? null) !== null && name !== (extension.name ?? record.name);
  await (isRenamed ? withFreeName(name!, (free) => write({ name: free.name }, free.shown)) : write({}, extension.name));
}

async function replaceBlocks({ memory, modules }: UserRuntime, agent: string, ids: readonly string[]): Promise<void> {
  const before = (await memory.show(agent)).map(({ id }) => id);
  for (const id of before.filter((one) => !ids.includes(one))) await modules.detach(agent, id);
  for (const id of ids.filter((one) => !before.includes(one))) await modules.attach(agent, id);
}

/**
 * Gives an agent exactly the tools that `wantedOf` returns; its argument is the agent's current tools. Writes only what
 * changes, because another process may change the agent's other tools at the same time.
 */
export async function setTools(runtime: UserRuntime, id: string, wantedOf: (has: ToolSet) => ToolSet): Promise<void> {
  const record = await runtime.agents.find(id);
  const has = await toolsOfAgent(runtime, record);
  const wanted = wantedOf(has);
  const isChanged = (kind: "builtIn" | "absent"): boolean =>
    has[kind].toSorted().join() !== wanted[kind].toSorted().join();
  if (isChanged("builtIn")) await runtime.agents.update(id, await toolSettings(runtime, wanted.builtIn));
  const isIn = (set: ToolSet, tool: string): boolean => set.stored.some((one) => one.id === tool);
  for (const tool of has.stored) if (!isIn(wanted, tool.id)) await runtime.tools.detach(id, tool.id);
  for (const tool of wanted.stored) if (!isIn(has, tool.id)) await runtime.tools.attach(id, tool.id);
  if (!isChanged("absent")) return;
  const extension = { ...agentExtensionOf(record), absent_tools: [...wanted.absent] };
  await runtime.agents.setDetails(id, { extensions: extensionsWith(extension) });
}
