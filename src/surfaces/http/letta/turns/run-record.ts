// Converts turns to Letta's runs, and model calls to Letta's steps.
// Invariant: a run has the same id as its turn, and a step has the same id as its reply.
import * as z from "zod";
import type { StopReason } from "../../../../agent/events.ts";
import type { TurnPlace } from "../../follow-turn.ts";
import { shownOrganizationId, stepId } from "../ids.ts";
import type { TurnRecord, TurnState, TurnStep } from "../runtime-records.ts";
import { emptyList, fixed, flag, momentOf, nullableText, nulls, recordOf, text, whole } from "../wire-record.ts";
import { type Feedback, readRunExtension, type RunExtension } from "./run-extension.ts";
import { stopReasons } from "./turn-end.ts";

const runStatuses = ["created", "running", "completed", "failed", "cancelled"] as const;
type RunStatus = (typeof runStatuses)[number];

const statuses: Readonly<Record<Exclude<TurnState, "interrupted">, RunStatus>> = {
  queued: "created",
  running: "running",
  waiting: "completed",
  completed: "completed",
  failed: "failed",
};

/**
 * Returns a turn's status as a run. A turn that was interrupted without a stop reason, or with an error, has failed. A
 * turn that waits for another agent counts as running, because it continues without the client.
 */
export function statusOfRun({
  state,
  stopReason,
  errorCode,
}: Pick<TurnRecord, "state" | "stopReason" | "errorCode">): RunStatus {
  if (state === "waiting" && stopReason === "awaiting-reply") return "running";
  if (state !== "interrupted") return statuses[state];
  if (stopReason === null || errorCode !== null) return "failed";
  return stopReason === "interrupted" ? "cancelled" : "completed";
}

/** Returns the states of turns whose runs may have this status. */
export function statesWith(status: string): readonly TurnState[] {
  const states = (Object.keys(statuses) as (keyof typeof statuses)[]).filter((state) => statuses[state] === status);
  if (status === "running") return [...states, "waiting"];
  return ["failed", "cancelled", "completed"].includes(status) ? [...states, "interrupted"] : states;
}

/** Returns the stop reason in Letta's words; null if there is none yet. */
export function reasonOfRun(turn: Pick<TurnRecord, "state" | "stopReason" | "errorCode">): string | null {
  const { stopReason } = turn;
  return stopReason === null || statusOfRun(turn) === "running" ? null : stopReasons[stopReason as StopReason];
}

type RunSource = TurnRecord & { readonly extension: RunExtension };

export function runSource(turn: TurnRecord): RunSource {
  return { ...turn, extension: readRunExtension(turn) };
}

/** The fields for the place of a turn. An agent's own conversation, which has the agent's UUID, is shown without an id. */
export const placeFields = {
  agent_id: [text, ({ agentId }: TurnPlace) => `agent-${agentId}`],
  conversation_id: [
    nullableText,
    ({ agentId, conversationId }: TurnPlace) => (conversationId === agentId ? null : `conv-${conversationId}`),
  ],
} as const;

export const runRecord = recordOf<RunSource>()({
  ...nulls("base_template_id", "callback_url", "callback_sent_at", "callback_status_code", "callback_error", "ttft_ns"),
  id: [text, ({ id }) => `run-${id}`],
  status: [z.enum(runStatuses), statusOfRun],
  created_at: [text, ({ createdAt }) => momentOf(createdAt)],
  completed_at: [nullableText, ({ endedAt }) => (endedAt === null ? null : momentOf(endedAt))],
  ...placeFields,
  background: [flag, "isBackground"],
  metadata: [z.looseObject({}), ({ extension }) => ({ run_type: extension.runType ?? "send_message", lettuce: null })],
  request_config: [
    z.looseObject({}),
    ({ extension: { messageTool, types } }) => ({
      use_assistant_message: messageTool !== null,
      assistant_message_tool_name: messageTool?.name ?? null,
      assistant_message_tool_kwarg: messageTool?.argument ?? null,
      include_return_message_types: types,
    }),
  ],
  stop_reason: [nullableText, reasonOfRun],
  total_duration_ns: [
    z.number().nullable(),
    ({ createdAt, endedAt }) => (endedAt === null ? null : (Number(endedAt) - Number(createdAt)) * 1_000_000),
  ],
});

const sum = (steps: readonly TurnStep[], key: "inputTokens" | "outputTokens" | "cachedInputTokens"): number =>
  steps.reduce((total, { usage }) => total + usage[key], 0);

/** The tokens of a run's model calls in Letta's form. */
export const usageRecord = recordOf<readonly TurnStep[]>()({
  completion_tokens: [whole, (steps) => sum(steps, "outputTokens")],
  prompt_tokens: [whole, (steps) => sum(steps, "inputTokens")],
  total_tokens: [whole, (steps) => sum(steps, "inputTokens") + sum(steps, "outputTokens")],
  prompt_tokens_details: [z.looseObject({}), (steps) => ({ cached_tokens: sum(steps, "cachedInputTokens") })],
  completion_tokens_details: fixed(null),
});

/** Splits a model's name into its provider and the rest; without a provider, the whole text is the name. */
function partsOf(model: string): { readonly provider: string | null; readonly name: string } {
  const at = model.indexOf("/");
  return { provider: at === -1 ? null : model.slice(0, at), name: model.slice(at + 1) };
}

/** A step in a response. `feedback`: null in lists; set when a single step is requested or rated. */
export interface ShownStep {
  readonly step: TurnStep;
  readonly feedback: Feedback | null;
}

const finishes: Readonly<Record<string, string>> = { length: "max_tokens_exceeded" };

export const stepRecord = recordOf<ShownStep>()({
  ...nulls("origin", "provider_id", "model_endpoint", "cache_write_tokens", "reasoning_tokens"),
  ...nulls("completion_tokens_details", "tid", "trace_id", "request_id", "project_id", "error_type", "error_data"),
  id: [text, ({ step }) => stepId(step.messageId)],
  organization_id: fixed(shownOrganizationId),
  run_id: [text, ({ step }) => `run-${step.turnId}`],
  agent_id: [text, ({ step }) => `agent-${step.agentId}`],
  provider_name: [nullableText, ({ step }) => partsOf(step.model).provider],
  provider_category: fixed("base"),
  model: [text, ({ step }) => partsOf(step.model).name],
  model_handle: [text, ({ step }) => step.model],
  context_window_limit: [whole, ({ step }) => step.report.window],
  completion_tokens: [whole, ({ step }) => step.usage.outputTokens],
  prompt_tokens: [whole, ({ step }) => step.usage.inputTokens],
  total_tokens: [whole, ({ step }) => step.usage.inputTokens + step.usage.outputTokens],
  cached_input_tokens: [whole, ({ step }) => step.usage.cachedInputTokens],
  prompt_tokens_details: [z.looseObject({}), ({ step }) => ({ cached_tokens: step.usage.cachedInputTokens })],
  stop_reason: [text, ({ step }) => finishes[step.finish] ?? "end_turn"],
  tags: emptyList,
  messages: emptyList,
  feedback: [z.enum(["positive", "negative"]).nullable(), "feedback"],
  status: fixed("success"),
});
