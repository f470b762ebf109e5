// Creates a typed client of `/api`, for programs and pages that use agents on a server.
// Invariant: the client uses only functions that browsers have, too. A message that `send` sends starts only one turn,
// however often the connection fails.
import { EventSourceParserStream } from "eventsource-parser/stream";
import type { AgentEvent } from "../../agent/events.ts";
import { ApiError, errorOf, streamEnded, streamError } from "./api-error.ts";
import type { Api, CallName, CallOptions, CallResult, DownloadName, RequestArgument, StreamName } from "./api-types.ts";

export interface ClientOptions {
  /** The address of the server, such as `http://127.0.0.1:8283`. */
  readonly url: string;
  /** A key of the user. The client has access to this user's agents. */
  readonly key: string;
  /** The function that sends requests. Default: the platform's `fetch`. */
  readonly fetch?: typeof fetch;
}

/** A conversation with an agent, by its name or id. */
export interface ConversationPlace {
  readonly agent: string;
  readonly conversation: string;
}

/** The messages of a turn, and its options. */
export type TurnRequest = Api["POST /agents/:agent/conversations/:conversation/turns"]["body"];

export interface Client {
  /**
   * Calls a route by its name, such as `client.call("GET /agents/:agent", { params: { agent: "main" } })`, and returns its
   * result. Throws ApiError for a refusal, and the error of `fetch` if there is no answer.
   */
  call<Name extends CallName>(name: Name, ...request: RequestArgument<Name>): Promise<CallResult<Name>>;
  /** Yields the events of a route. Throws the same errors as `call`, and ApiError for a failure that the stream reports. */
  events<Name extends StreamName>(name: Name, ...request: RequestArgument<Name>): AsyncGenerator<AgentEvent, void>;
  /** Calls a route that answers with a file, and returns its content. Throws the same errors as `call`. */
  download<Name extends DownloadName>(name: Name, ...request: RequestArgument<Name>): Promise<Blob>;
  /**
   * Sends messages and yields the events of their turn until it ends or waits. If the connection fails, reading continues after
   * the last event, with up to 10 attempts in a row. Messages without an idempotency key get one. Throws the same errors as
   * `events`; also ApiError, at once, if the server asks for a wait of more than a minute, as it does for a limit per day.
   */
  send(place: ConversationPlace, turn: TurnRequest, options?: CallOptions): AsyncGenerator<AgentEvent, void>;
}

/** The parts of a request to any route. */
interface AnyRequest extends CallOptions {
  readonly params?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** Returns a client of a server, for browsers and programs. */
export function createClient({ url, key, fetch: given = fetch }: ClientOptions): Client {
  async function request(name: string, sent: AnyRequest = {}): Promise<Response> {
    const [method = "", path = ""] = name.split(" ");
    const target = `${url.replace(/\/$/u, "")}/api${filled(path, sent.params)}${queryText(sent.query)}`;
    const content = contentOf(sent.body);
    const response = await given(target, {
      method,
      headers: { authorization: `Bearer ${key}`, ...content.headers },
      ...(content.body === undefined ? {} : { body: content.body }),
      ...(sent.signal === undefined ? {} : { signal: sent.signal }),
    });
    if (response.ok) return response;
    throw await errorOf(response);
  }
  const client: Client = {
    async call(name, ...[sent]) {
      const response = await request(name, sent);
      const text = await response.text();
      return text === "" ? null : JSON.parse(text);
    },
    async *events(name, ...[sent]) {
      yield* eventsIn(await request(name, sent));
    },
    async download(name, ...[sent]) {
      return (await request(name, sent)).blob();
    },
    send: (place, turn, options) => sendAndRead(client, place, turn, options),
  };
  return client;
}

function filled(path: string, params: AnyRequest["params"] = {}): string {
  return path.replace(/:(\w+)/gu, (_, name: string) => encodeURIComponent(params[name] ?? ""));
}

function queryText(query: AnyRequest["query"] = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const each of Array.isArray(value) ? value : [value])
      if (each !== undefined) search.append(name, String(each));
  }
  return search.size === 0 ? "" : `?${search.toString()}`;
}

