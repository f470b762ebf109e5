// Defines the schema of a turn's events as lines of stream-json.
// Invariant: the schema and `AgentEvent` describe the same type; the compiler compares them here and in test/pins.
import * as z from "zod";
import type { AgentEvent } from "../../../agent/events.ts";
import { type ErrorCode, errorCodes } from "../../../base/errors.ts";

const whole = z.int().min(0);
const step = z.int().min(1);
const moment = z.iso.datetime();

/** Tokens of one or more model calls. `inputTokens` includes cached tokens. */
const usage = z.object({
  inputTokens: whole,
  outputTokens: whole,
  cachedInputTokens: whole,
  isEstimated: z.exactOptional(z.literal(true)),
  droppedThoughts: z.exactOptional(whole),
  cacheMiss: z.exactOptional(z.string()),
});

const file = z.object({
  type: z.literal("file"),
  location: z.discriminatedUnion("type", [
    z.object({ type: z.literal("attachment"), id: z.string() }),
    z.object({ type: z.literal("url"), url: z.string() }),
  ]),
  kind: z.enum(["image", "audio", "video", "document", "custom"]),
  mediaType: z.string(),
  name: z.string(),
  bytes: whole.nullable(),
  width: z.exactOptional(z.number()),
  height: z.exactOptional(z.number()),
  pages: z.exactOptional(z.number()),
  seconds: z.exactOptional(z.number()),
  textTokens: z.exactOptional(z.number()),
});
const files = z.exactOptional(z.array(file).readonly());

/** Returns the schema of an event: its type, the fields that all events have, and its own. */
function event<const Type extends AgentEvent["type"], Own extends z.core.$ZodLooseShape>(type: Type, own: Own) {
  const header = { agentId: z.string(), conversationId: z.string(), turnId: z.string(), sequence: whole };
  return z.object({ ...header, type: z.literal(type), ...own });
}

const edit = { label: z.string(), revision: whole, before: z.string(), after: z.string() };
const call = { step: whole, callId: z.string(), name: z.string() };

const failure = z.object({
  // The cast is sound: the keys of `errorCodes` are the error codes.
  code: z.enum(Object.keys(errorCodes) as ErrorCode[]),
  message: z.string(),
  provider: z.exactOptional(z.string()),
});

/** The schema of every event of a turn. `sequence` counts the lines of the stream, not those of the turn. */
export const eventRecordSchema = z.discriminatedUnion("type", [
  event("turn-queued", { holder: z.string().nullable(), ahead: whole }),
  event("turn-start", { messageId: z.string(), replyId: z.exactOptional(z.string().nullable()), files }),
  event("step-start", {
    step,
    messageId: z.string(),
    model: z.string(),
    window: z.object({ tokens: whole, limit: whole }),
  }),
  event("text-delta", { step: whole, text: z.string() }),
  event("thought-delta", { step: whole, text: z.string() }),
  event("tool-call", { ...call, arguments: z.string() }),
  event("tool-result", {
    ...call,
    status: z.enum(["ok", "failed"]),
    text: z.string(),
    files,
    printed: z.exactOptional(z.object({ stdout: z.string(), stderr: z.string() })),
  }),
  event("approval-requested", {
    ...call,
    arguments: z.string(),
    preview: z.string().nullable(),
    expiresAt: moment.nullable(),
  }),
  event("result-requested", { ...call, arguments: z.string() }),
  event("memory-edit", { step: whole, callId: z.string().nullable(), ...edit, limit: whole }),
  event("memory-revert", {
    edits: z.array(z.object(edit)).readonly(),
    passages: z.array(z.object({ id: z.string(), text: z.string() })).readonly(),
  }),
  event("compaction", {
    id: z.string(),
    strategy: z.enum(["recursive", "ring", "truncate"]),
    messages: whole,
    tokensBefore: whole,
    tokensAfter: whole,
    summary: z.string(),
  }),
  event("warning", {
    code: z.enum([
      "memory-pressure",
      "summary-failed",
      "summary-clipped",
      "calls-recovered",
      "inputs-recovered",
      "approval-superseded",
      "scratchpad-failed",
      "facts-not-kept",
      "passages-evicted",
      "lookup-incomplete",
    ]),
    message: z.string(),
  }),
  event("retry", { step: whole, attempt: whole, delayMs: z.number().min(0), reason: z.string() }),
  event("step-end", { step: whole, usage }),
  event("turn-end", {
    stopReason: z.enum([
      "end-turn",
      "max-steps",
      "budget",
      "length",
      "refusal",
      "interrupted",
      "tool-rule",
      "awaiting-approval",
      "awaiting-result",
      "awaiting-reply",
      "model-error",
      "context-overflow",
    ]),
    text: z.string(),
    steps: whole,
    usage,
    error: z.exactOptional(failure),
  }),
]) satisfies z.ZodType<AgentEvent>;
