// Operations that create, open, change and share agents.
// Invariant: types only; each operation acts for the runtime's user only.
import type { Agent } from "../agent/agent.ts";
import type { AgentQuery, FormerAgentRecord, OfferRecord, RecipientRecord } from "../store/port/agent-store.ts";
import type { BaseMemory } from "../memory/core/base-memory.ts";
import type { AgentRecord, AgentSettings, Protocol } from "../store/port/records.ts";
import type { AgentFile, AgentImport, AgentImportOptions, LettaImport, LettaImportOptions } from "./agent-files.ts";
import type { ModuleDefinition } from "./modules.ts";
import type { ToolSelection } from "../tool/select-tools.ts";

/** What describes an agent to people and programs. The agent itself does not see it. */
export interface AgentDetailOptions {
  /** At most 10,000 code points; null: none. */
  readonly description?: string | null;
  /** At most 100 of 1 to 200 code points. Replaces all tags. */
  readonly tags?: readonly string[];
  /** A JSON object of the caller's own, at most 100,000 code points. Replaces the former one. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** JSON values that a front end keeps with the agent under its own name. Those of other names stay; null removes one. */
  readonly extensions?: Readonly<Record<string, unknown>>;
}

export interface NamedAgentDetails extends AgentDetailOptions {
  /** A new name. */
  readonly name?: string;
}

/** `order`: default `oldest`. `limit`: 1 to 1,000, default all. */
export type AgentListOptions = Partial<AgentQuery>;

export interface CreateAgentOptions extends AgentDetailOptions {
  /** A UUID that no agent of the user has; default a new one. */
  readonly id?: string;
  /** Unique among the user's agents, without a slash. */
  readonly name: string;
  /** Default: the runtime's model. */
  readonly model?: string;
  /** `native`: the text of a reply is the answer. `heartbeat`: the agent answers with a tool. Default: the runtime's. */
  readonly protocol?: Protocol;
  /** The type of a registered memory class; default `chat`. `scratchpad` and `free` are always registered, too. */
  readonly memoryType?: string;
  /** Used instead of `memoryType`: an existing memory, whose class must be registered. */
  readonly memory?: BaseMemory;
  /** Who the agent is: the text of the persona module of a `ChatMemory`. */
  readonly persona?: string;
  /** Who the user is: the text of its human module. */
  readonly human?: string;
  /**
   * Modules in addition to those of the memory class, or instead of one with the same label: existing ones by their id, which
   * are attached, and new ones by value.
   */
  readonly modules?: readonly (string | ModuleDefinition)[];
  /** Limit of each of these two modules, in code points. */
  readonly coreMemoryLimit?: number;
  /** Default: the text that ships with the package for the protocol. */
  readonly systemPrompt?: string;
  /** Settings of this agent that differ from the runtime's. */
  readonly settings?: Partial<AgentSettings>;
}

export interface OpenAgentOptions {
  /** `last` (the default) continues the most recent conversation, or starts one; `new` starts one; `id` names one to open. */
  readonly conversation?: "last" | "new" | { readonly id: string };
  /** Creates the agent if none has that name. */
  readonly create?: Omit<CreateAgentOptions, "name">;
  /** Changes the model of an existing agent permanently. A model of the same provider keeps the agent's address. */
  readonly model?: string;
  /** The address of the model's API; null: the provider's own. Changes the agent permanently, as `model` does. */
  readonly baseUrl?: string | null;
  /** Does not require the model's key before a turn: for uses without model calls, such as `context` and `compactions`. */
  readonly withoutCalls?: boolean;
  /**
   * Writes nothing to open it: a conversation that would be started is not stored. For uses that only read, such as `context` and
   * `steps`.
   */
  readonly forReading?: boolean;
  /** How its tools differ from the defaults. Replaces the `tools` of the runtime. */
  readonly tools?: ToolSelection;
  /**
   * Stores nothing permanently. The conversation is new and is deleted when the runtime is closed. Changes of core memory are
   * visible in this conversation only, have no revisions and cannot be undone. Inserts into the archive are neither stored
   * nor found. An agent that was created for the conversation is deleted with it. A process that is killed leaves the
   * conversation behind, but never a change of memory.
   */
  readonly ephemeral?: boolean;
}

