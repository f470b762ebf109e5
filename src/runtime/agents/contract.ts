// Defines the operations on agents: create, find, open and change them. Sharing and agent files have contracts of their own
// (sharing.ts, agent-files.ts).
// Invariant: each operation acts for the runtime's user only. This file checks types only; texts, names and settings
// are checked by the operation.
import type { Agent } from "../../agent/agent.ts";
import { type ArgumentCheck, checkThat, optional, textOr } from "../../base/arguments/argument-checks.ts";
import { type Form, form, type OptionsOf, optionsOf } from "../../base/arguments/forms.ts";
import type { BaseMemory } from "../../memory/core/base-memory.ts";
import {
  agentDetailFields,
  agentFields,
  agentFilterFields,
  type AgentRecord,
  type AgentSettings,
} from "../../store/port/records.ts";
import type { ToolSelection } from "../../tool/tool.ts";
import { admin, type Contract, listFields, ofKey, optionalOptions, optionsNamed, read, value } from "../contract.ts";
import { type ModuleDefinition, moduleDefinition } from "../modules/contract.ts";
import { transferContract, type TransferOperations } from "./agent-files.ts";
import { memoryInstance, toolSelection } from "./part-checks.ts";
import { sharingContract, type SharingOperations } from "./sharing.ts";

export { agentFields } from "../../store/port/records.ts";

const detailOptions = {
  /** A description of at most 10,000 code points; null: none. */
  description: agentDetailFields.description,
  /** At most 100 tags of 1 to 200 code points. Replaces all tags. */
  tags: agentDetailFields.tags,
  /** A JSON object for the caller's own use, at most 100,000 code points. Replaces the previous object. */
  metadata: agentDetailFields.metadata,
  /**
   * JSON values that front ends store with the agent, each under the front end's name. The values of other front ends stay;
   * null removes a value.
   */
  extensions: agentDetailFields.extensions,
};

/** Descriptions of an agent for users and programs. The agent's model does not see them. */
export interface AgentDetailOptions extends OptionsOf<typeof detailOptions> {}

const listOptions = { ...listFields, ...agentFilterFields };

/** Selects agents of a list. `order`: default `oldest`. `limit`: 1 to 1,000, default all. */
export interface AgentListOptions extends OptionsOf<typeof listOptions> {}

const textOf = (remedy: string): Form<string> => ({ ...form.text, check: textOr(remedy) });

/** Checks that a value is the id of an existing module, or the definition of a new one. */
const idOrDefinition: ArgumentCheck = (value, place) =>
  typeof value === "string" ? undefined : moduleDefinition(value, place);

const creating = {
  ...detailOptions,
  /** A UUID that no agent of the user has; default a new one. */
  id: form.id,
  /** The model of the agent. Default: the runtime's. */
  model: textOf('Pass a model name such as "openai/NAME"; a model of your own goes in `models` of createRuntime.'),
  /** `native`: the text of a reply is the answer. `heartbeat`: the agent answers with a tool. Default: the runtime's. */
  protocol: agentFields.protocol,
  /** The type of a registered memory class; default `chat`. `scratchpad` and `free` are always registered, too. */
  memoryType: textOf("Pass the `type` of a class in `memoryClasses`."),
  /** Who the agent is: the text of the persona module of a `ChatMemory`. */
  persona: form.text,
  /** Who the user is: the text of the human module of a `ChatMemory`. */
  human: form.text,
  /**
   * Modules in addition to those of the memory class, or instead of a module with the same label. An id attaches an existing
   * module; a definition creates one.
   */
  modules: form.list(form.json<string | ModuleDefinition>(idOrDefinition)),
  /** Limit of the persona module and of the human module, in code points each. */
  coreMemoryLimit: form.number,
  /** The system prompt. Default: the text that ships with the package for the protocol. */
  systemPrompt: form.text,
  /** Settings of this agent that differ from the runtime's. */
  settings: form.object<Partial<AgentSettings>>(),
};
const ownCreating = {
  /** A memory object, used instead of `memoryType`. Its class must be registered. */
  memory: form.program<BaseMemory>(memoryInstance),
};
const newAgent = {
  /** The agent's name: unique among the user's agents, without a slash. */
  name: form.text,
  ...creating,
};

export interface CreateAgentOptions extends OptionsOf<typeof newAgent & typeof ownCreating, "name"> {}

