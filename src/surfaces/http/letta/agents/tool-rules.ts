// Converts Letta's rules about tools to ours, and back; each of Letta's rules corresponds to one of ours.
// Invariant: a rule that cannot be carried out is refused, never ignored.
import type { AgentRecord } from "../runtime-records.ts";
import { invalidArgument } from "../wire-fault.ts";

type ToolRule = AgentRecord["settings"]["toolRules"][number];
type SentRule = Readonly<Record<string, unknown>>;

type Conversion = (tool: string, rule: SentRule) => ToolRule;

const conversions: Readonly<Record<string, Conversion>> = {
  run_first: (tool) => ({ type: "run-first", tool }),
  exit_loop: (tool) => ({ type: "exit-loop", tool }),
  continue_loop: (tool) => ({ type: "continue-loop", tool }),
  constrain_child_tools: (tool, rule) => ({ type: "constrain-child-tools", tool, children: childrenOf(rule) }),
  parent_last_tool: (tool, rule) => ({ type: "parent-last-tool", tool, children: childrenOf(rule) }),
  conditional: (tool, rule) => ({ type: "conditional", tool, ...mappingOf(rule) }),
  max_count_per_step: (tool, rule) => ({ type: "max-count-per-turn", tool, count: countOf(rule) }),
  required_before_exit: (tool) => ({ type: "required-before-exit", tool }),
  requires_approval: (tool) => ({ type: "requires-approval", tool }),
};

/** Older names of Letta's rules. */
const olderNames: Readonly<Record<string, string>> = {
  InitToolRule: "run_first",
  TerminalToolRule: "exit_loop",
  ContinueToolRule: "continue_loop",
  ChildToolRule: "constrain_child_tools",
  ParentToolRule: "parent_last_tool",
  ConditionalToolRule: "conditional",
  MaxCountPerStepToolRule: "max_count_per_step",
  RequiredBeforeExitToolRule: "required_before_exit",
  RequiresApprovalToolRule: "requires_approval",
};

/** Converts one of Letta's rules to one of ours. Throws Fault for an unknown or malformed rule. */
export function ruleOf(sent: SentRule): ToolRule {
  const type = String(sent["type"]);
  const conversion = conversions[olderNames[type] ?? type];
  const tool = sent["tool_name"];
  if (conversion === undefined) throw invalidArgument("tool_rules", `Unknown type of a tool rule: ${type}.`);
  if (typeof tool !== "string") throw invalidArgument("tool_rules", `Expected a tool_name in the rule ${type}.`);
  return conversion(tool, sent);
}

function childrenOf(rule: SentRule): readonly string[] {
  const children = rule["children"];
  if (Array.isArray(children) && children.every((child) => typeof child === "string")) return children;
  throw invalidArgument("tool_rules", "Expected `children` to be a list of names of tools.");
}

function countOf(rule: SentRule): number {
  const count = rule["max_count_limit"];
  if (typeof count === "number" && Number.isInteger(count) && count > 0) return count;
  throw invalidArgument("tool_rules", "Expected `max_count_limit` to be a whole number above 0.");
}

function mappingOf(rule: SentRule): Pick<Extract<ToolRule, { type: "conditional" }>, "children" | "otherwise"> {
  const mapping = rule["child_output_mapping"];
  const otherwise = rule["default_child"];
  if (typeof mapping !== "object" || mapping === null)
    throw invalidArgument("tool_rules", "Expected `child_output_mapping` to be an object.");
  const children = Object.fromEntries(Object.entries(mapping).map(([output, tool]) => [output, String(tool)]));
  return typeof otherwise === "string" ? { children, otherwise } : { children };
}

/** Returns one of our rules in Letta's form. Used if no client of Letta has set the agent's rules. */
export function shownRule(rule: ToolRule): SentRule {
  const facts = { type: rule.type.replaceAll("-", "_"), tool_name: rule.tool, prompt_template: null };
  switch (rule.type) {
    case "constrain-child-tools":
    case "parent-last-tool":
      return { ...facts, children: rule.children };
    case "max-count-per-turn":
      return { ...facts, type: "max_count_per_step", max_count_limit: rule.count };
    case "conditional":
      return {
        ...facts,
        child_output_mapping: rule.children,
        default_child: rule.otherwise ?? null,
        require_output_mapping: false,
      };
    default:
      return facts;
  }
}
