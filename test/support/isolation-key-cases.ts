// Every function of a user's store for keys, called by somebody else with this user's ids.
import type { PortCase } from "./isolation-source-cases.ts";
import { ids, newKey } from "./store-builders.ts";

export const keyCases: Readonly<Record<string, PortCase>> = {
  "keys.create": [(user, of) => user.keys.create({ ...newKey(ids.next()), agentId: of.agentId }), "agent_not_found"],
  "keys.list": [(user) => user.keys.list(), []],
  "keys.revoke": [(user, of) => user.keys.revoke(of.keyId, new Date()), false],
};
