// What follows a step: another one, or the end of the turn and why.
// Invariant: pure, and every turn ends: after `maxSteps` steps nothing but a stop comes out.
import type { ModelStopReason } from "../llm/model.ts";
import type { StopReason } from "./events.ts";
import type { FollowUp } from "./protocol/protocol.ts";

export type NextStep = { readonly type: "continue" } | { readonly type: "stop"; readonly reason: StopReason };

export interface StepEnd {
  readonly step: number;
  readonly maxSteps: number;
  readonly finish: ModelStopReason;
  readonly interrupted: boolean;
  readonly followUp: FollowUp;
}

export function nextStep({ step, maxSteps, finish, interrupted, followUp }: StepEnd): NextStep {
  if (interrupted) return { type: "stop", reason: "interrupted" };
  if (finish === "refusal") return { type: "stop", reason: "refusal" };
  if (followUp.continues) return step < maxSteps ? { type: "continue" } : { type: "stop", reason: "max-steps" };
  return { type: "stop", reason: finish === "length" ? "length" : "end-turn" };
}
