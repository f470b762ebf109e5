// The JSON that the routes about turns return.
// Invariant: tests check every response against its shape.
import * as z from "zod";

const nullableText = z.string().nullable();

export const messageShape = z.looseObject({
  id: z.string(),
  date: z.string(),
  message_type: z.string(),
  otid: nullableText,
  step_id: nullableText,
  run_id: nullableText,
});

export const messagesShape = z.array(messageShape);

export const answerShape = z.looseObject({
  messages: messagesShape,
  stop_reason: z.looseObject({ message_type: z.literal("stop_reason"), stop_reason: z.string() }),
  usage: z.looseObject({ message_type: z.literal("usage_statistics"), total_tokens: z.int(), step_count: z.int() }),
});

export const runShape = z.looseObject({
  id: z.string(),
  status: z.enum(["created", "running", "completed", "failed", "cancelled"]),
  created_at: z.string(),
  completed_at: nullableText,
  agent_id: z.string(),
  conversation_id: nullableText,
  background: z.boolean(),
  stop_reason: nullableText,
});

export const stepShape = z.looseObject({
  id: z.string(),
  run_id: z.string(),
  agent_id: z.string(),
  model: z.string(),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  total_tokens: z.int(),
});

export const usageShape = z.looseObject({
  completion_tokens: z.int(),
  prompt_tokens: z.int(),
  total_tokens: z.int(),
});

export const conversationShape = z.looseObject({
  id: z.string(),
  agent_id: z.string(),
  summary: nullableText,
  created_at: z.string(),
  in_context_message_ids: z.array(z.string()),
});

/** The state of each run that was to be cancelled. */
export const cancelledShape = z.record(z.string(), z.string());

export const compactionShape = z.looseObject({
  summary: z.string(),
  num_messages_before: z.int(),
  num_messages_after: z.int(),
});
