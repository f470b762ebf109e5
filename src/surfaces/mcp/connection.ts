// What the tools, resources and prompts of one connection share.
import type { ServerContext } from "@modelcontextprotocol/server";
import type { Trust } from "../../base/message/message.ts";
import type { EditOptions } from "../../runtime/memory/contract.ts";
import type { UserRuntime } from "../../runtime/runtime.ts";
import type { ListenedResources } from "./listened-resources.ts";

// Names for what a runtime takes and returns.
export type Writer = NonNullable<EditOptions["by"]>;
export type Cause = Awaited<ReturnType<UserRuntime["memory"]["cause"]>>;
export type FoundText = Awaited<ReturnType<UserRuntime["recall"]["search"]>>["hits"][number];
export type Place = Awaited<ReturnType<UserRuntime["forget"]["preview"]>>["places"][number];

export interface MemoryServerOptions {
  /** May still open: tools and resources wait for it, the start of the connection does not. */
  readonly runtime: Promise<UserRuntime>;
  /** The agent whose memory is meant if a call names none. */
  readonly agent: string;
  /** Only that agent's memory is served, and nothing that reaches all agents. Default false. */
  readonly isOnlyAgent?: boolean;
  /** What the client may do: `read`; `chat`: also write and undo; `admin` (the default): also forget. */
  readonly scope?: "read" | "chat" | "admin";
  /** The trust class of what the client writes. */
  readonly trust: Trust;
  /** The name of the client, if it does not tell one. */
  readonly client: string;
  /** IANA name, for the days in results. */
  readonly timeZone: string;
  readonly version: string;
  /** Of a connection that stays open. */
  readonly listened?: ListenedResources;
  /** Names functions and options of the library in an error's text as the user can type them. */
  readonly words: (text: string) => string;
}

/** What the tools of one connection share. */
export interface MemoryConnection extends MemoryServerOptions {
  writerOf(context: ServerContext): Writer;
  /** Returns the agent that a call means. Throws RequestError `agent_not_found` for one that this client may not use. */
  agentOf(named: string | undefined): string;
}

/** Whether a client may read the memory of the agent of this name. */
export function isServed({ agent, isOnlyAgent = false }: MemoryServerOptions, name: string): boolean {
  return !isOnlyAgent || name === agent;
}
