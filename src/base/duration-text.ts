// Writes a duration for people.

const units = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1000],
] as const;

/** Returns the duration in its two largest units, rounded up: `5 hours and 12 minutes`, `40 seconds`. */
export function durationText(ms: number): string {
  const first = Math.max(
    0,
    units.findIndex(([, size]) => ms > size),
  );
  const [large, small] = ms <= 1000 ? [units[3], undefined] : [units[first]!, units[first + 1]];
  if (small === undefined) return amount(Math.max(1, Math.ceil(ms / large[1])), large[0]);
  const rounded = Math.ceil(ms / small[1]) * small[1];
  const rest = (rounded % large[1]) / small[1];
  const whole = amount(Math.floor(rounded / large[1]), large[0]);
  return rest === 0 ? whole : `${whole} and ${amount(rest, small[0])}`;
}

function amount(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
