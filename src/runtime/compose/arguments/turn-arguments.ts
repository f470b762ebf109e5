// The arguments and options of the functions for turns as records, with the check of each.
// Invariant: only shapes are checked here.
import {
  type CallChecks,
  flag,
  later,
  list,
  nullable,
  oneOf,
  optional,
  options,
  record,
  text,
} from "../../../base/arguments/argument-checks.ts";
import type { TurnState } from "../../../store/port/turn-record-store.ts";
import type { StepListOptions, TurnListOptions, TurnNotes, TurnOperations } from "../../turns.ts";
import { range } from "./record-arguments.ts";

const turnId = ["turnId", text] as const;
const states = oneOf<TurnState>("queued", "running", "waiting", "completed", "failed", "interrupted");
const stepOptions = ["options", optional(options<StepListOptions>(range))] as const;

export const turnChecks: CallChecks<TurnOperations> = {
  list: later([
    "options",
    optional(
      options<TurnListOptions>({
        ...range,
        agent: optional(text),
        conversation: optional(text),
        states: optional(list(states)),
        stopReason: optional(text),
        isBackground: optional(flag),
      }),
    ),
  ]),
  find: later(turnId),
  findByKey: later(["conversationId", text], ["idempotencyKey", text]),
  annotate: later(turnId, ["notes", options<TurnNotes>({ isBackground: optional(flag), metadata: optional(record) })]),
  messages: later(turnId),
  steps: later(turnId, stepOptions),
  stepsOfAgent: later(["agent", nullable(text)], stepOptions),
  findStep: later(["stepId", text]),
};
