// The door `/api`: everything that a runtime can do, in our own shapes.
// Invariant: an error has the form of RFC 9457, with the code and the invalid fields.
import type { Door } from "../door.ts";
import type { Fault } from "../fault.ts";
import { agentRoutes } from "./agent-routes.ts";
import { conversationRoutes } from "./conversation-routes.ts";
import { memoryRoutes } from "./memory-routes.ts";
import { turnRoutes } from "./turn-routes.ts";

export const apiDoor: Door = {
  path: "/api",
  routes: [...agentRoutes, ...memoryRoutes, ...conversationRoutes, ...turnRoutes],
  writeFault: (fault, requestId) => ({ type: "application/problem+json", body: problemOf(fault, requestId) }),
  faultEvent: (fault, requestId) => ({ event: "error", data: problemOf(fault, requestId) }),
};

function problemOf({ status, code, message, fields }: Fault, requestId: string) {
  const problem = { type: "about:blank", title: code.replaceAll("_", " "), status, detail: message, code, requestId };
  return fields.length === 0 ? problem : { ...problem, errors: fields };
}