/** Returns the content of a request: a form if a field is a file, otherwise JSON. */
function contentOf(body: unknown): {
  readonly body?: string | FormData;
  readonly headers?: Readonly<Record<string, string>>;
} {
  if (body === undefined) return {};
  const fields = Object.entries(body as Readonly<Record<string, unknown>>);
  if (!fields.some(([, value]) => value instanceof Blob)) {
    return { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
  }
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value instanceof Blob ? value : String(value));
  return { body: form };
}

async function* eventsIn(response: Response): AsyncGenerator<AgentEvent, void> {
  if (response.body === null) return;
  const parsed = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  const reader = parsed.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      if (value.event === "error") throw streamError(value.data);
      yield JSON.parse(value.data) as AgentEvent;
    }
  } finally {
    await reader.cancel();
  }
}

const turnsPath = "/agents/:agent/conversations/:conversation/turns";
const maxFailures = 10;
const longestWaitMs = 5_000;
/** Maximum milliseconds that the server may ask to wait. A longer wait, such as for a limit per day, is an error at once. */
const maxRetryAfterMs = 60_000;

async function* sendAndRead(
  client: Client,
  place: ConversationPlace,
  turn: TurnRequest,
  options: CallOptions = {},
): AsyncGenerator<AgentEvent, void> {
  // With the same idempotency keys, a repeated request reads the turn that the first request has started.
  const messages = turn.messages.map((message) => {
    return { ...message, idempotencyKey: message.idempotencyKey ?? crypto.randomUUID() };
  });
  let last: AgentEvent | null = null;
  for (let failures = 1; ; failures += 1) {
    try {
      const events: AsyncIterable<AgentEvent> =
        last === null
          ? client.events(`POST ${turnsPath}/events`, { params: place, body: { ...turn, messages }, ...options })
          : client.events(`GET ${turnsPath}/:turn/events`, {
              params: { ...place, turn: last.turnId },
              query: { after: last.sequence },
              ...options,
            });
      for await (const event of untilTurnEnd(events, last)) {
        last = event;
        failures = 0;
        yield event;
      }
      return;
    } catch (error) {
      await waitAfter(error, failures, options.signal);
    }
  }
}

/**
 * Yields events up to the end of the turn, or up to the end of a stream that ends with a pause of the turn. Throws ApiError
 * if the stream ends before, as when the server shuts down. `before`: the last event of the earlier streams.
 */
async function* untilTurnEnd(
  events: AsyncIterable<AgentEvent>,
  before: AgentEvent | null,
): AsyncGenerator<AgentEvent, void> {
  let last = before;
  for await (const event of events) {
    last = event;
    yield event;
    // Only the stop reasons of a pause begin with `awaiting-`. The client imports types only, so the prefix is repeated here.
    if (event.type === "turn-end" && !event.stopReason.startsWith("awaiting-")) return;
  }
  if (last?.type !== "turn-end") throw streamEnded();
}

/**
 * Waits before another attempt if the failure may be temporary: the server cannot be reached, restarts, or asks to
 * wait for a minute at most. Waits as long as the server asks, or for a time that doubles with each of the `failures` in a row.
 * Throws any other failure, the tenth failure in a row, and the signal's reason when aborted.
 */
async function waitAfter(error: unknown, failures: number, signal: AbortSignal | undefined): Promise<void> {
  if (!isPassing(error) || failures >= maxFailures || signal?.aborted === true) throw error;
  const askedMs = error instanceof ApiError ? error.retryAfterMs : null;
  const ms = askedMs ?? Math.min(longestWaitMs, 50 * 2 ** failures);
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
  signal?.throwIfAborted();
}

function isPassing(error: unknown): boolean {
  if (!(error instanceof ApiError)) return true;
  return (error.status === 429 || error.status >= 502) && (error.retryAfterMs ?? 0) <= maxRetryAfterMs;
}
