// What the doctor can mend by itself: the rights of the data folder, and vectors that are missing.
// Invariant: nothing of a person's is deleted or changed; what was done is said, and so is what could not be.
import { messageOf } from "../../base/error-message.ts";
import type { Embedder } from "../../embedding/embedder.ts";
import { embedBatch } from "../../memory/archival/embed-batch.ts";
import { createRefusedPassages } from "../../memory/archival/refused-passages.ts";
import type { StoreInspector } from "../../memory/inspection.ts";
import type { UserStore } from "../../memory/store.ts";

/** Keeps others out of the data folder, when they can get in. */
export async function repairFolder(inspector: StoreInspector): Promise<readonly string[]> {
  const facts = await inspector.folder();
  if (facts === null || facts.mode === null || (facts.mode & 0o077) === 0) return [];
  try {
    await inspector.makePrivate();
    return [`Took others their rights to ${facts.path}.`];
  } catch (error) {
    return [`Could not take others their rights to ${facts.path}: ${messageOf(error)}`];
  }
}

export interface VectorRepair {
  readonly embedder: Embedder;
  /** Told how far it is, a line at a time. */
  readonly log: (line: string) => void;
  readonly signal?: AbortSignal;
}

/** Makes the vectors that are missing, batch by batch; what an embedder fails at or refuses is still missing afterwards. */
export async function repairVectors(store: UserStore, repair: VectorRepair): Promise<readonly string[]> {
  const { embedder, log, signal } = repair;
  const { name, dimensions } = embedder;
  const refusals: string[] = [];
  const refused = createRefusedPassages((error) => refusals.push(error.message));
  const archiveIds: string[] = [];
  let [done, total] = [0, 0];
  const made = (): number => done - archiveIds.reduce((sum, id) => sum + refused.of(id).size, 0);
  try {
    const counts = await store.passages.countWithoutVector({ embedder: name, dimensions });
    total = counts.reduce((sum, count) => sum + count.passages, 0);
    archiveIds.push(...counts.map(({ archiveId }) => archiveId));
    if (total === 0) return [];
    for (const archiveId of archiveIds) {
      const task = {
        archiveId,
        passages: store.passages,
        embedder,
        refused,
        ...(signal === undefined ? {} : { signal }),
      };
      for (let batch = await embedBatch(task); batch > 0; batch = await embedBatch(task)) {
        done += batch;
        log(`vectors: ${done} of ${total}`);
        signal?.throwIfAborted();
      }
    }
    return [`Made ${made()} vectors that were missing.`, ...refusals];
  } catch (error) {
    signal?.throwIfAborted();
    return [`Made ${made()} of ${total} vectors that were missing, and then stopped: ${messageOf(error)}`, ...refusals];
  }
}
