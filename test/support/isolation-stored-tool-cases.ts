// Every function of a user's store for stored tools, called by somebody else with this user's ids.
import type { PortCase } from "./isolation-source-cases.ts";
import { secret } from "./isolation-scene.ts";
import { newStoredTool } from "./store-builders.ts";

const page = { order: "newest", limit: 10 } as const;

export const storedToolCases: Readonly<Record<string, PortCase>> = {
  "tools.create": [
    async (user, of) => {
      // The id is taken by another user's tool, and free for this one.
      await user.tools.create({ ...newStoredTool("intrusion"), id: of.toolId });
      return user.tools.delete(of.toolId);
    },
    true,
  ],
  "tools.upsert": [
    async (user, of) => {
      const named = { ...newStoredTool("intrusion"), name: `tool_${of.toolId}` };
      const { id } = await user.tools.upsert(named, named);
      return (await user.tools.delete(id)) && id === named.id;
    },
    true,
  ],
  "tools.find": [
    async (user, of) => [await user.tools.find(of.toolId), await user.tools.find(`tool_${of.toolId}`)],
    [null, null],
  ],
  "tools.list": [
    async (user, of) => [
      ...(await user.tools.list({ ...page, name: `tool_${of.toolId}` })),
      ...(await user.tools.list({ ...page, text: secret })),
    ],
    [],
  ],
  "tools.update": [(user, of) => user.tools.update(of.toolId, { description: "intrusion" }), null],
  "tools.delete": [(user, of) => user.tools.delete(of.toolId), false],
  "tools.attach": [(user, of) => user.tools.attach(of.agentId, of.toolId), "agent_not_found"],
  "tools.detach": [(user, of) => user.tools.detach(of.agentId, of.toolId), false],
  "tools.setApproval": [(user, of) => user.tools.setApproval(of.agentId, of.toolId, true), false],
  "tools.ofAgent": [
    async (user, of) => (await user.tools.ofAgent(of.agentId)).filter(({ id }) => id === of.toolId),
    [],
  ],
  "tools.ofAgents": [
    async (user, of) => (await user.tools.ofAgents([of.agentId])).filter(({ id }) => id === of.toolId),
    [],
  ],
};
