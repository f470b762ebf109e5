// Turns and their model calls as Letta's runs and steps.
// Invariant: a run has the same id as its turn, and a step that of the reply that it made.
import type { StopReason } from "../../../../agent/events.ts";
import { shownOrganizationId } from "../ids.ts";
import { momentOf } from "../wire-values.ts";
import { type Feedback, readNotes } from "./run-notes.ts";
import { stepId } from "./message-ids.ts";
import { stopReasonOf } from "./turn-end.ts";
import type { TurnRecord, TurnState, TurnStep } from "./runtime-records.ts";

export type RunStatus = "created" | "running" | "completed" | "failed" | "cancelled";

const statuses: Readonly<Record<Exclude<TurnState, "interrupted">, RunStatus>> = {
  queued: "created",
  running: "running",
  waiting: "completed",
  completed: "completed",
  failed: "failed",
};

/** A turn whose process was killed has no stop reason, and an error if it could not be continued. */
export function statusOfRun({
  state,
  stopReason,
  errorCode,
}: Pick<TurnRecord, "state" | "stopReason" | "errorCode">): RunStatus {
  if (state !== "interrupted") return statuses[state];
  if (stopReason === null || errorCode !== null) return "failed";
  return stopReason === "interrupted" ? "cancelled" : "completed";
}

/** Returns the states of turns that may have this status. */
export function statesWith(status: string): readonly TurnState[] {
  const states = (Object.keys(statuses) as (keyof typeof statuses)[]).filter((state) => statuses[state] === status);
  return ["failed", "cancelled", "completed"].includes(status) ? [...states, "interrupted"] : states;
}

/** The default conversation of an agent has the agent's UUID, and no id for clients. */
export function shownRun(turn: TurnRecord): Readonly<Record<string, unknown>> {
  const notes = readNotes(turn);
  return {
    id: `run-${turn.id}`,
    status: statusOfRun(turn),
    created_at: momentOf(turn.createdAt),
    completed_at: turn.endedAt === null ? null : momentOf(turn.endedAt),
    agent_id: `agent-${turn.agentId}`,
    conversation_id: turn.conversationId === turn.agentId ? null : `conv-${turn.conversationId}`,
    base_template_id: null,
    background: turn.isBackground,
    metadata: { run_type: notes.runType ?? "send_message", lettuce: null },
    request_config: {
      use_assistant_message: notes.messageTool !== null,
      assistant_message_tool_name: notes.messageTool?.name ?? null,
      assistant_message_tool_kwarg: notes.messageTool?.argument ?? null,
      include_return_message_types: notes.types,
    },
    stop_reason: turn.stopReason === null ? null : stopReasonOf(turn.stopReason as StopReason),
    callback_url: null,
    callback_sent_at: null,
    callback_status_code: null,
    callback_error: null,
    ttft_ns: null,
    total_duration_ns: turn.endedAt === null ? null : (turn.endedAt.getTime() - turn.createdAt.getTime()) * 1_000_000,
  };
}

/** Returns the tokens of a run's model calls. */
export function shownUsage(steps: readonly TurnStep[]): Readonly<Record<string, unknown>> {
  const sum = (tokens: (step: TurnStep) => number): number => steps.reduce((total, step) => total + tokens(step), 0);
  const prompt = sum(({ usage }) => usage.inputTokens);
  const completion = sum(({ usage }) => usage.outputTokens);
  return {
    completion_tokens: completion,
    prompt_tokens: prompt,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: sum(({ usage }) => usage.cachedInputTokens) },
    completion_tokens_details: null,
  };
}

const finishes: Readonly<Record<string, string>> = { length: "max_tokens_exceeded" };

/** `feedback`: what people think of it. */
export function shownStep(step: TurnStep, feedback: Feedback | null = null): Readonly<Record<string, unknown>> {
  const { inputTokens, outputTokens, cachedInputTokens } = step.usage;
  const [provider, ...name] = step.model.split("/");
  return {
    id: stepId(step.messageId),
    origin: null,
    organization_id: shownOrganizationId,
    provider_id: null,
    run_id: `run-${step.turnId}`,
    agent_id: `agent-${step.agentId}`,
    provider_name: name.length === 0 ? null : provider,
    provider_category: "base",
    model: name.length === 0 ? step.model : name.join("/"),
    model_handle: step.model,
    model_endpoint: null,
    context_window_limit: step.report.window,
    completion_tokens: outputTokens,
    prompt_tokens: inputTokens,
    total_tokens: inputTokens + outputTokens,
    cached_input_tokens: cachedInputTokens,
    cache_write_tokens: null,
    reasoning_tokens: null,
    completion_tokens_details: null,
    prompt_tokens_details: { cached_tokens: cachedInputTokens },
    stop_reason: finishes[step.finish] ?? "end_turn",
    tags: [],
    tid: null,
    trace_id: null,
    request_id: null,
    messages: [],
    feedback,
    project_id: null,
    error_type: null,
    error_data: null,
    status: "success",
  };
}
