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
  /** `last` (the default) goes on with the conversation used last, or begins one; `new` begins one; else an id. */
  readonly conversation?: "last" | "new" | { readonly id: string };
  /** Makes the agent when there is none of that name. */
  readonly create?: Omit<CreateAgentOptions, "name">;
  /** Changes the agent from now on, when it exists already. Another model of the same provider stays at the agent's address. */
  readonly model?: string;
  /** Where the model is asked; null: at its provider's own address. Changes the agent from now on, as `model` does. */
  readonly baseUrl?: string | null;
  /** For what makes no model call, such as `context` and `compactions`: the model's key is not asked for before a turn. */
  readonly withoutCalls?: boolean;
  /** How its tools differ from the defaults; in place of what the runtime says for all agents. */
  readonly tools?: ToolSelection;
  /**
   * Nothing of it lasts. The conversation is a new one, and is deleted when the runtime is closed; what the agent changes in
   * core memory holds for this conversation alone, has no revisions and cannot be taken back, and what it adds to the archive
   * is not kept and not found. An agent that was made for it is deleted as well. A process that is killed leaves the
   * conversation behind, and never a change of memory.
   */
  readonly ephemeral?: boolean;
}

export interface AgentOperations {
  /** The user's own, then those of other users that the user has accepted. */
  list(): Promise<readonly AgentRecord[]>;
  /** Throws RequestError `grant_ended` for an agent that the user may only read. */
  find(agent: string): Promise<AgentRecord>;
  /** Throws RequestError `agent_exists`, ConfigError for a text over its limit or an unknown model. */
  create(options: CreateAgentOptions): Promise<AgentRecord>;
  /**
   * Changes settings of an agent that exists; what is not named stays. It holds for agents that are opened from then on.
   * Throws ConfigError for a setting that is unknown or wrong. Only the owner can.
   */
  update(agent: string, settings: Partial<AgentSettings>): Promise<AgentRecord>;
  /**
   * Puts another system prompt in the place of an agent's, in all its conversations; it holds for agents that are opened from
   * then on. Core memory stands where it says `{CORE_MEMORY}`, else behind it. Throws RequestError `input_invalid` for a blank
   * one, or one as long as the window. Only the owner can.
   */
  setSystemPrompt(agent: string, text: string): Promise<AgentRecord>;
  open(agent: string, options?: OpenAgentOptions): Promise<Agent>;
  /**
   * Deletes an agent of the user's own. Other users can then read what they have with it, and not use it any more. For an agent
   * that the user may only read, deletes what the user has with it.
   */
  delete(agent: string): Promise<void>;
  /**
   * Offers an agent of the user's own to another user. When that user has accepted, both use one persona, each with a human
   * module, history and archive of their own. An offer to a name that no user has looks the same.
   */
  share(agent: string, userId: string): Promise<void>;
  /** Ends what `share` began: withdraws the offer, or ends the other user's access. False when there was neither. */
  unshare(agent: string, userId: string): Promise<boolean>;
  /** The other users who may use an agent of the user's own, and those to whom it is offered. */
  recipients(agent: string): Promise<readonly RecipientRecord[]>;
  /** Agents that other users offer to this one, oldest offer first. */
  offers(): Promise<readonly OfferRecord[]>;
  /**
   * Accepts an offer, named by `owner/name` or the agent's id: the agent is then the user's to use, by that name. Again for an
   * agent that was accepted does nothing. Throws RequestError `offer_not_found`.
   */
  accept(offer: string): Promise<AgentRecord>;
  /** The offer is gone; the owner can make another. Throws RequestError `offer_not_found`. */
  decline(offer: string): Promise<void>;
  /** Ends the use of another user's agent. What the user has with it can still be read. Throws RequestError `agent_not_found`. */
  leave(agent: string): Promise<void>;
  /**
   * Agents that the user may not use any more: the owner stopped sharing or deleted them, or the user left them. Their
   * conversations, core memory and archives can be read and exported by their names, until the user deletes them.
   */
  former(): Promise<readonly FormerAgentRecord[]>;
}
