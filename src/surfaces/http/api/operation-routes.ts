// Derives routes of `/api` from the contract of a group of operations, such as `runtime.agents`.
// Invariant: a route calls one operation, with the arguments in its path, its query or its body; an absent option stays absent. An
// agent or a conversation of another user is reported exactly like one that does not exist.
import * as z from "zod";
import type { AgentEvent } from "../../../agent/events.ts";
import type { Fields, Form, OptionsOf, RecordOf } from "../../../base/arguments/forms.ts";
import type { Argument, HttpOperation, Operation, OptionsArgument, ValueArgument } from "../../../runtime/contract.ts";
import type { OperationGroups } from "../../../runtime/contracts.ts";
import type { UserRuntime } from "../../../runtime/runtime.ts";
import { RequestError } from "../../../base/errors.ts";
import { Fault } from "../fault.ts";
import type { Method, Route, RouteCall, TypedRoute } from "../route.ts";
import { SentBytes } from "../sent-bytes.ts";
import {
  agentPath,
  conversationPath,
  queryNumber,
  bodyShape,
  type Json,
  type JsonOf,
  queryShape,
  recordShape,
  valueShape,
} from "./form-shapes.ts";
import { given } from "../../../base/given.ts";
import { streamOf } from "./turn-stream.ts";

const conversationRoute = "/agents/:agent/conversations/:conversation";
type ConversationRoute = typeof conversationRoute;

/** The names of a path's parameters. */
type Named<Path> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | Named<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

/** The JSON type of a body: the operation's options, and each of its other arguments under the argument's name. */
type Body<Args> = JsonOf<Sent<Args>>;

/** The type of a query: the same fields as in a body, as texts. */
type Query<Args> = { readonly [Name in keyof Sent<Args>]: TextOf<Sent<Args>[Name]> };
type TextOf<Value> = Value extends string | readonly string[] ? Value : string;

type Sent<Args> = {
  readonly [Item in Args as Item extends ValueArgument<infer Name, unknown, false> ? Name : never]: ValueOf<Item>;
} & {
  readonly [Item in Args as Item extends ValueArgument<infer Name, unknown, true> ? Name : never]?: ValueOf<Item>;
} & Joined<Args extends OptionsArgument<infer Of, infer Required> ? OptionsOf<Of, Required> : never>;
/** Converts a union to the intersection of its members. */
type Joined<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;
type ValueOf<Item> = Item extends ValueArgument<string, infer Value> ? Value : never;

/** The arguments of an operation without the first ones, which are the parameters of the path. */
type After<Path, Args> = Path extends `${string}:${infer Rest}`
  ? Args extends readonly [unknown, ...infer More]
    ? After<Rest, More>
    : readonly []
  : Args;

type Output<Of> = Of extends readonly [infer Item extends Fields]
  ? readonly JsonOf<RecordOf<Item>>[]
  : Of extends ValueArgument<infer Name, infer Value>
    ? { readonly [Key in Name]: Json<Value> }
    : Of extends Form<infer Value>
      ? Json<Value>
      : Of extends Fields
        ? JsonOf<RecordOf<Of>>
        : null;

/** The part of a path whose parameters are arguments: in a conversation's path the part after `Place`, else all. */
type Own<Path, Place extends string> = Path extends `${ConversationRoute}${string}`
  ? Path extends `${Place}${infer Rest}`
    ? Rest
    : never
  : Path;

type Items<List> = List extends readonly (infer Item)[] ? Item : never;

type RouteOf<Of, Place extends string> = Of extends {
  readonly args: infer Args;
  readonly http: { readonly route: `${infer Verb} ${infer Path}`; readonly output: infer Out };
}
  ? TypedRoute<
      { method: Lowercase<Verb> & Method; path: Path; output: Out extends Unshaped ? Out : z.ZodType<Output<Out>> },
      { readonly [Name in Named<Path>]: string },
      Verb extends "GET" | "DELETE" ? Query<Items<After<Own<Path, Place>, Args>>> : Record<never, never>,
      Verb extends "GET" | "DELETE" ? undefined : Body<Items<After<Own<Path, Place>, Args>>>
    >
  : never;

type ConversationPath = z.output<typeof conversationPath>;

type Values = Readonly<Record<string, unknown>>;

