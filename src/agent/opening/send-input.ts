// Checks the messages of an input, and begins a turn with messages that have files: the files are stored first.
// Invariant: stored files are deleted again if their messages are neither committed nor queued; one
// invalid message fails the whole input, before a token is counted or anything is written.
import type { FileInput } from "../../base/message/file-part.ts";
import type { ContentPart } from "../../base/message/message.ts";
import type { InputMessage, QueuedInput } from "../../store/port/turn-store.ts";
import type { LeaseRequest } from "../lease/await-lease.ts";
import type { OpenTurn } from "../lease/leased-work.ts";
import type { AgentEvent } from "../events.ts";
import { openTurn } from "./open-turn.ts";
import type { TurnOpening } from "../run-turn.ts";
import type { AgentDeps } from "../turn.ts";
import type { SendOptions, TurnOptions, SentMessage, SentMessages } from "../turn-options.ts";
import type { Ids } from "../../base/ids.ts";
import { RequestError } from "../../base/errors.ts";
import { codePointLength } from "../../base/code-points.ts";

export interface MessageToSend extends Omit<InputMessage, "content"> {
  /** May be blank if there are files. */
  readonly text: string;
  readonly files: readonly FileInput[];
}

export type MessagesToSend = readonly [MessageToSend, ...MessageToSend[]];

/** An input that a caller sends. */
export interface SentInput {
  /** The idempotency keys that the caller gave. */
  readonly keys: readonly string[];
  readonly options: TurnOptions & Pick<SendOptions, "onWaiting" | "afterMessage" | "notes"> & Pick<AgentDeps, "output">;
  /** The input with its content; null if it has files, which are stored when its turn begins. */
  readonly input: QueuedInput | null;
  readonly open: OpenTurn;
}

/** Returns an input with these messages. */
export function inputWithFiles(messages: MessagesToSend, given: Pick<SentInput, "keys" | "options">): SentInput {
  if (messages.some(({ files }) => files.length > 0))
    return { ...given, input: null, open: (of, request) => sendWithFiles(of, request, messages) };
  const input = inputOf(messages);
  return { ...given, input, open: (of, request) => openTurn(of, { ...request, input }) };
}

async function* sendWithFiles(
  deps: AgentDeps,
  request: LeaseRequest,
  messages: MessagesToSend,
): AsyncGenerator<AgentEvent, TurnOpening | null> {
  // Null makes the caller open a kept agent again: opening checks idempotency key and conversation before a file is stored.
  if (deps.kept !== undefined) return null;
  const kept = await keepFiles(deps, messages);
  const input = inputOf(messages, kept);
  let isBegun = false;
  try {
    const opening = yield* openTurn(deps, { ...request, input });
    isBegun = true;
    return opening;
  } finally {
    // Also runs if the caller stops iterating. A failure to discard the files is ignored, because it would hide the error.
    if (!isBegun) await deps.memories.attachments.discard(kept.flat()).catch(() => undefined);
  }
}

type KeptFiles = Awaited<ReturnType<AgentDeps["memories"]["attachments"]["keep"]>>;

/** Stores the files of each message, all or none. Returns the stored files of each message. */
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

const maxMessages = 100;
const maxNameLength = 200;

/** Returns the checked input. Throws RequestError `input_invalid` and `message_too_long`. */
export function checkMessages(
  deps: AgentDeps,
  { messages }: SentMessages,
  { files, idempotencyKey, ...options }: SendOptions,
): SentInput {
  if (files !== undefined || idempotencyKey !== undefined)
    throw invalid("`files` and `idempotencyKey` in the messages themselves, got them as options of the call");
  const [first, ...others] = messages.map((message, at) => messageToSend(message, at + 1, deps.ids));
  if (first === undefined || messages.length > maxMessages)
    throw invalid(`1 to ${maxMessages} messages, got ${messages.length}`);
  const keys = messages.flatMap(({ idempotencyKey: key }) => (key === undefined ? [] : [key]));
  if (new Set(keys).size < keys.length)
    throw invalid("a different idempotency key for each message, got two messages with the same key");
  return inputWithFiles([first, ...others], { keys, options });
}

function messageToSend(sent: SentMessage, number: number, ids: Ids): MessageToSend {
  const { role = "user", text, trust, files = [], idempotencyKey = ids.next() } = sent;
  if (text.trim() === "" && files.length === 0) throw invalid(`text or files in message ${number}, got neither`);
  requireLength(text);
  const kept = trust === undefined ? {} : { trust };
  return { idempotencyKey, role, text, files, ...kept, ...speakerOf(sent, number) };
}

function speakerOf({ name }: SentMessage, number: number): Pick<MessageToSend, "speaker"> {
  if (name === undefined) return {};
  const speaker = name.trim();
  if (speaker !== "" && speaker.length <= maxNameLength) return { speaker };
  throw invalid(`a name of 1 to ${maxNameLength} characters in message ${number}, got ${speaker.length}`);
}

function invalid(problem: string): RequestError {
  return new RequestError("input_invalid", `Expected ${problem}. Nothing was written.`);
}

/** Maximum code points of a message: the same as for a passage, and about as many as the largest windows hold. */
const maxLength = 1_000_000;

/** Checks the length of a text. Throws RequestError `message_too_long`. */
export function requireLength(text: string): void {
  // A code point is one or two UTF-16 units, so code points are counted only if `length` is 1 to 2 times `maxLength`.
  if (text.length <= maxLength) return;
  const length = text.length > 2 * maxLength ? null : codePointLength(text);
  if (length !== null && length <= maxLength) return;
  const got = length === null ? "more than 2,000,000" : length.toLocaleString("en-US");
  throw new RequestError(
    "message_too_long",
    `Expected at most 1,000,000 characters for the text of a message, got ${got}. Nothing was written. Load the text as a file of a source.`,
  );
}
