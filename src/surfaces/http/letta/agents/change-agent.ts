// Changes an agent as a client of Letta asks for it.
// Invariant: everything is checked before anything is written; a list of tools or blocks replaces the former one.
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import { systemClock } from "../../../../base/clock.ts";
import { setFolders } from "../archives/collections.ts";
import { type ToolSet, toolSetOf, toolSettings, toolsOfAgent } from "../tools/tool-set.ts";
import { given } from "../wire-values.ts";
import { withFreeName } from "../free-names.ts";
import { type AgentNotes, extensionsOf, keptOf, notesOf } from "./agent-notes.ts";
import { type AgentChangeRequest, embedderOf, modelOf, requireSupported, settingsOf } from "./agent-request.ts";
import type { AgentRecord } from "./agent-state.ts";
import { foldersOf, useEmbedder } from "./create-agent.ts";

export async function changeAgent(runtime: UserRuntime, id: string, request: AgentChangeRequest): Promise<AgentRecord> {
  const record = await runtime.agents.find(id);
  const change = await checkedChange(runtime, request);
  await apply(runtime, record, change);
  const notes = { ...notesOf(record), ...keptOf(request), ...given({ embedding: change.embedder }) };
  await setDetails(runtime, record, { request, notes: { ...notes, ...given({ identity_ids: request.identity_ids }) } });
  if (change.tools !== null) await setTools(runtime, id, change.tools);
  if (change.embedder !== null) await useEmbedder(runtime, id, change.embedder);
  const folders = foldersOf(request);
  if (folders !== null) await setFolders(runtime, id, folders);
  return runtime.agents.find(id);
}

interface CheckedChange {
  readonly settings: Partial<AgentRecord["settings"]>;
  readonly model: string | null;
  readonly embedder: string | null;
  readonly system: string | null;
  readonly tools: ToolSet | null;
  readonly blockIds: readonly string[] | null;
}

/** Throws Fault and RequestError for what cannot be carried out. */
async function checkedChange(runtime: UserRuntime, request: AgentChangeRequest): Promise<CheckedChange> {
  requireSupported(request);
  const { tool_ids: toolIds, block_ids: blockIds, system } = request;
  for (const block of blockIds ?? []) await runtime.modules.find(block);
  return {
    settings: settingsOf(request),
    model: await modelOf(runtime, request),
    embedder: await embedderOf(runtime, request),
    system: system ?? null,
    tools: toolIds ? await toolSetOf(runtime, { names: [], ids: toolIds }) : null,
    blockIds: blockIds ?? null,
  };
}

async function apply(
  runtime: UserRuntime,
  { id, model: before }: AgentRecord,
  { settings, model, system, blockIds }: CheckedChange,
): Promise<void> {
  if (model !== null && model !== before) await runtime.agents.setModel(id, model);
  if (Object.keys(settings).length > 0) await runtime.agents.update(id, settings);
  if (system !== null) await runtime.agents.setSystemPrompt(id, system);
  if (blockIds !== null) await replaceBlocks(runtime, id, blockIds);
}

interface Details {
  readonly request: AgentChangeRequest;
  readonly notes: AgentNotes;
}

async function setDetails(runtime: UserRuntime, record: AgentRecord, { request, notes }: Details): Promise<void> {
  const details = given({ description: request.description, tags: request.tags, metadata: request.metadata });
  const updated = { ...notes, updated_at: systemClock.now().toISOString() };
  const shown = notes.name ?? record.name;
  const name = request.name ?? shown;
  if (name === shown) {
    await runtime.agents.setDetails(record.id, { ...details, extensions: extensionsOf(updated) });
    return;
  }
  await withFreeName(name, (free) =>
    runtime.agents.setDetails(record.id, {
      ...details,
      name: free.name,
      extensions: extensionsOf({ ...updated, name: free.shown }),
    }),
  );
}

async function replaceBlocks({ memory, modules }: UserRuntime, agent: string, ids: readonly string[]): Promise<void> {
  const before = (await memory.show(agent)).map(({ id }) => id);
  for (const id of before.filter((one) => !ids.includes(one))) await modules.detach(agent, id);
  for (const id of ids.filter((one) => !before.includes(one))) await modules.attach(agent, id);
}

/** Gives an agent these tools and no others. */
export async function setTools(runtime: UserRuntime, id: string, wanted: ToolSet): Promise<void> {
  const record = await runtime.agents.find(id);
  const has = await toolsOfAgent(runtime, record);
  await runtime.agents.update(id, await toolSettings(runtime, wanted.builtIn));
  const isIn = (set: ToolSet, tool: string): boolean => set.stored.some((one) => one.id === tool);
  for (const tool of has.stored) if (!isIn(wanted, tool.id)) await runtime.tools.detach(id, tool.id);
  for (const tool of wanted.stored) if (!isIn(has, tool.id)) await runtime.tools.attach(id, tool.id);
  const notes = { ...notesOf(record), absent_tools: [...wanted.absent] };
  await runtime.agents.setDetails(id, { extensions: extensionsOf(notes) });
}
