// Converts Letta's tools and rules to stored tools and tool rules, and decides which built-in tools an agent has.
// Invariant: pure; each call of a tool with source code waits for the user's approval, because it is foreign code.
import type { AgentSettings } from "../../store/port/records.ts";
import type { TransferredTool } from "../../store/port/transfer-store.ts";
import type { LettaTool, LettaToolRule } from "./letta-form.ts";

type ToolRule = AgentSettings["toolRules"][number];
type OptionalTool = AgentSettings["addedTools"][number];

const optional: readonly OptionalTool[] = [
  "memory_insert",
  "memory_replace",
  "memory_rethink",
  "send_message_to_agent_and_wait_for_reply",
  "send_message_to_agent_async",
  "send_message_to_agents_matching_tags",
];
/** By the name of a tool of Letta: the default tools of Palimpsest that an agent without Letta's tool does not get. */
const removable: Readonly<Record<string, readonly string[]>> = {
  archival_memory_insert: ["archival_memory_insert"],
  archival_memory_search: ["archival_memory_search"],
  conversation_search: ["conversation_search", "conversation_search_date"],
  core_memory_append: ["core_memory_append"],
  core_memory_replace: ["core_memory_replace", "core_memory_rewrite"],
};
/** Tools that an agent of Palimpsest has while a source with files is attached. */
const ofFiles = ["open_files", "grep_files", "semantic_search_files"];
const builtIn: readonly string[] = [...Object.keys(removable), ...optional, ...ofFiles, "send_message"];

export interface ReadTool {
  /** The stored tool; null for a built-in tool, and for a tool that cannot be moved. */
  readonly tool: Omit<TransferredTool, "id"> | null;
  /** Why the tool cannot be moved; null if it can. */
  readonly note: string | null;
}

/** Returns a tool of Letta as a stored tool. */
export function toolOf(letta: LettaTool, now: string): ReadTool {
  const { name, source_code: source, tool_type: type } = letta;
  if (builtIn.includes(name)) return { tool: null, note: null };
  const note = refusalOf(letta);
  if (note !== null) return { tool: null, note: `tool ${shownName(name)}: ${note}` };
  const isPython = isFilled(source) && type !== "external_mcp";
  return {
    tool: {
      name,
      description: descriptionOf(letta),
      parameters: parametersOf(letta),
      kind: isPython ? "python" : "client",
      source: isPython ? source : null,
      resultLimit: resultLimitOf(letta.return_char_limit),
      requiresApproval: letta.default_requires_approval ?? false,
      tags: [...new Set((letta.tags ?? []).filter(isFilled))].slice(0, 100),
      metadata: {},
      createdAt: now,
      updatedAt: now,
    },
    note: null,
  };
}

function refusalOf({ name, tool_type: type, source_type: sourceType, source_code: source }: LettaTool): string | null {
  if (!/^[a-zA-Z0-9_-]{1,64}$/u.test(name)) return "its name is not one that models accept";
  if (type !== undefined && type !== null && /^letta_|^composio|^external_/u.test(type)) {
    return `it is a tool of Letta's server (${type}), which this server does not have`;
  }
  if (isFilled(source) && isFilled(sourceType) && !["python", "json"].includes(sourceType)) {
    return `its source code is ${sourceType}, and only Python can be run here`;
  }
  return null;
}

function isFilled(text: string | null | undefined): text is string {
  return text !== null && text !== undefined && text.trim() !== "";
}

function descriptionOf({ description, json_schema: schema, name }: LettaTool): string {
  const given = isFilled(description) ? description : schema?.["description"];
  return typeof given === "string" && given.trim() !== "" ? given.slice(0, 10_000) : `The tool ${name}.`;
}

