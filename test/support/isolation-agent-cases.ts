// What a stranger gets who asks for agents of Ada's, and for what is shared of them: a case for each function of that port.
import type { PortCase } from "./isolation-source-cases.ts";
import { settings } from "./store-builders.ts";

const noAgent = "agent_not_found";
const noOffer = "offer_not_found";

const agentLike = {
  name: "of another",
  model: "demo",
  protocol: "native",
  memoryType: "chat",
  systemPrompt: "",
  settings,
  modules: [],
} as const;

export const agentCases: Readonly<Record<string, PortCase>> = {
  // Its owner is a part of its key: an agent of the same id is another one.
  "agents.create": {
    call: async (user, of) => {
      const { id, ownerId } = await user.agents.create({ ...agentLike, id: of.agentId });
      await user.agents.share(id, "someone");
      await user.agents.delete(id);
      return ownerId;
    },
    gives: "eve",
  },
  "agents.find": { call: (user, of) => user.agents.find(of.agentId), gives: null },
  "agents.list": {
    call: async (user, of) => (await user.agents.list()).filter(({ id }) => id === of.agentId),
    gives: [],
  },
  "agents.names": { call: async (user) => (await user.agents.names()).length, gives: 1 },
  "agents.count": { call: (user) => user.agents.count(), gives: 1 },
  "agents.tags": { call: (user) => user.agents.tags(), gives: [] },
  "agents.update": { call: (user, of) => user.agents.update(of.agentId, () => ({ name: "mine" })), gives: noAgent },
  "agents.delete": { call: (user, of) => user.agents.delete(of.agentId), gives: noAgent },
  "agents.share": { call: (user, of) => user.agents.share(of.agentId, user.userId), gives: noAgent },
  "agents.unshare": { call: (user, of) => user.agents.unshare(of.agentId, "someone"), gives: false },
  "agents.offers": { call: (user) => user.agents.offers(), gives: [] },
  "agents.accept": { call: (user, of) => user.agents.accept(of.agentId), gives: noOffer },
  "agents.decline": { call: (user, of) => user.agents.decline(of.agentId), gives: noOffer },
  "agents.recipients": { call: (user, of) => user.agents.recipients(of.agentId), gives: noAgent },
  "agents.former": { call: (user) => user.agents.former(), gives: [] },
};
