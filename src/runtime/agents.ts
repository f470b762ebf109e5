// Agents: how they are made, opened, changed and shared.
// Invariant: types only; each operation is of the runtime's user alone.
import type { Agent } from "../agent/agent.ts";
import type { BaseMemory } from "../memory/core/base-memory.ts";
import type { AgentRecord, AgentSettings, Protocol } from "../memory/records.ts";
import type { ToolSelection } from "../tool/select-tools.ts";

export interface CreateAgentOptions {
  /** Unique among the user's agents. */
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
  /** Changes the agent from now on, when it exists already. */
  readonly model?: string;
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
  list(): Promise<readonly AgentRecord[]>;
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
  delete(agent: string): Promise<void>;
  /** Another user may then converse with it: one persona, but a human module, history and archive of their own. */
  share(agent: string, userId: string): Promise<void>;
}
