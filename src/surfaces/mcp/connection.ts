// Defines the facts and functions that the tools, resources and prompts of one connection share.
import type { ServerContext } from "@modelcontextprotocol/server";
import type { RuntimeError } from "../../base/errors.ts";
import type { Trust } from "../../base/message/message.ts";
import type { EditOptions } from "../../runtime/memory/contract.ts";
import type { UserRuntime } from "../../runtime/runtime.ts";
import type { ListenedResources } from "./listened-resources.ts";

// Names for types that a runtime takes and returns.
export type Writer = NonNullable<EditOptions["by"]>;
export type Cause = Awaited<ReturnType<UserRuntime["memory"]["cause"]>>;
export type FoundText = Awaited<ReturnType<UserRuntime["recall"]["search"]>>["hits"][number];

export interface MemoryServerOptions {
  /** The runtime, which may still be opening. The connection starts at once; tools and resources wait for the runtime. */
  readonly runtime: Promise<UserRuntime>;
  /** The name of the agent that a call uses if it names no agent. */
  readonly agent: string;
  /** Whether only the memory of `agent` is served, and no tool that affects all agents. Default false. */
  readonly isOnlyAgent?: boolean;
  /** What the client may do: `read`; `chat`: also write and undo; `admin` (the default): also forget. */
  readonly scope?: "read" | "chat" | "admin";
  /** The trust class of everything that the client writes. */
  readonly trust: Trust;
  /** The name for a client that sends no name. */
  readonly client: string;
  /** The IANA name of the time zone, for the days in results. */
  readonly timeZone: string;
  readonly version: string;
  /** The resources to which the client has subscribed; undefined over HTTP, where no connection stays open. */
  readonly listened?: ListenedResources;
  /** Returns the text of an error for the client, which does not know the functions of the library. */
  readonly words: (error: RuntimeError) => string;
  /**
   * Receives each error that a tool, a prompt or a resource returns, because the HTTP response itself reports success. Without
   * this function, the text of an unexpected error is sent to the client.
   */
  readonly onFailure?: (error: unknown) => void;
}

/** The options of a connection, with the functions that its tools share. */
export interface MemoryConnection extends MemoryServerOptions {
  writerOf(context: ServerContext): Writer;
  /**
   * Returns the agent that a call names, or the default one. Throws RequestError `agent_not_found` for an agent that this
   * client may not use.
   */
  agentOf(named: string | undefined): string;
}

/** Returns whether a client may read the memory of the agent with this name. */
export function isServed({ agent, isOnlyAgent = false }: MemoryServerOptions, name: string): boolean {
  return !isOnlyAgent || name === agent;
}
