// Wraps a model and converts calls that it writes as text to tool calls: `{"name": …, "arguments": …}`, `call remember
// {"fact": …}`, `Remember("…")`. Small models write such calls, because they omit the marker of their template.
// Invariant: only calls of offered or known tools at the beginning of a reply are converted, each on its own lines, so that an
// example within an answer is never run. Text is held back only while the reply may begin with a call. No text and no other
// event is lost, and reading takes linear time.
import type { Ids } from "../../../base/ids.ts";
import { isObject, parseJson } from "../../../base/json-values.ts";
import { type Model, type ModelEvent, type ModelRequest, type ToolSpecification, withStream } from "../model.ts";

/** Maximum calls read from one reply: small models do not stop. */
const maxCalls = 4;

/**
 * Returns the model with written calls as call events. `known`: tools whose calls are recognized even if they are not offered.
 */
export function withWrittenCalls(model: Model, ids: Ids, known: ModelRequest["tools"] = []): Model {
  return withStream(model, async function* (request, options) {
    const tools = [...request.tools, ...known.filter(({ name }) => !request.tools.some((one) => one.name === name))];
    if (tools.length === 0) yield* model.stream(request, options);
    else yield* readReply(model.stream(request, options), { tools, ids });
  });
}

async function* readReply(events: AsyncIterable<ModelEvent>, { tools, ids }: Reading): AsyncGenerator<ModelEvent> {
  // The text that is held back; null once the reply cannot begin with a call.
  let held: string | null = "";
  for await (const event of events) {
    if (event.type === "retry") held = "";
    if (event.type === "text-delta" && held !== null) {
      held += event.text;
      if (couldBeCalls(held, tools)) continue;
      yield { type: "text-delta", text: held };
      held = null;
    } else if (event.type === "end" && held !== null) {
      yield* endOf(event, held, { tools, ids });
    } else {
      if (event.type === "tool-call") {
        yield* textOf(held ?? "");
        held = null;
      }
      yield event;
    }
  }
}

interface Reading extends Pick<ModelRequest, "tools"> {
  readonly ids: Ids;
}

function* endOf(
  end: Extract<ModelEvent, { type: "end" }>,
  held: string,
  { tools, ids }: Reading,
): Generator<ModelEvent> {
  const reply = readWrittenCalls(held, tools);
  yield* textOf(reply === null ? held : reply.text);
  for (const call of reply?.calls.slice(0, maxCalls) ?? []) yield { type: "tool-call", callId: ids.next(), ...call };
  yield reply === null ? end : { ...end, stopReason: "tool-calls" };
}

function* textOf(text: string): Generator<ModelEvent> {
  if (text !== "") yield { type: "text-delta", text };
}

interface WrittenCall {
  readonly name: string;
  /** The arguments as JSON text of an object. */
  readonly arguments: string;
}

interface WrittenReply {
  /** The calls in order, without repetitions. */
  readonly calls: readonly WrittenCall[];
  /** The text after the calls. */
  readonly text: string;
}

type Tools = readonly ToolSpecification[];

