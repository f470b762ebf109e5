// Finds the tools that an agent can have, by name and by id, and the tools that an agent has.
// Invariant: a name is looked up in the built-in tools first, then in the user's stored tools, then in `absentTools`.
import { valueOn } from "../../../../base/thrown-values.ts";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import { agentExtensionOf } from "../agents/agent-extension.ts";
import type { AgentRecord, BuiltInTool, StoredTool } from "../runtime-records.ts";
import { invalidArgument, WireFault } from "../wire-fault.ts";
import { absentTools, shownNamedTool, shownStoredTool, type ShownTool, uuidOfName } from "./tool-record.ts";

type Runtime = Pick<UserRuntime, "tools">;

/** A set of tools, by kind. */
export interface ToolSet {
  readonly builtIn: readonly string[];
  readonly stored: readonly StoredTool[];
  readonly absent: readonly string[];
}

export type FoundTool =
  | { readonly kind: "stored"; readonly tool: StoredTool }
  | { readonly kind: "builtIn" | "absent"; readonly tool: (typeof absentTools)[number] };

/** Returns the first built-in or absent tool with a name that passes the test; null if there is none. */
async function unstored(
  { tools }: Runtime,
  kind: "builtIn" | "absent",
  isWanted: (name: string) => boolean,
): Promise<FoundTool | null> {
  const all = kind === "builtIn" ? await tools.builtIn() : absentTools;
  const tool = all.find(({ name }) => isWanted(name));
  return tool === undefined ? null : { kind, tool };
}

/** Returns the tool with this UUID, built-in, absent or stored. Throws RequestError `tool_not_found`. */
export async function toolById(runtime: Runtime, id: string): Promise<FoundTool> {
  const isWanted = (name: string): boolean => uuidOfName(name) === id;
  const known = (await unstored(runtime, "builtIn", isWanted)) ?? (await unstored(runtime, "absent", isWanted));
  return known ?? { kind: "stored", tool: await runtime.tools.find(id) };
}

async function toolByName(runtime: Runtime, wanted: string): Promise<FoundTool | null> {
  const isWanted = (name: string): boolean => name === wanted;
  const builtIn = await unstored(runtime, "builtIn", isWanted);
  if (builtIn !== null) return builtIn;
  const stored = await runtime.tools.find(wanted).catch(valueOn("tool_not_found", null));
  return stored === null ? unstored(runtime, "absent", isWanted) : { kind: "stored", tool: stored };
}

/** Returns the tools with these names and ids. Throws Fault for a name or an id that no tool has. */
export async function toolSetOf(
  runtime: Runtime,
  { names, ids }: { readonly names: readonly string[]; readonly ids: readonly string[] },
): Promise<ToolSet> {
  const byName = await Promise.all(names.map((name) => toolByName(runtime, name)));
  const missing = names.filter((_name, at) => byName[at] === null);
  if (missing.length > 0) throw invalidArgument("tools", `Tools not found: ${missing.join(", ")}`);
  const byId = await Promise.all(
    ids.map((id) => toolById(runtime, id).catch((error: unknown) => missingId(error, id))),
  );
  return setOf([...byName.flatMap((found) => found ?? []), ...byId]);
}

function setOf(found: readonly FoundTool[]): ToolSet {
  const stored = new Map(found.flatMap(({ kind, tool }) => (kind === "stored" ? [[tool.id, tool] as const] : [])));
  const named = (wanted: FoundTool["kind"]): readonly string[] => [
    ...new Set(found.flatMap(({ kind, tool }) => (kind === wanted ? [tool.name] : []))),
  ];
  return { builtIn: named("builtIn"), stored: [...stored.values()], absent: named("absent") };
}

export async function toolsOfAgent({ tools }: Runtime, agent: AgentRecord): Promise<ToolSet> {
  const [has] = await tools.ofAgents([agent]);
  const { builtIn = [], stored = [] } = has ?? {};
  return { builtIn: builtIn.map(({ name }) => name), stored, absent: agentExtensionOf(agent).absent_tools ?? [] };
}

/** Returns the tools of each agent in Letta's form, in the order of `agents`. */
export async function shownToolsOf({ tools }: Runtime, agents: readonly AgentRecord[]) {
  const found = await tools.ofAgents(agents);
  const shown = new Map<BuiltInTool, ShownTool>();
  const shownOnce = (tool: BuiltInTool): ShownTool => {
    const known = shown.get(tool) ?? shownNamedTool(tool);
    shown.set(tool, known);
    return known;
  };
  return found.map(({ builtIn, stored }, at): readonly ShownTool[] => {
    const absent = agentExtensionOf(agents[at]!).absent_tools ?? [];
    return [
      ...builtIn.map(shownOnce),
      ...stored.map(shownStoredTool),
      ...absentTools.filter(({ name }) => absent.includes(name)).map(shownNamedTool),
    ];
  });
}

/** Returns the settings that give an agent exactly these built-in tools. */
export async function toolSettings({ tools }: Runtime, wanted: readonly string[]) {
  const all = await tools.builtIn();
  const optional = all.filter(({ isOptional }) => isOptional).map(({ name }) => name);
  // Tools for files are left out: they are added with an agent's first folder and removed with its last.
  const common = all.filter(({ isOptional, needsFiles }) => !isOptional && !needsFiles).map(({ name }) => name);
  return {
    removedTools: common.filter((name) => !wanted.includes(name)),
    // The cast is sound: this setting accepts every tool that the runtime calls optional.
    addedTools: optional.filter((name) => wanted.includes(name)) as AgentRecord["settings"]["addedTools"],
  };
}

function missingId(error: unknown, id: string): never {
  valueOn("tool_not_found", null)(error);
  throw new WireFault(404, "tool_not_found", { detail: `Tool not found with id='tool-${id}'` }, { cause: error });
}
