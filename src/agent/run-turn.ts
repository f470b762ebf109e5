// Runs the loop of a turn: from a user's input until the agent yields. Read this file from top to bottom.
// Invariant: every message is committed before its consequences, or together with them; the turn ends with one `turn-end`.
import type { ModelError } from "../base/errors.ts";
import { addUsage, filesOf, noUsage, toolCallsOf, type Usage } from "../base/message/message.ts";
import type { WindowOverflow } from "../store/port/context-report.ts";
import type { StoredMessage } from "../store/port/records.ts";
import { type AnsweredCall, reportAnswered } from "./approval/answer-calls.ts";
import { isCommittedWithResult, type ReplyWithCalls } from "./approval/clear-call.ts";
import { callUsage, endStep, isLastWrite, lastReason, nextStep } from "./end-step.ts";
import { type AgentEvent, type EventOf, isWait, type StopReason, type TurnFailure } from "./events.ts";
import { fitContext, overflowMessage } from "./fit-context.ts";
import type { RevertedByMove } from "./branching/move-thread.ts";
import { type EndedTurn, keepFacts, updateScratchpad } from "./memory-updates.ts";
import { reportSettled, runOpenCalls, type Settled } from "./opening/recover.ts";
import { noCalls, runToolCalls } from "./run-tool-calls.ts";
import { type Reply, streamReply } from "./stream-reply.ts";
import { budgetRefusal } from "./turn-limits.ts";
import { isHandedOver, type Turn } from "./turn.ts";

/** How a turn begins. */
export interface TurnOpening {
  /** The committed message that the turn answers. */
  readonly input: StoredMessage;
  /** Whether this is a new turn. Otherwise it continues after its stored events. */
  readonly isNew: boolean;
  /** What was done about open calls and queued inputs before this turn; absent if nothing was done. */
  readonly settled?: Settled;
  /** Results of client tools that the caller gave; they are already committed. */
  readonly answered?: readonly AnsweredCall[];
  /** Calls to run before the model is called; absent for none. */
  readonly calls?: ReplyWithCalls;
  /** The memory edits that were reverted before the turn. */
  readonly reverted?: RevertedByMove;
}

/**
 * Runs a turn after its input was committed. A failure of the model ends the turn; other errors, such as StoreError,
 * are thrown.
 */
export async function* runTurn(turn: Turn, opening: TurnOpening): AsyncGenerator<AgentEvent, void> {
  const { maxSteps } = turn.limits;
  // `usage`: tokens as the provider reports them. `charged`: tokens that count against limits, estimated if not reported.
  let [usage, charged] = [noUsage, noUsage];
  let step = 0;

  const { shown, stopReason } = yield* beginTurn(turn, opening);
  let end: TurnEnd | null = stopReason === null ? null : { stopReason };

  while (end === null) {
    step += 1;

    const context = yield* fitContext(turn);
    if (context.report.overflow !== null) {
      end = overflowEnd(context.report.overflow);
      break;
    }
    end = await callEnd(turn, { step, charged, inputTokens: context.report.total });
    if (end !== null) {
      step -= 1;
      break;
    }

    const window = { tokens: context.report.total, limit: context.report.window };
    const messageId = turn.ids.next();
    yield turn.event({ type: "step-start", step, messageId, model: turn.models.answering.name, window });

    const reply = yield* streamReply(turn, context, step);
    usage = addUsage(usage, reply.usage);
    if (reply.type === "failed") {
      end = failureEnd(turn, reply.error);
      break;
    }
    if (reply.text !== "") shown.push(reply.text);

    const prepared = prepareReply(turn, { messageId, reply, step });
    if (isLastWrite(turn, reply)) {
      const closing = closingEvents(turn, reply, { step, shown, usage });
      await commitReply(turn, prepared, closing);
      yield* closing;
      return;
    }
    const { message, uncommitted } = await commitBeforeCalls(turn, reply, prepared);
    const inView = turn.session.messages.slice(context.leftOutOfWindow);
    const calls = yield* runCalls(turn, { message, uncommitted, step, inView, cut: reply.finish === "length" });
    if (calls.shown !== "") shown.push(calls.shown);

    const charge = callUsage(turn, reply, message);
    const { waits, someFailed: someCallFailed } = calls;
    const interrupted = isInterrupted(turn, reply);
    const finished = { message, usage: charge, someCallFailed, interrupted, waits, isLast: step >= maxSteps };
    const followUp = yield* endStep(turn, finished);
    charged = addUsage(charged, charge);
    if (turn.agent.settings.scratchpadUpdate !== "off") {
      const scratchpad = yield* updateScratchpad(turn, { ...finished, step, usage: charged });
      usage = addUsage(usage, scratchpad);
      charged = addUsage(charged, scratchpad);
    }

    yield turn.event({ type: "step-end", step, usage: reply.usage });

    const refusal = budgetEnd(turn, charged, 0);
    const { finish } = reply;
    const next = nextStep({ step, maxSteps, isSpent: refusal !== null, finish, interrupted, waits, followUp });
    if (next.type === "stop")
      end = endOf(turn, reply, next.reason === "budget" ? refusal : { stopReason: next.reason });
  }

  usage = addUsage(usage, yield* assist(turn, end, { step, usage: charged }));
  yield turn.event({ type: "turn-end", ...end, text: shown.join("\n"), steps: step, usage });
}

