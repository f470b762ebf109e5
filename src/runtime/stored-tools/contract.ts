// Defines the operations on stored tools: tools that users add as data, without changing the program.
// Invariant: each operation acts for the runtime's user only. This file checks types only; lengths and names are
// checked where a tool is stored.
import { list, record } from "../../base/arguments/argument-checks.ts";
import { form, type OptionsOf, type RecordOf } from "../../base/arguments/forms.ts";
import type { AgentRecord } from "../../store/port/records.ts";
import {
  type AttachedTool,
  attachedToolFields,
  type StoredTool,
  storedToolFields,
  storedToolFilterFields,
} from "../../store/port/stored-tool-store.ts";
import {
  admin,
  type Contract,
  isChanged,
  listFields,
  optionalOptions,
  optionalValue,
  optionsNamed,
  read,
  value,
} from "../contract.ts";

const { description, parameters, source, resultLimit, requiresApproval, tags, metadata } = storedToolFields;

const toolOptions = {
  /** The name: letters, digits, `_` and `-`, at most 64; not the name of a built-in tool or of a tool of the program. */
  name: form.text,
  /** What the tool does and when to use it, as the model reads it. */
  description,
  /** The JSON Schema of the arguments, which must have the type `object`. */
  parameters,
  /**
   * Python source code of a function, which the sandbox runs. `name`, `description` and `parameters` are read from the function
   * unless they are given. Null or absent: the tool is a client tool, and `name`, `description` and `parameters` are required.
   */
  source,
  /** Maximum code points of a result; default null: only the agent's limit applies. */
  resultLimit,
  /** Whether each call waits until the user approves it. Default false. */
  requiresApproval,
  tags,
  /** A JSON object for the caller's own use. */
  metadata,
};

export interface StoredToolOptions extends OptionsOf<typeof toolOptions> {}

const newTool = {
  ...toolOptions,
  /** A UUID; default a new one. */
  id: form.id,
};

export interface NewStoredTool extends OptionsOf<typeof newTool> {}

const builtInToolFields = {
  name: form.text,
  description: form.text,
  /** The JSON Schema of the tool's arguments. */
  parameters: form.object(),
  /** Who defines the tool. `program`: it is in the option `tools` or in the folder of tools. */
  origin: form.choice("runtime", "program"),
  /** Whether an agent has the tool only if its setting `addedTools` names it. Other tools can be named in `removedTools`. */
  isOptional: form.flag,
  /** Whether an agent has the tool only while a source with files is attached. */
  needsFiles: form.flag,
};

/** A tool of the runtime or the program, as data. An agent has the tools of its memory class and protocol. */
export interface BuiltInTool extends RecordOf<typeof builtInToolFields> {}

export const agentToolsFields = { builtIn: form.records(builtInToolFields), stored: form.records(attachedToolFields) };

export interface AgentTools {
  readonly builtIn: readonly BuiltInTool[];
  readonly stored: readonly AttachedTool[];
}

const listOptions = { ...storedToolFilterFields, ...listFields };

/** `order`: default `newest`. `limit`: 1 to 1,000, default 100. */
export interface StoredToolListOptions extends OptionsOf<typeof listOptions> {}

/**
 * The operations on stored tools. A parameter `tool` is a name or an id, and every function with it throws RequestError
 * `tool_not_found`. Changes of a tool, and attaching or detaching it, take effect when an agent is opened.
 */
