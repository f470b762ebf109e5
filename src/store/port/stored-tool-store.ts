// The part of the store's port for stored tools: tools that users have added as data, and the agents that have them.
// Invariant: a name is unique per user. A user attaches only their own tools, and only for their own use of the agent.
import { form, type OptionsOf, type RecordOf } from "../../base/arguments/forms.ts";
import type { ListRange } from "./page.ts";

/** How an MCP server that the user has added defines a tool. */
export interface ServedTool {
  readonly serverId: string;
  /** The tool's name on the server. */
  readonly toolName: string;
  /** Hash of the server's address and of the tool's definition. A call is sent only if both still have this hash. */
  readonly hash: string;
  /** Everything that the server says about the tool, as a text for people. */
  readonly definition: string;
}

/** A tool that a user has added as data, not as code of the program. */
export const storedToolFields = {
  id: form.id,
  /** Letters, digits, `_` and `-`, at most 64. */
  name: form.text,
  description: form.text,
  /** A JSON Schema of an object. */
  parameters: form.object(),
  /**
   * `python`: the sandbox runs its source code. `client`: the caller of the agent runs it. `mcp`: an MCP server of the user
   * runs it.
   */
  kind: form.choice("python", "client", "mcp"),
  /** Source code; null unless the kind is `python`. */
  source: form.nullable(form.text),
  /** The server's definition; null unless the kind is `mcp`. */
  served: form.nullable(form.object<ServedTool>()),
  /** Maximum code points of a result. The agent's `toolResultLimit` applies as well; null: only that limit applies. */
  resultLimit: form.nullable(form.number),
  /** Whether each call waits until the user approves it. */
  requiresApproval: form.flag,
  tags: form.texts,
  /** A JSON object that only the caller interprets. */
  metadata: form.object(),
  createdAt: form.moment,
  updatedAt: form.moment,
};

export interface StoredTool extends RecordOf<typeof storedToolFields> {}

/** A stored tool of an agent. */
export const attachedToolFields = {
  ...storedToolFields,
  /** Overrides `requiresApproval` for this agent; null: not overridden. */
  agentRequiresApproval: form.nullable(form.flag),
};

export interface AttachedTool extends RecordOf<typeof attachedToolFields> {}

/** A stored tool with the agent that has it. */
export interface ToolOfAgent extends AttachedTool {
  readonly agentId: string;
}

export type StoredToolChange = Partial<Omit<StoredTool, "id" | "served" | "createdAt">>;

export const storedToolFilterFields = {
  name: form.text,
  /** Only tools with at least one of these tags. */
  tags: form.texts,
  /** Only tools whose name or description contains this text, ignoring case. */
  text: form.text,
  /** Only the tools of this MCP server. */
  serverId: form.id,
  /** Only tools that are attached to the agent with this id. */
  agentId: form.id,
};

export interface StoredToolListRequest extends ListRange, OptionsOf<typeof storedToolFilterFields> {}

export interface StoredToolStore {
  /** Creates a tool. Throws RequestError `tool_exists` if the user has a tool of this name or id. */
  create(tool: StoredTool): Promise<void>;
  /**
   * Creates the tool, or changes the existing one of this name, and returns it. An existing tool keeps its id, its creation
   * time and all fields that `change` does not have.
   */
  upsert(tool: StoredTool, change: StoredToolChange): Promise<StoredTool>;
  find(nameOrId: string): Promise<StoredTool | null>;
  /** Lists tools. Empty if `after` or `before` is an unknown tool. */
  list(request: StoredToolListRequest): Promise<readonly StoredTool[]>;
  /** Changes a tool, and returns it; null if there is no such tool. Throws RequestError `tool_exists` for a name in use. */
  update(id: string, change: StoredToolChange): Promise<StoredTool | null>;
  /** Deletes a tool, for every agent. Returns false if there is no such tool. */
  delete(id: string): Promise<boolean>;
  /**
   * Attaches a tool to an agent. Returns false if it was attached already. Throws RequestError `agent_not_found` and
   * `tool_not_found`.
   */
  attach(agentId: string, toolId: string): Promise<boolean>;
  /** Detaches a tool from an agent. Returns false if it was not attached. */
  detach(agentId: string, toolId: string): Promise<boolean>;
  /**
   * Sets whether calls by this agent wait for approval; null: the tool's own setting. Returns false, with nothing written, if
   * the tool is not attached.
   */
  setApproval(agentId: string, toolId: string, requiresApproval: boolean | null): Promise<boolean>;
  /** Returns the tools of an agent, in the order in which they were attached. */
  ofAgent(agentId: string): Promise<readonly AttachedTool[]>;
  /** Returns the tools of several agents in one statement, in the order in which they were attached. */
  ofAgents(agentIds: readonly string[]): Promise<readonly ToolOfAgent[]>;
}
