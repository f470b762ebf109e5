// Defines the door `/v1`: Letta's API, as Letta's official clients use it.
// Invariant: every error has a body of Letta's form; Letta's names and shapes are used only in this folder.
import * as z from "zod";
import type { Door } from "../door.ts";
import type { Fault } from "../fault.ts";
import type { Route } from "../route.ts";
import { agentFileRoutes } from "./agents/agent-file-routes.ts";
import { agentRoutes } from "./agents/agent-routes.ts";
import { blockRoutes } from "./blocks/block-routes.ts";
import { agentFolderRoutes } from "./collections/agent-folder-routes.ts";
import { archiveRoutes } from "./collections/archive-routes.ts";
import { folderRoutes } from "./collections/folder-routes.ts";
import { groupRoutes } from "./groups/group-routes.ts";
import { identityRoutes } from "./identities/identity-routes.ts";
import { exampleOf, inWordsOfPath } from "./ids.ts";
import { mcpServerRoutes } from "./mcp-servers.ts";
import { modelRoutes } from "./models.ts";
import { agentToolRoutes } from "./tools/agent-tool-routes.ts";
import { toolRoutes } from "./tools/tool-routes.ts";
import { conversationRoutes } from "./turns/conversation-routes.ts";
import { messageRoutes } from "./turns/message-routes.ts";
import { recallRoutes } from "./turns/recall-routes.ts";
import { runRoutes } from "./turns/run-routes.ts";
import { stepRoutes } from "./turns/step-routes.ts";
import { windowRoutes } from "./turns/window-routes.ts";
import { WireFault } from "./wire-fault.ts";

/** The version of Letta's server that has this API. Letta's clients warn about a server with an older version. */
const lettaVersion = "0.16.8";

/** The body of an error: `error` if the model failed, otherwise `detail`. */
const errorShape = z.union([
  z.looseObject({ detail: z.unknown() }),
  z.strictObject({ error: z.strictObject({ type: z.string(), message: z.string(), detail: z.string() }) }),
]);

/** The order matters: a path with a fixed word comes before a path with a parameter in that place. */
const routes: readonly Route[] = [
  ...modelRoutes,
  ...agentFileRoutes,
  ...agentRoutes,
  ...blockRoutes,
  ...toolRoutes,
  ...agentToolRoutes,
  ...archiveRoutes,
  ...folderRoutes,
  ...agentFolderRoutes,
  ...groupRoutes,
  ...identityRoutes,
  ...mcpServerRoutes,
  ...messageRoutes,
  ...conversationRoutes,
  ...runRoutes,
  ...stepRoutes,
  ...recallRoutes,
  ...windowRoutes,
];

export const lettaDoor: Door = {
  path: "/v1",
  documentPath: "/openapi.json",
  health: { version: lettaVersion, status: "ok" },
  routes: routes.map(inLettasWords),
  keyOf: (headers) => /^password +(\S+)$/iu.exec(headers.get("x-bare-password") ?? "")?.[1] ?? null,
  faults: { type: "application/json", schema: errorShape },
  writeFault: (fault) => ({ status: statusOf(fault), body: bodyOf(fault) }),
  faultEvent: (fault) => ({ event: "error", data: bodyOf(fault) }),
};

function inLettasWords(route: Route): Route {
  return {
    ...route,
    async run(call) {
      try {
        return await route.run(call);
      } catch (error) {
        throw inWordsOfPath(error, call.params);
      }
    },
  };
}

function statusOf({ code, status }: Fault): number {
  return code === "request_invalid" || code === "module_limit" ? 422 : status;
}

function bodyOf(fault: Fault): Readonly<Record<string, unknown>> {
  if (fault instanceof WireFault) return fault.body;
  if (fault.code === "request_invalid") return invalidBody(fault);
  if (fault.code === "route_not_found") return { detail: "Not Found" };
  if (fault.status === 401) return { detail: "Unauthorized" };
  const prefix = "INVALID_ARGUMENT: ";
  return { detail: fault.status === 400 && !fault.message.startsWith(prefix) ? prefix + fault.message : fault.message };
}

/** Returns the body of a refused request. As in Letta, `detail` is a text that contains a list in Python's notation. */
function invalidBody({ fields, message }: Fault): Readonly<Record<string, unknown>> {
  const problems = fields.length === 0 ? [{ field: "body", message }] : fields;
  const items = problems.map((problem) => {
    const place = problem.field.split(".").map((part) => (/^\d+$/u.test(part) ? part : `'${part}'`));
    return `{'type': 'value_error', 'loc': (${place.join(", ")}), 'msg': ${JSON.stringify(problem.message)}}`;
  });
  const examples = problems.flatMap(({ field }) =>
    field.startsWith("path.") ? (exampleOf(field.slice("path.".length)) ?? []) : [],
  );
  const detail = `[${items.join(", ")}]`;
  return { trace_id: "", detail, ...(examples.length === 0 ? {} : { examples }) };
}
