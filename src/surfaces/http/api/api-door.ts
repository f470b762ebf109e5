// Implements the door `/api`, which offers all operations of a runtime in Palimpsest's own JSON.
// Invariant: an error has the form of RFC 9457, with the code and the invalid fields.
import { contracts } from "../../../runtime/contracts.ts";
import { openAgentContract } from "../../../runtime/open-agents/contract.ts";
import type { Door } from "../door.ts";
import { groupRoutes, openAgentRoutes } from "./operation-routes.ts";
import { problemOf, problems } from "../problem.ts";
import { recordRoutes } from "./record-routes.ts";
import { turnRoutes } from "./turn-routes.ts";

export const apiRoutes = [
  ...recordRoutes,
  ...turnRoutes,
  ...openAgentRoutes(openAgentContract),
  ...groupRoutes(contracts),
] as const;

export const apiDoor: Door = {
  path: "/api",
  routes: apiRoutes,
  faults: problems,
  writeFault: (fault, requestId) => ({ body: problemOf(fault, requestId) }),
  faultEvent: (fault, requestId) => ({ event: "error", data: problemOf(fault, requestId) }),
};
