// Formats numbers and times as text.
// Invariant: pure; the clock is an argument.

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

/** Returns a count with its noun: `1 message`, `2,000 messages`. */
export function countText(count: number, one: string, many = `${one}s`): string {
  return `${whole.format(count)} ${count === 1 ? one : many}`;
}

export function numberText(value: number): string {
  return whole.format(value);
}

/** Returns a number in its short form, such as `12.3K`. */
export function shortNumber(value: number): string {
  return short.format(value);
}

/** Returns a share from 0 to 1 as `12 %`; below 1 % `< 1 %`. */
export function percentText(share: number): string {
  if (!Number.isFinite(share)) return "–";
  if (share > 0 && share < 0.01) return "< 1 %";
  return `${Math.round(share * 100)} %`;
}

/** Returns an amount of dollars, with more digits below one cent. */
export function dollarText(dollars: number): string {
  return dollars > 0 && dollars < 0.01 ? `$${dollars.toPrecision(2)}` : `$${dollars.toFixed(2)}`;
}

/** Milliseconds of each unit, largest first. */
const units = [
  ["year", 31_557_600_000],
  ["month", 2_629_800_000],
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** Milliseconds by which the server's clock may be ahead of the browser's. */
const skew = 5000;

/** Returns how far from `now` the ISO 8601 time `at` is, such as `5 minutes ago` or `in 40 seconds`. */
export function agoText(at: string, now: number): string {
  const ms = Date.parse(at) - now;
  if (Number.isNaN(ms)) return at;
  const [unit, length] = units.find(([, each]) => Math.abs(ms) >= each) ?? ["second", 1000];
  return ms > -45_000 && ms < skew ? "just now" : relative.format(Math.round(ms / length), unit);
}

/** Returns the ISO 8601 time `at` in a zone, by default the reader's; `at` unchanged for an invalid time or zone. */
export function momentText(at: string, timeZone?: string): string {
  try {
    return new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short", timeZone }).format(
      new Date(at),
    );
  } catch {
    return at;
  }
}
