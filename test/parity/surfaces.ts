// Calls an operation through each surface with the same arguments: the library, the typed client of `/api`, and the command line.
// Invariant: which part of a request an argument belongs to follows from the contract.
import type { AgentEvent } from "../../src/agent/events.ts";
import type { HttpOperation } from "../../src/runtime/contract.ts";
import type { ApiError } from "../../src/exports/client.ts";
import { runInWorld } from "../support/fake-world.ts";
import type { AnyRow, NamedOperation } from "./parity-row.ts";
import { commandRuntime, type Parity, type Person, type Talk } from "./parity-scene.ts";

export type Args = readonly unknown[];

/** An answer of any surface: a result as JSON, or an error. */
export type Answer =
  | { readonly result: unknown }
  | { readonly code: string; readonly message: string; readonly field?: string; readonly status?: number };

export const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));

type AnyFunction = (...args: readonly unknown[]) => unknown;

/** Calls the library, and returns the result as `seen` makes it JSON. */
export async function inLibrary(
  { group, name, operation }: NamedOperation,
  person: Person,
  args: Args,
): Promise<Answer> {
  const isOfAgent = group === "agent";
  const target = (isOfAgent ? (args[0] as Talk).opened : person.runtime[group as "agents"]) as object;
  const run = (target as Readonly<Record<string, AnyFunction>>)[name]!;
  try {
    const returned = run.apply(target, isOfAgent ? args.slice(1) : [...args]);
    if (isIterable(returned)) return { result: shownEvents(await listOf(returned)) };
    return { result: shown(await returned, operation.http) };
  } catch (error) {
    const { code, message, field } = error as { readonly code: string; readonly message: string; field?: string };
    if (code === undefined) throw error;
    return { code, message, ...(field === undefined ? {} : { field }) };
  }
}

function isIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

async function listOf(values: AsyncIterable<unknown>): Promise<readonly unknown[]> {
  const list = [];
  for await (const value of values) list.push(value);
  return list;
}

/** Events are compared by their types and texts: each surface writes them alike, and a turn has its own ids. */
function shownEvents(values: readonly unknown[]): unknown {
  const isEvent = (value: unknown): value is AgentEvent =>
    typeof value === "object" && value !== null && "turnId" in value;
  return json(
    values.map((value) => (isEvent(value) ? `${value.type} ${"text" in value ? value.text : ""}`.trim() : value)),
  );
}

function shown(result: unknown, http: HttpOperation | string): unknown {
  if (typeof http !== "string" && http.output === "bytes")
    return Buffer.from((result as { readonly data: Uint8Array }).data).toString();
  if (typeof result !== "object" || result === null) return json(result);
  if ("conversationId" in result && "record" in result) return { opened: json(result.record) };
  return json(result);
}

const conversationPath = "/agents/:agent/conversations/:conversation";

interface Request {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

const namesIn = (path: string): readonly string[] => [...path.matchAll(/:(\w+)/gu)].map(([, name = ""]) => name);

/** Returns the parameters of the path that are arguments, each with the argument's index. */
export function pathArguments({ group }: Pick<NamedOperation, "group">, { route }: HttpOperation): readonly string[] {
  const [, path = ""] = route.split(" ");
  if (!path.startsWith(conversationPath)) return namesIn(path);
  return namesIn(path.slice(group === "agent" ? conversationPath.length : "/agents/:agent".length));
}

/** Returns the request of `/api` with these arguments. */
export function requestOf(named: NamedOperation, http: HttpOperation, args: Args, agent: string): Request {
  const { group, operation } = named;
  const talk = group === "agent" ? (args[0] as Talk) : undefined;
  const own = talk === undefined ? args : args.slice(1);
  const inPath = pathArguments(named, http);
  const place = talk === undefined ? { agent } : { agent: talk.agent, conversation: talk.conversation };
  const params = Object.fromEntries(inPath.map((name, at) => [name, own[at]]));
  const sent = operation.args.slice(inPath.length).flatMap((argument, at): (readonly [string, unknown])[] => {
    const value = own[at + inPath.length];
    if (value === undefined) return [];
    if ("form" in argument) return [[argument.name, value]];
    return "fields" in argument ? Object.entries(value as object) : [];
  });
  const values = json(Object.fromEntries(sent)) as Readonly<Record<string, unknown>>;
  const isQueried = /^(?:GET|DELETE) /u.test(http.route);
  return { params: { ...place, ...params }, ...(isQueried ? { query: values } : { body: values }) };
}

/** The client without types, for operations that are known at run time alone. */
export interface LooseClient {
  call(route: string, request: unknown): Promise<unknown>;
  events(route: string, request: unknown): AsyncIterable<unknown>;
  download(route: string, request: unknown): Promise<Blob>;
}

/** Sends a request. Returns the answer in the form of the library's result. */
export const inApi = async (parity: Parity, userId: string, http: HttpOperation, request: Request): Promise<Answer> =>
  sentAs(parity, { userId, scope: "admin" }, { http, request });

export async function sentAs(
  parity: Parity,
  { userId, scope }: { readonly userId: string; readonly scope: string },
  { http: { route, output }, request }: { readonly http: HttpOperation; readonly request: Request },
): Promise<Answer> {
  const client = parity.client(userId, scope) as unknown as LooseClient;
  try {
    if (output === "events") return { result: shownEvents(await listOf(client.events(route, request))) };
    if (output === "bytes") return { result: await (await client.download(route, request)).text() };
    return { result: await client.call(route, request) };
  } catch (error) {
    const { code, message, fields, status } = error as ApiError;
    if (status === undefined) throw error;
    return { code, message, status, ...(fields[0] === undefined ? {} : { field: fields[0].field }) };
  }
}

/** Returns what `/api` answers for a result of the library. */
export function apiResult({ output }: HttpOperation, result: unknown): unknown {
  if (output === null) return null;
  const isNamed = typeof output === "object" && "form" in output && typeof output.name === "string";
  return isNamed ? { [String(output.name)]: result } : result;
}

/** Returns the words of a command line; single quotes hold spaces, `\n` is a line break. */
export function wordsOf(line: string): readonly string[] {
  const words = line.match(/(?:'[^']*'|[^\s'])+/gu) ?? [];
  return words.map((word) => word.replaceAll("'", "").replaceAll(String.raw`\n`, "\n"));
}

