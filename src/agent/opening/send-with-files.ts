// Begins a turn with messages that have files: the files are stored first, and the messages refer to them.
// Invariant: stored files are deleted again if their messages are neither committed nor queued.
import type { FileInput } from "../../base/message/file-part.ts";
import type { ContentPart } from "../../base/message/message.ts";
import type { InputMessage, QueuedInput } from "../../store/port/turn-store.ts";
import type { LeaseRequest } from "../lease/await-lease.ts";
import type { OpenTurn } from "../lease/leased-work.ts";
import type { AgentEvent } from "../events.ts";
import { openTurn } from "./open-turn.ts";
import type { TurnOpening } from "../run-turn.ts";
import type { AgentDeps } from "../turn.ts";
import type { SendOptions, TurnOptions } from "../turn-options.ts";

export interface MessageToSend extends Omit<InputMessage, "content"> {
  /** May be blank if there are files. */
  readonly text: string;
  readonly files: readonly FileInput[];
}

export type MessagesToSend = readonly [MessageToSend, ...MessageToSend[]];

/** An input that a caller sends. */
export interface SentInput {
  /** The keys that the caller gave. */
  readonly keys: readonly string[];
  readonly options: TurnOptions & Pick<SendOptions, "onWaiting"> & Pick<AgentDeps, "output">;
  /** Null if it has files, which are stored when its turn begins. */
  readonly input: QueuedInput | null;
  readonly open: OpenTurn;
}

/** Returns messages as an input. */
export function inputWithFiles(
  deps: AgentDeps,
  messages: MessagesToSend,
  given: Pick<SentInput, "keys" | "options">,
): SentInput {
  if (messages.some(({ files }) => files.length > 0))
    return { ...given, input: null, open: (request) => sendWithFiles(deps, request, messages) };
  const input = inputOf(messages);
  return { ...given, input, open: (request) => openTurn(deps, { ...request, input }) };
}

async function* sendWithFiles(
  deps: AgentDeps,
  request: LeaseRequest,
  messages: MessagesToSend,
): AsyncGenerator<AgentEvent, TurnOpening> {
  const kept = await keepFiles(deps, messages);
  const input = inputOf(messages, kept);
  let isBegun = false;
  try {
    const opening = yield* openTurn(deps, { ...request, input });
    isBegun = true;
    return opening;
  } finally {
    // Also if the caller has stopped iterating. A failure here would hide the original error.
    if (!isBegun) await deps.memories.attachments.discard(kept.flat()).catch(() => undefined);
  }
}

type KeptFiles = Awaited<ReturnType<AgentDeps["memories"]["attachments"]["keep"]>>;

/** Returns the stored files of each message: those of all, or of none. */
async function keepFiles(
  { memories: { attachments }, conversationId }: Pick<AgentDeps, "memories" | "conversationId">,
  messages: MessagesToSend,
): Promise<readonly KeptFiles[]> {
  const kept: KeptFiles[] = [];
  try {
    for (const { files } of messages)
      kept.push(files.length === 0 ? [] : await attachments.keep(conversationId, files));
    return kept;
  } catch (error) {
    await attachments.discard(kept.flat()).catch(() => undefined);
    throw error;
  }
}

/** Returns the messages with their texts and files as content. */
function inputOf(
  [first, ...others]: MessagesToSend,
  [files = [], ...otherFiles]: readonly KeptFiles[] = [],
): QueuedInput {
  return {
    messages: [withContent(first, files), ...others.map((message, at) => withContent(message, otherFiles[at] ?? []))],
  };
}

function withContent({ text, files: _given, ...message }: MessageToSend, files: KeptFiles): InputMessage {
  const textParts: readonly ContentPart[] = text.trim() === "" ? [] : [{ type: "text", text }];
  return { ...message, content: [...textParts, ...files] };
}