/** With the setting `assist`, saves facts that the user stated, unless the turn pauses for a call. Returns the usage. */
async function* assist(turn: Turn, { stopReason }: TurnEnd, ended: EndedTurn): ReturnType<typeof keepFacts> {
  const isOff = turn.agent.settings.assist !== "on" || isWait(stopReason);
  return isOff ? noUsage : yield* keepFacts(turn, ended);
}

type TurnStart = EventOf<"turn-start">;

/** For a turn that continues, returns `replyId`: the last stored reply, up to which the earlier events remain valid. */
function earlier({ journal, session, turnId }: Turn): Pick<TurnStart, "replyId"> {
  if (!journal.goesOn) return {};
  const reply = session.messages.findLast((message) => message.role === "assistant" && message.turnId === turnId);
  return { replyId: reply?.id ?? null };
}

function startFiles(input: StoredMessage): Pick<TurnStart, "files"> {
  const files = input.role === "user" ? filesOf(input) : [];
  return files.length === 0 ? {} : { files };
}

/** Emits `turn-start`, reports what was done about the previous turn, and runs the open calls. */
async function* beginTurn(
  turn: Turn,
  { input, settled, reverted, answered, calls }: Omit<TurnOpening, "isNew">,
): ReturnType<typeof runOpenCalls> {
  yield turn.event({ type: "turn-start", messageId: input.id, ...earlier(turn), ...startFiles(input) });
  if (answered !== undefined) yield* reportAnswered(turn, answered);
  if (settled !== undefined) yield* reportSettled(turn, settled);
  yield* reportMemory(turn, reverted);
  return calls === undefined ? { shown: [], stopReason: null } : yield* runOpenCalls(turn, calls);
}

/** Emits warnings about evicted passages and incomplete lookups, and the memory edits that were reverted before the turn. */
function* reportMemory(
  turn: Pick<Turn, "upkeep" | "retrieval" | "event">,
  reverted: RevertedByMove | undefined,
): Generator<AgentEvent> {
  for (const message of turn.upkeep.flatMap((stage) => stage.takeNotices?.() ?? [])) {
    yield turn.event({ type: "warning", code: "passages-evicted", message });
  }
  for (const message of turn.retrieval?.warnings ?? []) {
    yield turn.event({ type: "warning", code: "lookup-incomplete", message });
  }
  if (reverted === undefined) return;
  const edits = reverted.edits.map(({ label, revision, before, after }) => ({ label, revision, before, after }));
  const passages = reverted.passages.map(({ id, text }) => ({ id, text }));
  if (edits.length + passages.length > 0) yield turn.event({ type: "memory-revert", edits, passages });
}

async function* runCalls(
  turn: Turn,
  reply: Pick<ReplyWithCalls, "message" | "step" | "inView" | "cut" | "uncommitted">,
): ReturnType<typeof runToolCalls> {
  const calls = toolCallsOf(reply.message);
  return calls.length === 0 ? noCalls : yield* runToolCalls(turn, { ...reply, calls, manner: "now" });
}

type FinishedReply = Exclude<Reply, { type: "failed" }>;

interface TurnEnd {
  readonly stopReason: StopReason;
  readonly error?: TurnFailure;
}

interface Ending {
  readonly step: number;
  readonly shown: readonly string[];
  readonly usage: Usage;
}

