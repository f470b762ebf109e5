// An agent in the shape of Letta's API.
// Invariant: what is not asked for is empty, and costs no query.
import * as z from "zod";
import { ConfigError, RequestError } from "../../../errors.ts";
import type { UserRuntime } from "../../../runtime/runtime.ts";
import { attachedTo } from "../archives/collections.ts";
import { embeddingConfigOf } from "../archives/shown-archive.ts";
import { blocksOf } from "../blocks/agent-blocks.ts";
import { shownFolder } from "../folders/shown-folder.ts";
import { identityShape, shownIdentity } from "../identities/shown-identity.ts";
import { shownUserId } from "../ids.ts";
import { shownEmbeddingConfig, shownLlmConfig } from "../models/shown-model.ts";
import { shownToolsOf } from "../tools/tool-set.ts";
import { momentOf } from "../wire-values.ts";
import { type AgentNotes, notesOf } from "./agent-notes.ts";
import { everyRelation, type Relation } from "./relations.ts";
import { shownRule } from "./tool-rules.ts";

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

export async function agentState(
  runtime: UserRuntime,
  record: AgentRecord,
  relations: ReadonlySet<Relation> = everyRelation,
) {
  const notes = notesOf(record);
  const [blocks, tools, sources, identities, model] = await Promise.all([
    relations.has("blocks") ? blocksOf(runtime, record.id) : [],
    relations.has("tools") ? shownToolsOf(runtime, record) : [],
    relations.has("sources") ? foldersOf(runtime, record) : [],
    relations.has("identities") ? identitiesOf(runtime, record, notes) : [],
    modelFields(runtime, record, notes),
  ]);
  return {
    ...shownDetails(record, notes),
    ...model,
    memory: {
      agent_type: notes.agent_type ?? defaultAgentType,
      git_enabled: false,
      blocks,
      file_blocks: [],
      prompt_template: "",
    },
    blocks,
    tools,
    sources,
    tags: relations.has("tags") ? record.tags : [],
    identity_ids: (notes.identity_ids ?? []).map((id) => `identity-${id}`),
    identities,
  };
}

/** Of the agents of each, only this one: the others may be hidden from the key. An identity that was deleted meanwhile is left out. */
async function identitiesOf(runtime: UserRuntime, record: AgentRecord, { identity_ids: ids = [] }: AgentNotes) {
  const found = await Promise.all(ids.map((id) => runtime.identities.find(id).catch(unlessDeleted)));
  return found.flatMap((identity) => (identity === null ? [] : [shownIdentity(identity, [record])]));
}

function unlessDeleted(error: unknown): null {
  if (error instanceof RequestError && error.code === "identity_not_found") return null;
  throw error;
}

async function foldersOf(runtime: UserRuntime, { id }: AgentRecord) {
  const folders = await attachedTo(runtime, "folder", id);
  if (folders.length === 0) return [];
  const config = await embeddingConfigOf(runtime);
  return folders.map((folder) => shownFolder(folder, config));
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

async function modelFields({ models }: UserRuntime, { model, settings }: AgentRecord, notes: AgentNotes) {
  const embedders = await models.embedders();
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
