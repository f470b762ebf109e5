// Sources as people and programs load, attach and delete them, outside of a turn.
// Invariant: files are in before vectors are made, so a failing embedder takes nothing from a load.
import { nearestName } from "../base/nearest-name.ts";
import { RequestError } from "../errors.ts";
import type { OpenEmbedder } from "../memory/vectors/embedders.ts";
import type { Chunking } from "../memory/source-load.ts";
import type { SourceRecord } from "../memory/source-store.ts";
import type { LoadOptions, SourceLoad, SourceOperations } from "../runtime/sources.ts";
import { estimateTokens } from "../tokens/estimate-tokens.ts";
import { findAgent } from "./find-agent.ts";
import type { OperationParts } from "./operation-parts.ts";
import { embeddersOfSource, makeSourceVectors } from "./source-vectors.ts";

export function createSourceOperations(parts: OperationParts): SourceOperations {
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
      const isNew = await sources.attach(id, (await findSource(parts, name)).id);
      // The agent may be searched by an embedder that has made no vector of it yet.
      if (isNew) parts.backFill.wake();
      return isNew;
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
  const { store, ids } = parts;
  const { description = null, prune = false, folder = ".", onProgress, signal } = options;
  const sourceId = await store.sources.ensure({ id: ids.next(), name, description });
  const makers = await embeddersOfSource(parts, sourceId);
  const summary = await parts.loadFiles({
    sourceId,
    inputs,
    folder,
    store: store.sourceFiles,
    ids,
    clock: parts.clock,
    chunking: chunkingFor(makers),
    prune,
    ...(onProgress === undefined ? {} : { onProgress: (told) => onProgress({ phase: "files", ...told }) }),
    ...(signal === undefined ? {} : { signal }),
  });
  const vectors = await makeSourceVectors(parts, { sourceId, makers, options });
  return { ...summary, source: await findSource(parts, sourceId), vectors };
}

/** Tokens of a passage where the model reads more: shorter ones are found better, and cited more exactly. */
const longestPassage = 256;
/** Tokens that an embedding model is taken to read which does not say. */
const usualWindow = 512;

/** By the one that reads least. */
function chunkingFor(makers: readonly OpenEmbedder[]): Chunking {
  const [narrowest] = makers
    .map(({ embedder }) => embedder)
    .toSorted((one, other) => one.windowTokens - other.windowTokens);
  const mostTokens = Math.min(narrowest?.windowTokens ?? usualWindow, longestPassage);
  const overlapTokens = Math.floor(mostTokens / 8);
  return { mostTokens, overlapTokens, countTokens: narrowest?.countTokens ?? estimateTokens };
}
