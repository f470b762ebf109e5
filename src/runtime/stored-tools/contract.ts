// What a program can do with stored tools: tools that users add as data, without changing the program.
// Invariant: each operation acts for the runtime's user only.
import type { AgentRecord } from "../../store/port/records.ts";
import type { AttachedTool, StoredTool, StoredToolListRequest } from "../../store/port/stored-tool-store.ts";

export { attachedToolFields, storedToolFields } from "../../store/port/stored-tool-store.ts";

export interface StoredToolOptions {
  /** Letters, digits, `_` and `-`, at most 64; not the name of a built-in tool, or of one of the program's. */
  readonly name?: string;
  /** What it does and when to use it, for the model. */
  readonly description?: string;
  /** A JSON Schema of an object. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  /**
   * Python source code of a function, which the sandbox runs. `name`, `description` and `parameters` are read from the function
   * unless they are given. Null or absent: the caller of the agent runs the tool, and all three must be given.
   */
  readonly source?: string | null;
  /** Maximum code points of a result; default null, the agent's limit alone. */
  readonly resultLimit?: number | null;
  /** Whether each call waits until the user approves it. Default false. */
  readonly requiresApproval?: boolean;
  readonly tags?: readonly string[];
  /** A JSON object of the caller's own. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export interface NewStoredTool extends StoredToolOptions {
  /** A UUID; default a new one. */
  readonly id?: string;
}

/** A tool that the runtime or the program defines, as data. Its memory class and protocol decide which an agent has. */
export interface BuiltInTool {
  readonly name: string;
  readonly description: string;
  /** The JSON Schema of its arguments. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** `program`: a tool of `tools` or of the folder of tools. */
  readonly origin: "runtime" | "program";
  /** Whether an agent has it only if its setting `addedTools` names it. The others can be named in `removedTools`. */
  readonly isOptional: boolean;
  /** Whether an agent has it only while a source with files is attached. */
  readonly needsFiles: boolean;
}

/** What an agent has. */
export interface AgentTools {
  readonly builtIn: readonly BuiltInTool[];
  readonly stored: readonly AttachedTool[];
}

/** `order`: default `newest`. `limit`: 1 to 1,000, default 100. */
export type StoredToolListOptions = Partial<StoredToolListRequest>;

/**
 * A parameter `tool` is a name or an id. Every function with one throws RequestError `tool_not_found`. A change of a tool, and
 * of what is attached, takes effect when an agent is opened.
 */
export interface StoredToolOperations {
  /**
   * Throws RequestError `tool_source_invalid` for source code without a function that can be a tool, `sandbox_off` for source
   * code without a sandbox, and `tool_exists` for a name in use; DefinitionError `tool_definition_invalid` for an invalid name,
   * description or schema, and RequestError `input_invalid` for another invalid option; nothing is written then.
   */
  create(tool: NewStoredTool): Promise<StoredTool>;
  /** Creates the tool, or changes what is given of the tool of that name, which keeps its id. Throws as `create`. */
  upsert(tool: NewStoredTool): Promise<StoredTool>;
  /** Returns a tool by its name or id. */
  find(tool: string): Promise<StoredTool>;
  /** Returns one page; the next one is `after` the id of the last tool. Throws RequestError `input_invalid`. */
  list(options?: StoredToolListOptions): Promise<readonly StoredTool[]>;
  /**
   * Changes what is given; new source code also changes what is read from it. Throws as `create`, and RequestError
   * `input_invalid` for another name of a Python tool without source code that has it.
   */
  update(tool: string, change: StoredToolOptions): Promise<StoredTool>;
  /** Deletes it for every agent. */
  delete(tool: string): Promise<void>;
  /**
   * Attaches a tool to an agent. Returns false if it was attached already. Throws RequestError `tool_exists` if the agent has
   * another tool of that name.
   */
  attach(agent: string, tool: string): Promise<boolean>;
  /** Detaches a tool from an agent. Returns false if it was not attached. */
  detach(agent: string, tool: string): Promise<boolean>;
  /**
   * Returns the tools that need no row: those of the runtime, of all memory classes and of the program. With an agent, only those
   * that it has.
   */
  builtIn(agent?: string): Promise<readonly BuiltInTool[]>;
  /** Returns the tools that this user has attached to the agent, in the order in which they were attached. */
  ofAgent(agent: string): Promise<readonly AttachedTool[]>;
  /** Returns the tools of each of these agents, in their order, at the cost of one agent in the database. */
  ofAgents(agents: readonly AgentRecord[]): Promise<readonly AgentTools[]>;
  /**
   * Sets whether calls by this agent wait for approval; null: as the tool says. Throws RequestError `tool_not_found` if the
   * tool is not attached.
   */
  setApproval(agent: string, tool: string, requiresApproval: boolean | null): Promise<void>;
}
