// Decides what follows a step: another step, or the end of the turn and its reason.
// Invariant: pure, and every turn ends: after `maxSteps` steps the result is always a stop.
import type { ModelStopReason } from "../model/llm/model.ts";
import { lastReason } from "./end-step.ts";
import type { StopReason, WaitReason } from "./events.ts";
import type { FollowUp } from "./protocol/protocol.ts";

export type NextStep = { readonly type: "continue" } | { readonly type: "stop"; readonly reason: StopReason };

export interface StepEnd {
  readonly step: number;
  readonly maxSteps: number;
  /** The turn's budget is used up. */
  readonly isSpent: boolean;
  readonly finish: ModelStopReason;
  readonly interrupted: boolean;
  /** Why the turn pauses: calls of the reply wait; null if none does. */
  readonly waits: WaitReason | null;
  readonly followUp: FollowUp;
}

export function nextStep({ step, maxSteps, isSpent, finish, interrupted, waits, followUp }: StepEnd): NextStep {
  if (waits !== null) return { type: "stop", reason: waits };
  if (interrupted || finish === "refusal" || !followUp.continues) {
    const ruled = interrupted || finish === "refusal" ? undefined : followUp.reason;
    return { type: "stop", reason: ruled ?? lastReason({ finish, interrupted }) };
  }
  if (isSpent) return { type: "stop", reason: "budget" };
  return step < maxSteps ? { type: "continue" } : { type: "stop", reason: "max-steps" };
}
