// Ends a step: appends the protocol's events, and decides whether another step or the end of the turn follows. Events
// are heartbeats, failure notices, and in MemGPT's protocol the warning that the window is filling up.
// Invariant: the events are committed before the next model call; none is appended after an interruption or while a
// call waits. Every turn ends: after `maxSteps` steps the result is always a stop.
import { toolCallsOf, type Usage } from "../base/message/message.ts";
import type { ContextReport } from "../store/port/context-report.ts";
import type { AgentSettings, StoredMessage } from "../store/port/records.ts";
import type { ModelStopReason } from "../model/llm/model.ts";
import type { AgentEvent, StopReason, WaitReason } from "./events.ts";
import { fillingWarning } from "./fit-context.ts";
import { isAnswer } from "./approval/clear-call.ts";
import type { FollowUp } from "./protocol/protocol.ts";
import { endOfStep } from "./rules/turn-rules.ts";
import { type AgentDeps, type Turn, windowSize } from "./turn.ts";

export interface FinishedStep {
  readonly message: StoredMessage;
  /** Tokens of the model call, as `callUsage` returned them. */
  readonly usage: Usage;
  readonly someCallFailed: boolean;
  readonly interrupted: boolean;
  /** Whether no step can follow in this turn. */
  readonly isLast: boolean;
  /** The reason why the turn pauses in this step; null if no call of the message waits. */
  readonly waits: WaitReason | null;
}

export async function* endStep(turn: Turn, step: FinishedStep): AsyncGenerator<AgentEvent, FollowUp> {
  if (step.interrupted || step.waits !== null) return { continues: false, events: [] };
  const ruled = turn.agent.settings.toolRules.length === 0 ? null : endOfStep(turn, step.message);
  if (ruled?.exits === true) return { continues: false, events: [], reason: "tool-rule" };
  const pressure = !step.isLast && canWarn(turn, step.usage) && passesPressure(turn, step.usage);
  if (pressure) yield turn.event(fillingWarning);
  const { session, protocol, clock, agent } = turn;
  const followUp = protocol.followUp(
    {
      calls: toolCallsOf(step.message),
      someCallFailed: step.someCallFailed,
      isAnswer: isAnswer(turn, step.message),
      pressure,
      ...(ruled === null ? {} : { demand: ruled }),
    },
    { now: clock.now(), timeZone: agent.settings.timeZone },
  );
  await session.append(
    turn.turnId,
    followUp.events.map((draft) => ({ ...draft, kind: "event" })),
  );
  return followUp;
}

/** Whether there is time for a warning about the full window, because no message leaves the window before the next request. */
function canWarn({ protocol, agent, models }: Turn, { inputTokens, outputTokens }: Usage): boolean {
  if (protocol.warnsBy !== "event") return false;
  const { window, reserve } = windowSize({ agent, models });
  return inputTokens + outputTokens <= Math.min(agent.settings.compactAt * window, window - reserve);
}

// As in MemGPT: warns when the last call's total tokens exceed the threshold, and not again until the next compaction.
function passesPressure(turn: Turn, usage: Usage): boolean {
  return turn.window.pressure.passes(usage.inputTokens + usage.outputTokens, pressureThreshold(turn));
}

function pressureThreshold(turn: Turn): number {
  return turn.agent.settings.warnAt * windowSize(turn).window;
}

/**
 * Returns whether the turn writes nothing after this reply, so that the reply's commit can release the lease. False if more
 * may be written, because the reply has calls, or memory may be updated, or a warning may follow.
 */
export function isLastWrite(
  turn: Turn,
  { content, usage }: { readonly content: StoredMessage["content"]; readonly usage: Usage },
): boolean {
  const { agent, window, protocol, clock } = turn;
  if (toolCallsOf({ content }).length > 0 || mayGoOn(agent.settings)) return false;
  const isPressed = window.pressure.wouldPass(usage.inputTokens + usage.outputTokens, pressureThreshold(turn));
  if (protocol.warnsBy === "event" && (usage.inputTokens === 0 || isPressed)) return false;
  const { continues, events } = protocol.followUp(
    { calls: [], someCallFailed: false, isAnswer: false, pressure: false },
    { now: clock.now(), timeZone: agent.settings.timeZone },
  );
  return !continues && events.length === 0;
}

/** Whether the turn may continue after the reply: a model call may update memory, or a tool rule may demand a step. */
function mayGoOn({ scratchpadUpdate, assist, toolRules }: AgentSettings): boolean {
  return scratchpadUpdate !== "off" || assist === "on" || toolRules.length > 0;
}

export type NextStep = { readonly type: "continue" } | { readonly type: "stop"; readonly reason: StopReason };

export interface StepEnd {
  readonly step: number;
  readonly maxSteps: number;
  /** Whether the turn's budget is used up. */
  readonly isSpent: boolean;
  readonly finish: ModelStopReason;
  readonly interrupted: boolean;
  /** The reason why the turn pauses; null if no call of the reply waits. */
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

/** Returns the stop reason of a turn that ends with this reply. */
export function lastReason({ finish, interrupted }: LastReply): StopReason {
  if (interrupted) return "interrupted";
  if (finish === "refusal" || finish === "length") return finish;
  return "end-turn";
}

interface LastReply {
  readonly finish: ModelStopReason;
  readonly interrupted: boolean;
}

/**
 * Returns the tokens of a model call, for limits: the reported usage, or, if the provider reports no input tokens, an estimate
 * from the counts of request and reply.
 */
export function callUsage(
  { window }: Pick<AgentDeps, "window">,
  { usage, report }: { readonly usage: Usage; readonly report: ContextReport },
  { tokens }: Pick<StoredMessage, "tokens">,
): Usage {
  if (usage.inputTokens > 0) return usage;
  return { inputTokens: report.total, outputTokens: window.calibration.scale.reported(tokens), cachedInputTokens: 0 };
}
