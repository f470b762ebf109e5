// Converts agents and their related objects to the form of Letta's API.
// Invariant: relations that a request does not ask for are empty, and cost no query. In lists and reads, clients of
// version 1 get only the relations that they ask for; older clients, and all clients after a change, get all of them.
import { mapInPieces } from "../../../../base/in-pieces.ts";
import { appendAll, groupBy } from "../../../../base/lists.ts";
import * as z from "zod";
import { ConfigError } from "../../../../base/errors.ts";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import { blockRecord } from "../blocks/block-record.ts";
import { collectionsOf, folderRecord } from "../collections/collections.ts";
import { groupRecord, managedGroupOf } from "../groups/group-record.ts";
import { identityRecord } from "../identities/identity-record.ts";
import { shownUserId } from "../ids.ts";
import type { RecordKind } from "../letta-routes.ts";
import { embeddingConfigOf, embeddingConfigRecord, llmConfigRecord } from "../models.ts";
import { queryTexts } from "../pages.ts";
import type { AgentRecord, Embedder, Identity } from "../runtime-records.ts";
import { toolRecord } from "../tools/tool-record.ts";
import { shownToolsOf } from "../tools/tool-set.ts";
import { emptyList, fixed, json, momentOf, nullableText, nulls, recordOf, text, texts } from "../wire-record.ts";
import { type AgentExtension, defaultAgentType, keptFields, agentExtensionOf } from "./agent-extension.ts";
import { shownRule } from "./tool-rules.ts";

interface AgentParts {
  readonly record: AgentRecord;
  readonly extension: AgentExtension;
  readonly blocks: readonly ReturnType<typeof blockRecord.show>[];
  readonly tools: readonly ReturnType<typeof toolRecord.show>[];
  readonly sources: readonly ReturnType<typeof folderRecord.show>[];
  readonly identities: readonly Identity[];
  readonly tags: readonly string[];
  readonly contextWindow: number;
  readonly embedder: Embedder | null;
}

/** The fields that clients set, shown as they were sent. */
const notedFields = Object.fromEntries(
  Object.entries(keptFields).map(([name, [form, unset]]) => {
    const from = ({ extension }: AgentParts): unknown => extension[name as keyof typeof keptFields] ?? unset;
    return [name, [form.nullish(), from] as const];
  }),
);

const blocks = z.array(blockRecord.shape).readonly();
const parallelToolCalls = ({ extension }: AgentParts): boolean => extension.parallel_tool_calls ?? true;

const agentRecord = recordOf<AgentParts>()({
  ...notedFields,
  ...nulls("deployment_id", "entity_id", "pending_approval"),
  ...nulls("last_run_completion", "last_run_duration_ms", "last_stop_reason"),
  multi_agent_group: [groupRecord.shape.nullable(), managedGroupOf],
  managed_group: [groupRecord.shape.nullable(), managedGroupOf],
  message_ids: emptyList,
  tool_exec_environment_variables: emptyList,
  secrets: emptyList,
  created_by_id: fixed(shownUserId),
  last_updated_by_id: fixed(shownUserId),
  created_at: [text, ({ record }) => momentOf(record.createdAt)],
  updated_at: [text, ({ record, extension }) => momentOf(new Date(extension.updated_at ?? record.createdAt))],
  id: [text, ({ record }) => `agent-${record.id}`],
  name: [text, ({ record, extension }) => extension.name ?? record.name],
  tool_rules: [
    z.array(json).readonly(),
    ({ record, extension }) => extension.tool_rules ?? record.settings.toolRules.map(shownRule),
  ],
  system: [text, ({ record }) => record.systemPrompt],
  description: [nullableText, ({ record }) => record.description],
  metadata: [json, ({ record }) => record.metadata],
  timezone: [text, ({ record }) => record.settings.timeZone],
  model: [text, ({ record }) => record.model],
  llm_config: [
    llmConfigRecord.shape,
    (parts) => {
      const { contextWindow, record } = parts;
      const { maxOutputTokens } = record.settings;
      const model = { name: record.model, contextWindow, maxOutputTokens };
      return llmConfigRecord.show({ ...model, parallelToolCalls: parallelToolCalls(parts) });
    },
  ],
  model_settings: [
    json,
    (parts) => ({
      provider_type: parts.record.model.split("/")[0],
      temperature: 1,
      parallel_tool_calls: parallelToolCalls(parts),
      response_format: null,
      ...parts.extension.model_settings,
      max_output_tokens: parts.record.settings.maxOutputTokens,
    }),
  ],
  embedding: [nullableText, ({ extension, embedder }) => extension.embedding ?? embedder?.name ?? null],
  embedding_config: [
    embeddingConfigRecord.shape.nullable(),
    ({ embedder }) => (embedder === null ? null : embeddingConfigRecord.show(embedder)),
  ],
  memory: [
    z.looseObject({ blocks }),
    (parts) => ({
      agent_type: parts.extension.agent_type ?? defaultAgentType,
      git_enabled: false,
      blocks: parts.blocks,
      file_blocks: [],
      prompt_template: "",
    }),
  ],
  blocks: [blocks, "blocks"],
  tools: [z.array(toolRecord.shape).readonly(), "tools"],
  sources: [z.array(folderRecord.shape).readonly(), "sources"],
  tags: [texts, "tags"],
  identity_ids: [texts, ({ extension }) => (extension.identity_ids ?? []).map((id) => `identity-${id}`)],
  identities: [
    z.array(identityRecord.shape).readonly(),
    // Each identity is shown with this agent only, because the key might not allow reading the identity's other agents.
    ({ record, identities }) => identities.map((identity) => identityRecord.show({ identity, agents: [record] })),
  ],
});