const forPersona = "Use `persona` for who the agent is, or `systemPrompt` to replace the prompt.";
const otherNames = {
  instructions: forPersona,
  system: forPersona,
  prompt: forPersona,
  tools: "Pass `tools` to agents.open or to createRuntime, or attach stored ones: tools.attach(agent, tool).",
};

const conversation = checkThat(
  '"last", "new" or { id }',
  (value) => value === "last" || value === "new" || isId(value),
  'To open a certain conversation, pass { id: "…" }.',
);

function isId(value: unknown): boolean {
  return typeof value === "object" && value !== null && "id" in value && typeof value.id === "string";
}

const modelOptions = {
  /** The address of the model's API; null: the provider's own. */
  baseUrl: form.nullable(form.text),
};

const namedDetails = {
  ...detailOptions,
  name: form.text,
  /** The agent keeps its `baseUrl` if the new model has the same provider. */
  model: creating.model,
  baseUrl: modelOptions.baseUrl,
};

export interface NamedAgentDetails extends OptionsOf<typeof namedDetails> {}

const openOptions = {
  /** `last` (the default) continues the most recent conversation, or starts one; `new` starts one; `id` names one to open. */
  conversation: form.program<"last" | "new" | { readonly id: string }>(conversation),
  /** Creates the agent with these options if no agent has the name. */
  create: form.options({ ...creating, ...ownCreating }, { otherNames }),
  /** Changes the model of an existing agent permanently. The `baseUrl` stays if the new model has the same provider. */
  model: creating.model,
  /** The address of the model's API; null: the provider's own. Changes the agent permanently, like `model`. */
  baseUrl: modelOptions.baseUrl,
  /** Opens the agent even if its model's key is missing: for uses without model calls, such as `context` and `compactions`. */
  withoutCalls: form.flag,
  /**
   * Opens the agent without writing: a new conversation is not stored. For uses that only read, such as `context` and `steps`.
   */
  forReading: form.flag,
  /** How the agent's tools differ from the defaults. Used instead of the runtime's option `tools`. */
  tools: form.program<ToolSelection>(toolSelection),
  /**
   * Stores nothing permanently. The conversation is new and is deleted when the runtime is closed. Changes of core memory are
   * visible in this conversation only, have no revisions and cannot be undone. Inserts into the archive are neither stored
   * nor found. An agent that was created for the conversation is deleted with it. A process that is killed leaves the
   * conversation behind, but never a change of memory.
   */
  ephemeral: form.flag,
};

export interface OpenAgentOptions extends OptionsOf<typeof openOptions> {}

const openForTurnOptions = {
  /** The name or the id of the agent that the conversation must belong to. Default: any agent. */
  agent: form.text,
  ...ofKey,
  /**
   * Receives the function that opens the agent, unless the host keeps the agent open. May call that function later, because
   * opening an agent blocks the event loop.
   */
  inTurn: form.program<(opening: () => Promise<void>) => Promise<void>>(
    checkThat("a function", (given) => typeof given === "function"),
  ),
};

export interface OpenForTurnOptions extends OptionsOf<typeof openForTurnOptions> {}

/** An agent that is open for one turn. */
export interface TurnAgent extends Pick<Agent, "record" | "conversationId" | "send" | "start"> {
  /** Whether events of turns are stored, so that other readers than the caller get them: not with `keepEventsMinutes: 0`. */
  readonly storesEvents: boolean;
}

