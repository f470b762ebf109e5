// Defines the schema of the lines of --output-format stream-json, and of the object that json prints (docs/headless.md).
// Invariant: within a version, records and fields are only added; `sequence` counts the lines from 0 without a gap.
import * as z from "zod";
import { eventRecordSchema } from "./event-record.ts";

/** The schema version of input lines and records. */
export const streamJsonVersion = 1;

const whole = z.int().min(0);
const sequence = whole;
const schema_version = z.literal(streamJsonVersion);

/** The first line, written when the agent is open. */
const initRecord = z.object({
  type: z.literal("system"),
  sequence,
  subtype: z.literal("init"),
  schema_version,
  version: z.string(),
  agent_id: z.string(),
  agent_name: z.string(),
  agent_owner: z.string(),
  conversation_id: z.string(),
  user_id: z.string(),
  model: z.string(),
  protocol: z.enum(["native", "heartbeat"]),
  memory_type: z.string(),
  /** Whether the conversation is ephemeral. */
  ephemeral: z.boolean(),
  /** The names of the tools, as sent to the model. */
  tools: z.array(z.string()).readonly(),
  /** Lengths and limits count code points. */
  memory_modules: z.array(z.object({ label: z.string(), length: whole, limit: whole })).readonly(),
});

const failure = z.object({ code: z.string(), message: z.string() });

/** A failure after which the stream continues. */
const errorRecord = z.object({
  type: z.literal("error"),
  sequence,
  /** The line of standard input that failed, from 1; null if no line did. */
  line: z.int().min(1).nullable(),
  code: z.string(),
  message: z.string(),
});

/** The response to a `control_request`. */
const controlResponseRecord = z.object({
  type: z.literal("control_response"),
  sequence,
  request_id: z.string(),
  subtype: z.enum(["success", "error"]),
  error: z.exactOptional(failure),
});

/** A question that an MCP server asks during a call, which waits for the answer. */
const questionRecord = z.object({
  type: z.literal("question"),
  sequence,
  question_id: z.string(),
  server: z.string(),
  message: z.string(),
  fields: z
    .array(
      z.object({
        name: z.string(),
        title: z.string().nullable(),
        description: z.string().nullable(),
        kind: z.enum(["text", "number", "integer", "boolean", "choice", "choices"]),
        options: z.array(z.string()).readonly(),
        is_required: z.boolean(),
        preset: z.union([z.string(), z.number(), z.boolean(), z.array(z.string()).readonly()]).nullable(),
      }),
    )
    .readonly(),
});

export const resultSubtypes = [
  "success",
  "error_empty_reply",
  "error_max_steps",
  "error_budget",
  "error_length",
  "error_refusal",
  "error_model",
  "error_context_overflow",
  "error_awaiting_approval",
  "error_awaiting_result",
  "error_awaiting_reply",
  "error_interrupted",
  "error_input",
  "error_failed",
] as const;

/** The last line of stream-json, and the only output of json. Tokens and durations are totals of all turns. */
const resultRecord = z.object({
  type: z.literal("result"),
  sequence,
  subtype: z.enum(resultSubtypes),
  schema_version,
  is_error: z.boolean(),
  /** The text of the last turn. */
  result: z.string(),
  /** The stop reason of the last turn. */
  stop_reason: z.string().nullable(),
  agent_id: z.string().nullable(),
  agent_name: z.string().nullable(),
  agent_owner: z.string().nullable(),
  conversation_id: z.string().nullable(),
  /** The id of the last turn. */
  turn_id: z.string().nullable(),
  num_turns: whole,
  steps: whole,
  /** Milliseconds since the start of the run. */
  duration_ms: whole,
  /** Total milliseconds from the start of each model call until its reply was stored. */
  duration_api_ms: whole,
  /** `input_tokens` includes cached tokens. `is_estimated`: a call was interrupted before its tokens were reported. */
  usage: z.object({
    input_tokens: whole,
    output_tokens: whole,
    cached_input_tokens: whole,
    is_estimated: z.exactOptional(z.literal(true)),
  }),
  /** The cost of the tokens in `usage`; null if the model's price is not configured. */
  total_cost_usd: z.number().min(0).nullable(),
  model: z.string().nullable(),
  memory_edits: z
    .array(
      z.object({
        label: z.string(),
        revision: whole,
        before: z.string(),
        after: z.string(),
        limit: whole,
        call_id: z.string().nullable(),
      }),
    )
    .readonly(),
  /** The calls of the last turn that wait for approval. */
  pending_approvals: z
    .array(
      z.object({
        call_id: z.string(),
        name: z.string(),
        arguments: z.string(),
        preview: z.string().nullable(),
        expires_at: z.iso.datetime().nullable(),
      }),
    )
    .readonly(),
  error: z.exactOptional(failure),
});

/** The schema of a line of `--output-format stream-json`. Parsing drops unknown fields. */
export const streamRecordSchema = z.discriminatedUnion("type", [
  initRecord,
  eventRecordSchema,
  errorRecord,
  controlResponseRecord,
  questionRecord,
  resultRecord,
]);

export type StreamRecord = z.infer<typeof streamRecordSchema>;
export type InitRecord = z.infer<typeof initRecord>;
export type QuestionRecord = z.infer<typeof questionRecord>;
export type ResultRecord = z.infer<typeof resultRecord>;
export type ResultSubtype = (typeof resultSubtypes)[number];
