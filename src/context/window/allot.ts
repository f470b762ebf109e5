// Shares out a budget of tokens among the tiers of the window.
// Invariant: pure; the grants are never more than the budget, a tier's minimum comes before any other's wish, and none is
// granted more than it asks for.

export interface Claim {
  readonly demand: number;
  /** Granted before the others get more than theirs. */
  readonly minimum: number;
  readonly maximum: number;
}

/** Grants in the order of the claims: the last one gives way first. */
export function allot(budget: number, claims: readonly Claim[]): readonly number[] {
  let rest = Math.max(0, budget);
  const take = (request: number): number => {
    const granted = Math.max(0, Math.min(request, rest));
    rest -= granted;
    return granted;
  };
  const min = claims.map(({ demand, minimum, maximum }) => take(Math.min(demand, minimum, maximum)));
  return claims.map(({ demand, maximum }, at) => {
    const granted = min[at] ?? 0;
    return granted + take(Math.min(demand, maximum) - granted);
  });
}
