// Notes that are kept with a turn: how its events are to be shown when its stream is read again.
// Invariant: notes are read as they were written; a turn without notes of this door has the defaults.
import * as z from "zod";
import { systemClock } from "../../../../base/clock.ts";
import { RequestError } from "../../../../base/errors.ts";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import type { TurnRecord, TurnStep } from "../runtime-records.ts";
import type { TurnRequest } from "./turn-request.ts";

const key = "letta";

export type Feedback = "positive" | "negative";

const feedbackKey = "lettaFeedback";
const feedbacks = z.record(z.string(), z.enum(["positive", "negative"]));

const notes = z.object({
  /** The value in the metadata of a run. */
  runType: z.string().nullable().default(null),
  /** Whether text and calls are shown in pieces. */
  isInPieces: z.boolean().default(false),
  hasPings: z.boolean().default(true),
  withCompactions: z.boolean().default(false),
  messageTool: z.object({ name: z.string(), argument: z.string() }).nullable().default(null),
  /** The types of messages that are shown; null: all. */
  types: z.array(z.string()).readonly().nullable().default(null),
});

export type RunNotes = Readonly<z.output<typeof notes>>;

const defaultTool = { name: "send_message", argument: "message" };

export function notesOf(request: TurnRequest, runType: string): RunNotes {
  const isSpoken = request.use_assistant_message ?? true;
  return {
    runType,
    isInPieces: request.stream_tokens ?? false,
    hasPings: request.include_pings ?? true,
    withCompactions: request.include_compaction_messages ?? false,
    messageTool: isSpoken
      ? {
          name: request.assistant_message_tool_name ?? defaultTool.name,
          argument: request.assistant_message_tool_kwarg ?? defaultTool.argument,
        }
      : null,
    types: request.include_return_message_types ?? null,
  };
}

/** Returns the metadata of a turn with the notes. */
export function withNotes(kept: RunNotes): Readonly<Record<string, unknown>> {
  return { [key]: kept };
}

export function readNotes({ metadata }: Pick<TurnRecord, "metadata">): RunNotes {
  const read = notes.safeParse(metadata[key] ?? { messageTool: defaultTool });
  return read.success ? read.data : { ...notes.parse({}), messageTool: defaultTool };
}

/** Milliseconds between two attempts to store the notes of a queued turn. */
const retryMs = 100;

/** Stores the notes with a turn that runs in the background; waits for a queued turn to start. */
export async function keepNotes({ turns }: Pick<UserRuntime, "turns">, turnId: string, kept: RunNotes): Promise<void> {
  for (;;) {
    try {
      const { metadata } = await turns.find(turnId);
      await turns.annotate(turnId, { isBackground: true, metadata: { ...metadata, ...withNotes(kept) } });
      return;
    } catch (error) {
      if (!(error instanceof RequestError) || error.code !== "turn_not_found") throw error;
      const { state } = await turns.find(turnId);
      if (state !== "queued") throw error;
    }
    await systemClock.sleep(retryMs);
  }
}

/** Returns the user's feedback about a model call, which is identified by its reply; null if there is none. */
export function readFeedback({ metadata }: Pick<TurnRecord, "metadata">, replyId: string): Feedback | null {
  const read = feedbacks.safeParse(metadata[feedbackKey] ?? {});
  return read.data?.[replyId] ?? null;
}

export async function keepFeedback(
  { turns }: Pick<UserRuntime, "turns">,
  { turnId, messageId }: Pick<TurnStep, "turnId" | "messageId">,
  feedback: Feedback | null,
): Promise<void> {
  const { metadata } = await turns.find(turnId);
  const kept = { ...feedbacks.safeParse(metadata[feedbackKey] ?? {}).data };
  if (feedback === null) delete kept[messageId];
  else kept[messageId] = feedback;
  await turns.annotate(turnId, { metadata: { ...metadata, [feedbackKey]: kept } });
}
