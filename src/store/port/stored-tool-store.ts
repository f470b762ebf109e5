// The part of the store's port for stored tools: tools that users have added as data, and the agents that have them.
// Invariant: a name is unique per user; an attached tool is the user's own, and so is the use of the agent.
import { form, type RecordOf } from "../../base/arguments/forms.ts";
import type { ListRange } from "./page.ts";

/** How an MCP server that the user has added defines a tool. */
export interface ServedTool {
  readonly serverId: string;
  /** On the server. */
  readonly toolName: string;
  /** Of the server's place and the definition: a call is sent only while the server has this one. */
  readonly hash: string;
  /** Everything that the server says about the tool, for people. */
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
  /** `python`: the sandbox runs its source code. `client`: the caller of the agent runs it. `mcp`: a server of the user does. */
  kind: form.choice("python", "client", "mcp"),
  /** Null for all but `python`. */
  source: form.nullable(form.text),
  /** Null for all but `mcp`. */
  served: form.nullable(form.object<ServedTool>()),
  /** Maximum code points of a result, in addition to the agent's `toolResultLimit`; null: no other limit. */
  resultLimit: form.nullable(form.number),
  /** Whether each call waits until the user approves it. */
  requiresApproval: form.flag,
  tags: form.texts,
  /** A JSON object of the caller's own. */
  metadata: form.object(),
  createdAt: form.moment,
  updatedAt: form.moment,
};

export interface StoredTool extends RecordOf<typeof storedToolFields> {}

/** A stored tool of an agent. */
export const attachedToolFields = {
  ...storedToolFields,
  /** Replaces `requiresApproval` for this agent; null: it does not. */
  agentRequiresApproval: form.nullable(form.flag),
};

export interface AttachedTool extends RecordOf<typeof attachedToolFields> {}

/** A stored tool with the agent that has it. */
export interface ToolOfAgent extends AttachedTool {
  readonly agentId: string;
}

export type StoredToolChange = Partial<Omit<StoredTool, "id" | "served" | "createdAt">>;

export interface StoredToolListRequest extends ListRange {
  readonly name?: string;
  /** Only tools with at least one of these tags. */
  readonly tags?: readonly string[];
  /** Only tools whose name or description contains this text, in any case. */
  readonly text?: string;
  /** Only the tools of this MCP server. */
  readonly serverId?: string;
  /** Only tools that are attached to the agent with this id. */
  readonly agentId?: string;
}

export interface StoredToolStore {
  /** Throws RequestError `tool_exists` if the user has a tool of this name or id. */
  create(tool: StoredTool): Promise<void>;
  /**
   * Creates the tool, or changes the one of its name, whose id and time of creation stay. Of an existing tool, only what
   * `change` has is changed.
   */
  upsert(tool: StoredTool, change: StoredToolChange): Promise<StoredTool>;
  find(nameOrId: string): Promise<StoredTool | null>;
  /** Nothing is behind or ahead of an unknown tool. */
  list(request: StoredToolListRequest): Promise<readonly StoredTool[]>;
  /** Returns null if there is no such tool. Throws RequestError `tool_exists` for a name in use. */
  update(id: string, change: StoredToolChange): Promise<StoredTool | null>;
  /** Deletes it for every agent. Returns false if there is no such tool. */
  delete(id: string): Promise<boolean>;
  /** Returns false if it was attached already. Throws RequestError `agent_not_found` and `tool_not_found`. */
  attach(agentId: string, toolId: string): Promise<boolean>;
  /** Returns false if it was not attached. */
  detach(agentId: string, toolId: string): Promise<boolean>;
  /** Returns false, with nothing written, if the tool is not attached. */
  setApproval(agentId: string, toolId: string, requiresApproval: boolean | null): Promise<boolean>;
  /** In the order in which they were attached. */
  ofAgent(agentId: string): Promise<readonly AttachedTool[]>;
  /** In one statement, in that order. */
  ofAgents(agentIds: readonly string[]): Promise<readonly ToolOfAgent[]>;
}
