// The server as a function from requests to responses: finds the route, the user and the valid input, and runs the handler.
// Invariant: every response has a request id, and every error has the form of the API that was called; the log contains no
// content.
import { randomUUID } from "node:crypto";
import type { HttpBindings } from "@hono/node-server";
import { type Context, Hono } from "hono";
import type { Clock } from "../../base/clock.ts";
import { jsonInPieces } from "../../base/in-pieces.ts";
import { createQueues } from "../../base/waiting.ts";
import type { HostHealth } from "../../runtime/host.ts";
import type { UserRuntime } from "../../runtime/runtime.ts";
import { type AddressRules, checkAddress, crossOrigin } from "./address-rules.ts";
import { type AdmissionDeps, type Admit, type Admitted, createAdmission } from "./admission.ts";
import { type Caller, keyOf, requireScope, runtimeOfKey, type ServedKey } from "./authenticate.ts";
import { createLeftOutAnswers } from "./chat/left-out.ts";
import type { Door, WrittenFault } from "./door.ts";
import { encodeEvents, EventStream } from "./event-stream.ts";
import { clientLeft, Fault, faultOf, isFailure, shuttingDown } from "./fault.ts";
import type { InspectorCodes } from "./inspector/inspector-codes.ts";
import type { InspectorFiles } from "./inspector/inspector-files.ts";
import { createKeyWatch, type KeyWatch } from "./key-watch.ts";
import { openApiOf } from "./openapi.ts";
import { inputOf, parsedJson, readBody, requireSimple, withBody } from "./read-input.ts";
import type { Route, RouteCall } from "./route.ts";
import { bytesResponse, SentBytes } from "./sent-bytes.ts";
import { openingsOf, untilLeft, verifiedRuntime } from "./verified-runtime.ts";

/** One line of the log: who asked, what was asked and how it ended, without content. */
export interface RequestLine {
  readonly time: string;
  /** `error` if the server failed, otherwise `info`. */
  readonly level: "info" | "error";
  readonly requestId: string;
  readonly method: string;
  /** The path of the route, with the names of its parameters instead of their values. */
  readonly route: string;
  /** The user of the key; absent if the key is not valid. */
  readonly user?: string;
  /** The id of the key, as a list of keys shows it. */
  readonly key?: string;
  readonly status: number;
  readonly ms: number;
  /** The code of the error; absent for a success. */
  readonly code?: string;
}

export interface AppDeps extends Omit<AdmissionDeps, "clock"> {
  readonly doors: readonly Door[];
  readonly version: string;
  readonly runtimeOf: (userId: string) => UserRuntime;
  readonly health: () => Promise<HostHealth>;
  /** Whether the server is shutting down, and therefore refuses new requests. */
  readonly isDraining: () => boolean;
  /** Maximum bytes of a body. */
  readonly maxBodyBytes: number;
  readonly address: AddressRules;
  readonly clock: Clock;
  /** Receives the line about each request when the handler of the request has ended. */
  readonly onRequest: (line: RequestLine) => void;
  /** Receives errors that the client did not cause, with the request's id. */
  readonly onFailure: (requestId: string, error: unknown) => void;
  /** Milliseconds without an event after which a stream sends a comment. Default 15,000. */
  readonly pingMs?: number;
  /** Answers MCP requests at `/mcp`; default: there is no such path. */
  readonly mcp?: (request: Request, served: ServedMemory) => Promise<Response>;
  /** The page at `/inspect`, which needs no key; `/` redirects to it. Default: there is no such path. */
  readonly inspector?: InspectorFiles;
  /** Exchanges the codes of `palimpsest inspect` for the local key; default: there is no path for codes. */
  readonly inspectorCodes?: InspectorCodes;
}

/** The memory that an MCP request reads and changes, and the key that gives access to it. */
export interface ServedMemory {
  readonly runtime: UserRuntime;
  readonly key: ServedKey;
  /** Receives each error that the response contains as the answer of a tool, a prompt or a resource. */
  readonly onFailure: (error: unknown) => void;
}

