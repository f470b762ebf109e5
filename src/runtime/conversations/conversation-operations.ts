// Lists, reads, copies, imports and deletes conversations outside of a turn.
// Invariant: no operation here switches a conversation to another message; only an open agent does, under its lease. All
// messages of an import are checked before the first is stored, and all are stored or none.
import { codePointLength, storableText } from "../../base/code-points.ts";
import { hasVisibleText } from "../../context/conversation-history.ts";
import { inputInvalid, RequestError } from "../../base/errors.ts";
import type { ConversationRecord, AgentRecord, StoredMessage } from "../../store/port/records.ts";
import type { MessagePageRequest } from "../../store/port/conversation-store.ts";
import type {
  ConversationOperations,
  ImportedMessage,
  MessageFile,
  MessagePageOptions,
  NewConversation,
  ConversationImport,
} from "./contract.ts";
import { deleteObjects } from "../operations/delete-objects.ts";
import { historyFor } from "./history-for.ts";
import { pagesBackwards } from "./pages-backwards.ts";
import { findAgent, findReadable } from "../agents/find-agent.ts";
import { inputChecks } from "../operations/input-checks.ts";
import type { OperationDeps } from "../operations/operation-deps.ts";
import { readObject } from "../operations/read-object.ts";
import { protocolOf } from "../../agent/protocol/protocol-of.ts";
import type { Ids } from "../../base/ids.ts";
import { type TokenCounter, countMessage } from "../../model/tokens/token-counter.ts";
import { counterOf } from "../operations/opening/agent-models.ts";

type ConversationDeps = Pick<
  OperationDeps,
  "store" | "defaults" | "models" | "backFill" | "memories" | "files" | "ids" | "log"
>;

/** Maximum number of conversations that `list` returns by default. */
const defaultListing = 20;

const defaultPageSize = 50;
const maxPageSize = 500;

/** The maximum length of a title in code points. */
const maxTitleLength = 200;

const { id: checkedId, invalid, range } = inputChecks("A conversation");

export function createConversationOperations(deps: ConversationDeps): ConversationOperations {
  const { conversations } = deps.store;
  return {
    list: async (name, options = {}) => {
      range(options);
      const agentId = name === null ? null : (await findReadable(deps, name)).id;
      return conversations.list(agentId, { order: "newest", limit: defaultListing, ...options });
    },
    create: (name, given = {}) => createConversation(deps, name, given),
    find: (id) => findConversation(deps, id),
    delete: async (id) => {
      await conversations.delete(id);
      deps.memories.empty();
      await deleteObjects(deps);
    },
    messages: async (id, options = {}) => conversations.page(id, pageRequest(options)),
    message: async (id) => {
      const found = await conversations.message(id);
      if (found !== null) return found;
      throw new RequestError("message_not_found", `There is no message "${id}" of this user.`);
    },
    file: (conversationId, fileId) => messageFile(deps, conversationId, fileId),
    rename: async (id, title) => conversations.rename(id, title === null ? null : conversationTitle(title)),
    branches: (id) => conversations.branches(id),
    history: (options) => historyFor(deps, options),
    fork: (conversationId) => conversations.fork({ conversationId, id: deps.ids.next(), newId: () => deps.ids.next() }),
    export: (conversationId) => exportConversation(deps, conversationId),
    import: async (name, { messages, title }) =>
      importConversation(deps, name, { messages, title: title === undefined ? null : conversationTitle(title) }),
  };
}

async function createConversation(
  { store, ids }: Pick<OperationDeps, "store" | "ids">,
  name: string,
  { id, title }: NewConversation,
): Promise<ConversationRecord> {
  const agent = await findAgent({ store }, name);
  const named = title === undefined ? {} : { title: conversationTitle(title) };
  // Without this check, the store would take the conversation with this id for the result of an earlier attempt.
  if (id !== undefined && (await store.conversations.find(checkedId(id))) !== null)
    throw invalid("id", "a new UUID", "the id of an existing conversation");
  return store.conversations.create({ id: id ?? ids.next(), agentId: agent.id, ...named });
}

async function messageFile(
  deps: Pick<OperationDeps, "store" | "files">,
  conversationId: string,
  fileId: string,
): Promise<MessageFile> {
  const found = await deps.store.attachments.objectOf(fileId);
  const data = found?.conversationId === conversationId ? await readObject(deps, found) : null;
  if (found !== null && data !== null) return { name: found.name, mediaType: found.mediaType, data };
  throw new RequestError(
    "attachment_not_found",
    `The conversation has no file "${fileId}". Its messages contain the ids of their files.`,
  );
}

