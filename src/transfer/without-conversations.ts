// Leaves the conversations out of a transfer, and the references to their messages.
// Invariant: pure; everything else stays, and no reference leads to a message that is not there.
import type { Transfer } from "../store/port/transfer-store.ts";

const nowhere = { conversationId: null, messageId: null, callId: null } as const;

export function withoutConversations({ modules, agents, ...others }: Transfer): Transfer {
  return {
    ...others,
    modules: modules.map((module) => ({
      ...module,
      revisions: module.revisions.map((revision) => ({ ...revision, ...nowhere })),
    })),
    agents: agents.map((agent) => ({
      ...agent,
      conversations: [],
      passages: agent.passages.map((passage) => ({ ...passage, ...nowhere })),
    })),
  };
}
