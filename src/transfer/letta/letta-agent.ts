// Converts Letta's agents, blocks and threads to agents, modules and conversations.
// Invariant: pure; data without a counterpart is kept under the key `letta` of the agent's extensions. All messages are
// kept: a compaction with Letta's summary covers the messages outside of Letta's window.
import { isTimeZone } from "../../base/calendar.ts";
import { codePointLength } from "../../base/code-points.ts";
import { groupBy } from "../../base/lists.ts";
import { noUsage } from "../../base/message/message.ts";
import { isModuleLabel } from "../../base/module-label.ts";
import type { AgentSettings, Protocol } from "../../store/port/records.ts";
import type {
  TransferredAgent,
  TransferredCompaction,
  TransferredConversation,
  TransferredModule,
} from "../../store/port/transfer-store.ts";
import { derivedId } from "../derived-id.ts";
import type { LettaAgent, LettaBlock } from "./letta-form.ts";
import type { LettaThread } from "./letta-messages.ts";
import { rulesOf, toolSettings } from "./letta-tools.ts";

export const defaultLettaLimit = 20_000;

/** Returns a block as a module without revisions. */
export function moduleOf(
  block: LettaBlock,
  { id, label, at }: { readonly id: string; readonly label: string; readonly at: string },
): TransferredModule {
  const { value, description, tags } = block;
  const limit = typeof block.limit === "number" && block.limit >= 1 ? Math.trunc(block.limit) : defaultLettaLimit;
  return {
    id,
    label,
    description: description ?? null,
    value,
    // The limit is at least the value's length, because Letta does not enforce its limits.
    limit: Math.min(Math.max(limit, codePointLength(value), 1), 2 ** 31 - 1),
    readOnly: block.read_only ?? false,
    trust: "external",
    lineTrust: null,
    isKept: false,
    tags: [...new Set(tags ?? [])],
    metadata: block.metadata ?? block.metadata_ ?? {},
    createdAt: at,
    updatedAt: at,
    revision: 0,
    revisions: [],
  };
}

/**
 * Returns a function from the label of a block to that of its module. If several labels are reduced to one, each
 * changed label ends with a hash of the original, which is the same at each import; `notes` names these labels.
 */
export function moduleLabels(blocks: readonly LettaBlock[]) {
  const byLabel = groupBy([...new Set(blocks.map(({ label }) => label))], reducedLabel);
  const changed = new Map(
    [...byLabel].flatMap(([reduced, labels]) =>
      labels.length === 1 ? [] : labels.filter((label) => label !== reduced).map(withHash),
    ),
  );
  return {
    labelOf: (label: string): string => changed.get(label) ?? reducedLabel(label),
    notes: [...changed].map(
      ([label, to]) =>
        `label ${JSON.stringify(label)}: another block would have the same label here, so it is called ${JSON.stringify(to)}.`,
    ),
  };
}

function withHash(label: string): readonly [label: string, changed: string] {
  const hash = derivedId("label", label).slice(0, 8);
  return [label, `${reducedLabel(label).slice(0, 64 - 1 - hash.length)}_${hash}`];
}

/** Returns the label. If a module cannot have it, reduces it to letters, digits, `_` and `-`, with a letter first. */
function reducedLabel(label: string): string {
  if (isModuleLabel(label)) return label;
  const plain = label.replaceAll(/[^A-Za-z0-9_-]+/gu, "_").replace(/^[^A-Za-z]+/u, "");
  return (plain === "" ? "block" : plain).slice(0, 64);
}

/** Returns the protocol of an agent: Letta's older agents use `send_message`, newer agents plain text. */
export function protocolOf({ agent_type: type }: LettaAgent): Protocol {
  return type === null || type === undefined || /^(?:memgpt_agent|memgpt_v2_agent|split_thread_agent)$/u.test(type)
    ? "heartbeat"
    : "native";
}

/** Returns the possible names of an agent's model in Palimpsest, the most exact first. */
export function modelsOf({ llm_config: config, model }: LettaAgent): readonly string[] {
  const { handle, model: name, model_endpoint_type: type } = config ?? {};
  const byType = typeof name === "string" && typeof type === "string" ? [`${type}/${name}`] : [];
  const known = [model, handle].filter((one) => typeof one === "string");
  return [...new Set([...known, ...byType])];
}