/** The facts about a request that all steps of its handling need. */
interface RequestFacts {
  readonly door: Door | null;
  readonly route: string;
  readonly requestId: string;
  readonly startedAt: number;
  /** The user and the key of the request; null until they are known. */
  caller: Caller | null;
}

export function createApp(deps: AppDeps): Hono {
  const app = new Hono({ strict: false });
  const admit = createAdmission(deps);
  const shared = { leftOut: createLeftOutAnswers(), agentChanges: createQueues() };
  const keys = createKeyWatch(deps.verify, deps.clock);
  // CORS comes before all other handlers: a preflight is answered without a key, and errors get the CORS headers, too.
  if (deps.address.origins.length > 0) app.use(crossOrigin(deps.address.origins));
  addHealth(app, deps);
  for (const door of deps.doors) {
    const document = openApiOf(door, deps.version);
    app.get(documentPathOf(door), (context) => context.json(document));
    if (door.health !== undefined) {
      const { health } = door;
      app.get(`${door.path}/health`, (context) => context.json(health as object));
    }
    for (const route of door.routes) {
      const path = `${door.path}${route.path}`;
      app.on(route.method.toUpperCase(), path, (context) => {
        // Hono handles HEAD like GET and drops the body: a stream that nobody reads would never end.
        if (context.req.method === "HEAD" && mayStream(route)) return context.notFound();
        const facts = startRequest(deps, context, { door, route: path });
        return answered(deps, context, facts, () =>
          handle({ ...deps, admit, shared, keys }, { context, facts, door, route }),
        );
      });
    }
  }
  addMcp(app, { ...deps, admit, shared, keys });
  addInspector(app, deps);
  app.notFound((context) => {
    const door = deps.doors.find(({ path }) => context.req.path.startsWith(`${path}/`)) ?? null;
    const facts = startRequest(deps, context, { door, route: "(none)" });
    const { method, path } = context.req;
    return answered(deps, context, facts, () => {
      throw new Fault(
        404,
        "route_not_found",
        `There is no ${method} ${path}. The routes are in ${door === null ? "/api/openapi.json" : documentPathOf(door)}.`,
      );
    });
  });
  return app;
}

function mayStream(route: Route): boolean {
  return route.output === "events" || route.mayStream === true;
}

function documentPathOf({ path, documentPath }: Door): string {
  return documentPath ?? `${path}/openapi.json`;
}

function addHealth(app: Hono, { version, health, isDraining }: AppDeps): void {
  app.get("/health", (context) => context.json({ status: "ok", version }));
  app.get("/ready", async (context) => {
    if (isDraining()) return context.json({ status: "closing" }, 503);
    const { status } = await health();
    return context.json({ status }, status === "failed" ? 503 : 200);
  });
}

function addMcp(app: Hono, deps: AdmittingDeps): void {
  const { mcp } = deps;
  if (mcp === undefined) return;
  app.all("/mcp", (context) => {
    const facts = startRequest(deps, context, { door: null, route: "/mcp" });
    const { headers, url } = context.req.raw;
    const asking = { secret: keyOf(headers), mayStream: true, onCaller: (caller: Caller) => (facts.caller = caller) };
    const ask = async ({ key, share }: Admitted): Promise<Response> => {
      const runtime = runtimeOfKey(deps.runtimeOf(key.userId), key);
      const named = new URL(url).searchParams.get("agent");
      // The agent is checked here, so that an error is an HTTP status, not a result of MCP. Without a name, the key's agent is
      // served.
      if (named !== null && key.agentId !== null) await runtime.agents.find(named);
      const bytes = await readBody(context.req.raw, { bytes: deps.maxBodyBytes, share });
      await share.inTurn("body", () => requireSimple(bytes));
      const onFailure = (error: unknown) => reported(deps, facts, error);
      return mcp(withBody(context.req.raw, bytes), { runtime, key, onFailure });
    };
    return answered(deps, context, facts, () => deps.admit(context, asking, ask));
  });
}

