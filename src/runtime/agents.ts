// Agents: how they are made, opened, changed and shared.
// Invariant: types only; each operation is of the runtime's user alone.
import type { Agent } from "../agent/agent.ts";
import type { BaseMemory } from "../memory/core/base-memory.ts";
import type {
  AgentRecord,
  AgentSettings,
  FormerAgentRecord,
  OfferRecord,
  Protocol,
  RecipientRecord,
} from "../memory/records.ts";
import type { ToolSelection } from "../tool/select-tools.ts";

export interface CreateAgentOptions {
  /** Unique among the user's agents, without a slash. */
  readonly name: string;
  /** Default: the runtime's model. */
  readonly model?: string;
  readonly protocol?: Protocol;
  /** The type of a registered memory class; default `chat`. `scratchpad` is always there, too. */
  readonly memoryType?: string;
  /** Or a memory that is made already; its class must be registered. */
  readonly memory?: BaseMemory;
  /** Texts for the persona and human modules of a `ChatMemory`. */
  readonly persona?: string;
  readonly human?: string;
  /** Code points of each of these two modules. */
  readonly coreMemoryLimit?: number;
  readonly systemPrompt?: string;
  readonly settings?: Partial<AgentSettings>;
}

export interface OpenAgentOptions {
  /** `last` (the default) continues the conversation used last, or begins one; `new` begins one; `id` opens that one. */
  readonly conversation?: "last" | "new" | { readonly id: string };
  /** Creates the agent if there is none of that name. */
  readonly create?: Omit<CreateAgentOptions, "name">;
  /** Changes the model of an existing agent permanently. A model of the same provider keeps the agent's address. */
  readonly model?: string;
  /** The address of the model's API; null: the provider's own. Changes the agent permanently, as `model` does. */
  readonly baseUrl?: string | null;
  /**
   * For uses without model calls, such as `context` and `compactions`: the key of the model is not required before a turn.
   */
  readonly withoutCalls?: boolean;
  /** How its tools differ from the defaults. Replaces the `tools` of the runtime. */
  readonly tools?: ToolSelection;
  /**
   * Keeps nothing. The conversation is new and is deleted when the runtime is closed. Changes of core memory are visible in
   * this conversation only, have no revisions and cannot be undone. Inserts into the archive are neither stored nor found. An
   * agent that was created for the conversation is deleted with it. A process that is killed leaves the conversation behind,
   * but never a change of memory.
   */
  readonly ephemeral?: boolean;
}

export interface AgentOperations {
  /** Returns the user's own agents, then those of other users that the user has accepted. */
  list(): Promise<readonly AgentRecord[]>;
  /** Returns the record of an agent. Throws RequestError `grant_ended` for an agent that the user may only read. */
  find(agent: string): Promise<AgentRecord>;
  /** Creates an agent. Throws RequestError `agent_exists`, ConfigError for a text over its limit or an unknown model. */
  create(options: CreateAgentOptions): Promise<AgentRecord>;
  /**
   * Changes the given settings of an existing agent and keeps the others. Agents that are open keep their settings until they
   * are opened again. Throws ConfigError for a setting that is unknown or invalid. Only the owner may call it.
   */
  update(agent: string, settings: Partial<AgentSettings>): Promise<AgentRecord>;
  /**
   * Replaces the system prompt of an agent in all its conversations. Agents that are open keep theirs until they are opened
   * again. Core memory replaces `{CORE_MEMORY}`, or follows a text without it. Throws RequestError `input_invalid` for a blank
   * text or one as long as the window. Only the owner may call it.
   */
  setSystemPrompt(agent: string, text: string): Promise<AgentRecord>;
  open(agent: string, options?: OpenAgentOptions): Promise<Agent>;
  /**
   * Deletes an agent of the user's own. Other users can still read what they have with it. For an agent that the user may only
   * read, deletes what the user has with it.
   */
  delete(agent: string): Promise<void>;
  /**
   * Offers an agent of the user's own to another user. When that user has accepted, both use one persona, each with a human
   * module, history and archive of their own. An offer to a name that no user has looks the same.
   */
  share(agent: string, userId: string): Promise<void>;
  /** Withdraws the offer, or ends the other user's access. Returns false when there was neither. */
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
   * Ends the use of another user's agent. What the user has with it can still be read. Throws RequestError `agent_not_found`.
   */
  leave(agent: string): Promise<void>;
  /**
   * Returns the agents that the user may not use any more: the owner stopped sharing or deleted them, or the user left them.
   * Their conversations, core memory and archives can be read and exported by name until the user deletes them.
   */
  former(): Promise<readonly FormerAgentRecord[]>;
}
