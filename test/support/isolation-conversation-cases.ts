// Every function of a user's store for conversations, called by somebody else with this user's ids.
import { secret } from "./isolation-scene.ts";
import type { PortCase } from "./isolation-source-cases.ts";
import { ids, newMessage } from "./store-builders.ts";

const noAgent = "agent_not_found";
const noConversation = "conversation_not_found";
const change = { label: "human", scope: "user", revision: 1, before: "", after: "changed" } as const;

export const conversationCases: Readonly<Record<string, PortCase>> = {
  "conversations.create": {
    call: (user, of) => user.conversations.create({ id: ids.next(), agentId: of.agentId }),
    gives: noAgent,
  },
  "conversations.import": {
    call: (user, of) =>
      user.conversations.import({ id: ids.next(), agentId: of.agentId, title: null, messages: [newMessage()] }),
    gives: noAgent,
  },
  "conversations.find": { call: (user, of) => user.conversations.find(of.conversationId), gives: null },
  "conversations.list": {
    call: async (user, of) =>
      (await user.conversations.list(of.agentId, { order: "newest", limit: 10 })).filter(
        ({ id }) => id === of.conversationId,
      ),
    gives: [],
  },
  "conversations.earlier": {
    call: (user, of) => user.conversations.earlier(of.agentId, ids.next(), 3),
    gives: [],
  },
  "conversations.thread": { call: (user, of) => user.conversations.thread(of.conversationId), gives: noConversation },
  "conversations.branches": {
    call: (user, of) => user.conversations.branches(of.conversationId),
    gives: noConversation,
  },
  "conversations.place": {
    call: (user, of) => user.conversations.place(of.conversationId, of.messageId),
    gives: noConversation,
  },
  "conversations.path": {
    call: (user, of) => user.conversations.path(of.conversationId, { through: of.messageId, limit: 10 }),
    gives: noConversation,
  },
  "conversations.page": {
    call: (user, of) =>
      user.conversations.page(of.conversationId, { cursor: of.messageId, direction: "before", limit: 9 }),
    gives: noConversation,
  },
  "conversations.message": { call: (user, of) => user.conversations.message(of.messageId), gives: null },
  "conversations.rename": {
    call: (user, of) => user.conversations.rename(of.conversationId, "mine"),
    gives: noConversation,
  },
  "conversations.moveLeaf": {
    call: (user, of) =>
      user.conversations.moveLeaf(of.lease, {
        from: of.messageId,
        to: null,
        changes: [change],
        passages: "delete",
      }),
    gives: noConversation,
  },
  "conversations.fork": {
    call: (user, of) =>
      user.conversations.fork({ conversationId: of.conversationId, id: ids.next(), newId: () => ids.next() }),
    gives: noConversation,
  },
  "conversations.delete": { call: (user, of) => user.conversations.delete(of.conversationId), gives: noConversation },
  "conversations.countUnfinished": {
    call: (user) => user.conversations.countUnfinished(),
    gives: { conversations: 0, calls: 0 },
  },
  "conversations.saveSnapshot": {
    call: (user, of) =>
      user.conversations.saveSnapshot(of.lease, { text: secret, values: {}, stateKey: "k1", trust: "user" }),
    gives: noConversation,
  },
  "conversations.saveEntry": {
    call: (user, of) => user.conversations.saveEntry(of.lease, of.messageId, { text: secret }),
    gives: noConversation,
  },
};
