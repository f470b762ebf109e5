// THE loop: from a user's input until the agent yields. Read it from top to bottom.
// Invariant: every message is committed before anything follows from it, and the turn ends with one `turn-end`.
import type { ModelError } from "../errors.ts";
import { addUsage, noUsage, toolCallsOf } from "../message.ts";
import type { StoredMessage } from "../memory/records.ts";
import { endStep } from "./end-step.ts";
import type { AgentEvent, StopReason } from "./events.ts";
import { fitContext } from "./fit-context.ts";
import { nextStep } from "./next-step.ts";
import { runToolCalls } from "./run-tool-calls.ts";
import { type Reply, streamReply } from "./stream-reply.ts";
import { type Turn, windowTokens } from "./turn.ts";

/** Runs a turn whose input is committed already as `input`. Throws only what is no part of a conversation: a failing store. */
export async function* runTurn(turn: Turn, input: StoredMessage): AsyncGenerator<AgentEvent, void> {
  const { maxSteps } = turn.agent.settings;
  const shown: string[] = [];
  let usage = noUsage;
  let step = 0;
  let end: TurnEnd | null = null;

  yield turn.event({ type: "turn-start", messageId: input.id });
  yield* recoveryWarnings(turn);

  while (end === null) {
    step += 1;

    const context = yield* fitContext(turn);
    if (context === null) {
      end = overflowEnd(turn);
      break;
    }

    yield turn.event({
      type: "step-start",
      step,
      model: turn.model.name,
      window: { tokens: context.report.total, limit: windowTokens(turn) },
    });

    const reply = yield* streamReply(turn, context, step);
    usage = addUsage(usage, reply.usage);
    if (reply.type === "failed") {
      end = failureEnd(turn, reply.error);
      break;
    }
    if (reply.text !== "") shown.push(reply.text);

    const message = await commitReply(turn, reply, step);
    const cut = reply.finish === "length";
    const calls = yield* runToolCalls(turn, { message, calls: toolCallsOf(message), step, cut, recovering: false });
    if (calls.shown !== "") shown.push(calls.shown);

    const interrupted = reply.type === "interrupted" || turn.signal.aborted;
    const finished = { message, usage: reply.usage, someCallFailed: calls.someFailed, interrupted };
    const followUp = yield* endStep(turn, finished);

    yield turn.event({ type: "step-end", step, usage: reply.usage });

    const next = nextStep({ step, maxSteps, finish: reply.finish, interrupted, followUp });
    if (next.type === "stop") end = { stopReason: next.reason };
  }

  yield turn.event({ type: "turn-end", ...end, text: shown.join("\n"), steps: step, usage });
}

function* recoveryWarnings({ recovered: { calls, inputs }, event }: Turn): Generator<AgentEvent, void> {
  if (calls > 0) {
    const message =
      `The turn before was broken off in ${calls} tool call(s). What only touches memory was done now; ` +
      "for others the model is told that they may or may not have had an effect.";
    yield event({ type: "warning", code: "calls-recovered", message });
  }
  if (inputs > 0) {
    const message = `${inputs} message(s) that were waiting when their sender was gone stand before this one and are answered with it.`;
    yield event({ type: "warning", code: "inputs-recovered", message });
  }
}

type FinishedReply = Exclude<Reply, { type: "failed" }>;

interface TurnEnd {
  readonly stopReason: StopReason;
  readonly error?: { readonly code: ModelError["code"]; readonly message: string };
}

async function commitReply(turn: Turn, reply: FinishedReply, number: number): Promise<StoredMessage> {
  const status = reply.type === "interrupted" ? "interrupted" : "complete";
  return turn.session.commitReply(
    { role: "assistant", content: reply.content, status },
    {
      id: turn.ids.next(),
      turnId: turn.turnId,
      number,
      model: turn.model.name,
      finish: reply.finish,
      usage: reply.usage,
      report: { ...reply.report },
    },
  );
}

function failureEnd(turn: Turn, error: ModelError): TurnEnd {
  if (turn.signal.aborted) return { stopReason: "interrupted" };
  const stopReason = error.code === "context_overflow" ? "context-overflow" : "model-error";
  return { stopReason, error: { code: error.code, message: error.message } };
}

function overflowEnd(turn: Turn): TurnEnd {
  const message =
    `This turn alone is longer than the context window of ${windowTokens(turn)} tokens. ` +
    "Take the long message back with /pop, or give the agent a larger window.";
  return { stopReason: "context-overflow", error: { code: "context_overflow", message } };
}
