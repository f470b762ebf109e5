// Declares the dependencies of a runtime's operations, and contains the lookups that several operations share.
// Invariant: every operation goes through the store of one user; this file imports no implementation.
import type { RunningTurns } from "../../agent/lease/running-turns.ts";
import type { LiveTurns } from "../../agent/turn-journal.ts";
import type { AgentDeps, TurnTimes } from "../../agent/turn.ts";
import type { Clock } from "../../base/clock.ts";
import type { Ids } from "../../base/ids.ts";
import type { Log } from "../../base/log.ts";
import { RequestError } from "../../base/errors.ts";
import type { ModelPrice } from "../../base/message/message.ts";
import type { FileInput } from "../../base/message/file-part.ts";
import type { GuardedEmbedder } from "../../model/embedding/embedder.ts";
import type { Model } from "../../model/llm/model.ts";
import type { BackFill } from "../../memory/vectors/back-fill.ts";
import type { Embedders } from "../../memory/vectors/embedders.ts";
import type { MemoryRegistry } from "../../memory/core/memory-registry.ts";
import type { AgentRecord, AgentSettings, ConversationRecord, Protocol } from "../../store/port/records.ts";
import type { ReadFile } from "../../memory/attachments/attachments.ts";
import type { Objects } from "../../store/object-storage/objects.ts";
import type { MatchLines } from "../../memory/attached/find-lines.ts";
import type { FindSource } from "../../memory/source-load.ts";
import type { UserStore } from "../../store/port/store.ts";
import type { TokenCounter } from "../../model/tokens/token-counter.ts";
import type { GuardedReranker } from "../../model/reranking/reranker.ts";
import type { Sandbox } from "../../tool/sandbox.ts";
import type { Tool, ToolSelection } from "../../tool/tool.ts";
import type { AgentMemories, WorkingMemorySettings } from "./agent-memories.ts";
import type { DeferredForgettings } from "../forgetting/deferred-forgettings.ts";
import type { ToolServers } from "../mcp-servers/tool-servers.ts";
import type { BackgroundWork } from "./background-work.ts";
import type { UserMaximum } from "./user-maximum.ts";

/** The model, protocol and settings that a new agent gets by default. */
export interface AgentDefaults {
  readonly model: string;
  readonly protocol: Protocol;
  readonly settings: AgentSettings;
}

/** Settings and embedder for searches of a conversation's last messages. */
export interface BufferDeps {
  readonly size: number;
  readonly search: "off" | "words" | "meaning";
  /** The embedder of the messages; null: searches compare words only. */
  readonly embedder: GuardedEmbedder | null;
}

/** Settings of the searches that run for the input of each turn. */
export interface RetrievalSettings extends WorkingMemorySettings {
  readonly archivalMemory: "on" | "off";
  readonly queryPlanner: "off" | "on";
  readonly plannerTokens: number;
}

/** Finds the models of the runtime by their name and the address of their server (null: the provider's own). */
export interface AgentModels {
  /** Returns the model. Throws ConfigError for a name that no adapter knows, and for a model with a missing key. */
  readonly resolve: (name: string, baseUrl: string | null) => Model;
  /** Like `resolve`, but does not require a key: for uses that make no model call. */
  readonly find: (name: string, baseUrl: string | null) => Model;
  /** Returns the price of a model's tokens; null for a model without a price. */
  readonly priceOf: (model: string) => ModelPrice | null;
  readonly counterFor: (model: string, baseUrl: string | null) => TokenCounter;
}

/** An agent that stays open in a conversation after its last turn has ended. */
export interface KeptAgent {
  readonly open: AgentDeps;
  /** The version of the rows from which the agent was opened. */
  readonly version: string;
  /** Identifies the tools that the host added: contains each tool or, for a tool of an MCP server, its definition. */
  readonly added: readonly unknown[];
}

/** The user's agents that are kept open between turns, by conversation. */
export interface KeptAgents {
  /** Removes an agent, and returns it; null if it is not kept. */
  take(conversationId: string): KeptAgent | null;
  /** Keeps an agent that takes about `bytes` of memory, if there is room. */
  put(conversationId: string, kept: KeptAgent, bytes: number): void;
}

