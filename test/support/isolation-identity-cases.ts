// Every function of a user's store for identities, called by somebody else with this user's ids.
import type { PortCase } from "./isolation-source-cases.ts";
import { secret } from "./isolation-scene.ts";
import { newIdentity } from "./store-builders.ts";

const page = { order: "newest", limit: 10 } as const;

export const identityCases: Readonly<Record<string, PortCase>> = {
  "identities.create": [
    async (user, of) => {
      // The id and the key are taken by another user's identity, and free for this one.
      await user.identities.create({ ...newIdentity("intrusion"), id: of.identityId, key: secret });
      return user.identities.delete(of.identityId);
    },
    true,
  ],
  "identities.find": [(user, of) => user.identities.find(of.identityId), null],
  "identities.list": [
    async (user) => [...(await user.identities.list(page)), ...(await user.identities.list({ ...page, name: secret }))],
    [],
  ],
  "identities.count": [(user) => user.identities.count(), 0],
  "identities.update": [(user, of) => user.identities.update(of.identityId, { name: "intrusion" }), null],
  "identities.delete": [(user, of) => user.identities.delete(of.identityId), false],
};
