// Sums the tokens of model calls by day and by model.
// Invariant: pure; every call is in one day of the reader's time zone, and days without calls are included.
import type { CallResult } from "../../client/api-types.ts";
import { startOfDay } from "../overview/agent-summary.ts";
import { groupBy } from "../../../base/lists.ts";
import type { Usage } from "../../../base/message/message.ts";

export type UsageStep = CallResult<"GET /agents/:agent/steps">[number];

export interface ModelSum extends Usage {
  readonly model: string;
  readonly calls: number;
}

export interface UsageDay {
  /** The beginning of the day, in milliseconds since 1970. */
  readonly at: number;
  readonly models: readonly ModelSum[];
  /** Input and output tokens of all models. */
  readonly tokens: number;
}

/** Maximum number of days that are drawn. */
const maxDays = 90;

/** Returns the calls of the last `days` days, including today, in the reader's time zone. */
export function callsOfLast(days: number, steps: readonly UsageStep[], now: Date): readonly UsageStep[] {
  const since = startOfDay(now, days - 1);
  return steps.filter(({ at }) => Date.parse(at) >= since);
}

export function usageDays(steps: readonly UsageStep[]): readonly UsageDay[] {
  const days = groupBy(steps, ({ at }) => startOfDay(new Date(at), 0));
  const known = [...days.keys()].sort((one, other) => one - other);
  const last = known.at(-1);
  const first = known[0];
  if (first === undefined || last === undefined) return [];
  const all: UsageDay[] = [];
  for (let at = last; at >= first && all.length < maxDays; at = startOfDay(new Date(at - 1), 0)) {
    const models = sumsByModel(days.get(at) ?? []);
    const tokens = models.reduce((sum, { inputTokens, outputTokens }) => sum + inputTokens + outputTokens, 0);
    all.push({ at, models, tokens });
  }
  return all.reverse();
}

/** Returns the sums of all calls by model, the model with most input tokens first. */
export function sumsByModel(steps: readonly UsageStep[]): readonly ModelSum[] {
  const sums = new Map<string, ModelSum>();
  for (const { model, usage } of steps) {
    const known = sums.get(model);
    const of = (name: keyof Usage): number => Number(usage[name] ?? 0) + Number(known?.[name] ?? 0);
    sums.set(model, {
      model,
      calls: (known?.calls ?? 0) + 1,
      inputTokens: of("inputTokens"),
      outputTokens: of("outputTokens"),
      cachedInputTokens: of("cachedInputTokens"),
    });
  }
  return [...sums.values()].sort((one, other) => other.inputTokens - one.inputTokens);
}
