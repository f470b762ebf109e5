// An agent in the shape of Letta's API.
// Invariant: what is not asked for is empty, and costs no query.
import { appendAll, groupBy } from "../../../../base/lists.ts";
import { mapInPieces } from "../../../../base/in-pieces.ts";
import * as z from "zod";
import { ConfigError } from "../../../../base/errors.ts";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import { collectionsOf } from "../archives/collections.ts";
import { embeddingConfigOf } from "../archives/shown-archive.ts";
import { shownBlock } from "../blocks/shown-block.ts";
import { shownFolder } from "../folders/shown-folder.ts";
import { type Identity, identityShape, shownIdentity } from "../identities/shown-identity.ts";
import { shownUserId } from "../ids.ts";
import { shownEmbeddingConfig, shownLlmConfig } from "../models/shown-model.ts";
import { shownToolsOf } from "../tools/tool-set.ts";
import { momentOf } from "../wire-values.ts";
import { type AgentNotes, notesOf } from "./agent-notes.ts";
import { everyRelation, type Relation } from "./relations.ts";
import { shownRule } from "./tool-rules.ts";

type ModuleOfAgent = Awaited<ReturnType<UserRuntime["modules"]["ofAgents"]>>[number];
export type AgentRecord = Awaited<ReturnType<UserRuntime["agents"]["find"]>>;

export const agentShape = z.looseObject({
  id: z.string(),
  name: z.string(),
  system: z.string(),
  agent_type: z.string(),
  llm_config: z.looseObject({ model: z.string(), context_window: z.int() }),
  memory: z.looseObject({ blocks: z.array(z.looseObject({})) }),
  blocks: z.array(z.looseObject({})),
  tools: z.array(z.looseObject({})),
  sources: z.array(z.looseObject({})),
  identities: z.array(identityShape),
  tags: z.array(z.string()),
  tool_rules: z.array(z.looseObject({})),
});

/** Letta's default. */
export const defaultAgentType = "letta_v1_agent";

/** Returns the agents in this shape. Their number does not change the number of statements. */
export async function agentStates(
  runtime: UserRuntime,
  records: readonly AgentRecord[],
  relations: ReadonlySet<Relation> = everyRelation,
) {
  const agents = records.map((record) => ({ record, notes: notesOf(record) }));
  const [blocks, tools, folders, identities, embedders] = await Promise.all([
    relations.has("blocks") ? runtime.modules.ofAgents(records.map(({ id }) => id)) : [],
    relations.has("tools") ? shownToolsOf(runtime, records) : [],
    relations.has("sources") ? collectionsOf(runtime, "folder") : [],
    relations.has("identities") ? identitiesOf(runtime, agents) : [],
    runtime.models.embedders(),
  ]);
  const config = await embeddingConfigOf(runtime);
  const blocksByAgent = groupBy(blocks, ({ agentId }) => agentId);
  const identitiesById = new Map(identities.map((identity) => [identity.id, identity]));
  return mapInPieces(agents, ({ record, notes }, at) => ({
    ...shownDetails(record, notes),
    ...modelFields({ models: runtime.models, embedders }, record, notes),
    ...memoryFields(notes, blocksByAgent.get(record.id) ?? []),
    tools: tools[at] ?? [],
    sources: folders
      .filter(({ agentIds }) => agentIds.includes(record.id))
      .map((folder) => shownFolder(folder, config)),
    tags: relations.has("tags") ? record.tags : [],
    identity_ids: (notes.identity_ids ?? []).map((id) => `identity-${id}`),
    // Of the agents of each, only this one: the others may be hidden from the key.
    identities: (notes.identity_ids ?? []).flatMap((id) => {
      const identity = identitiesById.get(id);
      return identity === undefined ? [] : [shownIdentity(identity, [record])];
    }),
  }));
}

export async function agentState(
  runtime: UserRuntime,
  record: AgentRecord,
  relations: ReadonlySet<Relation> = everyRelation,
) {
  const [state] = await agentStates(runtime, [record], relations);
  return state!;
}

