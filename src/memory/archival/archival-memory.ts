// Archival memory of one agent and user: passages by meaning and by words, with vectors made behind the scenes.
// Invariant: a passage is kept and can be found by its words at once; a failing embedder delays its vector and loses nothing.
import type { Embedder } from "../../embedding/embedder.ts";
import type { ArchivalQuery, SearchPage } from "../../tool/tool.ts";
import { spanOfDays } from "../days.ts";
import { searchPageSize } from "../recall/recall-search.ts";
import type { PassageStore } from "../store.ts";

export interface ArchivalMemory {
  search(query: ArchivalQuery & { readonly pageSize?: number }): Promise<SearchPage>;
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
  /** Told when the embedder fails; passages without vectors are tried again by the next call. */
  readonly onEmbeddingFailure: (error: unknown) => void;
}

/** Passages whose vectors are made in one call of the embedder. */
const batchSize = 32;

export function createArchivalMemory(options: ArchivalMemoryOptions): ArchivalMemory {
  const { agentId, passages, embedder, timeZone } = options;
  let running: Promise<void> = Promise.resolve();

  const queryVector = async (query: string): Promise<readonly number[] | null> => {
    if (embedder === null || isQuoted(query)) return null;
    try {
      const [vector] = await embedder.embed([query]);
      return vector ?? null;
    } catch (error) {
      options.onEmbeddingFailure(error);
      return null;
    }
  };

  return {
    async search({ query, page, tags, startDate, endDate, pageSize = searchPageSize }) {
      const span = spanOfDays({ start: startDate, end: endDate }, timeZone);
      const vector = await queryVector(query);
      const meaning = vector === null || embedder === null ? { vector: null } : { vector, embedder: embedder.name };
      const filter = { agentId, text: query, ...meaning, span, page, pageSize };
      const found = await passages.search(tags === undefined ? filter : { ...filter, tags });
      const hits = found.rows.map((passage) => ({
        id: passage.id,
        text: passage.content,
        at: passage.at,
        tags: passage.tags,
      }));
      return { hits, page, pageSize, total: found.total };
    },
    embedPending() {
      if (embedder === null) return;
      running = running.then(() => embedAll({ agentId, passages, embedder })).catch(options.onEmbeddingFailure);
    },
    idle: () => running,
  };
}

interface EmbeddingRun {
  readonly agentId: string;
  readonly passages: PassageStore;
  readonly embedder: Embedder;
}

async function embedAll({ agentId, passages, embedder }: EmbeddingRun): Promise<void> {
  const { name, dimensions } = embedder;
  for (;;) {
    const pending = await passages.withoutVector(agentId, { embedder: name, dimensions, limit: batchSize });
    if (pending.length === 0) return;
    const vectors = await embedder.embed(pending.map((passage) => passage.content));
    const rows = pending.map((passage, index) => ({ passageId: passage.id, vector: vectors[index] ?? [] }));
    await passages.addVectors(agentId, { embedder: name, dimensions, rows });
  }
}

function isQuoted(query: string): boolean {
  return /^\s*".+"\s*$/s.test(query);
}
