// Holds the open archive and the working memory of each agent while the runtime is open.
// Invariant: an agent has one archive and one working memory, and a deletion from the store also empties its working memory.
import type { Clock } from "../../base/clock.ts";
import { messageOf } from "../../base/thrown-values.ts";
import { type ArchivalMemory, createArchivalMemory } from "../../memory/archival/archival-memory.ts";
import type { AgentRecord, AgentSettings } from "../../store/port/records.ts";
import type { UserStore } from "../../store/port/store.ts";
import { type BackFill, isOutage } from "../../memory/vectors/back-fill.ts";
import { type Embedders, embeddersOfAgent, searchedBy } from "../../memory/vectors/embedders.ts";
import type { MeaningDeps } from "../../memory/vectors/query-meaning.ts";
import type { GuardedReranker } from "../../model/reranking/reranker.ts";
import { WorkingMemory } from "../../memory/working/working-memory.ts";

export interface AgentMemories {
  /**
   * Returns the agent's archive. Always the same object for an agent, because it tracks pending embeddings; its searches use
   * the settings that were passed last.
   */
  archiveOf(agent: ReadableAgent): ArchivalMemory;
  /** Returns the agent's working memory; null if working memory is off. */
  workingOf(agentId: string): WorkingMemory | null;
  /** Empties the working memory of one agent, or of all. */
  empty(agentId?: string): void;
  /** The number of forgettings that the last call of `emptyForgotten` found. */
  readonly forgettings: number;
  /** Empties all working memories if any process has applied a forgetting since the last call. Returns `forgettings`. */
  emptyForgotten(): Promise<number>;
  /** Resolves when no embedding is pending. */
  idle(): Promise<void>;
  /** Waits for the batches of vectors in progress, and stops the working memories. */
  close(): Promise<void>;
}

/** The fields of an agent that are needed to read its archive and its history. */
export interface ReadableAgent extends Pick<AgentRecord, "id" | "name"> {
  readonly settings: Pick<AgentSettings, "timeZone" | "searchWeights">;
}

export interface WorkingMemorySettings {
  readonly workingMemory: "off" | "process" | "refilled";
  readonly workingMemoryMegabytes: number;
  readonly workingMemoryMinutes: number;
}

interface SearchDeps {
  readonly store: UserStore;
  readonly embedders: Embedders;
  readonly reranker: GuardedReranker | null;
  readonly backFill: BackFill;
  readonly log: (line: string) => void;
}

interface MemoriesDeps extends SearchDeps {
  readonly retrieval: WorkingMemorySettings;
  readonly clock: Clock;
}

export function createAgentMemories(deps: MemoriesDeps): AgentMemories {
  const archives = new Map<string, ArchivalMemory>();
  const settings = new Map<string, ReadableAgent["settings"]>();
  const workingMemories = new Map<string, WorkingMemory>();
  let forgettings = 0;
  const empty = (agentId?: string): void => {
    const emptied = agentId === undefined ? [...workingMemories.values()] : [workingMemories.get(agentId)];
    for (const memory of emptied) memory?.clear(deps.store.userId);
  };
  return {
    archiveOf(agent) {
      settings.set(agent.id, agent.settings);
      return getOrAdd(archives, agent.id, () =>
        openArchive(deps, agent.id, () => settings.get(agent.id) ?? agent.settings),
      );
    },
    workingOf: (agentId) =>
      deps.retrieval.workingMemory === "off" ? null : getOrAdd(workingMemories, agentId, () => newWorkingMemory(deps)),
    empty,
    get forgettings() {
      return forgettings;
    },
    async emptyForgotten() {
      if (workingMemories.size === 0) return forgettings;
      const count = await deps.store.forgetting.count();
      if (count !== forgettings) empty();
      forgettings = count;
      return count;
    },
    async idle() {
      await Promise.all([...archives.values()].map((archive) => archive.idle()));
      await Promise.all([...workingMemories.values()].map((working) => working.idle()));
    },
    async close() {
      await Promise.all([...archives.values()].map((archive) => archive.close()));
      await Promise.all([...workingMemories.values()].map((working) => working.close()));
    },
  };
}

function getOrAdd<Value>(map: Map<string, Value>, key: string, create: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const value = create();
  map.set(key, value);
  return value;
}

function openArchive(deps: MemoriesDeps, agentId: string, settings: () => ReadableAgent["settings"]): ArchivalMemory {
  const { embedders, store, clock, log } = deps;
  return createArchivalMemory({
    agentId,
    passages: store.passages,
    embedders: () => embeddersOfAgent(agentId, { embedders, store: store.embedders }),
    settings,
    clock,
    onFailure: (error) => log(`The accesses of the shown passages could not be counted: ${messageOf(error)}`),
    ...meaningDeps(deps, agentId),
  });
}

function newWorkingMemory({ embedders, retrieval, clock, log }: MemoriesDeps): WorkingMemory {
  return new WorkingMemory({
    embedder: embedders.default?.embedder ?? null,
    maxMemoryMb: retrieval.workingMemoryMegabytes,
    fifoIntervalMin: retrieval.workingMemoryMinutes,
    clock,
    onEmbeddingFailure: (error) => {
      // An outage is not logged here, because the embedder's guard already reports it.
      if (!isOutage(error)) reportEmbeddingFailure(log, error);
    },
  });
}

/** Returns the dependencies with which searches of an agent's memory embed queries. */
export function meaningDeps({ embedders, reranker, store, backFill, log }: SearchDeps, agentId: string): MeaningDeps {
  return {
    reranker,
    searchedBy: (asOf) => searchedBy(agentId, { embedders, store: store.embedders }, asOf),
    onEmbeddingFailure: (error) => {
      // An outage is not logged here, because the embedder's guard already reports it.
      if (isOutage(error)) backFill.wake();
      else reportEmbeddingFailure(log, error);
    },
  };
}

/** Logs that texts could not be embedded, or vectors not stored, for a reason other than an outage of the embedder. */
export function reportEmbeddingFailure(log: (line: string) => void, error: unknown): void {
  const reason = messageOf(error);
  log(`Memory searches compare words only for now, because embedding failed: ${reason}`);
}