/** Returns the identities of all of them. One that was deleted meanwhile is left out. */
async function identitiesOf({ identities }: UserRuntime, agents: readonly { readonly notes: AgentNotes }[]) {
  const ids = [...new Set(agents.flatMap(({ notes }) => notes.identity_ids ?? []))];
  const pages: Identity[] = [];
  for (let at = 0; at < ids.length; at += maxPage)
    appendAll(pages, await identities.list({ ids: ids.slice(at, at + maxPage), order: "oldest", limit: maxPage }));
  return pages;
}

/** Maximum of a list. */
const maxPage = 1000;

function memoryFields({ agent_type: type }: AgentNotes, modules: readonly ModuleOfAgent[]) {
  const blocks = modules.map(shownBlock);
  const memory = {
    agent_type: type ?? defaultAgentType,
    git_enabled: false,
    blocks,
    file_blocks: [],
    prompt_template: "",
  };
  return { memory, blocks };
}

function shownDetails(record: AgentRecord, notes: AgentNotes) {
  const { id, name, systemPrompt, settings, description, metadata, createdAt } = record;
  return {
    ...withoutMeaning,
    ...defaults,
    ...shownNotes(notes),
    created_by_id: shownUserId,
    last_updated_by_id: shownUserId,
    created_at: momentOf(createdAt),
    updated_at: momentOf(notes.updated_at === undefined ? createdAt : new Date(notes.updated_at)),
    id: `agent-${id}`,
    name: notes.name ?? name,
    tool_rules: notes.tool_rules ?? settings.toolRules.map(shownRule),
    system: systemPrompt,
    description,
    metadata,
    timezone: settings.timeZone,
  };
}

/** Returns the notes that clients see as they are. */
function shownNotes(notes: AgentNotes): Partial<AgentNotes> {
  const { name: _name, absent_tools: _absent, updated_at: _updated, model_settings: _settings, ...shown } = notes;
  return shown;
}

interface KnownModels {
  readonly models: UserRuntime["models"];
  readonly embedders: Awaited<ReturnType<UserRuntime["models"]["embedders"]>>;
}

function modelFields({ models, embedders }: KnownModels, { model, settings }: AgentRecord, notes: AgentNotes) {
  const embedder =
    embedders.find(({ name, isUsed }) => (notes.embedding === undefined ? isUsed : name === notes.embedding)) ?? null;
  const contextWindow = settings.contextWindow ?? windowOf(models, model);
  const parallelToolCalls = notes.parallel_tool_calls ?? true;
  const { maxOutputTokens } = settings;
  return {
    model,
    llm_config: shownLlmConfig({ name: model, contextWindow }, { maxOutputTokens, parallelToolCalls }),
    model_settings: {
      provider_type: model.split("/")[0],
      temperature: 1,
      parallel_tool_calls: parallelToolCalls,
      response_format: null,
      ...notes.model_settings,
      max_output_tokens: maxOutputTokens,
    },
    embedding: notes.embedding ?? embedder?.name ?? null,
    embedding_config: embedder === null ? null : shownEmbeddingConfig(embedder),
  };
}

/** An agent may have a model that the program no longer has: its window is then unknown, and shown as 0. */
function windowOf(models: UserRuntime["models"], name: string): number {
  try {
    return models.find(name).contextWindow;
  } catch (error) {
    if (error instanceof ConfigError) return 0;
    throw error;
  }
}

/** What clients see of an agent for which they have set nothing. */
const defaults = {
  agent_type: defaultAgentType,
  compaction_settings: null,
  response_format: null,
  message_buffer_autoclear: false,
  enable_sleeptime: null,
  max_files_open: 10,
  per_file_view_window_char_limit: 25_000,
  hidden: null,
  project_id: null,
  template_id: null,
  base_template_id: null,
};

const withoutMeaning = {
  message_ids: [],
  tool_exec_environment_variables: [],
  secrets: [],
  deployment_id: null,
  entity_id: null,
  pending_approval: null,
  multi_agent_group: null,
  managed_group: null,
  last_run_completion: null,
  last_run_duration_ms: null,
  last_stop_reason: null,
};