// Text that may precede a call: a fence with a language, a tag, or the word "call".
const opening = /^\s*(?:```[a-z_]*(?=\s|[[{]|$)|<[a-z_]+>|call\s)/iu;
const closing = /^[ \t]*(?:[;.,]|```|<\/[a-z_]+>)?[ \t]*(?:\n|$|(?=<|```))/iu;
const word = /^[\p{L}\p{N}_-]+/u;

/** Whether a reply that begins with this text may turn out to begin with calls. */
export function couldBeCalls(text: string, tools: Tools): boolean {
  const begun = text.slice(0, 400);
  const rest = begun.slice(afterOpenings(begun, 0)).trimStart();
  if (/^(?:`{0,2}|<[a-z_]*|[[{].*)$/isu.test(rest)) return true;
  const [name = ""] = word.exec(rest) ?? [];
  if (name === "") return false;
  if (name === rest)
    return ["call", ...tools.map(({ name }) => name)].some((known) => folded(known).startsWith(folded(name)));
  return find(tools, name) !== undefined && /^\s*[:=]?\s*(?:[({"']|$)/u.test(rest.slice(name.length));
}

/** Returns the calls at the beginning of a reply, and the rest of its text; null if it does not begin with calls. */
export function readWrittenCalls(text: string, tools: Tools): WrittenReply | null {
  const calls = new Map<string, WrittenCall>();
  let end = 0;
  for (let found = callsAt(text, 0, tools); found !== null; found = callsAt(text, end, tools)) {
    for (const call of found.calls) calls.set(JSON.stringify(call), call);
    ({ end } = found);
  }
  if (calls.size === 0) return null;
  const rest = text.slice(end).replace(/^(?:\s|```|<\/[a-z_]+>)+/iu, "");
  return { calls: [...calls.values()], text: rest.trimEnd() };
}

function afterOpenings(text: string, from: number): number {
  let at = from;
  for (
    let mark = opening.exec(text.slice(at, at + 100));
    mark !== null;
    mark = opening.exec(text.slice(at, at + 100))
  ) {
    at += mark[0].length;
  }
  return at;
}

interface Found {
  readonly calls: readonly WrittenCall[];
  readonly end: number;
}

function callsAt(text: string, from: number, tools: Tools): Found | null {
  const start = afterOpenings(text, from);
  const at = start + (/^\s*/u.exec(text.slice(start))?.[0].length ?? 0);
  const found = /[[{]/u.test(text.charAt(at)) ? jsonCalls(text, at, tools) : namedCall(text, at, tools);
  if (found === null) return null;
  const mark = closing.exec(text.slice(found.end, found.end + 100));
  return mark === null ? null : { calls: found.calls, end: found.end + mark[0].length };
}

function jsonCalls(text: string, at: number, tools: Tools): Found | null {
  const end = endOfBrackets(text, at);
  const value = parseJson(text.slice(at, end));
  const calls = (Array.isArray(value) ? value : [value]).map((one) => callOf(one, tools));
  return calls.length > 0 && calls.every((call) => call !== null) ? { calls, end } : null;
}

/** Returns the call in an object with a name and arguments, under any of the usual keys; null if there is none. */
function callOf(value: unknown, tools: Tools): WrittenCall | null {
  if (!isObject(value)) return null;
  const { function: inner, id: _id, type: _type, ...own } = value;
  const { name = inner, arguments: given, parameters = given, ...others } = isObject(inner) ? inner : own;
  const tool = typeof name === "string" ? find(tools, name) : undefined;
  const read = typeof parameters === "string" ? parseJson(parameters) : parameters;
  if (tool === undefined || !isObject(read) || Object.keys(others).length > 0) return null;
  return { name: tool.name, arguments: JSON.stringify(read) };
}

function namedCall(text: string, at: number, tools: Tools): Found | null {
  const [name = ""] = word.exec(text.slice(at, at + 100)) ?? [];
  const tool = name === "" ? undefined : find(tools, name);
  if (tool === undefined) return null;
  const rest = text.slice(at + name.length);
  const gap = /^[ \t]*[:=]?[ \t]*/u.exec(rest)?.[0].length ?? 0;
  const from = at + name.length + gap;
  const end = endOfArguments(text, from);
  const written = text.slice(from, end);
  const inside = written.startsWith("(") ? written.slice(1, -1).trim() : written;
  const given = inside.startsWith("{") ? parseJson(inside) : parseValues(inside, propertiesOf(tool));
  return isObject(given) ? { calls: [{ name: tool.name, arguments: JSON.stringify(given) }], end } : null;
}

/** Returns the names of a tool's parameters, required ones first. */
function propertiesOf({ parameters }: ToolSpecification): readonly string[] {
  const { required, properties } = parameters;
  const all = isObject(properties) ? Object.keys(properties) : [];
  const first = Array.isArray(required) ? all.filter((name) => required.includes(name)) : [];
  return [...new Set([...first, ...all])];
}

/** Returns the end of the arguments after a tool's name: brackets, or one quoted text. */
function endOfArguments(text: string, from: number): number {
  const quoted = /^(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')/su.exec(text.slice(from));
  return quoted === null ? endOfBrackets(text, from) : from + quoted[0].length;
}

const closers: Readonly<Record<string, string>> = { "{": "}", "[": "]", "(": ")" };

/** Returns the index after the bracket that closes the one at `from`; `from` if there is none. Skips quoted text. */
function endOfBrackets(text: string, from: number): number {
  const open: string[] = [];
  for (let at = from; at < text.length; at += 1) {
    const letter = text.charAt(at);
    if (letter === '"' || (letter === "'" && open[0] === ")")) at = endOfQuote(text, at);
    else if (letter in closers) open.push(closers[letter] ?? "");
    else if (letter === open.at(-1)) open.pop();
    if (open.length === 0) return at === from ? from : at + 1;
  }
  return from;
}

/** Returns the index of the quote that closes the one at `from`; the text's length if there is none. */
function endOfQuote(text: string, from: number): number {
  const quote = text.charAt(from);
  let at = from + 1;
  while (at < text.length && text.charAt(at) !== quote) at += text.charAt(at) === "\\" ? 2 : 1;
  return at;
}

function find(tools: Tools, name: string): ToolSpecification | undefined {
  const wanted = folded(name);
  return wanted === "" ? undefined : tools.find((tool) => folded(tool.name) === wanted);
}

/** Returns a tool's name in lower case without underscores and hyphens, because small models change these. */
function folded(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/gu, "");
}

const value =
  /\s*(?:([A-Za-z_]\w*)\s*[=:]\s*)?("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[-+]?\d+(?:\.\d+)?|true|false|null)\s*(?:,|$)/sy;

/** Returns the values by name; values without a name get `names` in order. Null if the text is not a list of values. */
function parseValues(text: string, names: readonly string[]): Readonly<Record<string, unknown>> | null {
  const values: Record<string, unknown> = {};
  let from = 0;
  for (let place = 0; from < text.length; place += 1) {
    value.lastIndex = from;
    const [whole, name = names[place], written = ""] = value.exec(text) ?? [];
    if (whole === undefined || name === undefined) return null;
    values[name] = valueOf(written);
    from += whole.length;
  }
  return values;
}

function valueOf(written: string): unknown {
  if (written.startsWith('"')) return unescaped(written.slice(1, -1));
  if (written.startsWith("'")) return unescaped(written.slice(1, -1));
  return JSON.parse(written.replace(/^\+/u, ""));
}

function unescaped(text: string): string {
  return text.replaceAll(/\\(n|.)/gsu, (_, letter: string) => (letter === "n" ? "\n" : letter));
}
