// Conversations as people and programs look at them, outside of a turn.
// Invariant: nothing here moves a conversation: only an open agent does, under its lease.
import type { ConversationOperations } from "../runtime/conversations.ts";
import { deleteObjects } from "./delete-objects.ts";
import { exportConversation } from "./export-conversation.ts";
import { historyFor } from "./opening/history-for.ts";
import { importConversation } from "./import-conversation.ts";
import { emptyWorking } from "./opening/working-memories.ts";
import { findReadable } from "./find-agent.ts";
import type { OperationParts } from "./operation-parts.ts";

/** Conversations in a listing that asks for no number. */
const defaultListing = 20;

export function createConversationOperations(parts: OperationParts): ConversationOperations {
  const { conversations } = parts.store;
  return {
    list: async (name, limit = defaultListing) => conversations.list((await findReadable(parts, name)).id, limit),
    delete: async (id) => {
      await conversations.delete(id);
      emptyWorking(parts);
      await deleteObjects(parts);
    },
    branches: (id) => conversations.branches(id),
    history: (options) => historyFor(parts, options),
    fork: (conversationId) =>
      conversations.fork({ conversationId, id: parts.ids.next(), newId: () => parts.ids.next() }),
    export: (conversationId) => exportConversation(parts, conversationId),
    import: (name, conversation) => importConversation(parts, name, conversation),
  };
}
