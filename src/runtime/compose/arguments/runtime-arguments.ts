// The arguments and options of the functions of a host and a runtime, with the check of each.
// Invariant: every function that has parameters has a line here or in the tables of its group, and so has every option.
import {
  anything,
  atOnce,
  callback,
  type CallChecks,
  checkThat,
  count,
  date,
  flag,
  later,
  list,
  nullable,
  number,
  oneOf,
  optional,
  options,
  record,
  signal,
  text,
  textOr,
  withCheckedCalls,
} from "../../../base/arguments/argument-checks.ts";
import type { OptimizeOptions } from "../../../store/port/upkeep.ts";
import type {
  AgentListOptions,
  AgentOperations,
  CreateAgentOptions,
  NamedAgentDetails,
  OpenAgentOptions,
} from "../../agents.ts";
import type {
  ConversationImport,
  ConversationListOptions,
  ConversationOperations,
  HistoryOptions,
  ImportedMessage,
  MessagePageOptions,
  NewConversation,
} from "../../conversations.ts";
import type { ContinueTurnsOptions, HealthOptions, Host } from "../../host.ts";
import type { CloseOptions, ContextOptions, StoreMaintenance, UserRuntime } from "../../runtime.ts";
import type { SynopsisOperations } from "../../synopsis.ts";
import { checkedAgent } from "./agent-arguments.ts";
import { fileInput } from "./file-argument.ts";
import {
  archivalChecks,
  embeddingChecks,
  forgetChecks,
  memoryChecks,
  nodeMemoryChecks,
  recallChecks,
  sourceChecks,
} from "./memory-arguments.ts";
import { importChecks } from "./import-arguments.ts";
import { mcpChecks } from "./mcp-arguments.ts";
import { moduleChecks, moduleDefinition } from "./module-arguments.ts";
import { checksOf } from "../../contract.ts";
import { identityContract, type IdentityOperations } from "../../identities/contract.ts";
import { hostKeyChecks, keyContract, type KeyOperations } from "../../keys/contract.ts";
import { mcpServerContract, type McpServerOperations } from "../../mcp-servers/contract.ts";
import { scheduleContract, type ScheduleOperations } from "../../schedules/contract.ts";
import { storedToolChecks } from "./stored-tool-arguments.ts";
import { details, range } from "./record-arguments.ts";
import { transferChecks } from "./transfer-arguments.ts";
import { turnChecks } from "./turn-arguments.ts";
import { memoryInstance, toolSelection } from "./part-checks.ts";

const agent = ["agent", text] as const;
const userId = ["userId", textOr("Pass the id of a user of your program.")] as const;
const limit = ["limit", optional(count)] as const;

/** A module that exists, by its id, or a new one. */
const idOrDefinition: typeof moduleDefinition = (value, place) =>
  typeof value === "string" ? undefined : moduleDefinition(value, place);

const agentDetails = { ...details, extensions: optional(record) };

const creating = {
  ...agentDetails,
  id: optional(text),
  model: optional(
    textOr('Pass its name, such as "openai/NAME"; a model of your own goes in `models` of createRuntime.'),
  ),
  protocol: optional(oneOf("native", "heartbeat")),
  memoryType: optional(textOr("Pass the `type` of a class in `memoryClasses`.")),
  memory: optional(memoryInstance),
  persona: optional(text),
  human: optional(text),
  modules: optional(list(idOrDefinition)),
  coreMemoryLimit: optional(number),
  systemPrompt: optional(text),
  settings: optional(record),
};

const forPersona = "Use `persona` for who the agent is, or `systemPrompt` to replace the prompt.";
const agentNames = {
  otherNames: {
    instructions: forPersona,
    system: forPersona,
    prompt: forPersona,
    tools: "Pass `tools` to agents.open or to createRuntime, or attach stored ones: tools.attach(agent, tool).",
  },
};

const conversation = checkThat(
  '"last", "new" or { id }',
  (value) => value === "last" || value === "new" || isId(value),
  'To open a certain one, pass { id: "…" }.',
);

