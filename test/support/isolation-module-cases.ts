// Every function of a user's store for modules as rows of their own, called by somebody else with this user's ids.
import type { PortCase } from "./isolation-source-cases.ts";
import { secret } from "./isolation-scene.ts";
import { newModule } from "./store-builders.ts";

const page = { order: "newest", limit: 10 } as const;

export const moduleCases: Readonly<Record<string, PortCase>> = {
  "sharedModules.create": [
    // The id is taken by another user's module, and free for this one.
    async (user, of) => {
      const { ownerId } = await user.sharedModules.create(of.moduleId, newModule("intrusion"));
      return [ownerId, await user.sharedModules.delete(of.moduleId)];
    },
    ["eve", true],
  ],
  "sharedModules.find": [(user, of) => user.sharedModules.find(of.moduleId), null],
  "sharedModules.list": [
    async (user, of) => [
      ...(await user.sharedModules.list({ ...page, label: "shared" })),
      ...(await user.sharedModules.list({ ...page, text: secret })),
      ...(await user.sharedModules.list({ ...page, after: of.moduleId })),
    ],
    [],
  ],
  "sharedModules.update": [
    (user, of) => user.sharedModules.update(of.moduleId, { revision: 0, value: "intrusion", label: "taken" }),
    null,
  ],
  "sharedModules.delete": [(user, of) => user.sharedModules.delete(of.moduleId), false],
  "sharedModules.ofAgents": [
    async (user, of) => (await user.sharedModules.ofAgents([of.agentId])).filter(({ id }) => id === of.moduleId),
    [],
  ],
  "sharedModules.holders": [(user, of) => user.sharedModules.holders(of.moduleId), []],
  "sharedModules.attach": [(user, of) => user.sharedModules.attach(of.agentId, [of.moduleId]), "agent_not_found"],
  "sharedModules.detach": [(user, of) => user.sharedModules.detach(of.agentId, of.moduleId), "agent_not_found"],
  "sharedModules.share": [(user, of) => user.sharedModules.share(of.moduleId, "someone", "write"), false],
  "sharedModules.unshare": [(user, of) => user.sharedModules.unshare(of.moduleId, "someone"), false],
  "sharedModules.recipients": [(user, of) => user.sharedModules.recipients(of.moduleId), []],
  "sharedModules.offers": [(user) => user.sharedModules.offers(), []],
  "sharedModules.accept": [(user, of) => user.sharedModules.accept(of.moduleId), false],
  "sharedModules.revisions": [(user, of) => user.sharedModules.revisions(of.moduleId, 10), []],
};
