// Every function of a user's store for modules as rows of their own, called by somebody else with this user's ids.
import type { PortCase } from "./isolation-source-cases.ts";
import { secret } from "./isolation-scene.ts";
import { newModule } from "./store-builders.ts";

const page = { order: "newest", limit: 10 } as const;

export const moduleCases: Readonly<Record<string, PortCase>> = {
  "sharedModules.create": {
    // The id is taken by another user's module, and free for this one.
    call: async (user, of) => {
      const { ownerId } = await user.sharedModules.create(of.moduleId, newModule("intrusion"));
      return [ownerId, await user.sharedModules.delete(of.moduleId)];
    },
    gives: ["eve", true],
  },
  "sharedModules.find": { call: (user, of) => user.sharedModules.find(of.moduleId), gives: null },
  "sharedModules.list": {
    call: async (user, of) => [
      ...(await user.sharedModules.list({ ...page, label: "shared" })),
      ...(await user.sharedModules.list({ ...page, text: secret })),
      ...(await user.sharedModules.list({ ...page, after: of.moduleId })),
    ],
    gives: [],
  },
  "sharedModules.update": {
    call: (user, of) => user.sharedModules.update(of.moduleId, { revision: 0, value: "intrusion", label: "taken" }),
    gives: null,
  },
  "sharedModules.delete": { call: (user, of) => user.sharedModules.delete(of.moduleId), gives: false },
  "sharedModules.ofAgents": {
    call: async (user, of) => (await user.sharedModules.ofAgents([of.agentId])).filter(({ id }) => id === of.moduleId),
    gives: [],
  },
  "sharedModules.holders": { call: (user, of) => user.sharedModules.holders(of.moduleId), gives: [] },
  "sharedModules.attach": {
    call: (user, of) => user.sharedModules.attach(of.agentId, [of.moduleId]),
    gives: "agent_not_found",
  },
  "sharedModules.detach": {
    call: (user, of) => user.sharedModules.detach(of.agentId, of.moduleId),
    gives: "agent_not_found",
  },
  "sharedModules.share": {
    call: (user, of) => user.sharedModules.share(of.moduleId, "someone", "write"),
    gives: false,
  },
  "sharedModules.unshare": { call: (user, of) => user.sharedModules.unshare(of.moduleId, "someone"), gives: false },
  "sharedModules.recipients": { call: (user, of) => user.sharedModules.recipients(of.moduleId), gives: [] },
  "sharedModules.offers": { call: (user) => user.sharedModules.offers(), gives: [] },
  "sharedModules.accept": { call: (user, of) => user.sharedModules.accept(of.moduleId), gives: false },
  "sharedModules.revisions": { call: (user, of) => user.sharedModules.revisions(of.moduleId, 10), gives: [] },
};
