// Every line that headless mode writes with --output-format stream-json, and the object of json. Described in docs/headless.md.
// Invariant: within a version, records and fields are only added; `sequence` counts the lines from 0 without a gap.
import { z } from "zod";
import { eventRecordSchema } from "./event-record.ts";

/** Of the lines in both directions. */
export const streamJsonVersion = 1;

const whole = z.int().min(0);
const sequence = whole;
const schema_version = z.literal(streamJsonVersion);

/** The first line, as soon as the agent is open. */
const initRecord = z.object({
  type: z.literal("system"),
  sequence,
  subtype: z.literal("init"),
  schema_version,
  /** Of this package. */
  version: z.string(),
  agent_id: z.string(),
  agent_name: z.string(),
  agent_owner: z.string(),
  conversation_id: z.string(),
  user_id: z.string(),
  model: z.string(),
  protocol: z.enum(["native", "heartbeat"]),
  memory_type: z.string(),
  /** Nothing of it is kept. */
  ephemeral: z.boolean(),
  /** By their names, as the model is told of them. */
  tools: z.array(z.string()).readonly(),
  /** Lengths and limits count code points. */
  memory_modules: z.array(z.object({ label: z.string(), length: whole, limit: whole })).readonly(),
});

const failure = z.object({ code: z.string(), message: z.string() });

/** Something that could not be done, after which the stream goes on. */
const errorRecord = z.object({
  type: z.literal("error"),
  sequence,
  /** Which line of standard input it is about, from 1; null when about none. */
  line: z.int().min(1).nullable(),
  code: z.string(),
  message: z.string(),
});

/** What became of a `control_request`. */
const controlResponseRecord = z.object({
  type: z.literal("control_response"),
  sequence,
  request_id: z.string(),
  subtype: z.enum(["success", "error"]),
  error: z.exactOptional(failure),
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
  "error_interrupted",
  "error_input",
  "error_failed",
] as const;

/** The last line, and the one object of `json`. Tokens and durations are those of all turns together. */
const resultRecord = z.object({
  type: z.literal("result"),
  sequence,
  subtype: z.enum(resultSubtypes),
  schema_version,
  is_error: z.boolean(),
  /** The text of the last turn. */
  result: z.string(),
  /** Of the last turn. */
  stop_reason: z.string().nullable(),
  agent_id: z.string().nullable(),
  agent_name: z.string().nullable(),
  agent_owner: z.string().nullable(),
  conversation_id: z.string().nullable(),
  /** Of the last turn. */
  turn_id: z.string().nullable(),
  num_turns: whole,
  steps: whole,
  /** Milliseconds from the beginning. */
  duration_ms: whole,
  /** Milliseconds from the start of each model call until its reply was kept. */
  duration_api_ms: whole,
  /** `input_tokens` includes those that were read from a cache. */
  usage: z.object({ input_tokens: whole, output_tokens: whole, cached_input_tokens: whole }),
  /** What these tokens cost; null when the model's price is not configured. */
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
  /** The calls for which the last turn waits. */
  pending_approvals: z
    .array(
      z.object({
        call_id: z.string(),
        name: z.string(),
        arguments: z.string(),
        expires_at: z.iso.datetime().nullable(),
      }),
    )
    .readonly(),
  error: z.exactOptional(failure),
});

/** A line of `--output-format stream-json`. Fields that it does not know are left out of what it parses. */
export const streamRecordSchema = z.discriminatedUnion("type", [
  initRecord,
  eventRecordSchema,
  errorRecord,
  controlResponseRecord,
  resultRecord,
]);

export type StreamRecord = z.infer<typeof streamRecordSchema>;
export type InitRecord = z.infer<typeof initRecord>;
export type ResultRecord = z.infer<typeof resultRecord>;
export type ResultSubtype = (typeof resultSubtypes)[number];
