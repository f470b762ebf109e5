// Archival memory of one agent and user: searches passages by meaning and words, and makes their vectors in the
// background.
// Invariant: a stored passage can be found by its words at once; a failing embedder delays its vector and loses
// nothing.
import { quotedLiteral } from "../../base/query-words.ts";
import type { Clock } from "../../base/clock.ts";
import type { ArchivalQuery, SearchHit, SearchPage } from "../../tool/tool.ts";
import type { HitExplanation } from "../../base/search-view/search-explanation.ts";
import { spanOfDays } from "../days.ts";
import { rerankedPage } from "../reranked-page.ts";
import type { SearchWeights } from "../../store/port/search-weights.ts";
import { searchPageSize } from "../recall/recall-search.ts";
import type { PassageFilter, PassageHit, PassageStore } from "../../store/port/passage-store.ts";
import type { AgentSettings } from "../../store/port/records.ts";
import { embedAll } from "../vectors/embed-batch.ts";
import { newestTexts } from "../vectors/back-fills.ts";
import type { OpenAgentEmbedder } from "../vectors/embedders.ts";
import { type AskedMeaning, type MeaningDeps, noMeaning, searchByMeaning } from "../vectors/query-meaning.ts";
import { kindOf, passagesToEmbed } from "../vectors/unembedded.ts";

/** Search options for people and programs, in addition to the options of the search tool. */
export interface ArchivalSearch extends ArchivalQuery, Pick<PassageFilter, "sources" | "minImportance"> {
  /** Overrides for the agent's weights; weights that are absent keep their value. */
  readonly weights?: Partial<SearchWeights>;
}

/** A search for a model. `grouped`: passages on the subject of the best hits rank together, the newest first. */
export interface ModelSearch extends ArchivalSearch {
  readonly grouped?: boolean;
}

/** A passage that a search found, with its metadata and the explanation of its rank. */
export interface ArchivalHit extends SearchHit, Pick<PassageHit, "kind" | "importance" | "replacedBy"> {
  readonly tags: readonly string[];
  readonly explanation: HitExplanation;
}

export interface ArchivalPage extends SearchPage {
  readonly hits: readonly ArchivalHit[];
}

export interface ArchivalMemory {
  search(query: ModelSearch): Promise<ArchivalPage>;
  /** Returns the id of the agent's own passage with this text; null if there is none. */
  idOf(text: string): Promise<string | null>;
  /** Returns the ids of the agent's own passages that end with one of these endings. */
  idsEnding(endings: readonly string[]): Promise<readonly string[]>;
  /** Starts to make vectors for passages that have none; returns at once. */
  embedPending(): void;
  /** Resolves when no vectors are being made and the accesses of every search are counted. */
  idle(): Promise<void>;
  /** Waits like `idle`, but makes only a few more batches, so that closing does not wait for all missing vectors. */
  close(): Promise<void>;
}

export interface ArchivalMemoryOptions extends MeaningDeps {
  readonly agentId: string;
  readonly passages: PassageStore;
  /** Returns the embedders that currently make vectors of the agent's passages. */
  readonly embedders: () => Promise<readonly OpenAgentEmbedder[]>;
  /** Returns the agent's current settings. */
  readonly settings: () => Pick<AgentSettings, "timeZone" | "searchWeights">;
  readonly clock: Pick<Clock, "now">;
  /** Called when the access counts of passages could not be written. */
  readonly onFailure: (error: unknown) => void;
}

export function createArchivalMemory(options: ArchivalMemoryOptions): ArchivalMemory {
  const { agentId, passages, settings, clock } = options;
  let counting: Promise<void> = Promise.resolve();
  const embedding = createEmbedding(options);

  const idle = async (): Promise<void> => {
    await Promise.all([embedding.idle(), counting]);
  };

  // Counts accesses in the background: the search does not wait.
  const count = (shown: readonly PassageHit[], now: Date): void => {
    const ids = shown.map(({ id }) => id);
    counting = counting.then(() => passages.countAccesses(ids, now)).catch(options.onFailure);
  };

  return {
    async search({ query, page, startDate, endDate, pageSize = searchPageSize, countsAccesses = true, ...narrowed }) {
      const { timeZone, searchWeights } = settings();
      const span = spanOfDays({ start: startDate, end: endDate }, timeZone);
      const filter = { ...narrowed, weights: { ...searchWeights, ...narrowed.weights } };
      const now = clock.now();
      const found = async ({ meaning, wordsAlone }: AskedMeaning) => ({
        wordsAlone,
        ...(await rerankedPage(
          query === undefined || quotedLiteral(query) !== undefined ? null : options.reranker,
          { query: query ?? "", page, pageSize },
          {
            find: (number, size) =>
              passages.search({
                ...filter,
                agentId,
                text: query ?? null,
                meaning,
                span,
                page: number,
                pageSize: size,
                now,
              }),
            // The reranker reads a replaced passage's replacement, so that both get equal scores and keep their order.
            textOf: ({ text, replacement }) => replacement?.text ?? text,
          },
        )),
      });
      const { rows, total, wordsAlone } = await (query === undefined
        ? found(noMeaning)
        : searchByMeaning(query, options, found));
      if (countsAccesses && rows.length > 0) count(rows, now);
      const hits = rows.map((hit, index) => hitOf(hit, rows.slice(0, index)));
      const order = query === undefined ? ({ order: "newest" } as const) : {};
      return { hits, page, pageSize, total, ...order, wordsAlone };
    },
    idOf: (text) => passages.idOf(agentId, text),
    idsEnding: (endings) => passages.idsEnding(agentId, endings),
    embedPending: embedding.begin,
    idle,
    async close() {
      embedding.stop();
      await idle();
    },
  };
}

/** Returns a stored hit as a hit for callers. `above`: the hits ranked above it on its page. */
function hitOf({ source, groupId, ...hit }: PassageHit, above: readonly PassageHit[]): ArchivalHit {
  const isEarlier = groupId !== undefined && above.some((one) => one.groupId === groupId);
  return {
    ...hit,
    ...(isEarlier ? { follows: "earlier" } : {}),
    ...(source === null ? {} : { source: { name: source.name, ...source.location } }),
  };
}

/** Makes the missing vectors in the background. After `stop`, a run makes at most one more batch per embedder. */
function createEmbedding(options: ArchivalMemoryOptions) {
  let running: Promise<void> = Promise.resolve();
  let isQueued = false;
  let isStopped = false;

  const embedNext = async (): Promise<void> => {
    isQueued = false;
    for (const { embedder, refused, role } of await options.embedders()) {
      const texts = passagesToEmbed(options.passages, kindOf(embedder), role === "building" ? newestTexts : undefined);
      const batches = embedAll({ holder: options.agentId, texts, embedder, refused });
      // The failure of one embedder does not stop the others.
      await untilStopped(batches).catch(options.onEmbeddingFailure);
    }
  };
  const untilStopped = async (batches: AsyncIterable<unknown>): Promise<void> => {
    for await (const _batch of batches) if (isStopped) return;
  };

  return {
    begin(): void {
      // Queued work that has not begun yet will find the new passages, too.
      if (isQueued) return;
      isQueued = true;
      running = running.then(embedNext).catch(options.onEmbeddingFailure);
    },
    idle: () => running,
    stop: () => void (isStopped = true),
  };
}