type Operations = Readonly<Record<string, Operation>>;

/** An object that has the functions of a contract. */
type Functions<Of> = { readonly [Name in keyof Of]: unknown };

/** Selects the object that has the functions which the routes call. */
interface Source {
  /** The beginning of a conversation's path. Its parameters are not arguments of the operation. */
  readonly place: string;
  /** Returns the object with the functions. Throws Fault and RequestError if the path names something unknown. */
  readonly select: (call: AnyCall, http: HttpOperation) => Functions<Operations> | Promise<Functions<Operations>>;
}

type AnyCall = RouteCall<unknown, unknown, unknown>;

/**
 * Returns a route for each operation that `/api` offers. `select` returns the object with the operations. The
 * conversation in a path must belong to the agent that precedes it in the path.
 */
export function operationRoutes<const Of extends Operations>(
  contract: Of,
  select: (runtime: UserRuntime) => Functions<Of>,
): readonly RouteOf<Of[keyof Of], "/agents/:agent">[] {
  const source: Source = {
    place: "/agents/:agent",
    select: async ({ runtime, params }, { route }) => {
      if (route.includes(conversationRoute)) await requireConversation(runtime, params as ConversationPath);
      return select(runtime) as Functions<Operations>;
    },
  };
  return routesOf(contract, source) as readonly Route[] as readonly RouteOf<Of[keyof Of], "/agents/:agent">[];
}

/** Returns the routes of all groups of a runtime's operations, such as `runtime.agents`. */
export function groupRoutes<const Of extends { readonly [Group in keyof OperationGroups]: Operations }>(
  contracts: Of,
): readonly { [Group in keyof Of]: RouteOf<Of[Group][keyof Of[Group]], "/agents/:agent"> }[keyof Of][] {
  const groups = Object.entries<Operations>(contracts);
  const routes = groups.flatMap(([group, contract]) =>
    operationRoutes(contract, (runtime) => runtime[group as keyof OperationGroups] as object as Functions<Operations>),
  );
  return routes as readonly Route[] as ReturnType<typeof groupRoutes<Of>>;
}

/** Like `operationRoutes`, for functions of an agent that is opened in the conversation of the path. */
export function openAgentRoutes<const Of extends Operations>(
  contract: Of,
): readonly RouteOf<Of[keyof Of], ConversationRoute>[] {
  const source: Source = {
    place: conversationRoute,
    select: async ({ runtime, params }, { scope, callsNoModel }) => {
      const forReading = scope === "read";
      const { agent, conversation: id } = params as ConversationPath;
      const options = { conversation: { id }, withoutCalls: forReading || callsNoModel === true, forReading };
      return (await runtime.agents.open(agent, options)) as object as Functions<Operations>;
    },
  };
  return routesOf(contract, source) as readonly Route[] as readonly RouteOf<Of[keyof Of], ConversationRoute>[];
}

/**
 * Throws the same errors as `agents.open` if the agent or the conversation does not exist, or belongs to another agent
 * or user. Does not open the agent, because opening reads the whole window.
 */
async function requireConversation(
  { agents, conversations }: UserRuntime,
  { agent, conversation }: ConversationPath,
): Promise<void> {
  const { agentId } = await conversations.find(conversation).catch(async (error: unknown) => {
    // An error about the agent has precedence, for example if the key does not give access to this agent.
    await readableId(agents, agent);
    throw error;
  });
  if (agentId === agent || agentId === (await readableId(agents, agent))) return;
  throw new Fault(404, "conversation_not_found", "The agent has no conversation with that id.");
}

/** Returns the id of the agent with this name or id, also of an agent that the user may only read. */
async function readableId(agents: UserRuntime["agents"], named: string): Promise<string | undefined> {
  try {
    return (await agents.find(named)).id;
  } catch (error) {
    if (!(error instanceof RequestError && error.code === "grant_ended")) throw error;
    return (await agents.former()).find(({ id, name }) => id === named || name === named)?.id;
  }
}

function routesOf(contract: Operations, source: Source): readonly Route[] {
  return Object.entries(contract).flatMap(([name, { args, http }]) =>
    typeof http === "string" ? [] : [routeOf(name, { args, http }, source)],
  );
}