export interface AgentOperations extends SharingOperations, TransferOperations {
  /**
   * Returns the user's own agents, then those of other users that this user accepted. For the next page, pass the id of the
   * last agent as `after`. Throws RequestError `input_invalid`.
   */
  list(options?: AgentListOptions): Promise<readonly AgentRecord[]>;
  /** Returns the number of agents that `list` returns without options. */
  count(): Promise<number>;
  /** Returns the tags of all agents that `list` returns, each once, in alphabetical order. */
  tags(): Promise<readonly string[]>;
  /** Returns the record of an agent. Throws RequestError `grant_ended` for an agent that the user may only read. */
  find(agent: string): Promise<AgentRecord>;
  /**
   * Creates an agent. Throws RequestError `agent_exists` for a name or id in use, `input_invalid` for an invalid id or detail
   * or a system prompt as `setSystemPrompt` refuses it, ConfigError for a text over its limit or an unknown model.
   */
  create(options: CreateAgentOptions): Promise<AgentRecord>;
  /**
   * Changes the given settings of an existing agent and keeps the others. Open agents keep their settings until they are
   * opened again. Throws ConfigError for a setting that is unknown or invalid. Only the owner may call it.
   */
  update(agent: string, settings: Partial<AgentSettings>): Promise<AgentRecord>;
  /**
   * Replaces the system prompt of an agent in all its conversations. Open agents keep their prompt until they are opened again.
   * Core memory replaces `{CORE_MEMORY}` in the prompt, or is appended if the prompt lacks it. Throws RequestError
   * `input_invalid` for a text that is blank, longer than 1,000,000 characters or as long as the window. Only the owner may
   * call it.
   */
  setSystemPrompt(agent: string, text: string): Promise<AgentRecord>;
  /**
   * Changes the given name, details and model in one write. Open agents keep their name and their model until they are opened
   * again. If it throws, nothing is changed: ConfigError for an invalid name or a model that cannot be used, RequestError
   * `agent_exists` for a name in use, and `input_invalid`. Only the owner may call it.
   */
  setDetails(agent: string, details: NamedAgentDetails): Promise<AgentRecord>;
  /**
   * Changes the model permanently, without opening the agent. The agent keeps its `baseUrl` if the provider stays the same,
   * unless the option replaces it (null: the provider's own). Open agents keep their model until they are opened again. Throws
   * ConfigError for a model that cannot be used. Only the owner may call it.
   */
  setModel(agent: string, model: string, options?: { readonly baseUrl?: string | null }): Promise<AgentRecord>;
  /**
   * Opens an agent in a conversation. Throws RequestError `conversation_not_found`, and ConfigError for a model that cannot
   * be used.
   */
  open(agent: string, options?: OpenAgentOptions): Promise<Agent>;
  /**
   * Opens an agent for one turn, as a server does for each request. A kept agent is returned without a query, so its
   * `record` may be outdated. The turn opens the agent again first if the agent, its tools, the grant or the key have
   * changed. Throws the same errors as `open`, from this call or from the turn.
   */
  openForTurn(conversation: string, options?: OpenForTurnOptions): Promise<TurnAgent>;
  /**
   * Deletes the user's own agent; other users can still read their conversations and memory with that agent. For an agent that
   * the user may only read, deletes the user's own conversations and memory with it.
   */
  delete(agent: string): Promise<void>;
}

const agent = value("agent", form.text);
const nameFirst = textOf('Pass the agent\'s name first: agents.open("main", { create: {} }).');

export const agentContract = {
  list: {
    args: [optionalOptions(listOptions)],
    http: read("GET /agents", "List the agents; a key for one agent lists only that agent", [agentFields]),
  },
  count: {
    args: [],
    http: read("GET /agent-count", "Get the number of agents", value("agents", form.number)),
  },
  tags: { args: [], http: read("GET /agent-tags", "List the tags of all agents, each once", form.texts) },
  find: { args: [agent], http: read("GET /agents/:agent", "Get an agent", agentFields) },
  create: {
    args: [{ ...optionsNamed("options", newAgent, { required: ["name"], otherNames }), own: ownCreating }],
    http: admin("POST /agents", "Create an agent", agentFields, { status: 201 }),
  },
  update: {
    args: [agent, value("settings", creating.settings)],
    http: "`PATCH /agents/:agent/settings` takes the settings as its body.",
  },
  setSystemPrompt: {
    args: [agent, value("text", form.text)],
    http: admin("PUT /agents/:agent/system-prompt", "Replace the system prompt of an agent", agentFields),
  },
  setDetails: {
    args: [agent, optionsNamed("details", namedDetails)],
    http: admin("PATCH /agents/:agent", "Change the name, the model or the details of an agent", agentFields),
  },
  setModel: {
    args: [agent, value("model", form.text), optionalOptions(modelOptions)],
    http: "`PATCH /agents/:agent` changes the model with the details in one request.",
  },
  open: {
    args: [value("agent", nameFirst), { name: "options", check: optional(optionsOf(openOptions)) }],
    http: "Each route of a conversation opens its agent.",
  },
  openForTurn: {
    args: [value("conversation", form.text), { name: "options", check: optional(optionsOf(openForTurnOptions)) }],
    http: "`POST …/turns` starts a turn.",
  },
  delete: {
    args: [agent],
    http: admin("DELETE /agents/:agent", "Delete an agent with its conversations and memory", null),
  },
  ...sharingContract,
  ...transferContract,
} as const satisfies Contract<AgentOperations>;
