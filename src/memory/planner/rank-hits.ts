// Ranks what several sources have found, and tells what says the same twice.
// Invariant: pure; a source's order is kept among its own hits; of hits that say the same, the best is kept, and gains by the
// others.
import { likeness, shapeOf, type TextShape } from "./text-likeness.ts";

/** What every source's hits have: one thing has one id, whichever source finds it. */
export interface ContextHit {
  readonly id: string;
  readonly text: string;
}

/** A hit with where it came from: the name of its source, and its place there from 1. */
export interface SourceHit<Hit extends ContextHit = ContextHit> {
  readonly source: string;
  readonly place: number;
  readonly hit: Hit;
}

export interface RankedHit<Hit extends ContextHit = ContextHit> extends SourceHit<Hit> {
  readonly score: number;
}

export interface Repetition<Hit extends ContextHit = ContextHit> {
  readonly hit: RankedHit<Hit>;
  /** What it repeats. */
  readonly of: SourceHit;
  readonly likeness: number;
}

export interface Ranking<Hit extends ContextHit = ContextHit> {
  /** Best first. */
  readonly kept: readonly RankedHit<Hit>[];
  readonly repeated: readonly Repetition<Hit>[];
}

/** From this likeness on, two texts say the same: one word in about twenty may differ. */
const sameFrom = 0.8;
/** As in Cormack, Clarke and Büttcher 2009, "Reciprocal rank fusion": scores of different kinds cannot be compared, places can. */
const smoothing = 60;

/** `before`: what stands already, of which nothing is to be repeated. */
export function rankHits<Hit extends ContextHit>(
  found: readonly SourceHit<Hit>[],
  before: readonly SourceHit<Hit>[],
): Ranking<Hit> {
  const ordered = found
    .map((hit): RankedHit<Hit> => ({ ...hit, score: 1 / (smoothing + hit.place) }))
    .sort((one, other) => other.score - one.score);
  const standing: Standing[] = before.map((hit) => ({ hit, shape: shapeOf(hit.hit.text), gained: 0 }));
  const repeated: Repetition<Hit>[] = [];
  const kept: (Standing & { readonly hit: RankedHit<Hit> })[] = [];
  for (const hit of ordered) {
    const shape = shapeOf(hit.hit.text);
    const same = standing.map((other) => ({ other, alike: likenessOf(hit, shape, other) }));
    const nearest = same.reduce<(typeof same)[number] | null>(
      (best, one) => (one.alike >= sameFrom && one.alike > (best?.alike ?? 0) ? one : best),
      null,
    );
    if (nearest !== null) {
      if (nearest.other.hit.source !== hit.source) nearest.other.gained += hit.score;
      repeated.push({ hit, of: nearest.other.hit, likeness: nearest.alike });
      continue;
    }
    const stands = { hit, shape, gained: 0 };
    standing.push(stands);
    kept.push(stands);
  }
  const scored = kept.map(({ hit, gained }) => ({ ...hit, score: hit.score + gained }));
  return { kept: scored.sort((one, other) => other.score - one.score), repeated };
}

interface Standing {
  readonly hit: SourceHit;
  readonly shape: TextShape;
  /** What the same hit in other sources adds to its score. */
  gained: number;
}

function likenessOf({ hit }: SourceHit, shape: TextShape, other: Standing): number {
  return hit.id === other.hit.hit.id ? 1 : likeness(shape, other.shape);
}
