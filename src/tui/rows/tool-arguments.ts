// A tool's arguments as a few words beside its name.
// Invariant: one line whatever the model wrote, also when it is no JSON.

const longest = 400;
/** For the runtime, not for the tool: of no interest to whoever reads along. */
const hidden = new Set(["request_heartbeat"]);

/** `human · "Name: Ada"` for `{"name":"human","content":"Name: Ada"}`. */
export function summarizeArguments(text: string): string {
  return argumentWords(text).replaceAll(/\s+/g, " ").trim().slice(0, longest);
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
    // Cut off or malformed: shown as it is.
    return undefined;
  }
}
