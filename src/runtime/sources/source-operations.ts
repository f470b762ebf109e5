// Loads, attaches and deletes sources outside of a turn.
// Invariant: files are stored before they are embedded, so a load is complete even if the embedder fails.
import path from "node:path";
import { nearestName } from "../../base/nearest-name.ts";
import { RequestError, EmbeddingError } from "../../base/errors.ts";
import { type OpenEmbedder, needOf } from "../../memory/vectors/embedders.ts";
import type { Chunking, FoundSource, SourceInput } from "../../memory/source-load.ts";
import type { SourceRecord } from "../../store/port/source-store.ts";
import type { LoadOptions, SourceLoadResult, SourceOperations } from "./contract.ts";
import { estimateTokens } from "../../model/tokens/token-counter.ts";
import { createFileOperations } from "./attached-files.ts";
import { newPassage, passageRange } from "../archival/archival-operations.ts";
import { causeOfWriter } from "../memory/edit-module.ts";
import { findAgent } from "../agents/find-agent.ts";
import { inputChecks } from "../operations/input-checks.ts";
import type { OperationDeps } from "../operations/operation-deps.ts";
import { requireRoomForFiles } from "../operations/user-maximum.ts";
import { embedAll } from "../../memory/vectors/embed-batch.ts";
import { kindOf, passagesToEmbed } from "../../memory/vectors/unembedded.ts";
import { reportEmbeddingFailure } from "../operations/agent-memories.ts";

export type SourceDeps = Pick<
  OperationDeps,
  "store" | "maximum" | "embedders" | "backFill" | "files" | "ids" | "clock" | "log"
>;

const check = inputChecks("A passage");

export function createSourceOperations(deps: SourceDeps): SourceOperations {
  const { sources, sourceFiles } = deps.store;
  return {
    ...createFileOperations(deps),
    load: (name, inputs, options = {}) => loadFiles(deps, { name, inputs, options }),
    list: () => sources.list(),
    show: (name) => findSource(deps, name),
    files: async (name) => sourceFiles.list((await findSource(deps, name)).id),
    removeFile: async (name, file) => (await sourceFiles.remove((await findSource(deps, name)).id, [file])) > 0,
    create: async (name, details = {}) => {
      const id = deps.ids.next();
      await sources.create({ id, name, ...details });
      return findSource(deps, id);
    },
    update: async (name, change) => {
      const { id } = await findSource(deps, name);
      await sources.update(id, change);
      return findSource(deps, id);
    },
    passages: async (name, options = {}) => {
      const range = passageRange(options);
      return deps.store.passages.listOfSource((await findSource(deps, name)).id, range);
    },
    add: async (name, text, { by, ...details } = {}) => {
      const passage = newPassage({ ...details, text }, deps);
      const { id: sourceId } = await findSource(deps, name);
      const { origin, trust = "user" } = causeOfWriter(by);
      const added = await deps.store.passages.addOne({ sourceId }, { ...passage, trust }, origin);
      deps.backFill.wake();
      return added;
    },
    setPassageTags: async (name, passageId, tags) => {
      const checked = check.tags(tags);
      return deps.store.passages.setTags({ sourceId: (await findSource(deps, name)).id }, passageId, checked);
    },
    deletePassage: async (name, passageId) =>
      deps.store.passages.deleteOfSource((await findSource(deps, name)).id, passageId),
    delete: async (name) => void (await sources.delete((await findSource(deps, name)).id)),
    attach: async (agent, name) => {
      const { id } = await findAgent(deps, agent);
      const isNew = await sources.attach(id, (await findSource(deps, name)).id);
      // The agent's embedder may not have made vectors of this source yet.
      if (isNew) deps.backFill.wake();
      return isNew;
    },
    detach: async (agent, name) => {
      const { id } = await findAgent(deps, agent);
      return sources.detach(id, (await findSource(deps, name)).id);
    },
  };
}

