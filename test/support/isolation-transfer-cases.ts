// Every function of a user's store for transfers, called by somebody else with this user's ids.
import type { FilledTalk } from "./isolation-scene.ts";
import type { PortCase } from "./isolation-source-cases.ts";

const every = (of: FilledTalk) => [of.agentId, of.conversationId, of.messageId, of.passageId, of.moduleId];

export const transferCases: Readonly<Record<string, PortCase>> = {
  "transfers.idsInUse": [(user, of) => user.transfers.idsInUse(every(of)), []],
  "transfers.held": [(user, of) => user.transfers.held(of.agentId), "agent_not_found"],
  "transfers.conversation": [(user, of) => user.transfers.conversation(of.conversationId), "conversation_not_found"],
  "transfers.add": [
    (user, of) => user.transfers.add(of.agentId, { conversations: [], passages: [] }),
    "agent_not_found",
  ],
  "transfers.countNew": [
    (user, of) => user.transfers.countNew(of.agentId, { conversations: [], passages: [] }),
    "agent_not_found",
  ],
  "transfers.passages": [(user, of) => user.transfers.passages(of.agentId, null, 10), "agent_not_found"],
  // A source of Eve's own with the id of Ada's.
  "transfers.put": [
    async (user, of) => {
      const source = {
        id: of.sourceId,
        name: "eve's",
        description: null,
        metadata: {},
        extensions: {},
        createdAt: new Date(0).toISOString(),
        files: [],
        passages: [],
      };
      const { sources } = await user.transfers.put({ modules: [], tools: [], sources: [source], agents: [] });
      await user.sources.delete(of.sourceId);
      return sources;
    },
    1,
  ],
};
