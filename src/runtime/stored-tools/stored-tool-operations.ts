// Creates, changes, lists and attaches stored tools.
// Invariant: no stored tool has the name of a tool that the runtime or the program defines. The sandbox parses source code and
// does not run it.
import { groupBy } from "../../base/lists.ts";
import { nearestName } from "../../base/nearest-name.ts";
import { RequestError } from "../../base/errors.ts";
import type { AgentRecord } from "../../store/port/records.ts";
import type { StoredTool } from "../../store/port/stored-tool-store.ts";
import type { AgentTools, BuiltInTool, NewStoredTool, StoredToolOperations, StoredToolOptions } from "./contract.ts";
import { findAgent, findReadable } from "../agents/find-agent.ts";
import { freshMemory, toolsOf } from "../operations/opening/agent-tools.ts";
import type { Sandbox } from "../../tool/sandbox.ts";
import type { OperationDeps } from "../operations/operation-deps.ts";
import { builtInTools, definedNames, toolsOfAgent } from "./built-in-tools.ts";
import { checkedChange, checkedId, checkListOptions, invalid, storedToolDefaults } from "./stored-tool-input.ts";

type ToolDeps = Pick<
  OperationDeps,
  "store" | "registry" | "defaults" | "tools" | "retrieval" | "sandbox" | "toolServers" | "ids" | "clock"
>;

export function createStoredToolOperations(deps: ToolDeps): StoredToolOperations {
  const { tools } = deps.store;
  return {
    create: async (options) => {
      const { tool } = await newTool(deps, options);
      await tools.create(tool);
      return tool;
    },
    upsert: async (options) => {
      const { tool, change } = await newTool(deps, options);
      await requireNotServed(deps, tool.name);
      return tools.upsert(tool, change);
    },
    find: (name) => findTool(deps, name),
    list: async (options = {}) => {
      checkListOptions(options);
      return tools.list({ order: "newest", limit: 100, ...options });
    },
    update: async (nameOrId, options) => {
      const { id, name, kind } = await findTool(deps, nameOrId);
      if (kind === "mcp") requireOwn(name, options);
      const given = await withDeclared(deps.sandbox, options);
      const change = checkedChange(given.name ?? name, given);
      if (change.name !== undefined && change.name !== name) {
        if ((change.kind ?? kind) === "python" && change.source === undefined) throw sourceNeeded(name);
        requireFreeName(deps, change.name);
      }
      const updated = await tools.update(id, { ...change, updatedAt: deps.clock.now() });
      // The tool is missing if another process deleted it in the meantime.
      if (updated === null) throw await missingTool(deps, nameOrId);
      return updated;
    },
    delete: async (name) => void (await tools.delete((await findTool(deps, name)).id)),
    attach: async (agent, name) => {
      const found = await findAgent(deps, agent);
      const tool = await findTool(deps, name);
      const own = toolsOf(deps, found, { selection: deps.tools.selection, stored: [] })(freshMemory(deps, found));
      if (own.some((one) => one.name === tool.name)) throw nameTaken(tool.name);
      return tools.attach(found.id, tool.id);
    },
    detach: async (agent, name) => {
      const { id } = await findAgent(deps, agent);
      return tools.detach(id, (await findTool(deps, name)).id);
    },
    builtIn: async (agent) => {
      if (agent === undefined) return builtInTools(deps);
      const [has] = await toolsOfAgents(deps, [await findAgent(deps, agent)]);
      return has!.builtIn;
    },
    ofAgent: async (agent) => tools.ofAgent((await findReadable(deps, agent)).id),
    ofAgents: (agents) => toolsOfAgents(deps, agents),
    setApproval: async (agent, name, requiresApproval) => {
      const { id, name: agentName } = await findAgent(deps, agent);
      const tool = await findTool(deps, name);
      if (await tools.setApproval(id, tool.id, requiresApproval)) return;
      const message = `The stored tool "${tool.name}" is not attached to agent "${agentName}". Attach it first: \`runtime.tools.attach\`.`;
      throw new RequestError("tool_not_found", message);
    },
  };
}

