// Agent files: agents with their memory and conversations as one JSON document; and agents from the database of Letta.
// Invariant: types only; each operation acts for the runtime's user only.
import type { AgentRecord } from "../store/port/records.ts";
import type { Transfer, TransferCounts } from "../store/port/transfer-store.ts";

/**
 * An agent file of Letta 0.16, with the agents in full under the key `palimpsest`. Other programs read the rest: agents, blocks,
 * tools, and the last conversation of each agent.
 */
export interface AgentFile {
  readonly agents: readonly Readonly<Record<string, unknown>>[];
  readonly blocks: readonly Readonly<Record<string, unknown>>[];
  readonly tools: readonly Readonly<Record<string, unknown>>[];
  readonly sources: readonly Readonly<Record<string, unknown>>[];
  readonly files: readonly Readonly<Record<string, unknown>>[];
  readonly groups: readonly Readonly<Record<string, unknown>>[];
  readonly mcp_servers: readonly Readonly<Record<string, unknown>>[];
  readonly metadata: Readonly<Record<string, string>>;
  readonly created_at: string;
  readonly palimpsest: Transfer & { readonly version: number };
}

export interface AgentImportOptions {
  /** The agent's name; only for a file with one agent. Default: the name in the file. */
  readonly name?: string;
  /** Text that is added to the name of each agent, such as `_copy`. */
  readonly suffix?: string;
  /** The model of all agents. Default: that of the file if it can be used here, otherwise the runtime's. */
  readonly model?: string;
  /** The embedder of all agents, as for `embeddings.reembed`. Default: the runtime's. */
  readonly embedding?: string;
  /** Imports agents and memory without conversations. Default false. */
  readonly withoutMessages?: boolean;
  /** What happens to a stored tool that has the name of one in the file: `keep` (the default) or `replace`, for all agents. */
  readonly existingTools?: "keep" | "replace";
  /**
   * Keeps the trust of texts and the decisions about tool calls as the file has them. Only for a file that you wrote yourself.
   * Default false: every text becomes `external`, and tools with source code wait for approval.
   */
  readonly keepTrust?: boolean;
}

export interface AgentImport {
  readonly agents: readonly AgentRecord[];
  /** How much was stored. */
  readonly counts: TransferCounts;
  /** What could not be moved, and what was changed, one sentence each. */
  readonly notes: readonly string[];
}

export interface LettaImportOptions {
  /** Counts what would be stored, and stores nothing. Default false. */
  readonly dryRun?: boolean;
  /** The model of all agents. Default: that of Letta if it can be used here, otherwise the runtime's. */
  readonly model?: string;
  /** Called before each agent. */
  readonly onProgress?: (progress: LettaImportProgress) => void;
  /** Checked between parts. What was stored by then stays, and the next import goes on from there. */
  readonly signal?: AbortSignal;
}

export interface LettaImportProgress {
  readonly agentsDone: number;
  readonly agents: number;
  /** The agent that comes next. */
  readonly name: string;
}

export interface LettaImport {
  /** All agents of the database, with their names here, also those that were stored before. */
  readonly agents: readonly { readonly id: string; readonly name: string }[];
  /** How much was new. */
  readonly counts: TransferCounts & { readonly identities: number };
  /** What could not be moved, and what was changed, one sentence each. */
  readonly notes: readonly string[];
}
