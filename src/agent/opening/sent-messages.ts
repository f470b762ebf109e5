// Checks several messages of one input before anything is written.
// Invariant: what is returned can be committed as it is; a refused message refuses the whole input.
import type { Ids } from "../../base/ids.ts";
import { RequestError } from "../../base/errors.ts";
import type { AgentDeps } from "../turn.ts";
import type { SendOptions, SentMessage, SentMessages } from "../turn-options.ts";
import { requireLength } from "./message-length.ts";
import { inputWithFiles, type MessageToSend, type SentInput } from "./send-with-files.ts";

const maxMessages = 100;
const maxNameLength = 200;

/** Throws RequestError `input_invalid` and `message_too_long`. */
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
    throw invalid("a key of its own for each message, got two messages with the same key");
  return inputWithFiles(deps, [first, ...others], { keys, options });
}

function messageToSend(sent: SentMessage, number: number, ids: Ids): MessageToSend {
  const { role = "user", text, files = [], idempotencyKey = ids.next() } = sent;
  if (text.trim() === "" && files.length === 0) throw invalid(`text or files in message ${number}, got neither`);
  requireLength(text);
  return { idempotencyKey, role, text, files, ...speakerOf(sent, number) };
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
