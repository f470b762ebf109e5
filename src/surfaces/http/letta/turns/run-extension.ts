// Stores how the events of a run are shown when its stream is read again, as the extension in the metadata of the run's
// turn.
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
  /** Whether text and calls are shown in pieces as they arrive, instead of complete messages at the end of each step. */
  isInPieces: z.boolean().default(false),
  hasPings: z.boolean().default(true),
  /** Whether messages about compactions of the window are shown, too. */
  withCompactions: z.boolean().default(false),
  /** The tool whose calls are shown as messages of the assistant; null if there is none. */
  messageTool: z.object({ name: z.string(), argument: z.string() }).nullable().default(null),
  /** The types of messages that are shown; null: all. */
  types: z.array(z.string()).readonly().nullable().default(null),
});

export type RunExtension = Readonly<z.output<typeof extensionShape>>;

/** The tool of the heartbeat protocol that sends text to the user. */
export const defaultTool = { name: "send_message", argument: "message" };

export function runExtensionOf(request: TurnRequest, runType: string): RunExtension {
  return {
    runType,
    isInPieces: request.stream_tokens ?? false,
    hasPings: request.include_pings ?? true,
    withCompactions: request.include_compaction_messages ?? false,
    messageTool: messageToolOf(request),
    types: request.include_return_message_types ?? null,
  };
}

type ToolFields = "use_assistant_message" | "assistant_message_tool_name" | "assistant_message_tool_kwarg";

/** Returns the tool whose calls are shown as messages of the assistant; null if a request wants no such tool. */
export function messageToolOf(request: Pick<TurnRequest, ToolFields>): RunExtension["messageTool"] {
  if (request.use_assistant_message === false) return null;
  const { assistant_message_tool_name: name, assistant_message_tool_kwarg: argument } = request;
  return { name: name ?? defaultTool.name, argument: argument ?? defaultTool.argument };
}

/** Returns metadata of a turn that contains the extension. */
export function withRunExtension(kept: RunExtension): Readonly<Record<string, unknown>> {
  return { [key]: kept };
}

export function readRunExtension({ metadata }: Pick<TurnRecord, "metadata">): RunExtension {
  const { data } = extensionShape.safeParse(metadata[key] ?? { messageTool: defaultTool });
  return data ?? extensionShape.parse({ messageTool: defaultTool });
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
  return feedbacks.safeParse(metadata[feedbackKey] ?? {}).data?.[replyId] ?? null;
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
