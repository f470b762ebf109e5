// Builds the records of headless mode that are not events: `system/init` and `result`.
// Invariant: pure; the records have the schemas of src/surfaces/stream/headless and contain the schema version.
import type { InitRecord, QuestionRecord, ResultRecord, ResultSubtype } from "../../stream/headless/stream-record.ts";
import { dollarsOf } from "../../../base/message/message.ts";
import { type TurnCall, waitingCalls } from "../../../agent/fold-turn.ts";
import type { RunRecord } from "./run-record.ts";
import type { McpQuestion } from "../../../runtime/mcp.ts";
import type { Agent } from "../runtime-records.ts";

type Unnumbered<Record> = Omit<Record, "sequence">;

/** The version of the schema, repeated because an import would load the schema. Its type lets the compiler check it. */
const schemaVersion: InitRecord["schema_version"] = 1;

/** Returns the first line of `stream-json`. */
export function initRecord(agent: Agent, version: string, ephemeral: boolean): Unnumbered<InitRecord> {
  const { record } = agent;
  return {
    type: "system",
    subtype: "init",
    schema_version: schemaVersion,
    version,
    agent_id: record.id,
    agent_name: record.name,
    agent_owner: record.ownerId,
    conversation_id: agent.conversationId,
    user_id: agent.userId,
    model: record.model,
    protocol: record.protocol,
    memory_type: record.memoryType,
    ephemeral,
    tools: agent.tools,
    memory_modules: agent.memory.modules.map(({ label, length, limit }) => ({ label, length, limit })),
  };
}

/** The outcome of a run. `agent` is null if the agent could not be opened; `error` is null on success. */
export interface Outcome {
  readonly agent: Agent | null;
  readonly run: RunRecord;
  readonly durationMs: number;
  readonly subtype: ResultSubtype;
  readonly error: { readonly code: string; readonly message: string } | null;
}

export function resultRecord({ agent, run, durationMs, subtype, error }: Outcome): Unnumbered<ResultRecord> {
  const { last, usage } = run;
  const { text, stopReason } = last.end ?? { text: "", stopReason: null };
  return {
    type: "result",
    subtype,
    schema_version: schemaVersion,
    is_error: subtype !== "success",
    result: text,
    stop_reason: stopReason,
    ...agentFields(agent),
    conversation_id: agent?.conversationId ?? null,
    turn_id: last.turnId === "" ? null : last.turnId,
    num_turns: run.turns,
    steps: run.steps,
    duration_ms: Math.round(durationMs),
    duration_api_ms: Math.round(run.modelMs),
    usage: {
      input_tokens: usage.inputTokens,
      output_tokens: usage.outputTokens,
      cached_input_tokens: usage.cachedInputTokens,
      ...(usage.isEstimated === true ? { is_estimated: true } : {}),
    },
    total_cost_usd: costOf(agent, run),
    model: last.model ?? agent?.record.model ?? null,
    memory_edits: run.edits.map(({ label, revision, before, after, limit, callId }) => {
      return { label, revision, before, after, limit, call_id: callId };
    }),
    pending_approvals: waitingCalls(last).flatMap(approvalOf),
    ...(error === null ? {} : { error: { code: error.code, message: error.message } }),
  };
}

function approvalOf({ request }: TurnCall): ResultRecord["pending_approvals"] {
  if (request?.type !== "approval-requested") return [];
  const { callId, name, arguments: asked, preview, expiresAt } = request;
  return [{ call_id: callId, name, arguments: asked, preview, expires_at: expiresAt }];
}

function agentFields(agent: Agent | null): Pick<ResultRecord, "agent_id" | "agent_name" | "agent_owner"> {
  if (agent === null) return { agent_id: null, agent_name: null, agent_owner: null };
  const { id, name, ownerId } = agent.record;
  return { agent_id: id, agent_name: name, agent_owner: ownerId };
}

/** Returns the cost in dollars, rounded to 9 decimals to hide binary fractions. */
function costOf(agent: Agent | null, { usage }: RunRecord): number | null {
  const price = agent?.price ?? null;
  return price === null ? null : Number(dollarsOf(usage, price).toFixed(9));
}

export function questionRecord({ id, server, message, fields }: McpQuestion): Unnumbered<QuestionRecord> {
  return {
    type: "question",
    question_id: id,
    server,
    message,
    fields: fields.map(({ isRequired, ...field }) => ({ ...field, is_required: isRequired })),
  };
}
