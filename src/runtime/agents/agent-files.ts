// Defines the export and import of agent files (JSON documents of agents with memory and conversations), and the import from
// Letta's database.
// Invariant: each operation acts for the runtime's user only. Here, only the types of arguments are checked.
import { anything, callback, signal, textOr } from "../../base/arguments/argument-checks.ts";
import { form, type OptionsOf, type RecordOf } from "../../base/arguments/forms.ts";
import { agentFields } from "../../store/port/records.ts";
import type { Transfer, TransferCounts } from "../../store/port/transfer-store.ts";
import { admin, type Contract, optionalOptions, value } from "../contract.ts";

const rows = form.objects<Readonly<Record<string, unknown>>>();

const agentFileFields = {
  agents: rows,
  blocks: rows,
  tools: rows,
  sources: rows,
  files: rows,
  groups: rows,
  mcp_servers: rows,
  metadata: form.object<Readonly<Record<string, string>>>(),
  created_at: form.text,
  palimpsest: form.object<Transfer & { readonly version: number }>(),
};

/**
 * An agent file of Letta 0.16, with the complete agents under the key `palimpsest`. Other programs read the rest: agents,
 * blocks, tools, and the last conversation of each agent.
 */
export interface AgentFile extends RecordOf<typeof agentFileFields> {}

const importOptions = {
  /** The agent's name; only for a file with one agent. Default: the name in the file. */
  name: form.text,
  /** Text that is added to the name of each agent, such as `_copy`. */
  suffix: form.text,
  /** The model of all agents. Default: the model in the file if this runtime can use it, otherwise the runtime's. */
  model: form.text,
  /** The embedder of all agents, named as in the option `to` of `embeddings.reembed`. Default: the runtime's. */
  embedding: form.text,
  /** Imports agents and memory without conversations. Default false. */
  withoutMessages: form.flag,
  /** For a stored tool with the name of a tool in the file: `keep` it (default), or `replace` it for all its agents. */
  existingTools: form.choice("keep", "replace"),
  /**
   * Keeps the trust of texts and the decisions about tool calls as the file has them. Only for a file that you wrote yourself.
   * Default false: every text becomes `external`, and tools with source code wait for approval.
   */
  keepTrust: form.flag,
};

export interface AgentImportOptions extends OptionsOf<typeof importOptions> {}

const agentImportFields = {
  agents: form.records(agentFields),
  /** The number of stored records of each kind. */
  counts: form.object<TransferCounts>(),
  /** What could not be imported and what was changed, one sentence each. */
  notes: form.texts,
};

export interface AgentImport extends RecordOf<typeof agentImportFields> {}

const lettaOptions = {
  /** Counts what would be stored, and stores nothing. Default false. */
  dryRun: form.flag,
  /** The model of all agents. Default: the model in Letta's database if it can be used, otherwise the runtime's. */
  model: form.text,
  /** Called before each agent is imported. */
  onProgress: form.program<(progress: LettaImportProgress) => void>(callback),
  /** Stops the import before its next part, such as an agent. Stored parts stay, and the next import continues after them. */
  signal: form.program<AbortSignal>(signal),
};

export interface LettaImportOptions extends OptionsOf<typeof lettaOptions> {}

export interface LettaImportProgress {
  readonly agentsDone: number;
  readonly agents: number;
  /** Name of the agent whose import begins now. */
  readonly name: string;
}

export interface LettaImport {
  /** All agents of the database with their names in this store, including those that were stored before. */
  readonly agents: readonly { readonly id: string; readonly name: string }[];
  /** The number of newly stored records of each kind. */
  readonly counts: TransferCounts & { readonly identities: number };
  /** What could not be imported and what was changed, one sentence each. */
  readonly notes: readonly string[];
}

export interface TransferOperations {
  /**
   * Returns an agent with its memory, revisions, conversations and archive as an agent file, which other programs for agents
   * can read, too. The file does not contain the contents of attached files. Only the owner may call it.
   */
  export(agent: string): Promise<AgentFile>;
  /**
   * Creates the agents in an agent file: the JSON value or its text, written by `export`, by Letta 0.16, or in Letta's older
   * form. Ids are kept if the user has none of them. All agents are created or none. Throws RequestError `import_invalid`
   * for any other value, `agent_exists` for a name in use, `input_invalid`, ConfigError for a model, embedder or setting
   * that cannot be used, and DefinitionError for a memory class that is not registered.
   */
  import(file: unknown, options?: AgentImportOptions): Promise<AgentImport>;
  /**
   * Imports everything in the PostgreSQL database of a Letta server 0.16.8: agents, blocks, messages, conversations, passages,
   * files and tools, with their ids. Can be repeated: stores only what is new, and only reads Letta's database. Throws
   * RequestError `import_invalid` for a database that cannot be read or has another version, `input_invalid`, and ConfigError
   * for a model that cannot be used; parts that are already stored stay.
   */
  importLetta(databaseUrl: string, options?: LettaImportOptions): Promise<LettaImport>;
}

const databaseUrl = {
  ...form.text,
  check: textOr("Pass the address of Letta's PostgreSQL database: postgresql://user:password@host/name."),
};

export const transferContract = {
  export: {
    args: [value("agent", form.text)],
    http: admin(
      "GET /agents/:agent/file",
      "Export an agent with memory, revisions and conversations as an agent file",
      agentFileFields,
    ),
  },
  import: {
    args: [value("file", form.json(anything)), optionalOptions(importOptions)],
    http: admin(
      "POST /agents/import",
      "Create the agents of an agent file, from Palimpsest or Letta",
      agentImportFields,
      { status: 201 },
    ),
  },
  importLetta: {
    args: [value("databaseUrl", databaseUrl), optionalOptions(lettaOptions)],
    http: "A server would connect to any database that a request names.",
  },
} as const satisfies Contract<TransferOperations>;
