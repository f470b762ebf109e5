// Defines the operations for sharing agents: those of the owner, and those of the recipient.
// Invariant: each operation acts for the runtime's user only.
import { textOr } from "../../base/arguments/argument-checks.ts";
import { form } from "../../base/arguments/forms.ts";
import { agentFields, type AgentRecord } from "../../store/port/records.ts";
import {
  agentOfferFields,
  agentRecipientFields,
  formerAgentFields,
  type FormerAgentRecord,
  type OfferRecord,
  type RecipientRecord,
} from "../../store/port/agent-store.ts";
import { admin, type Contract, read, value } from "../contract.ts";

export interface SharingOperations {
  /**
   * Offers the user's own agent to another user. After that user accepts, both use one persona, and each has a separate
   * human module, history and archive. Does not reveal whether a user with the id exists.
   */
  share(agent: string, userId: string): Promise<void>;
  /** Withdraws the offer, or ends the other user's grant. Returns false if there was neither offer nor grant. */
  unshare(agent: string, userId: string): Promise<boolean>;
  /** Returns the users that may use the agent, and those to whom the agent is offered. */
  recipients(agent: string): Promise<readonly RecipientRecord[]>;
  /** Returns the agents that other users offer to this user, oldest offer first. */
  offers(): Promise<readonly OfferRecord[]>;
  /**
   * Accepts an offer, named by `owner/name` or the agent's id. The agent can then be used as `owner/name`. Does nothing for
   * an agent that was accepted before. Throws RequestError `offer_not_found`, and `agent_exists` if one of the user's own
   * agents has the id of the offered one, for example because both come from one file.
   */
  accept(offer: string): Promise<AgentRecord>;
  /** Declines an offer; the owner can make another. Throws RequestError `offer_not_found`. */
  decline(offer: string): Promise<void>;
  /**
   * Ends the use of another user's agent. The conversations and memory with that agent can still be read. Throws
   * RequestError `agent_not_found`.
   */
  leave(agent: string): Promise<void>;
  /**
   * Returns the agents that the user may no longer use: the owner stopped sharing or deleted them, or the user left them.
   * Their conversations, core memory and archives can be read and exported by name until the user deletes them.
   */
  former(): Promise<readonly FormerAgentRecord[]>;
}

const agent = value("agent", form.text);
const userId = value("userId", { ...form.text, check: textOr("Pass the id of a user of your program.") });
const offer = value("offer", form.text);

export const sharingContract = {
  share: {
    args: [agent, userId],
    http: admin("PUT /agents/:agent/recipients/:user", "Offer an agent to another user", null),
  },
  unshare: {
    args: [agent, userId],
    http: admin(
      "DELETE /agents/:agent/recipients/:user",
      "Withdraw an offer, or end the use of an agent by another user",
      null,
      { missing: ["offer_not_found", "The agent is not shared with that user."] },
    ),
  },
  recipients: {
    args: [agent],
    http: read(
      "GET /agents/:agent/recipients",
      "List the users who may use an agent, and those to whom it is offered",
      [agentRecipientFields],
    ),
  },
  offers: { args: [], http: read("GET /agent-offers", "List the agents that other users offer", [agentOfferFields]) },
  accept: {
    args: [offer],
    http: admin("POST /agent-offers/:agent/accept", "Accept an agent of another user", agentFields),
  },
  decline: {
    args: [offer],
    http: admin("POST /agent-offers/:agent/decline", "Decline an agent of another user", null),
  },
  leave: {
    args: [agent],
    http: admin(
      "POST /agents/:agent/leave",
      "End the use of another user's agent; the conversations can still be read",
      null,
    ),
  },
  former: {
    args: [],
    http: read("GET /former-agents", "List the agents of other users that the user may no longer use", [
      formerAgentFields,
    ]),
  },
} as const satisfies Contract<SharingOperations>;
