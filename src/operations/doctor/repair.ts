// What the doctor can mend by itself: the rights of the data folder, and vectors that are missing.
// Invariant: nothing of a person's is deleted or changed; what was done is said, and so is what could not be.
import { messageOf } from "../../base/error-message.ts";
import type { Embedder } from "../../embedding/embedder.ts";
import { embedBatch, type EmbeddingTask } from "../../memory/vectors/embed-batch.ts";
import { kindOf, messagesToEmbed, passagesToEmbed } from "../../memory/vectors/unembedded.ts";
import { createRefusedTexts } from "../../memory/vectors/refused-texts.ts";
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
  const kind = kindOf(embedder);
  const refusals: string[] = [];
  const refused = createRefusedTexts((error) => refusals.push(error.message));
  const tasks: EmbeddingTask[] = [];
  let [done, total] = [0, 0];
  const made = (): number =>
    done - [...new Set(tasks.map(({ holder }) => holder))].reduce((sum, holder) => sum + refused.of(holder).size, 0);
  try {
    for (const texts of [passagesToEmbed(store.passages, kind), messagesToEmbed(store.recall, kind)]) {
      for (const { holder, texts: count } of await texts.count()) {
        total += count;
        tasks.push({ holder, texts, embedder, refused, ...(signal === undefined ? {} : { signal }) });
      }
    }
    if (total === 0) return [];
    for (const task of tasks) {
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