async function toolsOfAgents(deps: ToolDeps, agents: readonly AgentRecord[]): Promise<readonly AgentTools[]> {
  const agentIds = agents.map(({ id }) => id);
  const all = builtInTools(deps);
  const stored = groupBy(await deps.store.tools.ofAgents(agentIds), ({ agentId }) => agentId);
  const withFiles = new Set(await deps.store.attachedFiles.holders(agentIds));
  // Agents with the same settings share a result, because constructing a thousand memories takes a second.
  const known = new Map<string, readonly BuiltInTool[]>();
  return agents.map((agent) => {
    const { id, memoryType, protocol, settings } = agent;
    const hasFiles = withFiles.has(id);
    const { assist, addedTools, removedTools } = settings;
    const kind = JSON.stringify([memoryType, protocol, assist, addedTools, removedTools, hasFiles]);
    const builtIn = known.get(kind) ?? toolsOfAgent(deps, agent, { tools: all, hasFiles });
    known.set(kind, builtIn);
    return { builtIn, stored: stored.get(id) ?? [] };
  });
}

/** Returns the options; options that are not given are read from the source code. */
async function withDeclared<Options extends StoredToolOptions>(
  sandbox: Sandbox | null,
  options: Options,
): Promise<Options> {
  const { source, name } = options;
  if (source === undefined || source === null) return options;
  if (sandbox === null) throw sandboxOff();
  const { description, ...declared } = await sandbox.describe(source, name);
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  if (description.trim() === "" && options.description === undefined) throw withoutDescription(declared.name);
  return { ...declared, description, ...given } as Options;
}

function sandboxOff(): RequestError {
  const message =
    "A Python tool needs the sandbox, which is off. Nothing was stored: set `sandbox` to namespaces, or give a tool without source code, which its caller runs.";
  return new RequestError("sandbox_off", message, { field: "source" });
}

function withoutDescription(name: string): RequestError {
  const message = `Expected the function ${name} in the source code to have a docstring that says what the tool does and when to use it, got none.`;
  return new RequestError("tool_source_invalid", message, { field: "source" });
}

async function newTool(deps: ToolDeps, options: NewStoredTool) {
  const { id = deps.ids.next(), ...given } = await withDeclared(deps.sandbox, options);
  checkedId(id);
  const { name, description, parameters, ...change } = checkedChange(given.name ?? "", given);
  if (name === undefined) throw missing("name");
  if (description === undefined) throw missing("description");
  if (parameters === undefined) throw missing("parameters");
  requireFreeName(deps, name);
  const now = deps.clock.now();
  const named = { name, description, parameters };
  const own = { ...named, id, served: null, createdAt: now, updatedAt: now };
  const tool: StoredTool = { ...storedToolDefaults, ...change, ...own };
  return { tool, change: { ...change, description, parameters } };
}

/** Throws RequestError `tool_exists` if a tool of an MCP server has the name. */
async function requireNotServed({ store }: ToolDeps, name: string): Promise<void> {
  const known = await store.tools.find(name);
  if (known?.name === name && known.kind === "mcp") throw nameTaken(name);
}

/** Throws RequestError `input_invalid` if the options change a field that the MCP server defines. */
function requireOwn(name: string, options: StoredToolOptions): void {
  const field = (["name", "description", "parameters", "source"] as const).find((key) => options[key] !== undefined);
  if (field === undefined) return;
  const message = `The tool "${name}" is defined by an MCP server: expected no \`${field}\`. Change it on the server, and refresh its tools.`;
  throw new RequestError("input_invalid", message, { field });
}

function missing(field: string): RequestError {
  return invalid(field, "given for a tool without source code", "none");
}

function sourceNeeded(name: string): RequestError {
  const message = `A Python tool has the name of its function. To rename "${name}", give \`source\` with the function's new name.`;
  return new RequestError("input_invalid", message, { field: "name" });
}

/** Throws RequestError `tool_exists` if a tool that the runtime or the program defines has the name. */
function requireFreeName(deps: ToolDeps, name: string): void {
  if (definedNames(deps).includes(name)) throw nameTaken(name);
}

function nameTaken(name: string): RequestError {
  const message = `The name "${name}" belongs to a tool of the runtime, of this program or of an MCP server. Nothing was changed: choose another name.`;
  return new RequestError("tool_exists", message, { field: "name" });
}

async function findTool(deps: ToolDeps, nameOrId: string): Promise<StoredTool> {
  const found = await deps.store.tools.find(nameOrId);
  if (found === null) throw await missingTool(deps, nameOrId);
  return found;
}

async function missingTool({ store }: ToolDeps, nameOrId: string): Promise<RequestError> {
  const known = await store.tools.list({ order: "newest", limit: 1000 });
  const nearest = nearestName(
    nameOrId,
    known.map(({ name }) => name),
  );
  const hint = nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
  return new RequestError(
    "tool_not_found",
    `There is no stored tool "${nameOrId}".${hint} \`runtime.tools.list()\` lists the stored tools.`,
  );
}
