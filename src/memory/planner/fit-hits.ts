// Fits results into a token budget: the synopsis, the recent end of the conversation, and the best of the other hits.
// Invariant: pure; never over the budget; the recent messages have no gap; every hit is reported as taken or dropped,
// with the reason.
import type { ContextHit, RankedHit, SourceHit } from "./rank-hits.ts";

export interface HitDecision {
  readonly source: string;
  readonly id: string;
  /** Rank among the hits of its source, from 1. */
  readonly rank: number;
  readonly tokens: number;
  readonly outcome: "taken" | "dropped";
  readonly reason: string;
}

export interface Candidates<Hit extends ContextHit> {
  readonly synopsis: string | null;
  /** Newest first. */
  readonly recent: readonly SourceHit<Hit>[];
  /** Best first. */
  readonly ranked: readonly RankedHit<Hit>[];
}

export interface FittedContext<Hit extends ContextHit> {
  readonly synopsis: string | null;
  /** Newest first. */
  readonly recent: readonly SourceHit<Hit>[];
  readonly found: readonly RankedHit<Hit>[];
  readonly tokens: number;
  readonly decisions: readonly HitDecision[];
}

export interface TokenBudget<Hit extends ContextHit> {
  readonly maxTokens: number;
  /** Returns the tokens of a hit, rendered for the prompt. */
  readonly cost: (hit: SourceHit<Hit>) => number;
  readonly count: (text: string) => number;
}

/** Share of the budget, without the synopsis, that recent messages may take before ranked hits are considered. */
const recentShare = 0.5;

export function fitHits<Hit extends ContextHit>(
  { synopsis, recent, ranked }: Candidates<Hit>,
  { maxTokens, cost, count }: TokenBudget<Hit>,
): FittedContext<Hit> {
  const synopsisTokens = synopsis === null ? 0 : count(synopsis);
  const fits = synopsisTokens <= maxTokens;
  let room = fits ? maxTokens - synopsisTokens : maxTokens;
  const decisions: HitDecision[] = [];
  if (synopsis !== null && !fits) {
    decisions.push({ source: "synopsis", id: "synopsis", rank: 1, tokens: synopsisTokens, ...noRoom(maxTokens) });
  }
  const costs = recent.map(cost);
  const first = countThatFit(costs, Math.floor(room * recentShare));
  room -= sumOf(costs.slice(0, first));
  const found: RankedHit<Hit>[] = [];
  for (const hit of ranked) {
    const tokens = cost(hit);
    const isTaken = tokens <= room;
    decisions.push(decisionOf(hit, tokens, isTaken ? taken(`rank ${found.length + 1} of the hits`) : noRoom(room)));
    if (!isTaken) continue;
    found.push(hit);
    room -= tokens;
  }
  const more = countThatFit(costs.slice(first), room);
  const shown = first + more;
  const left = room - sumOf(costs.slice(first, shown));
  const recentDecisions = recent.map((hit, place) =>
    decisionOf(hit, costs[place] ?? 0, place < shown ? taken("one of the last messages") : noRoom(left)),
  );
  return {
    synopsis: fits ? synopsis : null,
    recent: recent.slice(0, shown),
    found,
    tokens: maxTokens - left,
    decisions: [...recentDecisions, ...decisions],
  };
}

type Verdict = Pick<HitDecision, "outcome" | "reason">;

const taken = (reason: string): Verdict => ({ outcome: "taken", reason });

function noRoom(room: number): Verdict {
  return { outcome: "dropped", reason: `no room: ${room} tokens were left` };
}

export function decisionOf({ source, rank, hit }: SourceHit, tokens: number, verdict: Verdict): HitDecision {
  return { source, id: hit.id, rank, tokens, ...verdict };
}

/** Counts how many items fit, from the first. */
function countThatFit(costs: readonly number[], room: number): number {
  let sum = 0;
  const over = costs.findIndex((cost) => {
    sum += cost;
    return sum > room;
  });
  return over < 0 ? costs.length : over;
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
