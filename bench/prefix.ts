// How much of a request a provider has seen before: the bytes that it shares with the one before it, from the beginning.
// Invariant: what is compared are the bodies as they went over the wire, byte for byte.

export interface PrefixShares {
  readonly mean: number;
  readonly median: number;
  readonly minimum: number;
  readonly requests: number;
}

/** A request, and whether a compaction stands between it and the one before it. */
export interface SentRequest {
  readonly body: string;
  readonly afterCompaction: boolean;
}

/** Shares of the previous request that begin the next one; requests right after a compaction are counted apart. */
export function prefixShares(requests: readonly SentRequest[]): {
  readonly between: PrefixShares;
  readonly afterCompaction: PrefixShares;
} {
  const pairs = requests.slice(1).map((next, at) => {
    const previous = requests[at]?.body ?? "";
    return { share: sharedBytes(previous, next.body) / Buffer.byteLength(previous), after: next.afterCompaction };
  });
  return {
    between: summarize(pairs.filter(({ after }) => !after).map(({ share }) => share)),
    afterCompaction: summarize(pairs.filter(({ after }) => after).map(({ share }) => share)),
  };
}

function sharedBytes(one: string, other: string): number {
  const [first, second] = [Buffer.from(one), Buffer.from(other)];
  const max = Math.min(first.length, second.length);
  let shared = 0;
  while (shared < max && first[shared] === second[shared]) shared += 1;
  return shared;
}

function summarize(shares: readonly number[]): PrefixShares {
  const sorted = [...shares].sort((one, other) => one - other);
  const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
  const median = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  return { mean, median, minimum: sorted[0] ?? Number.NaN, requests: shares.length };
}
