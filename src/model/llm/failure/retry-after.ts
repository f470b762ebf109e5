// Reads from response headers how long a provider asks to wait before the next request.

/** The methods of response headers that are used here. */
export interface HeaderReader {
  get(name: string): string | null;
}

/** Milliseconds to wait, from `retry-after-ms` or `retry-after` (seconds or an HTTP date); undefined when neither says. */
export function readRetryAfterMs(headers: HeaderReader | undefined, now: Date): number | undefined {
  const milliseconds = positiveNumber(headers?.get("retry-after-ms"));
  if (milliseconds !== undefined) return Math.ceil(milliseconds);
  const value = headers?.get("retry-after");
  const seconds = positiveNumber(value);
  if (seconds !== undefined) return Math.ceil(seconds * 1000);
  const date = Date.parse(value ?? "");
  return Number.isNaN(date) ? undefined : Math.max(0, date - now.getTime());
}

function positiveNumber(value: string | null | undefined): number | undefined {
  const text = value?.trim();
  return text !== undefined && /^\d+(\.\d+)?$/.test(text) ? Number(text) : undefined;
}
