// What the operations of a runtime work with, and what several of them look up.
// Invariant: every operation goes through the store of one user; nothing here knows an implementation.
import { messageOf } from "../base/error-message.ts";
import type { Clock } from "../base/clock.ts";
import type { Ids } from "../base/ids.ts";
import { RequestError } from "../errors.ts";
import type { ModelPrice } from "../message/message.ts";
import type { FileInput } from "../message/file-part.ts";
import type { GuardedEmbedder } from "../embedding/embedder.ts";
import type { Model } from "../llm/model.ts";
import { type ArchivalMemory, createArchivalMemory } from "../memory/archival/archival-memory.ts";
import { type BackFill, isOutage } from "../memory/vectors/back-fill.ts";
import { type Embedders, makersOf, searchedBy } from "../memory/vectors/embedders.ts";
import type { MeaningDeps } from "../memory/vectors/query-meaning.ts";
import type { WorkingMemory } from "../memory/working/working-memory.ts";
import type { MemoryRegistry } from "../memory/core/memory-registry.ts";
import type { AgentRecord, AgentSettings, ConversationRecord, Protocol } from "../memory/records.ts";
import type { ReadFile } from "../memory/attachments/attachments.ts";
import type { Objects } from "../objects/objects.ts";
import type { LoadFiles } from "../memory/source-load.ts";
import type { UserStore } from "../memory/store.ts";
import type { TokenCounter } from "../tokens/token-counter.ts";
import type { ToolSelection } from "../tool/select-tools.ts";
import type { Tool } from "../tool/tool.ts";

/** What an agent gets that is made without saying otherwise. */
export interface AgentDefaults {
  readonly model: string;
  readonly protocol: Protocol;
  readonly settings: AgentSettings;
}

/** The last messages of a conversation, as they are searched. */
export interface BufferDeps {
  /** Messages. */
  readonly size: number;
  readonly search: "off" | "words" | "meaning";
  /** Null: by words alone. */
  readonly embedder: GuardedEmbedder | null;
}

/** What is looked up for a turn, by the configuration. */
export interface RetrievalSettings {
  readonly archivalMemory: "on" | "off";
  readonly workingMemory: "off" | "process" | "refilled";
  readonly workingMemoryMegabytes: number;
  readonly workingMemoryMinutes: number;
  readonly queryPlanner: "off" | "on";
  readonly plannerTokens: number;
}

export interface OperationDeps {
  readonly store: UserStore;
  readonly registry: MemoryRegistry;
  readonly embedders: Embedders;
  readonly defaults: AgentDefaults;
  /** The tools that an agent has besides those of its memory; `workingSearch` only where there is working memory. */
  readonly tools: {
    readonly common: readonly Tool[];
    readonly sendMessage: Tool;
    readonly workingSearch: Tool;
    readonly selection: ToolSelection;
  };
  /** Throws ConfigError for a setting of an agent's that is unknown or wrong. */
  readonly checkSettings: (settings: AgentSettings) => void;
  /** Throws ConfigError for a name that no adapter knows or that lacks its key. */
  readonly resolveModel: (name: string, baseUrl: string | null) => Model;
  /** The same for what makes no call: a key is not asked for. */
  readonly findModel: (name: string, baseUrl: string | null) => Model;
  /** Null for a model whose price nobody has configured. */
  readonly priceFor: (model: string) => ModelPrice | null;
  readonly counterFor: (model: string, baseUrl: string | null) => TokenCounter;
  /** Milliseconds: how long a lease holds, and how long to wait for one. */
  readonly leases: { readonly leaseMs: number; readonly waitMs: number };
  /** How files are read that are to be attached, and where their contents go. */
  readonly files: {
    readonly read: (inputs: readonly FileInput[]) => Promise<readonly ReadFile[]>;
    readonly objects: Objects;
  };
  /** Reads files into a source. */
  readonly loadFiles: LoadFiles;
  readonly ids: Ids;
  readonly clock: Clock;
  /** Told of what goes on behind the scenes: an embedder that fails. */
  readonly log: (line: string) => void;
  /** Makes vectors that are missing, after a turn and after an outage; without an embedder it does nothing. */
  readonly backFill: BackFill;
  /** The archives in use, by agent: they are waited for at the end. */
  readonly archives: Map<string, ArchivalMemory>;
  readonly retrieval: RetrievalSettings;
  readonly buffer: BufferDeps;
  /** The working memories in use, by agent. */
  readonly workings: Map<string, WorkingMemory>;
  /** What goes on beside turns: it is waited for at the end. */
  readonly background: Set<Promise<void>>;
  /** Each deletes, at the end, a conversation that is not to last. */
  readonly ephemerals: Set<() => Promise<void>>;
}

/** As much of an agent as its archive and its history are read with. */
export interface ReadableAgent extends Pick<AgentRecord, "id" | "name"> {
  readonly settings: Pick<AgentSettings, "timeZone" | "searchWeights">;
}

/** Throws RequestError `conversation_not_found`, also for one with another agent. */
export async function requireConversation(
  { conversations }: Pick<UserStore, "conversations">,
  agent: Pick<AgentRecord, "id" | "name">,
  id: string,
): Promise<ConversationRecord> {
  const found = await conversations.find(id);
  if (found !== null && found.agentId === agent.id) return found;
  throw new RequestError(
    "conversation_not_found",
    `Agent "${agent.name}" has no conversation "${id}". \`palimpsest conversations list -a ${agent.name}\` shows those there are.`,
  );
}

/** The archive of an agent; the same one each time, so that its pending vectors are known. */
export function archiveOf(deps: OperationDeps, agent: ReadableAgent): ArchivalMemory {
  const known = deps.archives.get(agent.id);
  if (known !== undefined) return known;
  const archive = createArchivalMemory({
    agentId: agent.id,
    passages: deps.store.passages,
    makers: () => makersOf(agent.id, embedderParts(deps)),
    timeZone: agent.settings.timeZone,
    weights: agent.settings.searchWeights,
    clock: deps.clock,
    onFailure: (error) => deps.log(`How often passages were shown could not be counted: ${messageOf(error)}`),
    ...meaningParts(deps, agent.id),
  });
  deps.archives.set(agent.id, archive);
  return archive;
}

/** What searches of an agent's memory make vectors of queries with. */
export function meaningParts(deps: OperationDeps, agentId: string): MeaningDeps {
  const { backFill, log } = deps;
  return {
    searchedBy: () => searchedBy(agentId, embedderParts(deps)),
    onEmbeddingFailure: (error) => {
      // An outage is told by the embedder's guard, once.
      if (isOutage(error)) backFill.wake();
      else reportEmbeddingFailure(log, error);
    },
  };
}

function embedderParts({ embedders, store }: OperationDeps) {
  return { embedders, store: store.embedders };
}

/** A line about vectors that could not be stored or made for another reason than an outage of the embedder. */
export function reportEmbeddingFailure(log: (line: string) => void, error: unknown): void {
  const reason = messageOf(error);
  log(`Memory is searched by words alone for now, because vectors could not be made: ${reason}`);
}
