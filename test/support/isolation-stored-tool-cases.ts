// Every function of a user's store for stored tools, called by somebody else with this user's ids.
import type { PortCase } from "./isolation-source-cases.ts";
import { secret } from "./isolation-scene.ts";
import { newStoredTool } from "./store-builders.ts";

const page = { order: "newest", limit: 10 } as const;

export const storedToolCases: Readonly<Record<string, PortCase>> = {
  "tools.create": {
    call: async (user, of) => {
      // The id is taken by another user's tool, and free for this one.
      await user.tools.create({ ...newStoredTool("intrusion"), id: of.toolId });
      return user.tools.delete(of.toolId);
    },
    gives: true,
  },
  "tools.upsert": {
    call: async (user, of) => {
      const named = { ...newStoredTool("intrusion"), name: `tool_${of.toolId}` };
      const { id } = await user.tools.upsert(named, named);
      return (await user.tools.delete(id)) && id === named.id;
    },
    gives: true,
  },
  "tools.find": {
    call: async (user, of) => [await user.tools.find(of.toolId), await user.tools.find(`tool_${of.toolId}`)],
    gives: [null, null],
  },
  "tools.list": {
    call: async (user, of) => [
      ...(await user.tools.list({ ...page, name: `tool_${of.toolId}` })),
      ...(await user.tools.list({ ...page, text: secret })),
    ],
    gives: [],
  },
  "tools.update": { call: (user, of) => user.tools.update(of.toolId, { description: "intrusion" }), gives: null },
  "tools.delete": { call: (user, of) => user.tools.delete(of.toolId), gives: false },
  "tools.attach": { call: (user, of) => user.tools.attach(of.agentId, of.toolId), gives: "agent_not_found" },
  "tools.detach": { call: (user, of) => user.tools.detach(of.agentId, of.toolId), gives: false },
  "tools.setApproval": { call: (user, of) => user.tools.setApproval(of.agentId, of.toolId, true), gives: false },
  "tools.ofAgent": {
    call: async (user, of) => (await user.tools.ofAgent(of.agentId)).filter(({ id }) => id === of.toolId),
    gives: [],
  },
  "tools.ofAgents": {
    call: async (user, of) => (await user.tools.ofAgents([of.agentId])).filter(({ id }) => id === of.toolId),
    gives: [],
  },
};