function addInspector(app: Hono, deps: AppDeps): void {
  const { inspector, inspectorCodes: codes } = deps;
  if (inspector === undefined) return;
  const serve = (route: string, answer: (context: Context) => Promise<Response>, method = "GET"): void => {
    app.on(method, route, (context) => {
      const facts = startRequest(deps, context, { door: null, route });
      return answered(deps, context, facts, () => answer(context));
    });
  };
  serve("/", async (context) => context.redirect("/inspect"));
  serve("/inspect", () => inspector.page());
  serve("/inspect/assets/:file", (context) => inspector.asset(context.req.param("file") ?? ""));
  if (codes === undefined) return;
  serve("/inspect/proof", async (context) => {
    // The port is read from the socket, because another program can send any port in the header Host.
    const { localPort = 0 } = (context.env as HttpBindings).incoming.socket;
    return secretJson({ proof: await codes.prove(context.req.query("nonce") ?? "", localPort) });
  });
  const redeem = async (context: Context): Promise<Response> => {
    const sent = parsedJson(await readBody(context.req.raw, codeLimits)) as { readonly code?: unknown } | null;
    return secretJson({ key: await codes.redeem(sent?.code) });
  };
  serve("/inspect/key", redeem, "POST");
}

/** Limits for a body that is sent without a key, and holds only a code. */
const codeLimits = { bytes: 1000, share: { take: () => undefined, pace: async () => undefined } };

function secretJson(value: object): Response {
  return Response.json(value, { headers: { "cache-control": "no-store" } });
}

function startRequest(
  { clock }: AppDeps,
  context: Context,
  { door, route }: Pick<RequestFacts, "door" | "route">,
): RequestFacts {
  const sent = context.req.header("x-request-id") ?? "";
  const requestId = /^[\w-]{1,64}$/u.test(sent) ? sent : randomUUID();
  return { door, route, requestId, startedAt: clock.now().getTime(), caller: null };
}

/** Runs a step of a request, converts an error of the step to the form of the API that was called, and logs the request. */
async function answered(
  deps: AppDeps,
  context: Context,
  facts: RequestFacts,
  step: () => Response | Promise<Response>,
): Promise<Response> {
  let response: Response;
  let outcome: Pick<RequestLine, "level" | "code"> = { level: "info" };
  try {
    checkAddress(context.req.raw.headers, deps.address);
    if (deps.isDraining()) throw shuttingDown();
    response = await step();
  } catch (error) {
    const { signal } = context.req.raw;
    const fault = reported(deps, facts, signal.aborted && error === signal.reason ? clientLeft(error) : error);
    outcome = { level: isFailure(fault) ? "error" : "info", code: fault.code };
    response = faultResponse(facts, fault);
  }
  response.headers.set("x-request-id", facts.requestId);
  // Closes the connection: a client that kept it would send its next request to this server, which is shutting down.
  if (deps.isDraining()) response.headers.set("connection", "close");
  const now = deps.clock.now();
  const { requestId, route, caller, startedAt } = facts;
  const { level, ...code } = outcome;
  deps.onRequest({
    time: now.toISOString(),
    level,
    requestId,
    method: context.req.method,
    route,
    ...(caller === null ? {} : { user: caller.userId, key: caller.keyId }),
    ms: now.getTime() - startedAt,
    status: response.status,
    ...code,
  });
  return response;
}

/** Returns the fault of an error, and reports the error if the server caused it. */
function reported({ onFailure }: AppDeps, { requestId }: RequestFacts, error: unknown): Fault {
  const fault = faultOf(error);
  if (isFailure(fault)) onFailure(requestId, error);
  return fault;
}