function isId(value: unknown): boolean {
  return typeof value === "object" && value !== null && "id" in value && typeof value.id === "string";
}

const nameFirst = textOr('Pass the agent\'s name first: agents.open("main", { create: {} }).');

const agentChecks: CallChecks<AgentOperations> = {
  list: later([
    "options",
    optional(
      options<AgentListOptions>({
        ...range,
        name: optional(text),
        text: optional(text),
        tags: optional(list(text)),
        matchAllTags: optional(flag),
      }),
    ),
  ]),
  setDetails: later(agent, ["details", options<NamedAgentDetails>({ ...agentDetails, name: optional(text) })]),
  setModel: later(
    agent,
    ["model", text],
    ["options", optional(options<{ baseUrl?: string | null }>({ baseUrl: optional(nullable(text)) }))],
  ),
  find: later(agent),
  create: later(["options", options<CreateAgentOptions>({ name: text, ...creating }, agentNames)]),
  update: later(agent, ["settings", record]),
  setSystemPrompt: later(agent, ["text", text]),
  open: later(
    ["agent", nameFirst],
    [
      "options",
      optional(
        options<OpenAgentOptions>({
          conversation: optional(conversation),
          create: optional(options<Omit<CreateAgentOptions, "name">>(creating, agentNames)),
          model: creating.model,
          baseUrl: optional(nullable(text)),
          withoutCalls: optional(flag),
          forReading: optional(flag),
          tools: optional(toolSelection),
          ephemeral: optional(flag),
        }),
      ),
    ],
  ),
  delete: later(agent),
  share: later(agent, userId),
  unshare: later(agent, userId),
  recipients: later(agent),
  accept: later(["offer", text]),
  decline: later(["offer", text]),
  leave: later(agent),
  export: later(agent),
  ...transferChecks,
};

const conversationId = ["conversationId", text] as const;

const importedMessage = options<ImportedMessage>(
  {
    role: oneOf("user", "assistant"),
    speaker: optional(text),
    text,
    at: date,
  },
  { otherNames: { content: "Use `text`.", timestamp: "Use `at`.", name: "Use `speaker`." } },
);

const conversationChecks: CallChecks<ConversationOperations> = {
  list: later(["agent", nullable(text)], ["options", optional(options<ConversationListOptions>(range))]),
  create: later(agent, [
    "conversation",
    optional(options<NewConversation>({ id: optional(text), title: optional(text) })),
  ]),
  find: later(conversationId),
  messages: later(conversationId, [
    "options",
    optional(
      options<MessagePageOptions>({
        before: optional(text),
        after: optional(text),
        from: optional(oneOf("beginning", "end")),
        limit: optional(number),
      }),
    ),
  ]),
  message: later(["messageId", text]),
  file: later(conversationId, ["fileId", text]),
  rename: later(conversationId, ["title", nullable(text)]),
  delete: later(conversationId),
  branches: later(conversationId),
  history: later([
    "options",
    options<HistoryOptions>({
      conversation: text,
      leaf: optional(text),
      rolePrefix: optional(options<{ user: string; assistant: string }>({ user: text, assistant: text })),
      query: optional(text),
      queryTemplate: optional(text),
      maxTokens: optional(number),
      messageLimit: optional(number),
      window: optional(options<{ enabled: boolean; size: number }>({ enabled: flag, size: number })),
    }),
  ]),
  fork: later(conversationId),
  export: later(conversationId),
  import: later(agent, [
    "conversation",
    options<ConversationImport>({ messages: list(importedMessage), title: optional(text) }),
  ]),
};

const synopsisChecks: CallChecks<SynopsisOperations> = {
  show: later(agent),
  refresh: later(agent),
  clear: later(agent),
};

const close = later(["options", optional(options<CloseOptions>({ graceMs: optional(number) }))]);

const runtimeChecks: CallChecks<UserRuntime> = {
  // The buffer checks its options, which it also takes without a runtime.
  createMessageBuffer: atOnce(["deps", anything], ["json", anything]),
  getContext: later(
    agent,
    ["query", text],
    [
      "options",
      optional(
        options<ContextOptions>({
          maxTokens: optional(number),
          recent: optional(number),
          k: optional(number),
          signal: optional(signal),
          conversation: optional(text),
          countsAccesses: optional(flag),
        }),
      ),
    ],
  ),
  close,
};