export interface AgentOperations {
  /**
   * Returns the user's own agents, then those of other users that this user accepted. The next page is `after` the id of the
   * last one. Throws RequestError `input_invalid`.
   */
  list(options?: AgentListOptions): Promise<readonly AgentRecord[]>;
  /** Returns the number of these agents. */
  count(): Promise<number>;
  /** Returns their tags, each once, in alphabetical order. */
  tags(): Promise<readonly string[]>;
  /** Returns the record of an agent. Throws RequestError `grant_ended` for an agent that the user may only read. */
  find(agent: string): Promise<AgentRecord>;
  /**
   * Creates an agent. Throws RequestError `agent_exists` for a name or id in use, `input_invalid` for an invalid id or detail,
   * ConfigError for a text over its limit or an unknown model.
   */
  create(options: CreateAgentOptions): Promise<AgentRecord>;
  /**
   * Changes the given settings of an existing agent and keeps the others. Open agents keep their settings until they are
   * opened again. Throws ConfigError for a setting that is unknown or invalid. Only the owner may call it.
   */
  update(agent: string, settings: Partial<AgentSettings>): Promise<AgentRecord>;
  /**
   * Replaces the system prompt of an agent in all its conversations. Open agents keep their prompt until they are opened
   * again. Core memory replaces `{CORE_MEMORY}`, or follows a text without it. Throws RequestError `input_invalid` for a text
   * that is blank or as long as the window. Only the owner may call it.
   */
  setSystemPrompt(agent: string, text: string): Promise<AgentRecord>;
  /**
   * Changes the name and the details that are given. Open agents keep their name until they are opened again. Throws
   * ConfigError for an invalid name, RequestError `agent_exists` for one in use, and `input_invalid`; nothing is changed then.
   * Only the owner may call it.
   */
  setDetails(agent: string, details: NamedAgentDetails): Promise<AgentRecord>;
  /**
   * Changes the model permanently, without opening the agent. A model of the same provider keeps the agent's address unless
   * `baseUrl` replaces it (null: the provider's own). Open agents keep their model until they are opened again. Throws
   * ConfigError for a model that cannot be used. Only the owner may call it.
   */
  setModel(agent: string, model: string, options?: { readonly baseUrl?: string | null }): Promise<AgentRecord>;
  /**
   * Opens an agent in a conversation. Throws RequestError `conversation_not_found`, and ConfigError for a model that cannot
   * be used.
   */
  open(agent: string, options?: OpenAgentOptions): Promise<Agent>;
  /**
   * Deletes the user's own agent; other users can still read their conversations and memory with it. For an agent that the
   * user may only read, deletes the user's conversations and memory with it.
   */
  delete(agent: string): Promise<void>;
  /**
   * Offers the user's own agent to another user. After that user accepts, both use one persona, and each has a separate human
   * module, history and archive. The result is the same for a user id that does not exist.
   */
  share(agent: string, userId: string): Promise<void>;
  /** Withdraws the offer, or ends the other user's grant. Returns false if there was neither. */
  unshare(agent: string, userId: string): Promise<boolean>;
  /** Returns the users who may use the agent, and those to whom it is offered. */
  recipients(agent: string): Promise<readonly RecipientRecord[]>;
  /** Returns the agents that other users offer to this one, oldest offer first. */
  offers(): Promise<readonly OfferRecord[]>;
  /**
   * Accepts an offer, named by `owner/name` or the agent's id. The agent can then be used under that name. Does nothing for an
   * agent that was accepted before. Throws RequestError `offer_not_found`.
   */
  accept(offer: string): Promise<AgentRecord>;
  /** Declines an offer; the owner can make another. Throws RequestError `offer_not_found`. */
  decline(offer: string): Promise<void>;
  /**
   * Ends the use of another user's agent. The conversations and memory with it can still be read. Throws RequestError
   * `agent_not_found`.
   */
  leave(agent: string): Promise<void>;
  /**
   * Returns the agents that the user may no longer use: the owner stopped sharing or deleted them, or the user left them.
   * Their conversations, core memory and archives can be read and exported by name until the user deletes them.
   */
  former(): Promise<readonly FormerAgentRecord[]>;
  /**
   * Returns an agent with its memory, revisions, conversations and archive as an agent file, which other programs for agents read,
   * too. Contents of attached files are not in it. Only the owner may call it.
   */
  export(agent: string): Promise<AgentFile>;
  /**
   * Creates the agents in an agent file: the JSON value or its text, written by `export`, by Letta 0.16, or in Letta's older form.
   * Ids are kept if the user has none of them. All agents are created or none. Throws RequestError `import_invalid` for another
   * value, `agent_exists` for a name in use, `input_invalid`, ConfigError for a model, embedder or setting that cannot be used
   * here, and DefinitionError for a memory class that is not registered.
   */
  import(file: unknown, options?: AgentImportOptions): Promise<AgentImport>;
  /**
   * Imports everything in the PostgreSQL database of a Letta server 0.16.8: agents, blocks, messages, conversations, passages,
   * files and tools, with their ids. Can be repeated: only what is new is stored. The database is only read. Throws RequestError
   * `import_invalid` for a database that cannot be read or has another version, `input_invalid`, and ConfigError for a model that
   * cannot be used; what was stored by then stays.
   */
  importLetta(databaseUrl: string, options?: LettaImportOptions): Promise<LettaImport>;
}
