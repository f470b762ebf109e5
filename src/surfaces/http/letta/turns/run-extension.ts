// How the events of a run are shown when its stream is read again. Stored in the metadata of the run's turn, as its
// extension.
// Invariant: an extension is read as it was written; a turn without one has the defaults.
import * as z from "zod";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import type { TurnRecord, TurnStep } from "../runtime-records.ts";
import type { TurnRequest } from "./turn-request.ts";

const key = "letta";

export type Feedback = "positive" | "negative";

const feedbackKey = "lettaFeedback";
const feedbacks = z.record(z.string(), z.enum(["positive", "negative"]));

const extensionShape = z.object({
  runType: z.string().nullable().default(null),
  /** Whether text and calls are shown in pieces. */
  isInPieces: z.boolean().default(false),
  hasPings: z.boolean().default(true),
  withCompactions: z.boolean().default(false),
  messageTool: z.object({ name: z.string(), argument: z.string() }).nullable().default(null),
  /** The types of messages that are shown; null: all. */
  types: z.array(z.string()).readonly().nullable().default(null),
});

export type RunExtension = Readonly<z.output<typeof extensionShape>>;

const defaultTool = { name: "send_message", argument: "message" };

export function runExtensionOf(request: TurnRequest, runType: string): RunExtension {
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

/** Returns metadata of a turn that contains the extension. */
export function withRunExtension(kept: RunExtension): Readonly<Record<string, unknown>> {
  return { [key]: kept };
}

export function readRunExtension({ metadata }: Pick<TurnRecord, "metadata">): RunExtension {
  const read = extensionShape.safeParse(metadata[key] ?? { messageTool: defaultTool });
  return read.success ? read.data : { ...extensionShape.parse({}), messageTool: defaultTool };
}

/** Stores the extension of a turn that goes on in the background. Throws RequestError `turn_not_found` for a queued turn. */
export async function keepRunExtension(
  { turns }: Pick<UserRuntime, "turns">,
  turnId: string,
  kept: RunExtension,
): Promise<void> {
  const { metadata } = await turns.find(turnId);
  await turns.annotate(turnId, { isBackground: true, metadata: { ...metadata, ...withRunExtension(kept) } });
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
