// Merges and ranks the hits of several sources, and removes duplicates.
// Invariant: pure; a source's own order is preserved; of duplicates, only the best is kept, and the others increase
// its score; hits that differ in a word, a number or a sign are all kept.
import { comparableText } from "./comparable-text.ts";

/** Fields that the hits of every source have: an item has the same id in every source. */
export interface ContextHit {
  readonly id: string;
  readonly text: string;
}

/** A hit with the name of its source, and its rank in that source, from 1. */
export interface SourceHit<Hit extends ContextHit = ContextHit> {
  readonly source: string;
  readonly rank: number;
  readonly hit: Hit;
}

export interface RankedHit<Hit extends ContextHit = ContextHit> extends SourceHit<Hit> {
  readonly score: number;
}

export interface Repetition<Hit extends ContextHit = ContextHit> {
  readonly hit: RankedHit<Hit>;
  readonly of: SourceHit;
}

export interface Ranking<Hit extends ContextHit = ContextHit> {
  /** Best first. */
  readonly kept: readonly RankedHit<Hit>[];
  readonly repeated: readonly Repetition<Hit>[];
}

/**
 * The constant of reciprocal rank fusion (Cormack, Clarke and Büttcher 2009): scores of different kinds cannot be
 * compared, ranks can.
 */
const smoothing = 60;

/** Returns the hits ranked and without duplicates. `before`: hits that are already in the context and are not repeated. */
export function rankHits<Hit extends ContextHit>(
  found: readonly SourceHit<Hit>[],
  before: readonly SourceHit<Hit>[],
): Ranking<Hit> {
  const ordered = found
    .map((hit): RankedHit<Hit> => ({ ...hit, score: 1 / (smoothing + hit.rank) }))
    .sort((one, other) => other.score - one.score);
  const known = createKnownHits();
  for (const hit of before) known.add({ hit, bonus: 0 });
  const repeated: Repetition<Hit>[] = [];
  const kept: (KnownHit & { readonly hit: RankedHit<Hit> })[] = [];
  for (const hit of ordered) {
    const same = known.find(hit);
    if (same === undefined) {
      const first = { hit, bonus: 0 };
      known.add(first);
      kept.push(first);
    } else {
      if (same.hit.source !== hit.source) same.bonus += hit.score;
      repeated.push({ hit, of: same.hit });
    }
  }
  const scored = kept.map(({ hit, bonus }) => ({ ...hit, score: hit.score + bonus }));
  return { kept: scored.sort((one, other) => other.score - one.score), repeated };
}

interface KnownHit {
  readonly hit: SourceHit;
  /** Score added by duplicates from other sources. */
  bonus: number;
}

interface KnownHits {
  add(known: KnownHit): void;
  /** Returns the hit with the same id, or the first with the same text. */
  find(hit: SourceHit): KnownHit | undefined;
}

function createKnownHits(): KnownHits {
  const byId = new Map<string, KnownHit>();
  const byText = new Map<string, KnownHit>();
  return {
    add(known) {
      const { id, text } = known.hit.hit;
      const key = comparableText(text);
      if (!byId.has(id)) byId.set(id, known);
      if (!byText.has(key)) byText.set(key, known);
    },
    find: ({ hit }) => byId.get(hit.id) ?? byText.get(comparableText(hit.text)),
  };
}
