// Embeds the passages of a source with every embedder that an attached agent is searched by or keeps.
// Invariant: a failing embedder loses only its own vectors; missing vectors are counted.
import { EmbeddingError } from "../../base/errors.ts";
import { embedAll } from "../../memory/vectors/embed-batch.ts";
import { needOf, type OpenEmbedder } from "../../memory/vectors/embedders.ts";
import { kindOf, passagesToEmbed } from "../../memory/vectors/unembedded.ts";
import type { LoadOptions, SourceLoadResult } from "../sources.ts";
import { reportEmbeddingFailure } from "./agent-memories.ts";
import type { OperationDeps } from "./operation-deps.ts";

/** Returns the embedders of a source that this runtime can open. */
export async function embeddersOfSource(
  { embedders, store }: Pick<OperationDeps, "store" | "embedders">,
  sourceId: string,
): Promise<readonly OpenEmbedder[]> {
  if (embedders.default === null) return [];
  const { kinds, usesDefault } = await store.embedders.ofSource(sourceId);
  const found = new Set<OpenEmbedder>(usesDefault ? [embedders.default] : []);
  for (const kind of kinds) {
    const open = await embedders.find(kind);
    if (open !== null) found.add(open);
  }
  return [...found];
}

interface SourceVectors {
  readonly sourceId: string;
  readonly embedders: readonly OpenEmbedder[];
  readonly options: LoadOptions;
}

/** Returns the counts of vectors made and missing; a passage counts once for each embedder. */
export async function embedSource(
  deps: Pick<OperationDeps, "store" | "embedders" | "log">,
  { sourceId, embedders, options }: SourceVectors,
): Promise<SourceLoadResult["vectors"]> {
  if (embedders.length === 0) return { made: 0, missing: (await deps.store.sources.find(sourceId))?.passages ?? 0 };
  const countMissing = async (): Promise<number> => {
    const counts = await Promise.all(embedders.map((target) => missingOf(deps, sourceId, target)));
    return counts.reduce((sum, count) => sum + count, 0);
  };
  const passages = await countMissing();
  let done = 0;
  let made = 0;
  for (const target of embedders) {
    const report = (count: number): void =>
      options.onProgress?.({ phase: "vectors", passagesDone: done + count, passages });
    const outcome = await embedBy(deps, { sourceId, target, onDone: report, signal: options.signal });
    done += outcome.done;
    made += outcome.made;
  }
  return { made, missing: await countMissing() };
}

async function missingOf(
  { store, embedders }: Pick<OperationDeps, "store" | "embedders">,
  sourceId: string,
  target: OpenEmbedder,
): Promise<number> {
  const counts = await store.passages.countWithoutVector(needOf(kindOf(target.embedder), embedders));
  return counts.find(({ archiveId }) => archiveId === sourceId)?.passages ?? 0;
}

interface EmbeddingWork {
  readonly sourceId: string;
  readonly target: OpenEmbedder;
  readonly onDone: (passages: number) => void;
  readonly signal: AbortSignal | undefined;
}

async function embedBy(
  { store, log }: Pick<OperationDeps, "store" | "log">,
  { sourceId, target, onDone, signal }: EmbeddingWork,
): Promise<{ readonly done: number; readonly made: number }> {
  const { embedder, refused } = target;
  const texts = passagesToEmbed(store.passages, kindOf(embedder));
  const task = { holder: sourceId, texts, embedder, refused, ...(signal === undefined ? {} : { signal }) };
  let [done, made] = [0, 0];
  try {
    for await (const batch of embedAll(task)) {
      done += batch.requested;
      made += batch.made;
      onDone(done);
    }
  } catch (error) {
    if (!(error instanceof EmbeddingError)) throw error;
    reportEmbeddingFailure(log, error);
  }
  return { done, made };
}
