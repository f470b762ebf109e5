// Builds the vectors of another embedder while the current ones are searched, and switches when no vector is missing.
// Invariant: stored vectors stay if a run ends early, and the next run adds only missing ones; searches use one
// embedder at a time.
import { inBatches } from "../../base/lists.ts";
import { EmbeddingError, RequestError } from "../../base/errors.ts";
import type { VectorKind, VectorNeed } from "../../store/port/embedder-store.ts";
import type { AgentRecord } from "../../store/port/records.ts";
import { isOutage } from "../../memory/vectors/back-fill.ts";
import { batchSize, embedTexts, type EmbeddingTask, pendingTexts } from "../../memory/vectors/embed-batch.ts";
import { isSameKind, type OpenEmbedder } from "../../memory/vectors/embedders.ts";
import type { ReembedOptions, ReembedResult } from "../../memory/vectors/reembedding.ts";
import {
  kindOf,
  messagesToEmbed,
  type PendingText,
  passagesToEmbed,
  type Unembedded,
} from "../../memory/vectors/unembedded.ts";
import type { OperationDeps } from "../operations/operation-deps.ts";

type ReembedDeps = Pick<OperationDeps, "store" | "backFill" | "clock">;

interface Run {
  readonly deps: ReembedDeps;
  readonly agentIds: readonly string[];
  readonly to: VectorKind;
  readonly target: OpenEmbedder;
  readonly options: ReembedOptions;
  readonly beganAt: number;
  done: number;
  made: number;
  left: number;
}

/** One query reads the texts for this many calls of the embedder. */
const callsPerRead = 8;
/** After this many queries, the texts that have no vector are counted again. */
const readsPerCount = 8;
/** Minimum pause in milliseconds before the next call of an embedder that failed. */
const minPauseMs = 250;

/**
 * Makes the vectors of another embedder, then switches to them. `defaultKind`: what agents without a stored embedder use now.
 */
export async function reembed(
  deps: ReembedDeps,
  agents: readonly AgentRecord[],
  {
    target,
    defaultKind,
    options,
  }: { readonly target: OpenEmbedder; readonly defaultKind: VectorKind; readonly options: ReembedOptions },
): Promise<ReembedResult> {
  const to = kindOf(target.embedder);
  await probe(target, options.signal);
  const agentIds = agents.map(({ id }) => id);
  const { building } = await deps.store.embedders.begin({ agentIds, to, otherwise: defaultKind });
  const beganAt = deps.clock.now().getTime();
  const run: Run = { deps, agentIds: building, to, target, options, beganAt, done: 0, made: 0, left: 0 };
  let missing = building.length;
  while (missing > 0) {
    options.signal?.throwIfAborted();
    await embedMissing(run);
    const refused = target.refused.all();
    missing = (await deps.store.embedders.switch({ agentIds: building, to, refused })).missing;
  }
  const switched = await searchedNow(run, agents);
  deps.backFill.wake();
  return {
    to,
    agents: switched.map(({ name }) => name),
    already: agents.filter(({ id }) => !building.includes(id)).map(({ name }) => name),
    made: run.made,
    refused: target.refused.all().length,
  };
}

/**
 * Tests the embedder with one word before anything is written. Throws EmbeddingError if the call fails, or if the embedder
 * refuses the word or returns vectors with other dimensions.
 */
async function probe({ embedder }: OpenEmbedder, signal: AbortSignal | undefined): Promise<void> {
  const [vector = null] = await embedder
    .embed(["palimpsest"], signal === undefined ? {} : { signal })
    .catch(widthFault);
  if (vector !== null) return;
  throw new EmbeddingError(
    "embedding_failed",
    `Expected a vector of the word "palimpsest" from ${embedder.name}, got none. Nothing was started.`,
  );
}

