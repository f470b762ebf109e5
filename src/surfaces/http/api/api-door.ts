// The door `/api`: everything that a runtime can do, in our own shapes.
// Invariant: an error has the form of RFC 9457, with the code and the invalid fields.
import { identityContract } from "../../../runtime/identities/contract.ts";
import { keyContract } from "../../../runtime/keys/contract.ts";
import { mcpServerContract } from "../../../runtime/mcp-servers/contract.ts";
import { scheduleContract } from "../../../runtime/schedules/contract.ts";
import type { Door } from "../door.ts";
import { agentRoutes } from "./agent-routes.ts";
import { conversationRoutes } from "./conversation-routes.ts";
import { importRoutes } from "./import-routes.ts";
import { memoryRoutes } from "./memory-routes.ts";
import { moduleRoutes } from "./module-routes.ts";
import { operationRoutes } from "./operation-routes.ts";
import { problemOf, problems } from "../problem.ts";
import { recordRoutes } from "./record-routes.ts";
import { sharingRoutes } from "./sharing-routes.ts";
import { sourceRoutes } from "./source-routes.ts";
import { threadRoutes } from "./thread-routes.ts";
import { toolRoutes } from "./tool-routes.ts";
import { turnRoutes } from "./turn-routes.ts";

export const apiRoutes = [
  ...agentRoutes,
  ...memoryRoutes,
  ...moduleRoutes,
  ...conversationRoutes,
  ...importRoutes,
  ...threadRoutes,
  ...turnRoutes,
  ...sourceRoutes,
  ...toolRoutes,
  ...recordRoutes,
  ...sharingRoutes,
  ...operationRoutes(identityContract, ({ identities }) => identities),
  ...operationRoutes(keyContract, ({ keys }) => keys),
  ...operationRoutes(mcpServerContract, ({ mcpServers }) => mcpServers),
  ...operationRoutes(scheduleContract, ({ schedules }) => schedules),
] as const;

export const apiDoor: Door = {
  path: "/api",
  routes: apiRoutes,
  faults: problems,
  writeFault: (fault, requestId) => ({ body: problemOf(fault, requestId) }),
  faultEvent: (fault, requestId) => ({ event: "error", data: problemOf(fault, requestId) }),
};
