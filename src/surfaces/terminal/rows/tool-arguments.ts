// Summarizes a tool's arguments for the line of its call.
// Invariant: one line for any text of the model, also if it is not JSON.

const maxLength = 400;
/** Arguments for the runtime, which are not shown. */
const hidden = new Set(["request_heartbeat"]);

/** Returns `human · "Name: Ada"` for `{"name":"human","content":"Name: Ada"}`. */
export function summarizeArguments(text: string): string {
  return argumentWords(text).replaceAll(/\s+/g, " ").trim().slice(0, maxLength);
}

function argumentWords(text: string): string {
  const parsed = parseObject(text);
  if (parsed === undefined) return text;
  return Object.entries(parsed)
    .filter(([name, value]) => !hidden.has(name) && value !== null)
    .map(([, value]) => valueWords(value))
    .join(" · ");
}

function valueWords(value: unknown): string {
  if (typeof value !== "string") return JSON.stringify(value);
  return /^[\w.-]{1,64}$/.test(value) ? value : `"${value}"`;
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    // Truncated or malformed: shown unchanged.
    return undefined;
  }
}
