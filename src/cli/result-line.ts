// The records of headless mode that are not events: `system/init` and `result`. Version 1; described in docs/cli.md.
// Invariant: fields are only added within a version.
import type { Failure } from "./failure.ts";
import type { Agent } from "./runtime-records.ts";
import type { TurnRecord } from "./turn-record.ts";
import type { Verdict } from "./turn-verdict.ts";

const formatVersion = 1;

/** The first line of `stream-json`. */
export function initLine(agent: Agent, version: string): object {
  return {
    type: "system",
    subtype: "init",
    version: formatVersion,
    palimpsest_version: version,
    agent: { id: agent.record.id, name: agent.record.name },
    conversation_id: agent.conversationId,
    user_id: agent.userId,
    model: agent.record.model,
    protocol: agent.record.protocol,
    memory_type: agent.record.memoryType,
  };
}

/** A turn's outcome; `agent` is null when it could not be opened. */
export interface Outcome {
  readonly agent: Agent | null;
  readonly turn: TurnRecord;
  readonly durationMs: number;
}

/** The result of a turn that has ended. */
export function resultLine(outcome: Outcome, verdict: Verdict): object {
  const { error } = outcome.turn;
  const told =
    error ??
    (verdict.message === undefined
      ? null
      : { code: verdict.subtype.replace(/^error_/u, ""), message: verdict.message });
  return resultOf(outcome, verdict.subtype, told);
}

/** The result when an error left no turn to judge, or cut it off. */
export function failureLine(outcome: Outcome, { code, message }: Failure): object {
  return resultOf(outcome, code === "interrupted" ? "error_interrupted" : "error_failed", { code, message });
}

function resultOf({ agent, turn, durationMs }: Outcome, subtype: string, error: TurnRecord["error"]): object {
  return {
    type: "result",
    version: formatVersion,
    subtype,
    is_error: subtype !== "success",
    result: turn.text,
    stop_reason: turn.stopReason,
    agent: agent === null ? null : { id: agent.record.id, name: agent.record.name },
    conversation_id: agent?.conversationId ?? null,
    turn_id: turn.turnId,
    steps: turn.steps,
    duration_ms: Math.round(durationMs),
    usage: {
      input_tokens: turn.usage.inputTokens,
      output_tokens: turn.usage.outputTokens,
      cached_input_tokens: turn.usage.cachedInputTokens,
    },
    model: turn.model ?? agent?.record.model ?? null,
    memory_edits: turn.edits.map(({ callId, ...edit }) => ({ ...edit, call_id: callId })),
    pending_approvals: turn.approvals.map(({ callId, name, arguments: asked, expiresAt }) => ({
      call_id: callId,
      name,
      arguments: asked,
      expires_at: expiresAt,
    })),
    ...(error === null ? {} : { error: { code: error.code, message: error.message } }),
  };
}
