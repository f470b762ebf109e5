// Writes agents in the form of Letta 0.16, for other programs: agents, blocks, tools, and a conversation per agent.
// Invariant: pure; data that Letta's form cannot represent is left out here; the file's extension contains that data.
import type {
  TransferredConversation,
  TransferredMessage,
  TransferredModule,
  Transfer,
  TransferredAgent,
  TransferredTool,
} from "../../store/port/transfer-store.ts";
import { type ContentPart, textWithFiles } from "../../base/message/message.ts";

/** The revision of Letta's database schema that this form has. Letta writes the revision into every agent file. */
export const lettaRevision = "1c28e167b74f";

type Json = Readonly<Record<string, unknown>>;

/** A built-in tool that an agent has, as the model sees it. */
export interface NamedTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: Json;
}

export interface WriteOptions {
  /** The conversation of each agent that is written, by the agent's id. Letta's form has one conversation for each agent. */
  readonly conversations: ReadonlyMap<string, TransferredConversation>;
  /** The built-in tools of each agent that have the same names in Letta, by the agent's id. */
  readonly builtIn: ReadonlyMap<string, readonly NamedTool[]>;
  /** The context window of each agent's model, in tokens, by the agent's id. */
  readonly windows: ReadonlyMap<string, number>;
}

export function writeLetta({ modules, tools, sources, agents }: Transfer, options: WriteOptions) {
  const named = new Map([...options.builtIn.values()].flat().map((tool) => [tool.name, tool]));
  const blockIds = numbered("block", modules);
  const toolIds = numbered("tool", [...tools, ...[...named.keys()].map((id) => ({ id }))]);
  const sourceIds = numbered("source", sources);
  const ids = { block: blockIds, tool: toolIds, source: sourceIds };
  return {
    agents: agents.map((agent, index) => agentJson(agent, { index, ids, options })),
    blocks: modules.map((module) => blockJson(module, blockIds.get(module.id)!)),
    tools: [
      ...tools.map((tool) => storedToolJson(tool, toolIds.get(tool.id)!)),
      ...[...named.values()].map((tool) => builtInJson(tool, toolIds.get(tool.name)!)),
    ],
    sources: sources.map(({ id, name, description }) => ({ id: sourceIds.get(id), name, description })),
    files: sources.flatMap(({ id, files }) =>
      files.map(({ path, passages, bytes }, index) => ({
        id: `file-${sourceIds.get(id)!.slice("source-".length)}-${index}`,
        source_id: sourceIds.get(id),
        file_name: passages[0]?.place.file ?? path,
        original_file_name: passages[0]?.place.file ?? path,
        file_type: "text/plain",
        file_size: bytes,
        processing_status: "completed",
        content: passages.map(({ text }) => text).join("\n\n"),
      })),
    ),
  };
}

type Ids = ReadonlyMap<string, string>;

function numbered(prefix: string, items: readonly { readonly id: string }[]): Ids {
  return new Map(items.map(({ id }, index) => [id, `${prefix}-${index}`]));
}

function blockJson({ label, value, limit, description, readOnly, metadata }: TransferredModule, id: string): Json {
  return { id, label, value, limit, description, read_only: readOnly, metadata, is_template: false };
}

function storedToolJson(tool: TransferredTool, id: string): Json {
  const { name, description, parameters, source, resultLimit, requiresApproval, tags } = tool;
  return {
    id,
    tool_type: "custom",
    // A client tool has only a schema.
    source_type: source === null ? "json" : "python",
    source_code: source,
    name,
    description,
    tags,
    json_schema: { name, description, parameters },
    return_char_limit: Math.min(resultLimit ?? 50_000, 1_000_000),
    default_requires_approval: requiresApproval,
  };
}

function builtInJson({ name, description, parameters }: NamedTool, id: string): Json {
  const json_schema = { name, description, parameters };
  return { id, tool_type: typeOfBuiltIn(name), source_type: "python", name, description, tags: [], json_schema };
}

/** Returns the type of a built-in tool, as in Letta's own files. */
function typeOfBuiltIn(name: string): string {
  if (name.startsWith("core_memory_")) return "letta_memory_core";
  if (name.startsWith("send_message_to_")) return "letta_multi_agent_core";
  return name.startsWith("memory_") ? "letta_sleeptime_core" : "letta_core";
}

interface AgentPlace {
  readonly index: number;
  readonly ids: { readonly block: Ids; readonly tool: Ids; readonly source: Ids };
  readonly options: WriteOptions;
}