const file = ["file", text] as const;

const maintenanceChecks: CallChecks<StoreMaintenance> = {
  backup: later(file),
  restore: later(file),
  optimize: later([
    "options",
    optional(
      options<OptimizeOptions>({ minVectors: optional(number), log: optional(callback), signal: optional(signal) }),
    ),
  ]),
};

const hostChecks: CallChecks<Host> = {
  ...maintenanceChecks,
  forUser: atOnce(userId),
  continueTurns: later(["options", optional(options<ContinueTurnsOptions>({ signal: optional(signal) }))]),
  health: later(["options", optional(options<HealthOptions>({ timeoutMs: optional(number) }))]),
  close,
};

const identityChecks = checksOf<IdentityOperations>(identityContract);
const keyChecks = checksOf<KeyOperations>(keyContract);
const mcpServerChecks = checksOf<McpServerOperations>(mcpServerContract);
const scheduleChecks = checksOf<ScheduleOperations>(scheduleContract);

/** Returns the host, which messages call `name`, with its arguments checked; not those of the runtimes that it returns. */
export function checkedHost(host: Host, name: string): Host {
  const keys = withCheckedCalls(host.keys, `${name}.keys`, hostKeyChecks);
  const mcp = withCheckedCalls(host.mcp, `${name}.mcp`, mcpChecks);
  return { ...withCheckedCalls(host, name, hostChecks), keys, mcp };
}

/** Returns a user's runtime with the arguments of its functions, and of its agents' functions, checked. */
export function checkedRuntime(runtime: UserRuntime): UserRuntime {
  const { agents, ...others } = runtime;
  const open: AgentOperations["open"] = async (...args) => checkedAgent(await agents.open(...args));
  const groups: UserRuntime = {
    ...others,
    agents: withCheckedCalls({ ...agents, open }, "agents", agentChecks),
    conversations: withCheckedCalls(runtime.conversations, "conversations", conversationChecks),
    approvals: withCheckedCalls(runtime.approvals, "approvals", { list: later(agent) }),
    memory: withCheckedCalls(runtime.memory, "memory", memoryChecks),
    recall: withCheckedCalls(runtime.recall, "recall", recallChecks),
    archival: withCheckedCalls(runtime.archival, "archival", archivalChecks),
    imports: withCheckedCalls(runtime.imports, "imports", importChecks),
    sources: withCheckedCalls(runtime.sources, "sources", sourceChecks),
    embeddings: withCheckedCalls(runtime.embeddings, "embeddings", embeddingChecks),
    retention: withCheckedCalls(runtime.retention, "retention", { apply: later(agent), list: later(agent, limit) }),
    forget: withCheckedCalls(runtime.forget, "forget", forgetChecks),
    nodeMemory: withCheckedCalls(runtime.nodeMemory, "nodeMemory", nodeMemoryChecks),
    synopsis: withCheckedCalls(runtime.synopsis, "synopsis", synopsisChecks),
    turns: withCheckedCalls(runtime.turns, "turns", turnChecks),
    keys: withCheckedCalls(runtime.keys, "keys", keyChecks),
    tools: withCheckedCalls(runtime.tools, "tools", storedToolChecks),
    mcpServers: withCheckedCalls(runtime.mcpServers, "mcpServers", mcpServerChecks),
    identities: withCheckedCalls(runtime.identities, "identities", identityChecks),
    modules: withCheckedCalls(runtime.modules, "modules", moduleChecks),
    models: withCheckedCalls(runtime.models, "models", {
      find: atOnce(["name", text]),
      priceOf: atOnce(["name", text]),
    }),
    schedules: withCheckedCalls(runtime.schedules, "schedules", scheduleChecks),
    files: withCheckedCalls(runtime.files, "files", { describe: later(["file", fileInput]) }),
  };
  return withCheckedCalls(groups, "runtime", runtimeChecks);
}
