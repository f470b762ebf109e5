// Lists, reads, copies, imports and deletes conversations outside of a turn.
// Invariant: moves no conversation to another message; only an open agent does, under its lease.
import { RequestError } from "../../base/errors.ts";
import type { ConversationRecord } from "../../store/port/records.ts";
import type { ConversationOperations, MessageFile, NewConversation } from "../conversations.ts";
import { deleteObjects } from "./delete-objects.ts";
import { exportConversation } from "./export-conversation.ts";
import { historyFor } from "./opening/history-for.ts";
import { importConversation } from "./import-conversation.ts";
import { findAgent, findReadable } from "./find-agent.ts";
import { inputChecks } from "./input-checks.ts";
import { conversationTitle, pageRequest } from "./conversation-inputs.ts";
import type { OperationDeps } from "./operation-deps.ts";
import { readObject } from "./read-object.ts";

type ConversationDeps = Pick<
  OperationDeps,
  "store" | "defaults" | "models" | "backFill" | "memories" | "files" | "ids" | "log"
>;

/** Default maximum of listed conversations. */
const defaultListing = 20;

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
    import: (name, conversation) => importConversation(deps, name, conversation),
  };
}

async function createConversation(
  { store, ids }: Pick<OperationDeps, "store" | "ids">,
  name: string,
  { id, title }: NewConversation,
): Promise<ConversationRecord> {
  const agent = await findAgent({ store }, name);
  const named = title === undefined ? {} : { title: conversationTitle(title) };
  // The store takes a conversation that exists for its own of an earlier attempt.
  if (id !== undefined && (await store.conversations.find(checkedId(id))) !== null)
    throw invalid("id", "a UUID that no conversation has", "one in use");
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
    `There is no content of a file "${fileId}" in the conversation. Its messages have the ids of their files.`,
  );
}

async function findConversation({ store }: Pick<OperationDeps, "store">, id: string): Promise<ConversationRecord> {
  const found = await store.conversations.find(id);
  if (found !== null) return found;
  throw new RequestError(
    "conversation_not_found",
    `There is no conversation "${id}". \`runtime.conversations.list(null)\` lists them.`,
  );
}