/** Returns the last events of a turn, which are committed with its last reply. */
function closingEvents(turn: Turn, reply: FinishedReply, { step, shown, usage }: Ending): readonly AgentEvent[] {
  const end = endOf(turn, reply, {
    stopReason: lastReason({ finish: reply.finish, interrupted: isInterrupted(turn, reply) }),
  });
  return turn.journal.draft([
    { type: "step-end", step, usage: reply.usage },
    { type: "turn-end", ...end, text: shown.join("\n"), steps: step, usage },
  ]);
}

function isInterrupted({ signal }: Pick<Turn, "signal">, { type }: FinishedReply): boolean {
  return type === "interrupted" || (signal.aborted && !isHandedOver({ signal }));
}

interface FinishedCall {
  readonly messageId: string;
  readonly reply: FinishedReply;
  readonly step: number;
}

type PreparedReply = Pick<Parameters<Turn["session"]["commitReply"]>[0], "message" | "step">;

/** Returns the message of a reply and the log of its model call, which are committed next. */
function prepareReply(turn: Turn, { messageId, reply, step: number }: FinishedCall): PreparedReply {
  const status = reply.type === "interrupted" ? "interrupted" : "complete";
  const { usage, report } = reply;
  if (usage.isEstimated !== true)
    turn.window.calibration.add({ estimated: report.counted, reported: usage.inputTokens });
  const step = {
    id: turn.ids.next(),
    turnId: turn.turnId,
    number,
    model: turn.models.answering.name,
    finish: reply.finish,
    usage,
    report,
  };
  const draft = { id: messageId, role: "assistant", content: reply.content, status } as const;
  return { message: turn.session.prepareReply(draft, step), step };
}

/** Commits the reply with the events so far. With `closing`, the turn's last events, the commit also releases the lease. */
async function commitReply(turn: Turn, prepared: PreparedReply, closing?: readonly AgentEvent[]): Promise<void> {
  const releasesLease = closing !== undefined;
  await turn.journal.store((events) => turn.session.commitReply({ ...prepared, releasesLease, events }), closing);
}

/** Commits the reply, unless it is committed later, with the result of its only call. */
async function commitBeforeCalls(
  turn: Turn,
  reply: FinishedReply,
  prepared: PreparedReply,
): Promise<Pick<ReplyWithCalls, "message" | "uncommitted">> {
  const { message, step } = prepared;
  if (!isInterrupted(turn, reply) && isCommittedWithResult(turn, reply.content)) return { message, uncommitted: step };
  await commitReply(turn, prepared);
  return { message };
}

/** Returns how a turn ends after a reply: as failed if the model failed in the middle of the reply, else `otherwise`. */
function endOf<End extends TurnEnd | null>(
  turn: Pick<Turn, "signal">,
  { error }: FinishedReply,
  otherwise: End,
): TurnEnd | End {
  return error === undefined ? otherwise : failureEnd(turn, error);
}

function failureEnd(turn: Pick<Turn, "signal">, error: ModelError): TurnEnd {
  if (turn.signal.aborted) return { stopReason: "interrupted" };
  const stopReason = error.code === "context_overflow" ? "context-overflow" : "model-error";
  return { stopReason, error: { code: error.code, message: error.message, provider: error.provider } };
}

function overflowEnd(overflow: WindowOverflow): TurnEnd {
  const message = overflowMessage(overflow);
  return { stopReason: "context-overflow", error: { code: "context_overflow", message } };
}

interface NextCall {
  readonly step: number;
  /** The usage so far, as it counts against limits. */
  readonly charged: Usage;
  readonly inputTokens: number;
}

/**
 * Returns how the turn ends if its next model call would exceed the budget or the user's limits; null if the call is allowed.
 * The first call is not checked for the user's limits, because these were checked when the turn was admitted.
 */
async function callEnd(turn: Turn, { step, charged, inputTokens }: NextCall): Promise<TurnEnd | null> {
  const end = budgetEnd(turn, charged, inputTokens);
  if (end !== null || step === 1) return end;
  const reached = await turn.host.turns.reachedLimit(turn.agent.model);
  if (reached === null) return null;
  return { stopReason: "budget", error: { code: "user_limit_reached", message: reached.text } };
}

/** Returns how the turn ends if `inputTokens` for the next call would exceed the budget; null if the call is allowed. */
function budgetEnd({ limits }: Pick<Turn, "limits">, usage: Usage, inputTokens: number): TurnEnd | null {
  const message = budgetRefusal(limits, usage, inputTokens);
  return message === null ? null : { stopReason: "budget", error: { code: "turn_budget_exceeded", message } };
}
