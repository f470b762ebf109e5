// Every function of a user's store for conversations, called by somebody else with this user's ids.
import { secret } from "./isolation-scene.ts";
import type { PortCase } from "./isolation-source-cases.ts";
import { ids, newMessage } from "./store-builders.ts";

const noAgent = "agent_not_found";
const noConversation = "conversation_not_found";
const change = { label: "human", scope: "user", revision: 1, before: "", after: "changed" } as const;

export const conversationCases: Readonly<Record<string, PortCase>> = {
  "conversations.create": [(user, of) => user.conversations.create({ id: ids.next(), agentId: of.agentId }), noAgent],
  "conversations.import": [
    (user, of) =>
      user.conversations.import({ id: ids.next(), agentId: of.agentId, title: null, messages: [newMessage()] }),
    noAgent,
  ],
  "conversations.find": [(user, of) => user.conversations.find(of.conversationId), null],
  "conversations.list": [
    async (user, of) =>
      (await user.conversations.list(of.agentId, { order: "newest", limit: 10 })).filter(
        ({ id }) => id === of.conversationId,
      ),
    [],
  ],
  "conversations.earlier": [(user, of) => user.conversations.earlier(of.agentId, ids.next(), 3), []],
  "conversations.thread": [(user, of) => user.conversations.thread(of.conversationId), noConversation],
  "conversations.branches": [(user, of) => user.conversations.branches(of.conversationId), noConversation],
  "conversations.place": [(user, of) => user.conversations.place(of.conversationId, of.messageId), noConversation],
  "conversations.path": [
    (user, of) => user.conversations.path(of.conversationId, { through: of.messageId, limit: 10 }),
    noConversation,
  ],
  "conversations.page": [
    (user, of) => user.conversations.page(of.conversationId, { cursor: of.messageId, direction: "before", limit: 9 }),
    noConversation,
  ],
  "conversations.message": [(user, of) => user.conversations.message(of.messageId), null],
  "conversations.rename": [(user, of) => user.conversations.rename(of.conversationId, "mine"), noConversation],
  "conversations.moveLeaf": [
    (user, of) =>
      user.conversations.moveLeaf(of.lease, { from: of.messageId, to: null, changes: [change], passages: "delete" }),
    noConversation,
  ],
  "conversations.fork": [
    (user, of) =>
      user.conversations.fork({ conversationId: of.conversationId, id: ids.next(), newId: () => ids.next() }),
    noConversation,
  ],
  "conversations.delete": [(user, of) => user.conversations.delete(of.conversationId), noConversation],
  "conversations.countUnfinished": [(user) => user.conversations.countUnfinished(), { conversations: 0, calls: 0 }],
  "conversations.saveSnapshot": [
    (user, of) =>
      user.conversations.saveSnapshot(of.lease, { text: secret, values: {}, stateKey: "k1", trust: "user" }),
    noConversation,
  ],
  "conversations.saveEntry": [
    (user, of) => user.conversations.saveEntry(of.lease, of.messageId, { text: secret }),
    noConversation,
  ],
};
