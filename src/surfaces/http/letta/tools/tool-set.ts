// The tools that an agent can have, by name and by id, and the ones that it has.
// Invariant: a name is looked for among the built-in tools first, then among those of the user, then among the absent ones.
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import { notesOf } from "../agents/agent-notes.ts";
import { invalidArgument, WireFault } from "../wire-fault.ts";
import {
  absentTools,
  builtInId,
  type BuiltInTool,
  shownAbsentTool,
  shownBuiltInTool,
  shownStoredTool,
  type StoredTool,
} from "./shown-tool.ts";
import { RequestError } from "../../../../base/errors.ts";

type Runtime = Pick<UserRuntime, "tools">;
type AgentRecord = Awaited<ReturnType<UserRuntime["agents"]["find"]>>;

/** A set of tools, by what they are. */
export interface ToolSet {
  readonly builtIn: readonly string[];
  readonly stored: readonly StoredTool[];
  readonly absent: readonly string[];
}

export type FoundTool =
  | { readonly kind: "built-in"; readonly tool: BuiltInTool }
  | { readonly kind: "stored"; readonly tool: StoredTool }
  | { readonly kind: "absent"; readonly tool: (typeof absentTools)[number] };

/** Returns the tool with this UUID. Throws RequestError `tool_not_found`. */
export async function toolById({ tools }: Runtime, id: string): Promise<FoundTool> {
  const builtIn = (await tools.builtIn()).find(({ name }) => builtInId(name) === id);
  if (builtIn !== undefined) return { kind: "built-in", tool: builtIn };
  const absent = absentTools.find(({ name }) => builtInId(name) === id);
  if (absent !== undefined) return { kind: "absent", tool: absent };
  return { kind: "stored", tool: await tools.find(id) };
}

export async function toolByName({ tools }: Runtime, name: string): Promise<FoundTool | null> {
  const builtIn = (await tools.builtIn()).find((tool) => tool.name === name);
  if (builtIn !== undefined) return { kind: "built-in", tool: builtIn };
  const stored = await tools.find(name).catch(unlessMissing);
  if (stored !== null) return { kind: "stored", tool: stored };
  const absent = absentTools.find((tool) => tool.name === name);
  return absent === undefined ? null : { kind: "absent", tool: absent };
}

/** Throws Fault for a name or an id that no tool has. */
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
  const stored = found.flatMap((one) => (one.kind === "stored" ? [one.tool] : []));
  const named = (kind: FoundTool["kind"]): readonly string[] => [
    ...new Set(found.flatMap((one) => (one.kind === kind ? [one.tool.name] : []))),
  ];
  return {
    builtIn: named("built-in"),
    stored: stored.filter(({ id }, at) => stored.findIndex((other) => other.id === id) === at),
    absent: named("absent"),
  };
}

export async function toolsOfAgent({ tools }: Runtime, agent: AgentRecord): Promise<ToolSet> {
  const [has] = await tools.ofAgents([agent]);
  const { builtIn = [], stored = [] } = has ?? {};
  return { builtIn: builtIn.map(({ name }) => name), stored, absent: notesOf(agent).absent_tools ?? [] };
}

/** Returns the tools of each of these agents, in their order, as Letta shows them. */
export async function shownToolsOf({ tools }: Runtime, agents: readonly AgentRecord[]) {
  const found = await tools.ofAgents(agents);
  const shown = new Map<BuiltInTool, ReturnType<typeof shownBuiltInTool>>();
  const shownOnce = (tool: BuiltInTool) => {
    const known = shown.get(tool) ?? shownBuiltInTool(tool);
    shown.set(tool, known);
    return known;
  };
  return found.map(({ builtIn, stored }, at) => {
    const absent = notesOf(agents[at]!).absent_tools ?? [];
    return [
      ...builtIn.map(shownOnce),
      ...stored.map(shownStoredTool),
      ...absentTools.filter(({ name }) => absent.includes(name)).map(shownAbsentTool),
    ];
  });
}

/** Returns the settings with which an agent has these built-in tools and no others. */
export async function toolSettings({ tools }: Runtime, wanted: readonly string[]) {
  const all = await tools.builtIn();
  const optional = all.filter(({ isOptional }) => isOptional).map(({ name }) => name);
  // Those for files come with the first folder and go with the last.
  const common = all.filter(({ isOptional, needsFiles }) => !isOptional && !needsFiles).map(({ name }) => name);
  return {
    removedTools: common.filter((name) => !wanted.includes(name)),
    // Sound: the runtime names as optional only what this setting accepts.
    addedTools: optional.filter((name) => wanted.includes(name)) as AgentRecord["settings"]["addedTools"],
  };
}

function unlessMissing(error: unknown): null {
  if (error instanceof RequestError && error.code === "tool_not_found") return null;
  throw error;
}

function missingId(error: unknown, id: string): never {
  unlessMissing(error);
  throw new WireFault(404, "tool_not_found", { detail: `Tool not found with id='tool-${id}'` }, { cause: error });
}
