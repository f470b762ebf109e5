// Imports a conversation from another program: its messages with their speakers and their times.
// Invariant: all messages are checked before any is stored, and all are stored or none.
import { protocolOf } from "../../agent/protocol/protocol-of.ts";
import { storableText } from "../../base/code-points.ts";
import type { Ids } from "../../base/ids.ts";
import { RequestError } from "../../base/errors.ts";
import type { AgentRecord, ConversationRecord, StoredMessage } from "../../store/port/records.ts";
import type { ConversationImport, ImportedMessage } from "../conversations.ts";
import { countMessage, type TokenCounter } from "../../model/tokens/token-counter.ts";
import { conversationTitle } from "./conversation-inputs.ts";
import { counterOf } from "./opening/agent-models.ts";
import { findAgent } from "./find-agent.ts";
import type { OperationDeps } from "./operation-deps.ts";

type ImportDeps = Pick<OperationDeps, "store" | "models" | "backFill" | "ids">;

const maxSpeakerLength = 200;

/** Throws RequestError `input_invalid` with the number of the invalid message, from 1. */
export async function importConversation(
  deps: ImportDeps,
  name: string,
  { messages, title }: ConversationImport,
): Promise<ConversationRecord> {
  if (messages.length === 0) throw invalid("Expected at least one message to import, got none.");
  messages.forEach(checkMessage);
  const checkedTitle = title === undefined ? null : conversationTitle(title);
  const agent = await findAgent(deps, name);
  const counter = counterOf(deps, agent);
  // Loading the tokenizer blocks the event loop, and the messages are counted in the transaction that stores them.
  counter.prepare();
  const record = await deps.store.conversations.import({
    id: deps.ids.next(),
    agentId: agent.id,
    title: checkedTitle,
    messages: { [Symbol.iterator]: () => storedMessages(messages, { ids: deps.ids, agent, counter }) },
  });
  deps.backFill.wake();
  return record;
}

interface StoredAs {
  readonly ids: Ids;
  readonly agent: AgentRecord;
  readonly counter: TokenCounter;
}

/** Yields the messages in the form in which they are stored. A long conversation is never in memory twice. */
function* storedMessages(
  messages: readonly ImportedMessage[],
  { ids, agent, counter }: StoredAs,
): Generator<StoredMessage> {
  const protocol = protocolOf(agent.protocol);
  let parentId: string | null = null;
  let turnId = ids.next();
  for (const { role, speaker, text, at } of messages) {
    const id = ids.next();
    if (role === "user") turnId = id;
    const words = storableText(text);
    const message: StoredMessage = {
      id,
      parentId,
      turnId,
      role,
      ...(speaker === undefined ? {} : { speaker: storableText(speaker).trim() }),
      kind: "message",
      status: "complete",
      content: [{ type: "text", text: words }],
      text: words,
      tokens: 0,
      trust: "external",
      at,
    };
    const rendered = protocol.render(message, agent.settings.timeZone);
    yield { ...message, tokens: countMessage(counter, rendered) };
    parentId = id;
  }
}

function checkMessage(message: ImportedMessage, index: number, all: readonly ImportedMessage[]): void {
  const { role, speaker, text } = message;
  const number = `message ${index + 1}`;
  if (!["user", "assistant"].includes(role)) {
    throw invalid(`Expected ${number} to have the role "user" or "assistant", got ${shown(role)}.`);
  }
  if (isBlank(text)) throw invalid(`Expected ${number} to have some text, got ${shown(text)}.`);
  if (speaker !== undefined && (isBlank(speaker) || speaker.length > maxSpeakerLength)) {
    throw invalid(
      `Expected the speaker of ${number} to be a name of 1 to ${maxSpeakerLength} characters, got ${shown(speaker)}.`,
    );
  }
  checkTime(number, message.at, all[index - 1]?.at);
}

// Also called by programs without types.
function isBlank(text: unknown): boolean {
  return typeof text !== "string" || storableText(text).trim() === "";
}

function checkTime(number: string, at: unknown, before: Date | undefined): void {
  if (!(at instanceof Date) || Number.isNaN(at.getTime())) {
    throw invalid(`Expected ${number} to have a time, got ${shown(at)}.`);
  }
  if (before === undefined || at >= before) return;
  throw invalid(
    `Expected the messages in the order of their times, got ${number} of ${at.toISOString()} after one of ${before.toISOString()}.`,
  );
}

function shown(value: unknown): string {
  const text = typeof value === "string" ? JSON.stringify(value) : String(value);
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

function invalid(message: string): RequestError {
  return new RequestError("input_invalid", message);
}