/** Returns the names of the agent's secrets, never their values, because tools have no environment in Palimpsest. */
export function secretNames({ secrets, tool_exec_environment_variables: variables }: LettaAgent): readonly string[] {
  const names = [secrets ?? {}, variables ?? {}].flatMap((given) => {
    return Array.isArray(given) ? given.map(({ key }) => key ?? "") : Object.keys(given);
  });
  return [...new Set(names.map((name) => name.replaceAll(/[^\w.-]+/gu, "_").slice(0, 100)))].toSorted();
}

interface AgentParts {
  readonly id: string;
  readonly at: string;
  /** Names of all tools of the agent, built-in and stored. */
  readonly toolNames: readonly string[];
  readonly modules: readonly Pick<TransferredModule, "id" | "label">[];
  readonly tools: TransferredAgent["tools"];
  readonly sources: readonly string[];
}

/** Returns the agent without conversations and passages; `settings` contains only the settings that Letta has. */
export function agentOf(letta: LettaAgent, parts: AgentParts): TransferredAgent {
  const { id, at, modules, tools, sources } = parts;
  return {
    id,
    name: agentName(letta.name),
    model: "",
    protocol: protocolOf(letta),
    memoryType: "free",
    systemPrompt: letta.system ?? "",
    settings: settingsOf(letta, parts.toolNames) as AgentSettings,
    description: letta.description ?? null,
    tags: [...new Set(letta.tags ?? [])],
    metadata: letta.metadata ?? letta.metadata_ ?? {},
    extensions: extensionsOf(letta),
    createdAt: letta.created_at ?? at,
    modules: modules.map((module) => ({ id: module.id, scope: module.label === "persona" ? "agent" : "user" })),
    tools,
    sources,
    conversations: [],
    passages: [],
  };
}

/** Returns the name without slashes, because a slash separates the owner of a shared agent from its name. */
function agentName(name: string): string {
  const plain = name.replaceAll(/[\p{Cc}/]+/gu, "-").trim();
  return plain === "" ? "agent" : [...plain].slice(0, 90).join("");
}

function settingsOf(letta: LettaAgent, toolNames: readonly string[]): Partial<AgentSettings> {
  const { context_window: window, max_tokens: maxTokens } = letta.llm_config ?? {};
  const { timezone } = letta;
  return {
    ...toolSettings(toolNames),
    toolRules: rulesOf(letta.tool_rules ?? [], toolNames).rules,
    ...(typeof window === "number" && window >= 1000 ? { contextWindow: Math.trunc(window) } : {}),
    ...(typeof maxTokens === "number" && maxTokens >= 1 ? { maxOutputTokens: Math.trunc(maxTokens) } : {}),
    ...(timezone && isTimeZone(timezone) ? { timeZone: timezone } : {}),
  };
}

function extensionsOf(letta: LettaAgent): TransferredAgent["extensions"] {
  const { agent_type, response_format, compaction_settings, embedding_config } = letta;
  const fields = { agent_type, response_format, compaction_settings, embedding: embedding_config?.handle };
  const kept = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  return kept.length === 0 ? {} : { letta: Object.fromEntries(kept) };
}

interface ConversationFacts {
  readonly id: string;
  readonly compactionId: string;
  readonly title: string | null;
  /** The time for a conversation without messages. */
  readonly at: string;
}

export function conversationWith(
  { messages, outside, summary }: LettaThread,
  facts: ConversationFacts,
): TransferredConversation {
  const { id, title, at } = facts;
  const times = messages.map((message) => message.at).toSorted();
  return {
    id,
    title,
    leafId: messages.at(-1)?.id ?? null,
    createdAt: times[0] ?? at,
    updatedAt: times.at(-1) ?? at,
    messages,
    compactions: outside === 0 ? [] : [compactionOf({ messages, outside, summary }, facts)],
  };
}

function compactionOf(
  { messages, outside, summary }: LettaThread,
  { compactionId: id }: ConversationFacts,
): TransferredCompaction {
  const last = messages[outside - 1]!;
  return {
    id,
    windowVersion: 1,
    strategy: summary === "" ? "truncate" : "recursive",
    fromPosition: 1,
    throughPosition: outside,
    throughId: last.id,
    summary,
    threadMessages: messages.length,
    rangeTokens: 0,
    tokensBefore: 0,
    tokensAfter: 0,
    model: null,
    usage: noUsage,
    dollars: null,
    focus: null,
    trust: "external",
    undoneAt: null,
    at: last.at,
  };
}
