// The door `/api`: everything that a runtime can do, in our own shapes.
// Invariant: an error has the form of RFC 9457, with the code and the invalid fields.
import * as z from "zod";
import type { Door } from "../door.ts";
import type { Fault } from "../fault.ts";
import { agentRoutes } from "./agent-routes.ts";
import { conversationRoutes } from "./conversation-routes.ts";
import { memoryRoutes } from "./memory-routes.ts";
import { moduleRoutes } from "./module-routes.ts";
import { recordRoutes } from "./record-routes.ts";
import { whole } from "./shapes.ts";
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
  ...threadRoutes,
  ...turnRoutes,
  ...sourceRoutes,
  ...toolRoutes,
  ...recordRoutes,
  ...sharingRoutes,
] as const;

const problemShape = z.strictObject({
  type: z.literal("about:blank"),
  title: z.string(),
  status: whole,
  detail: z.string(),
  code: z.string(),
  requestId: z.string(),
  errors: z.array(z.strictObject({ field: z.string(), message: z.string() })).optional(),
});

export const apiDoor: Door = {
  path: "/api",
  routes: apiRoutes,
  faults: { type: "application/problem+json", schema: problemShape },
  writeFault: (fault, requestId) => ({ body: problemOf(fault, requestId) }),
  faultEvent: (fault, requestId) => ({ event: "error", data: problemOf(fault, requestId) }),
};

function problemOf({ status, code, message, fields }: Fault, requestId: string): z.output<typeof problemShape> {
  const problem = {
    type: "about:blank" as const,
    title: code.replaceAll("_", " "),
    status,
    detail: message,
    code,
    requestId,
  };
  return fields.length === 0 ? problem : { ...problem, errors: [...fields] };
}
