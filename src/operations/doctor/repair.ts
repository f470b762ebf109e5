// What the doctor can mend by itself: the rights of the data folder, and vectors that are missing.
// Invariant: nothing of a person's is deleted or changed; what was done is said, and so is what could not be.
import { messageOf } from "../../base/error-message.ts";
import { embedAll, type EmbeddingTask } from "../../memory/vectors/embed-batch.ts";
import { type Embedders, kindsInUse, needOf, type OpenEmbedder } from "../../memory/vectors/embedders.ts";
import { kindOf, messagesToEmbed, passagesToEmbed } from "../../memory/vectors/unembedded.ts";
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
  readonly embedders: Embedders;
  /** Told how far it is, a line at a time. */
  readonly log: (line: string) => void;
  readonly signal?: AbortSignal;
}

/**
 * Makes the vectors that are missing, batch by batch, of every embedder in use that can be opened here; what one fails at or
 * refuses is still missing afterwards.
 */
export async function repairVectors(store: UserStore, repair: VectorRepair): Promise<readonly string[]> {
  const repairs: string[] = [];
  for (const kind of await kindsInUse({ store: store.embedders, embedders: repair.embedders })) {
    const open = await repair.embedders.find(kind);
    if (open !== null) repairs.push(...(await repairBy(store, open, repair)));
  }
  return repairs;
}

async function repairBy(
  store: UserStore,
  { embedder, refused }: OpenEmbedder,
  { embedders, log, signal }: VectorRepair,
): Promise<readonly string[]> {
  const kind = kindOf(embedder);
  const tasks: EmbeddingTask[] = [];
  let [done, total, made] = [0, 0, 0];
  const refusals = (): readonly string[] => {
    const ids = refused.all();
    return ids.length === 0
      ? []
      : [`${embedder.name} refuses ${ids.length} texts, which are found by words alone: ${ids.join(", ")}`];
  };
  try {
    for (const texts of [passagesToEmbed(store.passages, kind), messagesToEmbed(store.recall, kind)]) {
      for (const { holder, texts: count } of await texts.count(needOf(kind, embedders))) {
        total += count;
        tasks.push({ holder, texts, embedder, refused, ...(signal === undefined ? {} : { signal }) });
      }
    }
    if (total === 0) return [];
    for (const task of tasks) {
      for await (const batch of embedAll(task)) {
        made += batch.made;
        done += batch.asked;
        log(`vectors: ${done} of ${total}`);
      }
    }
    return [`Made ${made} vectors that were missing.`, ...refusals()];
  } catch (error) {
    signal?.throwIfAborted();
    const why = messageOf(error);
    return [`Made ${made} of ${total} vectors that were missing, and then stopped: ${why}`, ...refusals()];
  }
}
