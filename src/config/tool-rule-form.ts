// The schema of the setting `toolRules`.
// Invariant: the schema and `ToolRule` are the same type; the compiler compares them here.
import * as z from "zod";
import { nonBlank } from "./settings/forms.ts";
import type { ToolRule } from "./settings/tool-rule.ts";
import { zod } from "./zod.ts";

/** Maximum rules of one agent. */
const maxRules = 200;

export function toolRulesForm() {
  const name = nonBlank(zod);
  const tool = { tool: name };
  const children = { children: z.array(name).min(1).readonly() };
  return z
    .array(
      z.discriminatedUnion("type", [
        z.strictObject({ type: z.literal("run-first"), ...tool }),
        z.strictObject({ type: z.literal("exit-loop"), ...tool }),
        z.strictObject({ type: z.literal("continue-loop"), ...tool }),
        z.strictObject({ type: z.literal("constrain-child-tools"), ...tool, ...children }),
        z.strictObject({
          type: z.literal("conditional"),
          ...tool,
          children: z.record(z.string(), name).readonly(),
          otherwise: name.optional(),
        }),
        z.strictObject({ type: z.literal("max-count-per-turn"), ...tool, count: z.int().min(1) }),
        z.strictObject({ type: z.literal("parent-last-tool"), ...tool, ...children }),
        z.strictObject({ type: z.literal("required-before-exit"), ...tool }),
        z.strictObject({ type: z.literal("requires-approval"), ...tool }),
      ]),
    )
    .max(maxRules)
    .readonly() satisfies z.ZodType<readonly ToolRule[]>;
}

export const toolRulesExpected =
  'a list of at most 200 rules, such as [{ "type": "exit-loop", "tool": "send_report" }] (docs/tools.md lists them)';
