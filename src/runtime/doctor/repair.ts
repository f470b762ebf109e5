// Repairs what the doctor can fix: the permissions of the data folder, and missing vectors.
// Invariant: no user data is deleted or changed; every repair is reported, even if it fails.
import { appendAll } from "../../base/lists.ts";
import { messageOf } from "../../base/thrown-values.ts";
import { embedAll, type EmbeddingTask } from "../../memory/vectors/embed-batch.ts";
import { type Embedders, kindsInUse, needOf, type OpenEmbedder } from "../../memory/vectors/embedders.ts";
import { kindOf, messagesToEmbed, passagesToEmbed } from "../../memory/vectors/unembedded.ts";
import type { StoreInspector } from "../../store/port/inspection.ts";
import type { UserStore } from "../../store/port/store.ts";

/** Removes other users' access to the data folder, if they have any. */
export async function repairFolder(inspector: StoreInspector): Promise<readonly string[]> {
  const facts = await inspector.folder();
  if (facts === null || facts.mode === null || (facts.mode & 0o077) === 0) return [];
  try {
    await inspector.makePrivate();
    return [`Removed other users' access to ${facts.path}.`];
  } catch (error) {
    return [`Could not remove other users' access to ${facts.path}: ${messageOf(error)}`];
  }
}

export interface VectorRepair {
  readonly embedders: Embedders;
  /** Receives progress messages of one line each. */
  readonly log: (line: string) => void;
  readonly signal?: AbortSignal;
}

/**
 * Embeds texts without a vector, batch by batch, with every embedder in use that this runtime can open. A text stays without a
 * vector if the embedder fails or refuses it.
 */
export async function repairVectors(store: UserStore, repair: VectorRepair): Promise<readonly string[]> {
  const repairs: string[] = [];
  for (const kind of await kindsInUse({ store: store.embedders, embedders: repair.embedders })) {
    const open = await repair.embedders.find(kind);
    if (open !== null) appendAll(repairs, await repairBy(store, open, repair));
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
      : [`${embedder.name} refuses ${ids.length} texts, which are found only by words: ${ids.join(", ")}`];
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
        done += batch.requested;
        log(`vectors: ${done} of ${total}`);
      }
    }
    return [`Made ${made} missing vectors.`, ...refusals()];
  } catch (error) {
    signal?.throwIfAborted();
    const why = messageOf(error);
    return [`Made ${made} of ${total} missing vectors, then stopped: ${why}`, ...refusals()];
  }
}
