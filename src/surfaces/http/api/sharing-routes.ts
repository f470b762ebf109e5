// Routes of `/api` about agents that users share.
import * as z from "zod";
import { Fault } from "../fault.ts";
import { route, type Route } from "../route.ts";
import { agentPath } from "./parameters.ts";
import { agentOfferShape, agentRecipientShape, formerAgentShape } from "./record-shapes.ts";
import { agentShape } from "./shapes.ts";

const recipientPath = agentPath.extend({ user: z.string() });
const offerPath = z.strictObject({ agent: z.string().describe("The id of the offered agent, or `owner/name`.") });

export const sharingRoutes = [
  route({
    method: "get",
    path: "/agents/:agent/recipients",
    summary: "List the users who may use an agent, and those to whom it is offered",
    scope: "read",
    params: agentPath,
    output: z.array(agentRecipientShape),
    run: ({ runtime, params }) => runtime.agents.recipients(params.agent),
  }),
  route({
    method: "put",
    path: "/agents/:agent/recipients/:user",
    summary: "Offer an agent to another user",
    scope: "admin",
    params: recipientPath,
    body: z.strictObject({}),
    output: null,
    run: ({ runtime, params }) => runtime.agents.share(params.agent, params.user),
  }),
  route({
    method: "delete",
    path: "/agents/:agent/recipients/:user",
    summary: "Withdraw an offer, or end the use of an agent by another user",
    scope: "admin",
    params: recipientPath,
    output: null,
    run: async ({ runtime, params }) => {
      if (await runtime.agents.unshare(params.agent, params.user)) return null;
      throw new Fault(404, "offer_not_found", "The agent is not shared with that user.");
    },
  }),
  route({
    method: "get",
    path: "/agent-offers",
    summary: "List the agents that other users offer",
    scope: "read",
    output: z.array(agentOfferShape),
    run: ({ runtime }) => runtime.agents.offers(),
  }),
  route({
    method: "post",
    path: "/agent-offers/:agent/accept",
    summary: "Accept an agent of another user",
    scope: "admin",
    params: offerPath,
    body: z.strictObject({}),
    output: agentShape,
    run: ({ runtime, params }) => runtime.agents.accept(params.agent),
  }),
  route({
    method: "post",
    path: "/agent-offers/:agent/decline",
    summary: "Decline an agent of another user",
    scope: "admin",
    params: offerPath,
    body: z.strictObject({}),
    output: null,
    run: ({ runtime, params }) => runtime.agents.decline(params.agent),
  }),
  route({
    method: "post",
    path: "/agents/:agent/leave",
    summary: "End the use of another user's agent; the conversations can still be read",
    scope: "admin",
    params: agentPath,
    body: z.strictObject({}),
    output: null,
    run: ({ runtime, params }) => runtime.agents.leave(params.agent),
  }),
  route({
    method: "get",
    path: "/former-agents",
    summary: "List the agents of other users that the user may no longer use",
    scope: "read",
    output: z.array(formerAgentShape),
    run: ({ runtime }) => runtime.agents.former(),
  }),
] as const satisfies readonly Route[];
