// Computes the prefix that a request shares with the previous one, which a provider can cache.
// Invariant: compares the bodies as sent, byte for byte.

export interface PrefixShares {
  readonly mean: number;
  readonly median: number;
  readonly minimum: number;
  readonly requests: number;
}

/** A request, and whether a compaction happened since the previous one. */
export interface SentRequest {
  readonly body: string;
  readonly afterCompaction: boolean;
}

/** The shared prefix as a share of the previous request; requests right after a compaction are counted separately. */
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

/** The price of cached input as a share of the list price of input, as of Anthropic and OpenAI in November 2026. */
const cachedPrice = 0.1;

/** What the bodies cost, in bytes. */
export interface SentBytes {
  /** Mean of a request's bytes that are not the beginning of the one before. */
  readonly uncached: number;
  /** All bytes at list price: those that the request before began with count a tenth. */
  readonly priced: number;
}

export function sentBytes(requests: readonly SentRequest[]): SentBytes {
  const parts = requests.map(({ body }, at) => {
    const cached = at === 0 ? 0 : sharedBytes(requests[at - 1]!.body, body);
    return { cached, uncached: Buffer.byteLength(body) - cached };
  });
  const uncached = parts.reduce((sum, part) => sum + part.uncached, 0);
  const cached = parts.reduce((sum, part) => sum + part.cached, 0);
  return { uncached: uncached / parts.length, priced: uncached + cachedPrice * cached };
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