/** Returns a source by name or id. Throws RequestError `source_not_found`, whose message suggests the most similar name. */
async function findSource({ store }: Pick<OperationDeps, "store">, nameOrId: string): Promise<SourceRecord> {
  const found = await store.sources.find(nameOrId);
  if (found !== null) return found;
  const names = (await store.sources.list()).map((source) => source.name);
  const nearest = nearestName(nameOrId, names);
  const hint = nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
  throw new RequestError(
    "source_not_found",
    `There is no source "${nameOrId}".${hint} \`runtime.sources.list()\` lists your sources.`,
  );
}

interface LoadRequest {
  readonly name: string;
  readonly inputs: readonly SourceInput[];
  readonly options: LoadOptions;
  /**
   * Set only by an import: ids for new files, by path; other files get new ids. If it is set, all contents count as
   * text, whatever the files' names, and a load without any loadable file returns the reasons instead of throwing.
   */
  readonly fileIds?: ReadonlyMap<string, string>;
}

export async function loadFiles(
  deps: SourceDeps,
  { name, inputs, options, fileIds }: LoadRequest,
): Promise<SourceLoadResult> {
  const { store, ids } = deps;
  const { description = null, prune = false, folder = ".", onProgress, signal } = options;
  const stop = signal === undefined ? {} : { signal };
  const found = await deps.files.find({ inputs, folder, areTexts: fileIds !== undefined, ...stop });
  if (fileIds === undefined) await requireFiles(deps, { name, folder }, found);
  // `name` may be the id of an existing source, which then keeps its own name.
  const known = await store.sources.find(name);
  await requireRoomForFiles(deps, known, found.paths);
  const sourceId = await store.sources.ensure({ id: ids.next(), name: known?.name ?? name, description });
  const embedders = await embeddersOfSource(deps, sourceId);
  const summary = await found.load({
    sourceId,
    store: store.sourceFiles,
    ids,
    clock: deps.clock,
    chunking: chunkingFor(embedders),
    prune,
    ...(fileIds === undefined ? {} : { fileIds }),
    ...(onProgress === undefined ? {} : { onProgress: (progress) => onProgress({ phase: "files", ...progress }) }),
    ...stop,
  });
  const vectors = await embedSource(deps, { sourceId, embedders, options });
  return { ...summary, source: await findSource(deps, sourceId), vectors };
}

/**
 * Checks that there are files to load. A load without files is allowed only for an existing source, because the files
 * of an earlier load may have been deleted. Throws RequestError `source_file_unreadable`.
 */
async function requireFiles(
  { store }: Pick<OperationDeps, "store">,
  { name, folder }: { readonly name: string; readonly folder: string },
  { paths, failed, skipped }: FoundSource,
): Promise<void> {
  if (paths.length > 0) return;
  if (failed.length === 0 && (await store.sources.find(name)) !== null) return;
  const [first] = [...failed, ...skipped];
  const reason = first === undefined ? "the folders contain no files" : `${first.name}: ${first.reason}`;
  throw new RequestError(
    "source_file_unreadable",
    `Nothing was loaded into "${name}": ${reason}. Check the paths; relative paths start from ${path.resolve(folder)}.`,
    { field: "inputs" },
  );
}

/**
 * Maximum tokens of a passage, even if the embedder reads more, because searches find shorter passages better and citations of
 * them are more exact.
 */
const maxPassageTokens = 256;
/** The window, in tokens, that is assumed if there is no embedder. */
const defaultWindow = 512;

/** Returns the chunking (sizes of passages, in tokens) for the embedder with the smallest window. */
function chunkingFor(embedders: readonly OpenEmbedder[]): Chunking {
  const [narrowest] = embedders
    .map(({ embedder }) => embedder)
    .toSorted((one, other) => one.windowTokens - other.windowTokens);
  const maxTokens = Math.min(narrowest?.windowTokens ?? defaultWindow, maxPassageTokens);
  const overlapTokens = Math.floor(maxTokens / 8);
  return { maxTokens, overlapTokens, countTokens: narrowest?.countTokens ?? estimateTokens };
}

async function embeddersOfSource(
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

/**
 * Embeds the passages of a source with every embedder that an attached agent searches with or keeps. If one fails, only its own
 * vectors are missing. Returns the counts of vectors made and missing; a passage counts once for each embedder.
 */
async function embedSource(
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