/** Returns a conversation. Throws RequestError `conversation_not_found`. */
export async function findConversation(
  { store }: Pick<OperationDeps, "store">,
  id: string,
): Promise<ConversationRecord> {
  const found = await store.conversations.find(id);
  if (found !== null) return found;
  throw new RequestError(
    "conversation_not_found",
    `There is no conversation "${id}". \`runtime.conversations.list(null)\` lists the conversations.`,
  );
}

/** Returns the visible messages of the thread, oldest first. Throws RequestError `conversation_not_found`. */
async function exportConversation(
  { store }: Pick<OperationDeps, "store">,
  id: string,
): Promise<readonly ImportedMessage[]> {
  const newestFirst: ImportedMessage[] = [];
  for await (const page of pagesBackwards(store.conversations, id, null)) {
    for (const { role, speaker, text, at } of page.filter(hasVisibleText).reverse()) {
      const named = speaker === undefined ? {} : { speaker };
      newestFirst.push({ role: role === "user" ? "user" : "assistant", ...named, text, at });
    }
  }
  return newestFirst.reverse();
}

/** Returns the request for a page of messages. Throws RequestError `input_invalid`. */
function pageRequest({ before, after, from, limit = defaultPageSize }: MessagePageOptions): MessagePageRequest {
  if ([before, after, from].filter((given) => given !== undefined).length > 1) {
    throw inputInvalid("Expected one of `before`, `after` and `from`, got several. Read one direction at a time.");
  }
  if (!Number.isInteger(limit) || limit < 1 || limit > maxPageSize) {
    throw inputInvalid(`Expected \`limit\` to be a whole number from 1 to ${maxPageSize}, got ${limit}.`);
  }
  return {
    cursor: before ?? after ?? null,
    direction: after === undefined && from !== "beginning" ? "before" : "after",
    limit,
  };
}

/** Returns the title without surrounding white space. Throws RequestError `input_invalid`. */
function conversationTitle(text: string): string {
  const title = storableText(text).trim();
  const length = codePointLength(title);
  if (length < 1 || length > maxTitleLength || /[\r\n]/u.test(title)) {
    throw inputInvalid(
      `Expected a title of 1 to ${maxTitleLength} characters on one line, got ${length}${/[\r\n]/u.test(title) ? " with a line break" : ""}. Pass null to remove the title.`,
    );
  }
  return title;
}

const maxSpeakerLength = 200;

/** Imports a conversation. Throws RequestError `input_invalid` with the number of the invalid message, from 1. */
export async function importConversation(
  deps: Pick<OperationDeps, "store" | "models" | "backFill" | "ids">,
  name: string,
  { messages, title }: Pick<ConversationImport, "messages"> & { readonly title: string | null },
): Promise<ConversationRecord> {
  if (messages.length === 0) throw inputInvalid("Expected at least one message to import, got none.");
  messages.forEach(checkMessage);
  const agent = await findAgent(deps, name);
  const counter = counterOf(deps, agent);
  // Loads the tokenizer now, because loading blocks the event loop, and the transaction below counts tokens.
  counter.prepare();
  const record = await deps.store.conversations.import({
    id: deps.ids.next(),
    agentId: agent.id,
    title,
    messages: { [Symbol.iterator]: () => storedMessages(messages, { ids: deps.ids, agent, counter }) },
  });
  deps.backFill.wake();
  return record;
}

/** Yields the messages in their stored form, one at a time, so that a long conversation is not in memory twice. */
function* storedMessages(
  messages: readonly ImportedMessage[],
  { ids, agent, counter }: { readonly ids: Ids; readonly agent: AgentRecord; readonly counter: TokenCounter },
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
    throw inputInvalid(`Expected ${number} to have the role "user" or "assistant", got ${shown(role)}.`);
  }
  if (isBlank(text)) throw inputInvalid(`Expected ${number} to have some text, got ${shown(text)}.`);
  if (speaker !== undefined && (isBlank(speaker) || speaker.length > maxSpeakerLength)) {
    throw inputInvalid(
      `Expected the speaker of ${number} to be a name of 1 to ${maxSpeakerLength} characters, got ${shown(speaker)}.`,
    );
  }
  checkTime(number, message.at, all[index - 1]?.at);
}

// Programs without type checks call the operation too, so the text may be of any type.
function isBlank(text: unknown): boolean {
  return typeof text !== "string" || storableText(text).trim() === "";
}

function checkTime(number: string, at: unknown, before: Date | undefined): void {
  if (!(at instanceof Date) || Number.isNaN(at.getTime())) {
    throw inputInvalid(`Expected ${number} to have a time, got ${shown(at)}.`);
  }
  if (before === undefined || at >= before) return;
  throw inputInvalid(
    `Expected the messages in the order of their times, got ${number} with the time ${at.toISOString()} after a message with the time ${before.toISOString()}.`,
  );
}

function shown(value: unknown): string {
  const text = typeof value === "string" ? JSON.stringify(value) : String(value);
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
