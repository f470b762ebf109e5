// Defines the schema of the lines that headless mode reads with --input-format stream-json. Described in docs/headless.md.
// Invariant: a line that does not match is refused as a whole, so that no line is carried out in part.
import * as z from "zod";

const text = z.strictObject({ type: z.literal("text"), text: z.string() });

const file = z.union([
  z.strictObject({ path: z.string().min(1), name: z.exactOptional(z.string().min(1)) }),
  z.strictObject({
    url: z.string().min(1),
    name: z.exactOptional(z.string().min(1)),
    mediaType: z.exactOptional(z.string().min(1)),
  }),
]);

/** A user message, which starts one turn. */
const userInput = z.strictObject({
  type: z.literal("user"),
  message: z.strictObject({
    role: z.literal("user"),
    content: z.union([z.string(), z.array(text).readonly()]),
  }),
  /** Local files, or URLs that the provider fetches. */
  files: z.exactOptional(z.array(file).readonly()),
});

/** Messages that one turn answers. */
const messagesInput = z.strictObject({
  type: z.literal("messages"),
  messages: z
    .array(
      z.strictObject({
        /** The author of the message. Default `user`. */
        role: z.exactOptional(z.enum(["user", "system"])),
        content: z.union([z.string(), z.array(text).readonly()]),
        name: z.exactOptional(z.string().min(1)),
        files: z.exactOptional(z.array(file).readonly()),
        /** If the conversation already has messages with this line's keys, the turn that answered them is reported again. */
        idempotency_key: z.exactOptional(z.string().min(1)),
      }),
    )
    .min(1)
    .readonly(),
});

const callId = z.string().min(1);

const controlInput = z.strictObject({
  type: z.literal("control_request"),
  /** An id that the `control_response` repeats. */
  request_id: z.string().min(1),
  request: z.discriminatedUnion("subtype", [
    /** Interrupts the running turn; completed work is kept, and the run continues with the next line. */
    z.strictObject({ subtype: z.literal("interrupt") }),
    /** Approves a waiting call, with other arguments if given, and continues its turn. */
    z.strictObject({
      subtype: z.literal("approve"),
      call_id: callId,
      arguments: z.exactOptional(z.record(z.string(), z.unknown())),
    }),
    z.strictObject({ subtype: z.literal("deny"), call_id: callId, reason: z.exactOptional(z.string()) }),
    /** Answers a question of an MCP server, or declines it. Takes effect at once. */
    z.strictObject({
      subtype: z.literal("answer"),
      question_id: z.string().min(1),
      content: z.record(z.string(), z.unknown()),
    }),
    z.strictObject({ subtype: z.literal("decline"), question_id: z.string().min(1) }),
  ]),
});

export const streamInputSchema = z.discriminatedUnion("type", [userInput, messagesInput, controlInput]);

export type StreamInput = z.infer<typeof streamInputSchema>;
export type UserInput = z.infer<typeof userInput>;
export type MessagesInput = z.infer<typeof messagesInput>;
export type ControlInput = z.infer<typeof controlInput>;