function faultResponse({ door, requestId }: RequestFacts, fault: Fault): Response {
  const other: WrittenFault = { body: { detail: fault.message } };
  const { body, status = fault.status } = door?.writeFault(fault, requestId) ?? other;
  const wait = fault.retryAfterMs === undefined ? {} : { "retry-after": String(Math.ceil(fault.retryAfterMs / 1000)) };
  const challenge = fault.status === 401 ? { "www-authenticate": "Bearer" } : {};
  return new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": door?.faults.type ?? "application/json", ...wait, ...challenge },
  });
}

interface Handling {
  readonly context: Context;
  readonly facts: RequestFacts;
  readonly door: Door;
  readonly route: Route;
}

interface AdmittingDeps extends AppDeps {
  readonly admit: Admit;
  readonly shared: Pick<RouteCall<unknown, unknown, unknown>, "leftOut" | "agentChanges">;
  readonly keys: KeyWatch;
}

function handle(deps: AdmittingDeps, handling: Handling): Promise<Response> {
  const { context, facts, door, route } = handling;
  const { headers } = context.req.raw;
  const asking = {
    secret: door.keyOf?.(headers) ?? keyOf(headers),
    mayStream: mayStream(route),
    verifiesLater: route.checksKey === true,
    onCaller: (caller: Caller) => (facts.caller = caller),
  };
  return deps.admit(context, asking, (admitted) => run(deps, handling, admitted));
}

async function run(deps: AdmittingDeps, handling: Handling, admitted: Admitted): Promise<Response> {
  const { secret, key, share, verify } = admitted;
  const { context, route } = handling;
  requireScope(key, route);
  const { headers, signal } = context.req.raw;
  const { keyId, userId } = key;
  const whole = deps.runtimeOf(userId);
  const inTurn = route.status === accepted ? openingsOf(share, signal) : undefined;
  const checked = route.checksKey === true ? verifiedRuntime(whole, { keyId, verify, inTurn }) : whole;
  const runtime = runtimeOfKey(checked, key);
  const input = await inputOf(context, route, { bytes: deps.maxBodyBytes, share });
  const answer = async (of: UserRuntime): Promise<Response> => {
    // If the client has left while its request waited, nothing is started.
    if (signal.aborted) throw clientLeft(signal.reason);
    const result = await route.run({ ...input, runtime: of, headers, ...deps.shared, signal });
    return responseOf(deps, handling, { result, secret });
  };
  // A stream stops when its client leaves. A request that changes something is completed even if its client leaves.
  const isPlainRead = route.scope === "read" && route.output !== "events";
  if (!isPlainRead) return answer(runtime);
  return share.inTurn("read", () => answer(untilLeft(runtime, signal)));
}

/** The status of a route that starts a turn, and responds before the model does. */
const accepted = 202;

async function responseOf(
  deps: AdmittingDeps,
  { facts, door, route }: Handling,
  { result, secret }: { readonly result: unknown; readonly secret: string },
): Promise<Response> {
  if (result instanceof EventStream) {
    const onFailure = (error: unknown) => door.faultEvent(reported(deps, facts, error), facts.requestId);
    const { signal, end: onEnd } = deps.keys.begin(secret);
    const body = encodeEvents(result, { pingMs: deps.pingMs ?? 15_000, onFailure, onEnd, signal });
    // Without `x-accel-buffering`, a proxy that buffers responses would hold back every event.
    const headers = { "content-type": "text/event-stream", "cache-control": "no-cache", "x-accel-buffering": "no" };
    return new Response(body, { status: route.status ?? 200, headers: { ...headers, ...result.headers } });
  }
  if (result instanceof SentBytes) return bytesResponse(result);
  if (route.output === null || (result === null && route.mayBeEmpty === true))
    return new Response(null, { status: route.status ?? 204 });
  return new Response(await jsonInPieces(result ?? null), {
    status: route.status ?? 200,
    headers: { "content-type": "application/json", "cache-control": "no-store" },
  });
}
