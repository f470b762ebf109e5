// Validates the settings of an agent.
// Invariant: an agent is never stored with a value that a configuration could not contain; the compiler checks that the
// schema of `toolRules` has the type `ToolRule`.
import * as z from "zod";
import { ConfigError } from "../base/errors.ts";
import { nearestHint } from "../base/nearest-name.ts";
import { describeFault, describeValue } from "./describe-value.ts";
import { agentKeys, optionalTools, settings } from "./settings.ts";
import { nonBlank } from "./settings/forms.ts";
import type { ToolRule } from "./settings/tool-rule.ts";
import { type Rule, ruleOf } from "./shape.ts";
import { checkThresholds, type ThresholdSettings } from "./config.ts";
import { zod } from "./zod.ts";

/** Maximum number of tool rules of one agent. */
const maxRules = 200;

function toolRulesForm() {
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

const toolRulesExpected =
  'a list of at most 200 rules, such as [{ "type": "exit-loop", "tool": "send_report" }] (docs/tools.md lists them)';

const rules: Readonly<Record<string, Rule>> = {
  ...Object.fromEntries(agentKeys.map((key) => [key, ruleOf(key)] as const)),
  // Any model name is accepted, because a program may register its own models.
  summarizer: { form: () => nonBlank(zod).nullable(), expected: settings.summarizer.expected },
  removedTools: {
    form: () => z.array(nonBlank(zod)),
    expected: 'a list of names of tools, such as ["archival_memory_insert"]',
  },
  toolRules: { form: toolRulesForm, expected: toolRulesExpected },
  addedTools: {
    form: () => z.array(z.enum(optionalTools)),
    expected: `a list of names from ${optionalTools.map((name) => `"${name}"`).join(", ")}`,
  },
};

/**
 * Returns the settings as they are stored, with a scheme in each URL. Throws ConfigError for the first setting that is
 * unknown or invalid.
 */
export function checkAgentSettings<Given extends ThresholdSettings & object>(given: Given): Given {
  const checked: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(given)) {
    const rule = Object.hasOwn(rules, key) ? rules[key] : undefined;
    if (rule === undefined) throw unknownSetting(key);
    const { data, error } = rule.form().safeParse(value);
    checked[key] = data;
    if (error !== undefined) {
      throw new ConfigError(`${key}: expected ${rule.expected}, got ${describeFault(value, error)}.`);
    }
  }
  checkThresholds(given);
  return checked as Given;
}

function unknownSetting(key: string): ConfigError {
  const hint = nearestHint(key, Object.keys(rules), "Known settings");
  return new ConfigError(`Unknown setting of an agent: ${describeValue(key)}. ${hint}`);
}