/** Returns the parameters' schema without `request_heartbeat`, which Letta adds for its older protocol. */
function parametersOf({ json_schema: schema }: LettaTool): TransferredTool["parameters"] {
  const given = schema?.["parameters"] as Readonly<Record<string, unknown>> | undefined;
  const properties = { ...(given?.["properties"] as Record<string, unknown> | undefined) };
  delete properties["request_heartbeat"];
  const required = Array.isArray(given?.["required"]) ? (given["required"] as unknown[]) : [];
  return { type: "object", ...given, properties, required: required.filter((name) => name !== "request_heartbeat") };
}

function resultLimitOf(limit: number | null | undefined): number | null {
  return typeof limit === "number" && Number.isInteger(limit) && limit >= 1 && limit <= 10_000_000 ? limit : null;
}

/** Returns the settings with which an agent has exactly the default and optional tools in `names`. */
export function toolSettings(names: readonly string[]): Pick<AgentSettings, "addedTools" | "removedTools"> {
  return {
    addedTools: optional.filter((name) => names.includes(name)),
    removedTools: Object.entries(removable).flatMap(([name, own]) => (names.includes(name) ? [] : own)),
  };
}

/**
 * Returns the rules of an agent, without the rule that a turn ends after `send_message`, which the protocol implies.
 * `dropped`: the number of rules without a counterpart, or about tools that the agent does not have.
 */
export function rulesOf(given: readonly LettaToolRule[], names: readonly string[]) {
  const needed = given.filter((rule) => rule.tool_name !== "send_message" || ruleOf(rule)?.type !== "exit-loop");
  const rules = needed.flatMap((rule) => {
    const mentioned = [rule.tool_name, ...(rule.children ?? []), ...Object.values(rule.child_output_mapping ?? {})];
    return mentioned.every((name) => names.includes(name)) ? (ruleOf(rule) ?? []) : [];
  });
  return { rules, dropped: needed.length - rules.length };
}

type RuleForm = (given: LettaToolRule) => ToolRule | null;

const listed = (type: "constrain-child-tools" | "parent-last-tool"): RuleForm => {
  return ({ tool_name: tool, children }) => (isFull(children) ? { type, tool, children } : null);
};

const plain = (
  type: "run-first" | "exit-loop" | "continue-loop" | "required-before-exit" | "requires-approval",
): RuleForm => {
  return ({ tool_name: tool }) => ({ type, tool });
};

/** Converters by Letta's rule types; in the older form, the types are the names of its classes. */
const ruleForms: Readonly<Record<string, RuleForm>> = {
  run_first: plain("run-first"),
  InitToolRule: plain("run-first"),
  exit_loop: plain("exit-loop"),
  TerminalToolRule: plain("exit-loop"),
  continue_loop: plain("continue-loop"),
  ContinueToolRule: plain("continue-loop"),
  required_before_exit: plain("required-before-exit"),
  requires_approval: plain("requires-approval"),
  constrain_child_tools: listed("constrain-child-tools"),
  ToolRule: listed("constrain-child-tools"),
  ChildToolRule: listed("constrain-child-tools"),
  parent_last_tool: listed("parent-last-tool"),
  conditional: ({ tool_name: tool, child_output_mapping: mapping, default_child: otherwise }) => ({
    type: "conditional",
    tool,
    children: mapping ?? {},
    ...(isFilled(otherwise) ? { otherwise } : {}),
  }),
  max_count_per_step: ({ tool_name: tool, max_count_limit: count }) => ({
    type: "max-count-per-turn",
    tool,
    count: Math.max(1, Math.trunc(count ?? 1)),
  }),
};

function ruleOf(given: LettaToolRule): ToolRule | null {
  return Object.hasOwn(ruleForms, given.type) ? (ruleForms[given.type]?.(given) ?? null) : null;
}

function isFull(names: readonly string[] | null | undefined): names is readonly string[] {
  return (names ?? []).length > 0;
}

function shownName(name: string): string {
  return JSON.stringify(name.length > 64 ? `${name.slice(0, 64)}…` : name);
}
