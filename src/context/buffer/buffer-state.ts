// Converts a message buffer to JSON and back.
// Invariant: JSON is validated completely before a buffer is created from it; converting a buffer to JSON loses nothing.
import * as z from "zod";
import { parseJson } from "../../base/json-values.ts";
import { ConfigError, RequestError } from "../../base/errors.ts";
import { type BufferedMessage, bufferRoles, type BufferedSummary } from "./buffered-message.ts";
import type { BufferDropCount } from "./summarize-overflow.ts";

export interface BufferSizes {
  /** Maximum messages in the window; default 50. */
  readonly size?: number;
  /**
   * The maximum number of summaries, as a multiple of `size`; default 10. The same maximum applies to messages that wait for a
   * summary: above it, the oldest of them are dropped, so a program that adds messages faster than they are summarized should
   * await `summarize()` regularly.
   */
  readonly multiplier?: number;
  /** Number of messages that leave the window together, to be summarized; default a fifth of `size`, at least 1. */
  readonly batchSize?: number;
}

export interface MessageBufferState {
  readonly version: 1;
  /** Maximum messages in the window. */
  readonly size: number;
  /** Maximum number of summaries, as a multiple of the size. */
  readonly multiplier: number;
  /** Number of messages that leave the window together. */
  readonly batchSize: number;
  readonly messages: readonly BufferedMessage[];
  /** Messages that left the window and have no summary yet. */
  readonly waiting: readonly BufferedMessage[];
  readonly summaries: readonly BufferedSummary[];
  readonly dropped: BufferDropCount;
}

/** Returns the state of an empty buffer. Throws ConfigError for invalid sizes. */
export function newBufferState(sizes: BufferSizes): MessageBufferState {
  const { size = 50, multiplier = 10, batchSize = Math.max(1, Math.floor(size / 5)) } = sizes;
  checkSize("size", size, Number.MAX_SAFE_INTEGER);
  checkSize("multiplier", multiplier, Number.MAX_SAFE_INTEGER);
  checkSize("batchSize", batchSize, size);
  const dropped = { messages: 0, summaries: 0 };
  return { version: 1, size, multiplier, batchSize, messages: [], waiting: [], summaries: [], dropped };
}

function checkSize(name: string, value: number, max: number): void {
  if (Number.isInteger(value) && value >= 1 && value <= max) return;
  const bound = max === Number.MAX_SAFE_INTEGER ? "of at least 1" : `from 1 to its size (${max})`;
  throw new ConfigError(`Expected a message buffer's \`${name}\` to be a whole number ${bound}, got ${value}.`);
}

const moment = z.union([z.iso.datetime({ offset: true }).transform((text) => new Date(text)), z.date()]);
const count = z.int().min(0);
const message = z.strictObject({
  role: z.enum(bufferRoles),
  text: z.string(),
  at: moment,
  metadata: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
    .refine((metadata) => !Object.hasOwn(metadata, "user_id") || typeof metadata["user_id"] === "string", {
      error: "expected `user_id` to be a string",
    }),
});
const summary = z.strictObject({
  text: z.string(),
  user: z.string().nullable(),
  messages: count,
  from: moment,
  through: moment,
});
const state = z
  .strictObject({
    version: z.literal(1),
    size: z.int().min(1),
    multiplier: z.int().min(1),
    batchSize: z.int().min(1),
    messages: z.array(message),
    waiting: z.array(message),
    summaries: z.array(summary),
    dropped: z.strictObject({ messages: count, summaries: count }),
  })
  .refine(({ batchSize, size }) => batchSize <= size, { error: "expected `batchSize` to be at most `size`" })
  .refine(({ messages, size }) => messages.length <= size, { error: "expected at most `size` messages" })
  .refine(({ waiting, size, multiplier }) => waiting.length <= size * multiplier, {
    error: "expected at most `size × multiplier` waiting messages",
  })
  .refine(({ summaries, size, multiplier }) => summaries.length <= size * multiplier, {
    error: "expected at most `size × multiplier` summaries",
  });

/** Parses a state from its JSON text, or from the parsed value. Throws RequestError `buffer_invalid`. */
export function parseBufferState(json: unknown): MessageBufferState {
  const value = typeof json === "string" ? parseJson(json) : json;
  // The parser's error is not passed on, because it quotes the text, which is from a private conversation.
  if (typeof json === "string" && value === undefined) {
    throw notABuffer(`it is not JSON, but a text of ${json.length} UTF-16 units`);
  }
  const parsed = state.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = issue === undefined || issue.path.length === 0 ? "the parsed value" : `\`${issue.path.join(".")}\``;
  throw notABuffer(`in ${place}: ${issue?.message ?? "unknown"}`, parsed.error);
}

function notABuffer(what: string, cause?: unknown): RequestError {
  return new RequestError(
    "buffer_invalid",
    `This is not the JSON of a message buffer: ${what}. Expected the result of \`JSON.stringify(buffer)\`.`,
    { cause },
  );
}