function agentJson(agent: TransferredAgent, { index, ids, options }: AgentPlace): Json {
  const conversation = options.conversations.get(agent.id);
  const builtIn = options.builtIn.get(agent.id) ?? [];
  const messages = [systemJson(agent), ...(conversation === undefined ? [] : threadJson(conversation, agent))];
  const [provider = "", ...name] = agent.model.split("/");
  return {
    id: `agent-${index}`,
    name: agent.name,
    system: agent.systemPrompt,
    agent_type: agent.protocol === "heartbeat" ? "memgpt_v2_agent" : "letta_v1_agent",
    description: agent.description,
    tags: agent.tags,
    metadata: agent.metadata,
    timezone: agent.settings.timeZone,
    llm_config: {
      model: name.length === 0 ? provider : name.join("/"),
      model_endpoint_type: provider === "anthropic" ? "anthropic" : "openai",
      context_window: options.windows.get(agent.id),
      handle: agent.model,
      put_inner_thoughts_in_kwargs: false,
    },
    block_ids: agent.modules.flatMap(({ id }) => ids.block.get(id) ?? []),
    tool_ids: [...agent.tools.map(({ id }) => id), ...builtIn.map((tool) => tool.name)].flatMap(
      (id) => ids.tool.get(id) ?? [],
    ),
    source_ids: agent.sources.flatMap((id) => ids.source.get(id) ?? []),
    tool_rules: agent.settings.toolRules.flatMap(ruleJson),
    in_context_message_ids: messages.map((_, at) => `message-${at}`),
    messages: messages.map((message, at) => ({ ...message, id: `message-${at}`, agent_id: `agent-${index}` })),
    files_agents: [],
    group_ids: [],
    include_base_tools: false,
  };
}

function ruleJson(rule: TransferredAgent["settings"]["toolRules"][number]): readonly Json[] {
  const { type, tool } = rule;
  const named = { type: type.replaceAll("-", "_"), tool_name: tool };
  switch (type) {
    case "constrain-child-tools":
    case "parent-last-tool":
      return [{ ...named, children: rule.children }];
    case "conditional":
      return [{ ...named, child_output_mapping: rule.children, default_child: rule.otherwise ?? null }];
    case "max-count-per-turn":
      return [{ ...named, type: "max_count_per_step", max_count_limit: rule.count }];
    default:
      return [named];
  }
}

function systemJson({ systemPrompt, createdAt }: TransferredAgent): Json {
  return { role: "system", content: [{ type: "text", text: systemPrompt }], created_at: createdAt };
}

/** Returns the messages in the window, preceded by the summaries of earlier messages. */
function threadJson(
  { leafId, messages, compactions }: TransferredConversation,
  agent: TransferredAgent,
): readonly Json[] {
  const thread = threadTo(leafId, messages);
  const ids = new Set(thread.map(({ id }) => id));
  const inWindow = compactions.filter(({ undoneAt, throughId }) => undoneAt === null && ids.has(throughId));
  const outside = inWindow.reduce((last, { throughPosition }) => Math.max(last, throughPosition), 0);
  const summary = inWindow.findLast(({ throughPosition }) => throughPosition === outside)?.summary ?? "";
  const packed = summary === "" ? [] : [summaryJson(summary, thread[outside - 1]?.at ?? agent.createdAt)];
  return [...packed, ...thread.slice(outside).flatMap((message) => messageJson(message, agent))];
}

function threadTo(leafId: string | null, messages: readonly TransferredMessage[]): readonly TransferredMessage[] {
  const byId = new Map(messages.map((message) => [message.id, message]));
  const thread: TransferredMessage[] = [];
  for (let at = leafId === null ? undefined : byId.get(leafId); at !== undefined; ) {
    thread.push(at);
    at = at.parentId === null ? undefined : byId.get(at.parentId);
  }
  return thread.reverse();
}

/** Returns a summary in the envelope that Letta uses for messages that left its window. */
function summaryJson(summary: string, at: string): Json {
  const note = "Note: prior messages have been hidden from view due to conversation memory constraints.";
  const message = `${note}\nThe following is a summary of the previous messages:\n ${summary}`;
  const text = JSON.stringify({ type: "system_alert", message, time: at });
  return { role: "user", content: [{ type: "text", text }], created_at: at };
}

function messageJson(message: TransferredMessage, { model }: TransferredAgent): readonly Json[] {
  const { role, kind, content, at, speaker } = message;
  const common = { created_at: at, name: speaker };
  if (role === "tool") {
    return content.flatMap((part) => (part.type === "tool-result" ? [{ ...common, ...resultJson(part, at) }] : []));
  }
  const text = textWithFiles({ content });
  if (role === "user") {
    const envelope = kind === "system" ? JSON.stringify({ type: "system_message", message: text, time: at }) : text;
    return [{ ...common, role, content: [{ type: "text", text: envelope }] }];
  }
  const calls = content.filter((part) => part.type === "tool-call");
  return [
    {
      ...common,
      role,
      model,
      content: content.flatMap(shownPart),
      tool_calls: calls.map(({ callId, name, arguments: json }) => ({
        id: callId,
        type: "function",
        function: { name, arguments: json },
      })),
    },
  ];
}

function shownPart(part: ContentPart): readonly Json[] {
  if (part.type === "text") return [{ type: "text", text: part.text }];
  if (part.type === "thought") return [{ type: "reasoning", is_native: true, reasoning: part.text, signature: null }];
  return [];
}

function resultJson(part: Extract<ContentPart, { type: "tool-result" }>, at: string): Json {
  const { callId, name, status, text } = part;
  const packed = JSON.stringify({ status: status === "ok" ? "OK" : "Failed", message: text, time: at });
  return {
    role: "tool",
    name,
    content: [{ type: "text", text: packed }],
    tool_call_id: callId,
    tool_returns: [{ tool_call_id: callId, status: status === "ok" ? "success" : "error", func_response: packed }],
  };
}