function widthFault(error: unknown): never {
  if (!(error instanceof EmbeddingError) || error.code !== "embedding_dimensions_mismatch") throw error;
  throw new EmbeddingError(error.code, `${error.message} Nothing was started.`, { cause: error });
}

/**
 * Returns the agents of the run, except deleted ones. Throws RequestError `reembedding_refused` if the searches of an agent do
 * not use the new embedder: another process has then abandoned the run.
 */
async function searchedNow(
  { deps, agentIds, to }: Run,
  agents: readonly AgentRecord[],
): Promise<readonly AgentRecord[]> {
  // The embedders are read before the agents, so that an agent that is deleted in between is left out.
  const rows = await deps.store.embedders.list();
  const existing = new Set((await deps.store.agents.list()).map(({ id }) => id));
  const ours = agents.filter(({ id }) => agentIds.includes(id) && existing.has(id));
  const isSearched = ({ id }: AgentRecord): boolean =>
    rows.some((row) => row.agentId === id && row.role === "searched" && isSameKind(row, to));
  const lost = ours.find((agent) => !isSearched(agent));
  if (lost === undefined) return ours;
  throw new RequestError(
    "reembedding_refused",
    `Another process has abandoned the re-embedding of "${lost.name}" to ${to.embedder}. Start it again if you still want it.`,
  );
}

/** Embeds all texts of the run that have no vector. Texts that the embedder refused stay without a vector. */
async function embedMissing(run: Run): Promise<void> {
  const { deps, to, agentIds } = run;
  const need: VectorNeed = { ...to, roles: ["building"], isDefault: false, agentIds };
  const kinds = [passagesToEmbed(deps.store.passages, to), messagesToEmbed(deps.store.recall, to)];
  for (let any = true; any; ) {
    const counted = await Promise.all(
      kinds.map(async (texts) => (await texts.count(need)).map((holder) => ({ ...holder, from: texts }))),
    );
    run.left = counted.flat().reduce((sum, { texts }) => sum + texts, 0);
    any = false;
    for (const { holder, from } of counted.flat()) any = (await embedSome(run, from, holder)) || any;
  }
}

/** Embeds the next texts of one agent or source that have no vector. Returns false if there were none. */
async function embedSome(run: Run, texts: Unembedded, holder: string): Promise<boolean> {
  const { target, options } = run;
  const { batch = batchSize, signal } = options;
  const task: EmbeddingTask = { holder, texts, ...target, ...(signal === undefined ? {} : { signal }) };
  let any = false;
  for (let read = 0; read < readsPerCount; read += 1) {
    const pending = await pendingTexts(task, batch * callsPerRead);
    if (pending.length === 0) return any;
    any = true;
    for (const part of inBatches(pending, batch)) await embedBatch(run, task, part);
  }
  return any;
}

async function embedBatch(run: Run, task: EmbeddingTask, pending: readonly PendingText[]): Promise<void> {
  const { options, deps } = run;
  const { signal, ratePerSecond, onProgress } = options;
  signal?.throwIfAborted();
  run.made += await embedWithRetries(run, task, pending);
  run.done += pending.length;
  run.left = Math.max(0, run.left - pending.length);
  onProgress?.({ done: run.done, texts: run.done + run.left });
  if (ratePerSecond === undefined) return;
  const dueAt = run.beganAt + (run.done / ratePerSecond) * 1000;
  const waitMs = dueAt - deps.clock.now().getTime();
  if (waitMs > 0) await deps.clock.sleep(waitMs, signal);
}

/** Embeds texts, and retries during an outage after the pause that the embedder's guard requires. */
async function embedWithRetries(
  { deps, target, options }: Run,
  task: EmbeddingTask,
  pending: readonly PendingText[],
): Promise<number> {
  for (;;) {
    try {
      return await embedTexts(task, pending);
    } catch (error) {
      if (!isOutage(error)) throw error;
      await deps.clock.sleep(Math.max(minPauseMs, target.embedder.pauseMs()), options.signal);
    }
  }
}
