// Archival memory of one agent and user: passages by meaning and by words, with vectors made behind the scenes.
// Invariant: a passage is kept and can be found by its words at once; a failing embedder delays its vector and loses nothing.
import type { Embedder } from "../../embedding/embedder.ts";
import type { ArchivalQuery, SearchHit, SearchPage } from "../../tool/tool.ts";
import { spanOfDays } from "../days.ts";
import { searchPageSize } from "../recall/recall-search.ts";
import type { PassageFilter, PassageHit, PassageStore, SearchWeights } from "../passage-store.ts";
import { embedBatch, type EmbeddingTask } from "./embed-batch.ts";

/** What a person or a program may ask for besides what a tool may. */
export interface ArchivalSearch extends ArchivalQuery, Pick<PassageFilter, "kinds" | "sources" | "leastImportance"> {
  readonly pageSize?: number;
  /** In place of the usual ones; what is not named stays. */
  readonly weights?: Partial<SearchWeights>;
}

/** A passage that was found, with all that is known of it and why it was found. */
export interface ArchivalHit extends SearchHit, Pick<PassageHit, "kind" | "importance" | "source" | "explanation"> {
  readonly tags: readonly string[];
}

export interface ArchivalPage extends SearchPage {
  readonly hits: readonly ArchivalHit[];
}

export interface ArchivalMemory {
  search(query: ArchivalSearch): Promise<ArchivalPage>;
  /** Begins to make vectors for passages that have none; returns at once. */
  embedPending(): void;
  /** Resolves when no vector is being made. */
  idle(): Promise<void>;
}

export interface ArchivalMemoryOptions {
  readonly agentId: string;
  readonly passages: PassageStore;
  /** Null: search by words alone. */
  readonly embedder: Embedder | null;
  readonly timeZone: string;
  /** Told when a vector could not be made, of a query or of passages; the latter are tried again by the next call. */
  readonly onEmbeddingFailure: (error: unknown) => void;
}

/** The least cosine of what is found by meaning alone. */
const similarityFloor = 0.35;

export function createArchivalMemory(options: ArchivalMemoryOptions): ArchivalMemory {
  const { agentId, passages, embedder, timeZone } = options;
  let running: Promise<void> = Promise.resolve();

  const queryVector = async (query: string): Promise<readonly number[] | null> => {
    if (embedder === null || isQuoted(query)) return null;
    try {
      const [vector = []] = await embedder.embed([query]);
      return vector;
    } catch (error) {
      options.onEmbeddingFailure(error);
      return null;
    }
  };

  return {
    async search({ query, page, startDate, endDate, pageSize = searchPageSize, ...narrowed }) {
      const span = spanOfDays({ start: startDate, end: endDate }, timeZone);
      const vector = await queryVector(query);
      const meaning =
        vector === null || embedder === null
          ? null
          : { vector, embedder: embedder.name, dimensions: embedder.dimensions, floor: similarityFloor };
      const found = await passages.search({ ...narrowed, agentId, text: query, meaning, span, page, pageSize });
      const hits = found.rows.map(({ content, ...passage }) => ({ ...passage, text: content }));
      const result = { hits, page, pageSize, total: found.total };
      const isPartial = vector === null && embedder !== null && !isQuoted(query);
      return isPartial ? { ...result, wordsAlone: true } : result;
    },
    embedPending() {
      if (embedder === null) return;
      const task = { archiveId: agentId, passages, embedder };
      running = running.then(() => embedAll(task)).catch(options.onEmbeddingFailure);
    },
    idle: () => running,
  };
}

async function embedAll(task: EmbeddingTask): Promise<void> {
  while ((await embedBatch(task)) > 0);
}

function isQuoted(query: string): boolean {
  return /^\s*".+"\s*$/s.test(query);
}
