// Lists, reads, copies, imports and deletes conversations outside of a turn.
// Invariant: moves no conversation to another message; only an open agent does, under its lease.
import type { ConversationOperations } from "../runtime/conversations.ts";
import { deleteObjects } from "./delete-objects.ts";
import { exportConversation } from "./export-conversation.ts";
import { historyFor } from "./opening/history-for.ts";
import { importConversation } from "./import-conversation.ts";
import { findReadable } from "./find-agent.ts";
import { conversationTitle, pageRequest } from "./conversation-inputs.ts";
import type { OperationDeps } from "./operation-deps.ts";

type ConversationDeps = Pick<
  OperationDeps,
  "store" | "defaults" | "models" | "backFill" | "memories" | "files" | "ids" | "log"
>;

/** Default maximum of listed conversations. */
const defaultListing = 20;

export function createConversationOperations(deps: ConversationDeps): ConversationOperations {
  const { conversations } = deps.store;
  return {
    list: async (name, limit = defaultListing) => conversations.list((await findReadable(deps, name)).id, limit),
    delete: async (id) => {
      await conversations.delete(id);
      deps.memories.empty();
      await deleteObjects(deps);
    },
    messages: async (id, options = {}) => conversations.page(id, pageRequest(options)),
    rename: async (id, title) => conversations.rename(id, title === null ? null : conversationTitle(title)),
    branches: (id) => conversations.branches(id),
    history: (options) => historyFor(deps, options),
    fork: (conversationId) => conversations.fork({ conversationId, id: deps.ids.next(), newId: () => deps.ids.next() }),
    export: (conversationId) => exportConversation(deps, conversationId),
    import: (name, conversation) => importConversation(deps, name, conversation),
  };
}
