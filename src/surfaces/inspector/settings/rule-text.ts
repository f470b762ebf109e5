// Converts rules about the order of tool calls to sentences, and to the texts of fields and back.
// Invariant: pure; reading the text of a rule returns an equal rule. Names of tools must be shown as text.
import type { AgentSettings } from "../../../store/port/records.ts";
import { tagsIn } from "../passages/tags-in.ts";

type ToolRule = AgentSettings["toolRules"][number];

/** The kinds of rules, each with its statement about a tool. */
export const ruleKinds: { readonly [Type in ToolRule["type"]]: string } = {
  "exit-loop": "ends the turn",
  "run-first": "begins a turn",
  "continue-loop": "is followed by a model call",
  "required-before-exit": "is called before a turn ends",
  "requires-approval": "asks first",
  "max-count-per-turn": "has a limit for a turn",
  "constrain-child-tools": "is followed only by",
  "parent-last-tool": "alone allows next",
  conditional: "decides by its result",
};

/** The label of the values of each kind of rule; a kind that is not listed has no values. */
export const ruleValues: { readonly [type: string]: string } = {
  "max-count-per-turn": "Most calls in a turn",
  "constrain-child-tools": "Names of tools, separated by commas",
  "parent-last-tool": "Names of tools, separated by commas",
  conditional: "A line for each result: RESULT = TOOL; a line with a tool only is for all others",
};

/** Returns a rule as lines: its kind, its tool and its values. */
export function ruleLines(rule: ToolRule): string {
  return `${rule.type}\n${rule.tool}\n${valuesText(rule)}`;
}

function valuesText(rule: ToolRule): string {
  if (rule.type === "conditional") {
    const results = Object.entries(rule.children).map(([result, next]) => `${escaped(result)} = ${next}`);
    return [...results, ...(rule.otherwise === undefined ? [] : [rule.otherwise])].join("\n");
  }
  if ("children" in rule) return rule.children.join(", ");
  return "count" in rule ? String(rule.count) : "";
}

/** Returns the rule in a text of `ruleLines`. The server checks the rule. */
export function ruleIn(text: string): object {
  const [type = "", tool = "", ...values] = text.split("\n");
  return { type, tool: tool.trim(), ...valuesIn(type, values) };
}

function valuesIn(type: string, lines: readonly string[]): object {
  if (type === "conditional") {
    const pairs = lines.map((line) => /^(.*?) ?= ?([^=]*)$/u.exec(line) ?? line.trim());
    const children = pairs.flatMap((pair) =>
      typeof pair === "string" ? [] : [[unescaped(pair[1] ?? ""), pair[2]?.trim()] as const],
    );
    const otherwise = pairs.find((pair) => typeof pair === "string" && pair !== "");
    return { children: Object.fromEntries(children), ...(otherwise === undefined ? {} : { otherwise }) };
  }
  if (type === "max-count-per-turn") return { count: Number(lines[0]) };
  return type in ruleValues ? { children: tagsIn(lines.join(",")) } : {};
}

/** Returns a result on one line: escapes backslashes and line breaks. */
function escaped(result: string): string {
  return result.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}

function unescaped(line: string): string {
  return line.replaceAll(/\\(.)/gu, (_, sign: string) => (sign === "n" ? "\n" : sign));
}

export function ruleText(rule: ToolRule): string {
  const { tool } = rule;
  switch (rule.type) {
    case "run-first":
      return `A turn begins with ${tool}.`;
    case "exit-loop":
      return `${tool} ends the turn.`;
    case "continue-loop":
      return `After ${tool} the model is called again.`;
    case "constrain-child-tools":
      return `After ${tool} only ${rule.children.join(", ")} may follow.`;
    case "conditional":
      return `After ${tool} its result decides: ${Object.entries(rule.children)
        .map(([result, next]) => `${result} → ${next}`)
        .join(", ")}${rule.otherwise === undefined ? "" : `, otherwise ${rule.otherwise}`}.`;
    case "max-count-per-turn":
      return `${tool} runs at most ${rule.count} times in a turn.`;
    case "parent-last-tool":
      return `${rule.children.join(", ")} may only follow ${tool} directly.`;
    case "required-before-exit":
      return `A turn does not end before ${tool}.`;
    case "requires-approval":
      return `${tool} asks first.`;
  }
}
