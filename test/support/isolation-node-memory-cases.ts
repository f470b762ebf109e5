// Every function of a user's store for node memories, called by somebody else with this user's ids.
import { nodeKeyOf } from "./isolation-scene.ts";
import type { PortCase } from "./isolation-source-cases.ts";
import { ids } from "./store-builders.ts";

const now = new Date("2026-11-21T10:00:00Z");
const later = new Date("2030-01-01T00:00:00Z");

export const nodeMemoryCases: Readonly<Record<string, PortCase>> = {
  "nodeMemories.find": [(user, of) => user.nodeMemories.find(nodeKeyOf(of.conversationId)), null],
  "nodeMemories.reserve": [(user) => user.nodeMemories.reserve("elsewhere", ids.next()), undefined],
  "nodeMemories.replace": [
    (user, of) =>
      user.nodeMemories.replace({
        ...nodeKeyOf(of.conversationId),
        place: "database",
        objectKey: "nodes/mine",
        messages: 1,
        bytes: 1,
        updatedAt: now,
        from: 1,
        data: Buffer.from("intrusion"),
      }),
    false,
  ],
  "nodeMemories.delete": [(user, of) => user.nodeMemories.delete(nodeKeyOf(of.conversationId)), undefined],
  "nodeMemories.listUnused": [
    async (user, of) =>
      (await user.nodeMemories.listUnused(later)).filter(({ conversation }) => conversation === of.conversationId),
    [],
  ],
  "nodeMemories.deleteUnused": [
    async (user, of) =>
      (await user.nodeMemories.deleteUnused(later)).filter(({ conversation }) => conversation === of.conversationId),
    [],
  ],
};