/** Returns the command line of the row, and its standard input. */
function commandOf({ cli }: AnyRow, args: Args, person: Person) {
  const written = cli!(args, person);
  const { argv, input } = typeof written === "object" && "input" in written ? written : { argv: written, input: "" };
  return { argv: typeof argv === "string" ? wordsOf(argv) : argv, input };
}

export const argvOf = (...call: Parameters<typeof commandOf>): readonly string[] => commandOf(...call).argv;

/** Runs the command of the row, which opens the runtime of the person. */
export function inCommand({ row }: NamedOperation, person: Person, args: Args, more: readonly string[] = []) {
  const { argv, input } = commandOf(row, args, person);
  return runArgv(person, [...argv, ...more], input);
}

export async function runArgv(person: Person, argv: readonly string[], input = "") {
  return { argv, ...(await runInWorld(argv, { runtime: commandRuntime(person.runtime), input })) };
}

interface Mask {
  mask(text: string): string;
  /** Returns the id that `mask` has replaced by this one. */
  original(replaced: string): string;
}

/**
 * Returns a function that removes from texts what differs between two users and moments: ids become numbers in the order in which
 * they appear, times of these days become `now`.
 */
export function createMask(): Mask {
  const ids: string[] = [];
  const numbered = (id: string): string => {
    if (!ids.includes(id)) ids.push(id);
    return `id-${ids.indexOf(id) + 1}`;
  };
  return {
    mask: (text) =>
      text
        .replace(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gu, numbered)
        .replace(/(?<=  )[\da-f]{8}(?=  )/gu, "SHORT-ID")
        .replace(/^(\d+)\.[\da-f]{8}$/u, "$1.MODULE")
        .replace(/[\w.]+-(?:library|api|command|text)(?=-friend|\b)/gu, "user")
        .replace(/pk_[\w-]+…?/gu, "pk_…")
        .replace(/(?<="duration_(?:api_)?ms":)\d+/gu, "0")
        .replace(/\/\S*palimpsest-parity-\w+/gu, "FOLDER")
        .replace(/127\.0\.0\.1:\d{5}/gu, "server")
        .replace(/\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}\.\d+Z)?/gu, (time) => (isNear(time) ? "now" : time)),
    original: (replaced) => ids[Number(replaced.slice(3)) - 1] ?? replaced,
  };
}

/** Returns values whose texts are masked. */
export function masked(...values: readonly unknown[]): readonly unknown[] {
  const { mask } = createMask();
  const replaced = JSON.stringify(values, (_, value: unknown) => (typeof value === "string" ? mask(value) : value));
  return JSON.parse(replaced) as readonly unknown[];
}

const dayMs = 86_400_000;

function isNear(time: string): boolean {
  const at = new Date(time.includes("T") ? time : `${time.replace(" ", "T")}Z`).getTime();
  return Math.abs(at - Date.now()) < 10 * dayMs;
}
