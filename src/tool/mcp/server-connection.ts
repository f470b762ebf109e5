// The connection to one MCP server: starts it, lists its tools, calls them, and restarts it after a failure.
// Invariant: every wait has a time-out, and a call is never sent twice, because the first may have had an effect.
import { type CallToolResult, type Client, SdkHttpError } from "@modelcontextprotocol/client";
import type { Clock } from "../../base/clock.ts";
import { messageOf } from "../../base/thrown-values.ts";
import { SignInError, ToolError } from "../../base/errors.ts";
import { untilAborted } from "../../base/waiting.ts";
import { bounds } from "./bounds.ts";
import { callTool, duringCalls, refusedCall, type RunningCalls } from "./call-tool.ts";
import {
  type ClientDeps,
  type ClientEvents,
  closeClient,
  listTools,
  openClient,
  operatorText,
  ProgramError,
} from "./open-client.ts";
import type { Questions } from "./questions.ts";
import type { McpServerOptions, ReadDefinitions, ToolDefinition } from "./tool-definition.ts";

export interface ServerState {
  readonly needsSignIn: boolean;
  /** For the operator: why the server is not connected, with a program's standard error; null if it is connected. */
  readonly problem: string | null;
  /** The reasons for which tools were left out. */
  readonly notes: readonly string[];
}

export interface ServerConnection {
  /** Connects, unless there is a connection or the last attempt has just failed. Never throws: logs a failure. */
  connect(): Promise<void>;
  state(): ServerState;
  /** Returns the tools as last listed; none before the first connection. */
  definitions(): readonly ToolDefinition[];
  /** Runs a function with the connected client. Throws ToolError if the server cannot be used. */
  use<Result>(run: (client: Client) => Promise<Result>): Promise<Result>;
  /** Calls a tool. Lists the tools first: if the definition has changed, throws ToolError and sends no call. */
  call(definition: ToolDefinition, args: unknown, signal: AbortSignal): Promise<CallToolResult>;
  close(): Promise<void>;
}

interface ConnectionDeps extends ClientDeps {
  readonly clock: Clock;
  readonly log: (line: string) => void;
  readonly questions: Questions;
  /** Returns whether the server refused the last request because the user is not signed in; default: never. */
  readonly isRefused?: () => boolean;
}

export function createServerConnection(
  name: string,
  options: McpServerOptions,
  { clock, log, questions, isRefused = () => false, ...deps }: ConnectionDeps,
): ServerConnection {
  const known = createKnownTools((problem) => log(`The MCP server ${name}: ${problem}.`));
  const running: RunningCalls = new Set();
  const onQuestion = questionsOf(name, running, questions);
  const { current, ...link } = createLink(name, options, { ...deps, clock, known, running, onQuestion });

  function report(error: unknown): void {
    const failure = error instanceof SignInError && error.needsUser ? signInProblem(name) : operatorText(error);
    link.blame(failure);
    log(`The MCP server ${name} cannot be used: ${failure}.`);
  }

  return {
    connect: () => current().then(() => undefined, report),
    state: () => stateOf(name, { isRefused: isRefused(), failure: link.problem(), notes: known.notes() }),
    definitions: known.definitions,
    async use(run) {
      const client = await current();
      try {
        return await run(client);
      } catch (error) {
        // The next use lists the tools, which shows whether the connection is lost.
        link.expire();
        throw error;
      }
    },
    async call(definition, args, signal) {
      // The tools are listed again before each call, because a server need not announce a changed tool.
      link.expire();
      const client = await untilAborted(current(), signal).catch((error: unknown) => {
        signal.throwIfAborted();
        // The call's error omits the program's standard error, which is logged here instead.
        if (error instanceof ProgramError) report(error);
        throw refusedCall(name, error);
      });
      if (known.has(definition)) return callTool(client, running, { name, options, definition, args, signal });
      throw new ToolError(`${definition.name} was not run: the MCP server ${name} has changed or removed the tool.`);
    },
    close: link.close,
  };
}

interface Connected {
  client: Client | null;
  /**
   * Whether the tools must be listed again before use: the server reported a change, a request failed, or a call is about to
   * be sent.
   */
  isStale: boolean;
}

/** The client of a server. A new client replaces it when the connection is lost. */
interface Link {
  /** Returns a connected client. Lists stale tools first, and reconnects if listing fails because the connection is lost. */
  current(): Promise<Client>;
  /** Marks the tools as stale. */
  expire(): void;
  /** Returns why there is no client; null if there is one. */
  problem(): string | null;
  /** Sets what `problem` returns while there is no client. */
  blame(failure: string): void;
  close(): Promise<void>;
}

interface LinkDeps extends Omit<ClientEvents, "onChange" | "onClose">, Pick<ConnectionDeps, "clock"> {
  readonly known: KnownTools;
  readonly running: RunningCalls;
}

