// Decides by the rules of an agent which tools may be called next, and whether a turn ends.
// Invariant: pure; without rules, every tool may be called and the protocol alone decides. A call counts once it has succeeded.
import { smallest } from "../../base/lists.ts";
import type { AgentSettings } from "../../store/port/records.ts";

type ToolRule = AgentSettings["toolRules"][number];

/** A call of the turn that has succeeded. */
export interface RuledCall {
  readonly name: string;
  readonly result: string;
}

type RuleOf<Type extends ToolRule["type"]> = Extract<ToolRule, { readonly type: Type }>;

function rulesOf<Type extends ToolRule["type"]>(rules: readonly ToolRule[], type: Type): readonly RuleOf<Type>[] {
  return rules.filter((rule): rule is RuleOf<Type> => rule.type === type);
}

/** Returns the rules for tools that the agent has, because no call could satisfy a rule for a missing tool. */
export function applicableRules(rules: readonly ToolRule[], names: readonly string[]): readonly ToolRule[] {
  return rules.filter(({ tool }) => names.includes(tool));
}

/** Returns why a tool may not be called after `calls` (oldest first); null if it may. */
export function refusalByRule(rules: readonly ToolRule[], calls: readonly RuledCall[], name: string): string | null {
  const last = calls.at(-1);
  return (
    refusedAtFirst(rules, last, name) ??
    refusedAfter(rules, last, name) ??
    refusedWithoutParent(rules, last, name) ??
    refusedByCount(rules, calls, name)
  );
}

function refusedAtFirst(rules: readonly ToolRule[], last: RuledCall | undefined, name: string): string | null {
  const firsts = firstsOf(rules);
  if (last !== undefined || firsts.length === 0 || firsts.includes(name)) return null;
  return `the first tool call of a turn must be of ${listed(firsts)} (rule run-first)`;
}

function refusedAfter(rules: readonly ToolRule[], last: RuledCall | undefined, name: string): string | null {
  if (last === undefined) return null;
  for (const rule of rules) {
    const children = rule.tool === last.name ? childrenAfter(rule, last) : null;
    if (children !== null && !children.includes(name))
      return `after ${last.name}, only ${listed(children)} may be called (rule ${rule.type})`;
  }
  return null;
}

/** Returns the only tools that this rule allows after the call; null if the rule allows every tool. */
function childrenAfter(rule: ToolRule, { result }: RuledCall): readonly string[] | null {
  if (rule.type === "constrain-child-tools") return rule.children;
  if (rule.type !== "conditional") return null;
  const text = result.trim();
  const child = Object.hasOwn(rule.children, text) ? rule.children[text] : rule.otherwise;
  return child === undefined ? null : [child];
}

function refusedWithoutParent(rules: readonly ToolRule[], last: RuledCall | undefined, name: string): string | null {
  const parents = rulesOf(rules, "parent-last-tool").filter(({ children }) => children.includes(name));
  if (parents.length === 0 || parents.some(({ tool }) => tool === last?.name)) return null;
  return `it may be called only directly after ${listed(parents.map(({ tool }) => tool))} (rule parent-last-tool)`;
}

function refusedByCount(rules: readonly ToolRule[], calls: readonly RuledCall[], name: string): string | null {
  const counts = rulesOf(rules, "max-count-per-turn").filter(({ tool }) => tool === name);
  const max = smallest(counts.map(({ count }) => count));
  if (calls.filter((call) => call.name === name).length < max) return null;
  return `it may be called ${max === 1 ? "once" : `${max} times`} in a turn (rule max-count-per-turn)`;
}

/** Whether the next reply has to contain a call. */
export function needsCall(rules: readonly ToolRule[], calls: readonly RuledCall[]): boolean {
  return calls.length === 0 && firstsOf(rules).length > 0;
}

function firstsOf(rules: readonly ToolRule[]): readonly string[] {
  return rulesOf(rules, "run-first").map(({ tool }) => tool);
}

/** What the rules require after a reply and the results of its calls. */
export interface RuledEnd {
  /** Whether the turn ends. */
  readonly exits: boolean;
  /** Whether the model is called again, whatever the protocol decides. */
  readonly continues: boolean;
  /** Tools that must be called before the turn may end; "a or b" if the rules `run-first` allow one of several tools. */
  readonly missing: readonly string[];
}

/** Returns what the rules require. `latest`: the tools of the last reply's successful calls, which `calls` also contains. */
export function endByRules(
  rules: readonly ToolRule[],
  calls: readonly RuledCall[],
  latest: readonly string[],
): RuledEnd {
  const demanded = rulesOf(rules, "required-before-exit")
    .map(({ tool }) => tool)
    .filter((tool) => !calls.some(({ name }) => name === tool));
  const missing = [...(needsCall(rules, calls) ? [listed(firstsOf(rules))] : []), ...demanded];
  const exits = missing.length === 0 && rulesOf(rules, "exit-loop").some(({ tool }) => latest.includes(tool));
  const last = calls.at(-1);
  const hasChildren = (rule: ToolRule): boolean =>
    last !== undefined && rule.tool === last.name && childrenAfter(rule, last) !== null;
  const continues = rules.some(
    (rule) => latest.includes(rule.tool) && (rule.type === "continue-loop" || hasChildren(rule)),
  );
  return { exits, continues: !exits && continues, missing };
}

export function requiresApproval(rules: readonly ToolRule[], name: string): boolean {
  return rulesOf(rules, "requires-approval").some(({ tool }) => tool === name);
}

function listed(names: readonly string[]): string {
  return [...new Set(names)].join(" or ");
}
