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
  "agents.create": [
    async (user, of) => {
      const { id, ownerId } = await user.agents.create({ ...agentLike, id: of.agentId });
      await user.agents.share(id, "someone");
      await user.agents.delete(id);
      return ownerId;
    },
    "eve",
  ],
  "agents.find": [(user, of) => user.agents.find(of.agentId), null],
  "agents.list": [async (user, of) => (await user.agents.list()).filter(({ id }) => id === of.agentId), []],
  "agents.names": [async (user) => (await user.agents.names()).length, 1],
  "agents.count": [(user) => user.agents.count(), 1],
  "agents.tags": [(user) => user.agents.tags(), []],
  "agents.update": [(user, of) => user.agents.update(of.agentId, () => ({ name: "mine" })), noAgent],
  "agents.delete": [(user, of) => user.agents.delete(of.agentId), noAgent],
  "agents.share": [(user, of) => user.agents.share(of.agentId, user.userId), noAgent],
  "agents.unshare": [(user, of) => user.agents.unshare(of.agentId, "someone"), false],
  "agents.offers": [(user) => user.agents.offers(), []],
  "agents.accept": [(user, of) => user.agents.accept(of.agentId), noOffer],
  "agents.decline": [(user, of) => user.agents.decline(of.agentId), noOffer],
  "agents.recipients": [(user, of) => user.agents.recipients(of.agentId), noAgent],
  "agents.former": [(user) => user.agents.former(), []],
};
