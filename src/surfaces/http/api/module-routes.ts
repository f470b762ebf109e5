// Routes of `/api` about modules as rows of their own: those that several agents hold, and those shared between users.
import * as z from "zod";
import { Fault } from "../fault.ts";
import { route, type Route } from "../route.ts";
import { agentPath, given, limitQuery, listQuery, queryTexts } from "./parameters.ts";
import {
  changedShape,
  moduleHolderShape,
  moduleOfferShape,
  moduleRecipientShape,
  sharedModuleShape,
} from "./record-shapes.ts";
import { revisionShape } from "./shapes.ts";

const modulePath = z.strictObject({ module: z.uuid() });
const recipientPath = modulePath.extend({ user: z.string() });

const moduleFields = z.strictObject({
  label: z.string(),
  value: z.string().optional(),
  description: z.string().nullable().optional(),
  limit: z.int().optional(),
  readOnly: z.boolean().optional(),
  tags: z.array(z.string()).optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
});

export const moduleRoutes = [
  route({
    method: "get",
    path: "/modules",
    summary: "List the modules of all agents, and those that other users share",
    scope: "read",
    query: listQuery.extend({
      label: z.string().optional(),
      tags: queryTexts.optional(),
      text: z.string().optional(),
    }),
    output: z.array(sharedModuleShape),
    run: ({ runtime, query }) => runtime.modules.list(given(query)),
  }),
  route({
    method: "post",
    path: "/modules",
    summary: "Create a module that no agent holds yet",
    scope: "admin",
    body: moduleFields.extend({ id: z.uuid().optional() }),
    status: 201,
    output: sharedModuleShape,
    run: ({ runtime, body }) => runtime.modules.create(given(body)),
  }),
  route({
    method: "get",
    path: "/modules/:module",
    summary: "Get a module",
    scope: "read",
    params: modulePath,
    output: sharedModuleShape,
    run: ({ runtime, params }) => runtime.modules.find(params.module),
  }),
  route({
    method: "patch",
    path: "/modules/:module",
    summary: "Change a module; a new value becomes a revision",
    scope: "admin",
    params: modulePath,
    body: moduleFields.partial(),
    output: sharedModuleShape,
    run: ({ runtime, params, body }) => runtime.modules.update(params.module, given(body)),
  }),
  route({
    method: "delete",
    path: "/modules/:module",
    summary: "Delete a module for every agent that holds it",
    scope: "admin",
    params: modulePath,
    output: null,
    run: ({ runtime, params }) => runtime.modules.delete(params.module),
  }),
  route({
    method: "get",
    path: "/modules/:module/holders",
    summary: "List the agents that hold a module",
    scope: "read",
    params: modulePath,
    output: z.array(moduleHolderShape),
    run: ({ runtime, params }) => runtime.modules.holders(params.module),
  }),
  route({
    method: "get",
    path: "/modules/:module/revisions",
    summary: "List the changes of a module by all its holders, newest first",
    scope: "read",
    params: modulePath,
    query: limitQuery,
    output: z.array(revisionShape),
    run: ({ runtime, params, query }) => runtime.modules.revisions(params.module, query.limit),
  }),
  route({
    method: "put",
    path: "/agents/:agent/held-modules/:module",
    summary: "Attach a module to an agent",
    scope: "admin",
    params: agentPath.extend(modulePath.shape),
    body: z.strictObject({}),
    output: changedShape,
    run: async ({ runtime, params }) => ({ isChanged: await runtime.modules.attach(params.agent, params.module) }),
  }),
  route({
    method: "delete",
    path: "/agents/:agent/held-modules/:module",
    summary: "Take a module from an agent; the module stays",
    scope: "admin",
    params: agentPath.extend(modulePath.shape),
    output: changedShape,
    run: async ({ runtime, params }) => ({ isChanged: await runtime.modules.detach(params.agent, params.module) }),
  }),
  route({
    method: "get",
    path: "/modules/:module/recipients",
    summary: "List the users with whom a module is shared",
    scope: "read",
    params: modulePath,
    output: z.array(moduleRecipientShape),
    run: ({ runtime, params }) => runtime.modules.recipients(params.module),
  }),
  route({
    method: "put",
    path: "/modules/:module/recipients/:user",
    summary: "Offer a module to another user, or change what that user may do",
    scope: "admin",
    params: recipientPath,
    body: z.strictObject({ access: z.enum(["read", "append", "write"]) }),
    output: null,
    run: ({ runtime, params, body }) => runtime.modules.share(params.module, params.user, body.access),
  }),
  route({
    method: "delete",
    path: "/modules/:module/recipients/:user",
    summary: "Withdraw an offer, or end the use of a module by another user",
    scope: "admin",
    params: recipientPath,
    output: null,
    run: async ({ runtime, params }) => {
      if (await runtime.modules.unshare(params.module, params.user)) return null;
      throw new Fault(404, "offer_not_found", "The module is not shared with that user.");
    },
  }),
  route({
    method: "get",
    path: "/module-offers",
    summary: "List the modules that other users offer",
    scope: "read",
    output: z.array(moduleOfferShape),
    run: ({ runtime }) => runtime.modules.offers(),
  }),
  route({
    method: "post",
    path: "/module-offers/:module/accept",
    summary: "Accept a module of another user",
    scope: "admin",
    params: modulePath,
    body: z.strictObject({}),
    output: sharedModuleShape,
    run: ({ runtime, params }) => runtime.modules.accept(params.module),
  }),
  route({
    method: "post",
    path: "/module-offers/:module/decline",
    summary: "Decline a module of another user",
    scope: "admin",
    params: modulePath,
    body: z.strictObject({}),
    output: null,
    run: ({ runtime, params }) => runtime.modules.decline(params.module),
  }),
] as const satisfies readonly Route[];
