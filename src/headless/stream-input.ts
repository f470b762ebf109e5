// Every line that headless mode reads with --input-format stream-json. Described in docs/headless.md.
// Invariant: what is not of these shapes is refused as a whole, so that no line does half of what it says.
import { z } from "zod";

const text = z.strictObject({ type: z.literal("text"), text: z.string() });

const file = z.union([
  z.strictObject({ path: z.string().min(1), name: z.exactOptional(z.string().min(1)) }),
  z.strictObject({
    url: z.string().min(1),
    name: z.exactOptional(z.string().min(1)),
    mediaType: z.exactOptional(z.string().min(1)),
  }),
]);

/** What the user says: one turn. */
const userInput = z.strictObject({
  type: z.literal("user"),
  message: z.strictObject({
    role: z.literal("user"),
    content: z.union([z.string(), z.array(text).readonly()]),
  }),
  /** Files of this machine, or addresses that the provider fetches. */
  files: z.exactOptional(z.array(file).readonly()),
});

const callId = z.string().min(1);

const controlInput = z.strictObject({
  type: z.literal("control_request"),
  /** Comes back with the `control_response`. */
  request_id: z.string().min(1),
  request: z.discriminatedUnion("subtype", [
    /** Ends the running turn; what was done is kept, and the next line goes on. */
    z.strictObject({ subtype: z.literal("interrupt") }),
    /** Lets a call run that waits, with other arguments if given; its turn goes on. */
    z.strictObject({
      subtype: z.literal("approve"),
      call_id: callId,
      arguments: z.exactOptional(z.record(z.string(), z.unknown())),
    }),
    z.strictObject({ subtype: z.literal("deny"), call_id: callId, reason: z.exactOptional(z.string()) }),
  ]),
});

/** A line of `--input-format stream-json`. */
export const streamInputSchema = z.discriminatedUnion("type", [userInput, controlInput]);

export type StreamInput = z.infer<typeof streamInputSchema>;
export type UserInput = z.infer<typeof userInput>;
export type ControlInput = z.infer<typeof controlInput>;
