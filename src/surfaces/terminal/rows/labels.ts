// Formats models, sizes, times and costs as short labels.
// Invariant: pure; the current time is an argument.

/** Returns a model's name, with its server unless that is the provider's own. Describes the demo model as pattern rules. */
export function modelLabel(model: string, baseUrl: string | null = null): string {
  if (baseUrl !== null) return `${model} at ${baseUrl}`;
  return model === "demo" || model.startsWith("demo/") ? "demo model: pattern rules, not a language model" : model;
}

/** Returns `32k` for 32,768 and for 32,000; `1M` for 1,000,000. */
export function tokensLabel(tokens: number): string {
  if (tokens < 1000) return String(tokens);
  const unit = tokens % 1000 !== 0 && tokens % 1024 === 0 ? 1024 : 1000;
  const thousands = Math.round(tokens / unit);
  return thousands >= 1000 ? `${Math.round(thousands / 100) / 10}M` : `${thousands}k`;
}

/** Returns the age as `3 min ago`, or the date if it is a day or more. */
export function whenLabel(at: Date, now: Date): string {
  const minutes = Math.floor((now.getTime() - at.getTime()) / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ago`;
  return at.toISOString().slice(0, 10);
}

/** Returns `12 s`, or `2 min 5 s`. */
export function secondsLabel(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Returns `6,012 → 1,204 tokens`. */
export function shrinkLabel(before: number, after: number): string {
  return `${before.toLocaleString("en")} → ${after.toLocaleString("en")} tokens`;
}

/** Returns `1 message`, `2 messages`. */
export function countLabel(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? "" : "s"}`;
}

/** Returns the beginning of a text, with `…` if it is longer than `max` UTF-16 units. */
export function shortened(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max).toWellFormed()}…` : text;
}

/** Returns dollars with four decimals, because a turn often costs less than a cent. */
export function dollarsLabel(dollars: number): string {
  return `$${dollars.toFixed(4)}`;
}
