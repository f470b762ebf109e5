// Sources as people and programs load, attach and delete them, outside of a turn.
// Invariant: files are in before vectors are made, so a failing embedder takes nothing from a load.
import { nearestName } from "../base/nearest-name.ts";
import type { Embedder } from "../embedding/embedder.ts";
import { EmbeddingError, RequestError } from "../errors.ts";
import { embedBatch } from "../memory/vectors/embed-batch.ts";
import { kindOf, passagesToEmbed } from "../memory/vectors/unembedded.ts";
import type { Chunking } from "../memory/source-load.ts";
import type { SourceRecord } from "../memory/source-store.ts";
import type { LoadOptions, Runtime, SourceLoad } from "../runtime.ts";
import { estimateTokens } from "../tokens/estimate-tokens.ts";
import { findAgent, type OperationParts, tellEmbeddingFailure } from "./operation-parts.ts";

export function createSourceOperations(parts: OperationParts): Runtime["sources"] {
  const { sources, sourceFiles } = parts.store;
  return {
    load: (name, inputs, options = {}) => load(parts, { name, inputs, options }),
    list: () => sources.list(),
    show: (name) => findSource(parts, name),
    files: async (name) => sourceFiles.list((await findSource(parts, name)).id),
    rename: async (name, newName) => {
      const { id } = await findSource(parts, name);
      await sources.rename(id, newName);
      return findSource(parts, id);
    },
    delete: async (name) => void (await sources.delete((await findSource(parts, name)).id)),
    attach: async (agent, name) => {
      const { id } = await findAgent(parts, agent);
      return sources.attach(id, (await findSource(parts, name)).id);
    },
    detach: async (agent, name) => {
      const { id } = await findAgent(parts, agent);
      return sources.detach(id, (await findSource(parts, name)).id);
    },
  };
}

/** Throws RequestError `source_not_found`, with the nearest name there is. */
async function findSource({ store }: OperationParts, nameOrId: string): Promise<SourceRecord> {
  const found = await store.sources.find(nameOrId);
  if (found !== null) return found;
  const names = (await store.sources.list()).map((source) => source.name);
  const nearest = nearestName(nameOrId, names);
  const hint = nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
  throw new RequestError(
    "source_not_found",
    `There is no source "${nameOrId}".${hint} \`palimpsest sources list\` shows those there are.`,
  );
}

interface LoadRequest {
  readonly name: string;
  readonly inputs: readonly string[];
  readonly options: LoadOptions;
}

async function load(parts: OperationParts, { name, inputs, options }: LoadRequest): Promise<SourceLoad> {
  const { store, ids, embedder } = parts;
  const { description = null, prune = false, folder = ".", onProgress, signal } = options;
  const sourceId = await store.sources.ensure({ id: ids.next(), name, description });
  const summary = await parts.loadFiles({
    sourceId,
    inputs,
    folder,
    store: store.sourceFiles,
    ids,
    chunking: chunkingFor(embedder),
    prune,
    ...(onProgress === undefined ? {} : { onProgress: (told) => onProgress({ phase: "files", ...told }) }),
    ...(signal === undefined ? {} : { signal }),
  });
  const vectors = await makeVectors(parts, sourceId, options);
  return { ...summary, source: await findSource(parts, sourceId), vectors };
}

/** Tokens of a passage where the model reads more: shorter ones are found better, and cited more exactly. */
const longestPassage = 256;
/** Tokens that an embedding model is taken to read which does not say. */
const usualWindow = 512;

function chunkingFor(embedder: Embedder | null): Chunking {
  const mostTokens = Math.min(embedder?.windowTokens ?? usualWindow, longestPassage);
  const overlapTokens = Math.floor(mostTokens / 8);
  return { mostTokens, overlapTokens, countTokens: embedder?.countTokens ?? estimateTokens };
}

async function makeVectors(
  { store, embedder, refusedTexts: refused, log }: OperationParts,
  sourceId: string,
  { onProgress, signal }: LoadOptions,
): Promise<SourceLoad["vectors"]> {
  if (embedder === null) return { made: 0, missing: (await store.sources.find(sourceId))?.passages ?? 0 };
  const { name, dimensions } = embedder;
  const countMissing = async (): Promise<number> => {
    const counts = await store.passages.countWithoutVector({ embedder: name, dimensions });
    return counts.find(({ archiveId }) => archiveId === sourceId)?.passages ?? 0;
  };
  const passages = await countMissing();
  const task = {
    holder: sourceId,
    texts: passagesToEmbed(store.passages, kindOf(embedder)),
    embedder,
    refused,
    ...(signal === undefined ? {} : { signal }),
  };
  const refusedBefore = refused.of(sourceId).size;
  let done = 0;
  try {
    for (let batch = await embedBatch(task); batch > 0; batch = await embedBatch(task)) {
      done += batch;
      onProgress?.({ phase: "vectors", passagesDone: done, passages });
      signal?.throwIfAborted();
    }
  } catch (error) {
    if (!(error instanceof EmbeddingError)) throw error;
    tellEmbeddingFailure(log, error);
  }
  return { made: done - (refused.of(sourceId).size - refusedBefore), missing: await countMissing() };
}
