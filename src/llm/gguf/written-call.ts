// Recognizes calls that a model wrote as plain JSON, without its template's marker for calls. Qwen 2.5 Coder does so.
// Invariant: pure; only a reply that consists entirely of calls of offered tools is treated as calls.

export interface WrittenCall {
  readonly name: string;
  /** JSON text of an object. */
  readonly arguments: string;
}

/** Whether a reply that begins with this text may still turn out to be calls. */
export function couldBeCalls(text: string): boolean {
  const begun = text.trimStart();
  if (begun.length < fence.length) return fence.startsWith(begun) || /^[{[]/u.test(begun);
  if (!begun.startsWith(fence)) return /^[{[]/u.test(begun);
  const fenced = begun.slice(fence.length);
  const inside = fenced.startsWith(language) ? fenced.slice(language.length).trimStart() : fenced.trimStart();
  return inside === "" || language.startsWith(inside) || /^[{[]/u.test(inside);
}

/**
 * Returns the calls that a complete reply consists of: `{"name", "arguments"}` or an array of them, with or without a
 * code fence; null if it is not calls.
 */
export function writtenCalls(text: string, names: ReadonlySet<string>): readonly WrittenCall[] | null {
  const value = parse(withoutFence(text.trim()));
  const calls = (Array.isArray(value) ? value : [value]).map((one) => callOf(one, names));
  return calls.length > 0 && calls.every((call) => call !== null) ? calls : null;
}

const fence = "```";
const language = "json";

function withoutFence(text: string): string {
  if (!text.startsWith(fence) || !text.endsWith(fence) || text.length < 2 * fence.length) return text;
  const inside = text.slice(fence.length, -fence.length);
  return inside.startsWith(language) ? inside.slice(language.length) : inside;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function callOf(value: unknown, names: ReadonlySet<string>): WrittenCall | null {
  if (typeof value !== "object" || value === null) return null;
  const { name, arguments: given, ...others } = value as Readonly<Record<string, unknown>>;
  if (typeof name !== "string" || !names.has(name) || Object.keys(others).length > 0) return null;
  if (typeof given !== "object" || given === null || Array.isArray(given)) return null;
  return { name, arguments: JSON.stringify(given) };
}