type Relation = "blocks" | "tools" | "tags" | "sources" | "identities";

const everyRelation: ReadonlySet<Relation> = new Set(["blocks", "tools", "tags", "sources", "identities"]);

export const includeQuery = { include: queryTexts.optional(), include_relationships: queryTexts.optional() };

/** Returns whether a request comes from a client of version 1. */
export function isNewClient(headers: Headers): boolean {
  return (headers.get("x-stainless-package-version") ?? "").startsWith("1.");
}

function relationsOf(query: unknown, headers: Headers): ReadonlySet<Relation> {
  const { include, include_relationships: older } = query as {
    readonly [Name in keyof typeof includeQuery]?: readonly string[];
  };
  if (include !== undefined) return wanted(include.map((name) => name.replace(/^agent\./u, "")));
  if (older !== undefined) return wanted(older.map((name) => (name === "memory" ? "blocks" : name)));
  return isNewClient(headers) ? new Set() : everyRelation;
}

function wanted(names: readonly string[]): ReadonlySet<Relation> {
  return new Set([...everyRelation].filter((relation) => names.includes(relation)));
}

export const agentKind: RecordKind<AgentRecord> = {
  param: "agent",
  one: "an agent",
  many: "agents",
  shape: agentRecord.shape,
  show: (records, { runtime, query, headers }, isChange) =>
    agentStates(runtime, records, isChange ? everyRelation : relationsOf(query, headers)),
};

/** Returns the agents in Letta's form. The number of queries does not grow with the number of agents. */
async function agentStates(runtime: UserRuntime, records: readonly AgentRecord[], relations: ReadonlySet<Relation>) {
  const agents = records.map((record) => ({ record, extension: agentExtensionOf(record) }));
  const [modules, tools, folders, identities, embedders] = await Promise.all([
    relations.has("blocks") ? runtime.modules.ofAgents(records.map(({ id }) => id)) : [],
    relations.has("tools") ? shownToolsOf(runtime, records) : [],
    relations.has("sources") ? collectionsOf(runtime, "folder") : [],
    relations.has("identities") ? identitiesOf(runtime, agents) : [],
    runtime.models.embedders(),
  ]);
  const config = await embeddingConfigOf(runtime);
  const modulesByAgent = groupBy(modules, ({ agentId }) => agentId);
  const identitiesById = new Map(identities.map((identity) => [identity.id, identity]));
  return mapInPieces(agents, ({ record, extension }, at) =>
    agentRecord.show({
      record,
      extension,
      blocks: (modulesByAgent.get(record.id) ?? []).map(blockRecord.show),
      tools: tools[at] ?? [],
      sources: folders
        .filter(({ agentIds }) => agentIds.includes(record.id))
        .map((source) => folderRecord.show({ source, config })),
      identities: (extension.identity_ids ?? []).flatMap((id) => identitiesById.get(id) ?? []),
      tags: relations.has("tags") ? record.tags : [],
      contextWindow: record.settings.contextWindow ?? windowOf(runtime.models, record.model),
      embedder:
        embedders.find(({ name, isUsed }) =>
          extension.embedding === undefined ? isUsed : name === extension.embedding,
        ) ?? null,
    }),
  );
}

/** Returns the agent with all of its relations. Throws RequestError `agent_not_found`. */
export async function agentState(runtime: UserRuntime, id: string) {
  const [state] = await agentStates(runtime, [await runtime.agents.find(id)], everyRelation);
  return state!;
}

/** Maximum number of identities that one query returns. */
const maxPage = 1000;

/** Returns the identities of all these agents. An identity that was deleted meanwhile is left out. */
async function identitiesOf({ identities }: UserRuntime, agents: readonly { readonly extension: AgentExtension }[]) {
  const ids = [...new Set(agents.flatMap(({ extension }) => extension.identity_ids ?? []))];
  const pages: Identity[] = [];
  for (let at = 0; at < ids.length; at += maxPage)
    appendAll(pages, await identities.list({ ids: ids.slice(at, at + maxPage), order: "oldest", limit: maxPage }));
  return pages;
}

/** Returns the window of a model in tokens; 0 for a model that Palimpsest no longer knows. */
function windowOf(models: UserRuntime["models"], name: string): number {
  try {
    return models.find(name).contextWindow;
  } catch (error) {
    if (error instanceof ConfigError) return 0;
    throw error;
  }
}