/** Everything that the operations of one runtime share. Each operation takes the part that it uses. */
export interface OperationDeps {
  readonly store: UserStore;
  /** Returns the user's in-memory store for ephemeral conversations. */
  readonly openEphemeralStore: () => Promise<UserStore>;
  readonly registry: MemoryRegistry;
  readonly defaults: AgentDefaults;
  readonly maximum: UserMaximum;
  /**
   * Returns the settings in their stored form. `before`: the agent's current settings. `model`: the name of a model that the
   * agent gets. Throws ConfigError for an unknown or invalid setting of an agent, and RequestError `input_invalid` for a model
   * or a model server that users may not choose.
   */
  readonly checkSettings: (settings: AgentSettings, before?: AgentSettings, model?: string) => AgentSettings;
  readonly models: AgentModels;
  /** The tools of agents, except those of core memory. `workingSearch` is used only if working memory is on. */
  readonly tools: {
    readonly common: readonly Tool[];
    readonly sendMessage: Tool;
    /** The only memory tool of an agent with `assist`. */
    readonly remember: Tool;
    /** The tool of an agent that has skills, or that may write them. */
    readonly readSkill: Tool;
    readonly workingSearch: Tool;
    /** The tools of an agent to which a source with files is attached. */
    readonly ofFiles: readonly Tool[];
    /** The tools that the setting `addedTools` names. */
    readonly optional: Readonly<Record<AgentSettings["addedTools"][number], Tool>>;
    readonly selection: ToolSelection;
    /** Connects to the MCP servers whose tools are in the selection; a server that fails is logged. */
    readonly connect: () => Promise<void>;
  };
  /** Runs Python tools; null if Python tools are off. */
  readonly sandbox: Sandbox | null;
  /** Access to the MCP servers that users have added. */
  readonly toolServers: ToolServers;
  readonly embedders: Embedders;
  readonly reranker: GuardedReranker | null;
  /** Embeds texts without a vector after a turn and after an outage; does nothing if no embedder is configured. */
  readonly backFill: BackFill;
  readonly memories: AgentMemories;
  readonly keptAgents: KeptAgents;
  readonly deferred: DeferredForgettings;
  /** `wake` delivers messages between agents in the background: each message as soon as it can be delivered. */
  readonly messages: { wake(): void };
  readonly retrieval: RetrievalSettings;
  readonly buffer: BufferDeps;
  /** Reads files, to attach them to messages or to load them into a source, and stores the contents of attachments. */
  readonly files: {
    readonly read: (inputs: readonly FileInput[]) => Promise<readonly ReadFile[]>;
    readonly find: FindSource;
    readonly matchLines: MatchLines;
    readonly objects: Objects;
  };
  readonly turnTimes: TurnTimes;
  readonly background: BackgroundWork;
  readonly turns: RunningTurns;
  /** The turns of the user that run in this process. */
  readonly live: LiveTurns;
  /** `isOn`: whether servers continue a turn that begins now, if this process ends before the turn ends. */
  readonly serving: { readonly isOn: boolean };
  readonly ids: Ids;
  readonly clock: Clock;
  /** Receives progress and failures of background work, one line each. */
  readonly log: Log;
  /** Receives warnings about probable mistakes of the program, one line each. */
  readonly warn: (line: string) => void;
}

/**
 * Returns a conversation of the agent. Throws RequestError `conversation_not_found`, also for a conversation of another agent.
 */
export async function requireConversation(
  { conversations }: Pick<UserStore, "conversations">,
  agent: Pick<AgentRecord, "id" | "name">,
  id: string,
): Promise<ConversationRecord> {
  const found = await conversations.find(id);
  if (found !== null && found.agentId === agent.id) return found;
  throw conversationNotFound(agent, id);
}

export function conversationNotFound({ name }: Pick<AgentRecord, "name">, id: string): RequestError {
  return new RequestError(
    "conversation_not_found",
    `Agent "${name}" has no conversation "${id}". \`runtime.conversations.list("${name}")\` lists its conversations.`,
  );
}
