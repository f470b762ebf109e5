// Runs the back-fills of all embedders in use, which are queried from the store whenever there is work.
// Invariant: an embedder that is down, or cannot be opened here, does not delay the others.
import type { Clock } from "../../base/clock.ts";
import type { VectorKind } from "../../store/port/embedder-store.ts";
import type { UserStore } from "../../store/port/store.ts";
import { type BackFill, createBackFill } from "./back-fill.ts";
import { type Embedders, kindsInUse, embeddersOfAgent, needOf, type OpenEmbedder } from "./embedders.ts";
import { kindOf, messagesToEmbed, passagesToEmbed } from "./unembedded.ts";

/** Number of newest texts that are checked after a turn: far more than a turn adds. */
export const newestTexts = 500;

export interface BackFillsOptions {
  readonly embedders: Embedders;
  readonly store: Pick<UserStore, "embedders" | "passages" | "recall">;
  readonly clock: Clock;
  readonly onVectors?: (made: number) => void;
  /** Called for failures that are not an embedder's outage; work then pauses until the next `wake`. */
  readonly onFailure: (error: unknown) => void;
}

export function createBackFills(options: BackFillsOptions): BackFill {
  const { store, onFailure } = options;
  const fills = new Map<OpenEmbedder["embedder"], BackFill>();
  let isStopped = false;
  let asking: Promise<void> = Promise.resolve();

  function fillOf(open: OpenEmbedder): BackFill {
    const known = fills.get(open.embedder) ?? fillFor(open, options);
    fills.set(open.embedder, known);
    return known;
  }

  async function wakeBackFills(agentId: string | undefined): Promise<void> {
    if (isStopped) return;
    if (agentId !== undefined) {
      for (const embedder of await embeddersOfAgent(agentId, { ...options, store: store.embedders }))
        fillOf(embedder).wake(agentId);
      return;
    }
    for (const kind of await kindsInUse({ embedders: options.embedders, store: store.embedders })) {
      const open = await options.embedders.find(kind);
      if (open !== null) fillOf(open).wake();
    }
  }

  return {
    isRunning: () => [...fills.values()].some((fill) => fill.isRunning()),
    wake(agentId) {
      if (isStopped || options.embedders.default === null) return;
      asking = asking.then(() => wakeBackFills(agentId)).catch((error: unknown) => onFailure(error));
    },
    async idle() {
      await asking;
      await Promise.all([...fills.values()].map((fill) => fill.idle()));
    },
    async stop() {
      isStopped = true;
      await asking;
      await Promise.all([...fills.values()].map((fill) => fill.stop()));
    },
  };
}

function fillFor(
  open: OpenEmbedder,
  { embedders, store, clock, onVectors = () => {}, onFailure }: BackFillsOptions,
): BackFill {
  const { embedder, refused } = open;
  const kind: VectorKind = kindOf(embedder);
  return createBackFill({
    texts: [passagesToEmbed(store.passages, kind), messagesToEmbed(store.recall, kind)],
    need: needOf(kind, embedders),
    recent: messagesToEmbed(store.recall, kind, newestTexts),
    embedder,
    refused,
    clock,
    onVectors,
    onFailure,
  });
}