export interface StoredToolOperations {
  /**
   * Creates a tool. If it throws, nothing is written: RequestError `tool_source_invalid` for source code without a function
   * that can be a tool, `sandbox_off` for source code without a sandbox, and `tool_exists` for a name in use; DefinitionError
   * `tool_definition_invalid` for an invalid name, description or schema; RequestError `input_invalid` for another invalid
   * option.
   */
  create(tool: NewStoredTool): Promise<StoredTool>;
  /**
   * Creates the tool, or changes the given fields of the tool with that name, which keeps its id. Throws the same errors as
   * `create`.
   */
  upsert(tool: NewStoredTool): Promise<StoredTool>;
  find(tool: string): Promise<StoredTool>;
  /** Returns one page. For the next page, pass the id of the last tool as `after`. Throws RequestError `input_invalid`. */
  list(options?: StoredToolListOptions): Promise<readonly StoredTool[]>;
  /**
   * Changes the given fields; new source code also changes the fields read from it. Throws the same errors as `create`, and
   * RequestError `input_invalid` for a new name of a Python tool, unless new source code has a function of that name.
   */
  update(tool: string, change: StoredToolOptions): Promise<StoredTool>;
  /** Deletes a tool, and detaches it from every agent. */
  delete(tool: string): Promise<void>;
  /**
   * Attaches a tool to an agent. Returns false if it was already attached. Throws RequestError `tool_exists` if the agent has
   * another tool with that name.
   */
  attach(agent: string, tool: string): Promise<boolean>;
  /** Detaches a tool from an agent. Returns false if it was not attached. */
  detach(agent: string, tool: string): Promise<boolean>;
  /**
   * Returns the tools that are defined by code, not stored: those of the runtime, of all memory classes and of the program.
   * With an agent, returns only those that the agent has.
   */
  builtIn(agent?: string): Promise<readonly BuiltInTool[]>;
  /** Returns the stored tools that this user has attached to the agent, in the order in which they were attached. */
  ofAgent(agent: string): Promise<readonly AttachedTool[]>;
  /** Returns the tools of each of these agents, in the order of the agents. One query reads many agents. */
  ofAgents(agents: readonly AgentRecord[]): Promise<readonly AgentTools[]>;
  /**
   * Sets whether calls by this agent wait for approval; null: the tool's own setting decides. Throws RequestError
   * `tool_not_found` if the tool is not attached.
   */
  setApproval(agent: string, tool: string, requiresApproval: boolean | null): Promise<void>;
}

const forSource = "Use `source` for Python source code; a function of your program goes in `tools` of createRuntime.";
const otherNames = {
  schema: "Use `parameters`.",
  inputSchema: "Use `parameters`.",
  approval: "Use `requiresApproval`.",
  code: forSource,
  run: forSource,
  kind: "Omit `kind`: a tool with a `source` runs in the sandbox, and the caller runs any other tool.",
};

const agent = value("agent", form.text);
const tool = value("tool", form.text);
const given = optionsNamed("tool", newTool, { otherNames });

export const storedToolContract = {
  create: {
    args: [given],
    http: admin(
      "POST /tools",
      "Store a tool that the client runs, or one with Python source code for the sandbox",
      storedToolFields,
      { status: 201 },
    ),
  },
  upsert: {
    args: [given],
    http: admin("PUT /tools", "Store a tool, or change the tool of that name, which keeps its id", storedToolFields),
  },
  find: { args: [tool], http: read("GET /tools/:tool", "Get a stored tool", storedToolFields) },
  list: { args: [optionalOptions(listOptions)], http: read("GET /tools", "List the stored tools", [storedToolFields]) },
  update: {
    args: [tool, optionsNamed("change", toolOptions, { otherNames })],
    http: admin("PATCH /tools/:tool", "Change a stored tool", storedToolFields),
  },
  delete: { args: [tool], http: admin("DELETE /tools/:tool", "Delete a stored tool for every agent", null) },
  attach: { args: [agent, tool], http: "`PUT /agents/:agent/tools/:tool` also sets whether its calls wait." },
  detach: {
    args: [agent, tool],
    http: admin("DELETE /agents/:agent/tools/:tool", "Detach a stored tool from an agent", isChanged),
  },
  builtIn: {
    args: [optionalValue("agent", form.text)],
    http: read("GET /built-in-tools", "List the tools of the runtime and of the program", [builtInToolFields]),
  },
  ofAgent: { args: [agent], http: "`GET /agents/:agent/tools` also returns the built-in tools." },
  ofAgents: {
    args: [{ name: "agents", check: list(record) }],
    http: "`GET /agents/:agent/tools` returns the tools of one agent.",
  },
  setApproval: {
    args: [agent, tool, value("requiresApproval", form.nullable(form.flag))],
    http: "`PUT /agents/:agent/tools/:tool` takes `requiresApproval`.",
  },
} as const satisfies Contract<StoredToolOperations>;