function routeOf(
  operation: string,
  { args, http }: Operation & { readonly http: HttpOperation },
  { place, select }: Source,
): Route {
  const { route, output, summary, scope, status } = http;
  const [verb = "", path = ""] = route.split(" ");
  const inPath = namesIn(path.startsWith(conversationRoute) ? path.slice(place.length) : path);
  const sent = args.slice(inPath.length);
  const options = sent.filter((argument) => "fields" in argument);
  const values = sent.filter((argument) => "form" in argument);
  const isQueried = verb === "GET" || verb === "DELETE";
  const before = namesIn(path).slice(0, namesIn(path).length - inPath.length);
  const parameters = [
    ...before.map((name) => [name, conversationPath.shape[name as keyof ConversationPath]]),
    ...inPath.map((name, index) => [name, pathShape(name, args[index])]),
  ];
  return {
    summary,
    scope,
    ...(status === undefined ? {} : { status }),
    method: verb.toLowerCase() as Method,
    path,
    params: z.strictObject(Object.fromEntries(parameters)),
    query: isQueried ? queryShape(values, options) : queryShape([], []),
    body: isQueried ? null : bodyShape(values, options),
    output: outputShape(output),
    run: async (call) => {
      const { params, query, body, signal } = call;
      const received = (isQueried ? query : body) as Values;
      const valueOf = (argument: Argument): unknown => {
        if ("fields" in argument) return optionsIn(received, argument, output === "events" ? undefined : signal);
        if ("form" in argument) return received[argument.name];
        return argument.name === "signal" ? signal : argument.sent;
      };
      const passed = [...inPath.map((name) => (params as Values)[name]), ...sent.map(valueOf)];
      // Returns an object: a turn's events are thenable, so a promise of them would resolve only at the turn's end.
      const result = async () => {
        const functions = await select(call, http);
        return { value: Reflect.apply(functions[operation] as (...all: unknown[]) => unknown, functions, passed) };
      };
      if (output === "events") {
        return streamOf(async () => ({ events: (await result()).value as AsyncIterable<AgentEvent> }), signal);
      }
      return answerOf(http, await (await result()).value);
    },
  };
}

function answerOf({ output, missing }: HttpOperation, result: unknown): unknown {
  if (result === false && missing !== undefined) throw new Fault(404, missing[0], missing[1]);
  if (output === null) return null;
  if (output === "bytes") return new SentBytes(result as SentBytes);
  return isNamed(output) ? { [output.name]: result } : result;
}

function namesIn(path: string): readonly string[] {
  return [...path.matchAll(/:(\w+)/gu)].map(([, name = ""]) => name);
}

function optionsIn(received: Values, { fields, own = {} }: OptionsArgument, signal: AbortSignal | undefined): Values {
  const inFields = Object.entries(given(received)).filter(([name]) => Object.hasOwn(fields, name));
  return { ...Object.fromEntries(inFields), ...("signal" in own && signal !== undefined ? { signal } : {}) };
}

function pathShape(name: string, argument: Argument | undefined): z.ZodType {
  if (argument === undefined || !("form" in argument))
    throw new TypeError(`"${name}" is in the path of a route, so its argument must be one value, not options.`);
  if (name === "agent") return agentPath.shape.agent;
  const { kind } = argument.form;
  if (kind === "id") return z.uuid();
  return kind === "count" ? queryNumber : z.string();
}

/** The outputs that need no schema: no body, a stream of events, or a file. */
type Unshaped = null | "events" | "bytes";

type HttpOutput = Exclude<HttpOperation["output"], Unshaped>;

function outputShape(output: HttpOperation["output"]): Route["output"] {
  if (output === null || typeof output === "string") return output;
  if (isList(output)) return z.array(recordShape(output[0]));
  if (isNamed(output)) return z.strictObject({ [output.name]: valueShape(output.form) });
  return isForm(output) ? valueShape(output) : recordShape(output);
}

function isList(output: HttpOutput): output is readonly [Fields] {
  return Array.isArray(output);
}

/** Returns whether one form describes an output. Otherwise the output is a table of fields, with a form for each field. */
function isForm(output: HttpOutput): output is Form<unknown> {
  return "kind" in output && typeof output.kind === "string";
}

function isNamed(output: HttpOutput | "events"): output is ValueArgument {
  return typeof output === "object" && "name" in output && typeof output.name === "string";
}