function createLink(name: string, options: McpServerOptions, { clock, known, running, ...deps }: LinkDeps): Link {
  const backoff = createBackoff(clock);
  let connected: Connected = { client: null, isStale: false };
  let connecting: Promise<Client> | null = null;
  let failure = "it was not started yet";
  let isClosed = false;

  async function open(): Promise<Client> {
    if (isClosed) throw new ToolError("Palimpsest is shutting down");
    const mine: Connected = { client: null, isStale: false };
    const onChange = (): void => void (mine.isStale = true);
    const onClose = (): void => {
      mine.client = null;
      failure = "it has ended";
    };
    const { client, ...read } = await openClient(name, options, { ...deps, onChange, onClose });
    mine.client = client;
    connected = mine;
    known.take(read);
    return client;
  }

  const connect = async (): Promise<Client> =>
    connected.client ?? (connecting ??= backoff.attempt(open).finally(() => (connecting = null)));

  async function current(): Promise<Client> {
    const { client } = connected;
    if (client === null || !connected.isStale) return connect();
    try {
      known.take(await freshTools(connected, () => listOrPing(client, name, options)));
      return client;
    } catch (error) {
      if (connected.client === client) await endLost(client, running, error);
      // Listing changes nothing on the server, so the tools can be listed again with a new client.
      return connect();
    }
  }

  return {
    current,
    expire: () => void (connected.isStale = true),
    problem: () => (connected.client === null ? failure : null),
    blame: (reason) => void (failure = reason),
    async close() {
      isClosed = true;
      await connecting?.catch(() => undefined);
      if (connected.client !== null) await closeClient(connected.client);
    },
  };
}

/** Lists the tools. A server without tools gets a ping, because only an answer shows that the connection is not lost. */
async function listOrPing(client: Client, name: string, options: McpServerOptions): Promise<ReadDefinitions> {
  if (client.getServerCapabilities()?.tools === undefined) await client.ping({ timeout: bounds.connectMs });
  return listTools(client, name, options);
}

/**
 * Closes the client after listing its tools has failed. Throws the error instead (1) if a sign-in is missing, or (2) if calls
 * run, because a server may just be busy. (2) does not apply if the server has forgotten the session: the calls are then lost.
 */
async function endLost(client: Client, running: RunningCalls, error: unknown): Promise<void> {
  const isForgotten =
    error instanceof SdkHttpError && [400, 404].includes(error.status) && client.transport?.sessionId !== undefined;
  if (error instanceof SignInError || (running.size > 0 && !isForgotten)) throw error;
  await client.close();
}

interface Found {
  readonly isRefused: boolean;
  readonly failure: string | null;
  readonly notes: readonly string[];
}

function stateOf(name: string, { isRefused, failure, notes }: Found): ServerState {
  return { needsSignIn: isRefused, problem: isRefused ? signInProblem(name) : failure, notes };
}

function signInProblem(name: string): string {
  return `it needs a sign-in, with \`runtime.mcp.signIn("${name}")\``;
}

/** Returns the handler of the server's questions, which declines questions outside of a call. */
function questionsOf(name: string, running: RunningCalls, questions: Questions): ClientEvents["onQuestion"] {
  return async (asked, cancelled) => {
    const ask = (ended: AbortSignal) => questions.ask(name, asked, AbortSignal.any([ended, cancelled]));
    return (await duringCalls(running, ask)) ?? { action: "decline" };
  };
}

interface KnownTools {
  take(read: ReadDefinitions): void;
  definitions(): readonly ToolDefinition[];
  notes(): readonly string[];
  /** Returns whether the last list of the server's tools contains exactly this definition. */
  has(definition: ToolDefinition): boolean;
}

function createKnownTools(report: (problem: string) => void): KnownTools {
  let read: ReadDefinitions = { definitions: [], problems: [] };
  return {
    take(next) {
      // The list is read before each call, but each problem is reported only once.
      for (const problem of next.problems) if (!read.problems.includes(problem)) report(problem);
      read = next;
    },
    definitions: () => read.definitions,
    notes: () => read.problems,
    has: ({ toolName, hash }) => read.definitions.some((one) => one.toolName === toolName && one.hash === hash),
  };
}

/** Lists the tools again. The list stays stale if listing fails, or if the tools change again meanwhile. */
async function freshTools(connected: Connected, list: () => Promise<ReadDefinitions>): Promise<ReadDefinitions> {
  connected.isStale = false;
  try {
    return await list();
  } catch (error) {
    connected.isStale = true;
    throw error;
  }
}

interface Backoff {
  /**
   * Runs the function, which tries to connect. In the pause after a failed attempt, throws ToolError instead. A missing
   * sign-in causes no pause, because the user may sign in at any time, also from another program.
   */
  attempt<Result>(run: () => Promise<Result>): Promise<Result>;
}

function createBackoff(clock: Clock): Backoff {
  let failures = 0;
  let retryAt = 0;
  let last: unknown = null;
  return {
    async attempt(run) {
      const waitMs = retryAt - clock.now().getTime();
      if (waitMs > 0) throw inPause(last, waitMs);
      try {
        const result = await run();
        failures = 0;
        return result;
      } catch (error) {
        if (error instanceof SignInError && error.needsUser) throw error;
        const { first, longest } = bounds.backoffMs;
        retryAt = clock.now().getTime() + Math.min(longest, first * 2 ** failures);
        failures += 1;
        last = error;
        throw error;
      }
    },
  };
}

/** Returns the error for an attempt that falls into the pause after a failed attempt. */
function inPause(last: unknown, waitMs: number): ToolError {
  const message = `${messageOf(last)}; the next attempt is in ${Math.ceil(waitMs / 1000)} s`;
  return last instanceof ProgramError
    ? new ProgramError(message, { cause: last, written: last.written })
    : new ToolError(message);
}
