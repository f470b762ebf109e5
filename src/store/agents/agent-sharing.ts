// Shares agents between users: offers, grants, and the data that is kept after a grant ended.
// Invariant: no user may use another user's agent before accepting an offer of it. Only database functions write rows of other
// users, and they check the caller's rights.
import { and, asc, desc, eq, ne, not } from "drizzle-orm";
import { RequestError } from "../../base/errors.ts";
import type { UserContext } from "../connection/database.ts";
import type { Transaction } from "../connection/transaction.ts";
import { requireUserId } from "../connection/user-id.ts";
import { agentNameFor } from "../port/agent-name.ts";
import type { AgentStore, RecipientRecord } from "../port/agent-store.ts";
import { grants, offers } from "../schema.ts";
import { requireOwnAgent } from "./agent-access.ts";

type Sharing = Pick<AgentStore, "share" | "unshare" | "offers" | "accept" | "decline" | "recipients" | "former">;

export function createSharing({ userId, transaction }: UserContext): Sharing {
  return {
    share: (agentId, otherId) =>
      transaction(async (tx) => {
        await requireOwnAgent(tx, userId, agentId);
        if (requireUserId(otherId) === userId) {
          throw new RequestError("input_invalid", "Expected another user to share with, got the agent's owner.");
        }
        await tx.run("select share_agent($1::uuid, $2)", [agentId, otherId]);
      }),
    unshare: (agentId, otherId) =>
      transaction(async (tx) => {
        const parameters = [agentId, requireUserId(otherId)];
        const [row] = await tx.run<{ readonly ended: boolean }>(
          "select unshare_agent($1::uuid, $2) as ended",
          parameters,
        );
        return row!.ended;
      }),
    offers: () =>
      transaction(async (tx) => {
        const { agentId, ownerId, agentName: name, createdAt: at } = offers;
        const own = tx.tables.select({ agentId, ownerId, name, at }).from(offers).where(eq(offers.userId, userId));
        return (await own.orderBy(asc(at), agentId)).map((offer) => ({ ...offer, name: agentNameFor(userId, offer) }));
      }),
    accept: (agentId) =>
      transaction(async (tx) => {
        const call = "select accept_offer($1::uuid) as accepted";
        const [row] = await tx.run<{ readonly accepted: boolean | null }>(call, [agentId]);
        if (row!.accepted === null) throw idTaken(agentId);
        if (!row!.accepted) throw offerNotFound();
      }),
    decline: (agentId) =>
      transaction(async (tx) => {
        const offer = and(eq(offers.userId, userId), eq(offers.agentId, agentId));
        if ((await tx.tables.delete(offers).where(offer).returning()).length === 0) throw offerNotFound();
      }),
    recipients: (agentId) => transaction((tx) => listRecipients(tx, userId, agentId)),
    former: () =>
      transaction(async (tx) => {
        const { agentId: id, ownerId, agentName: name, timeZone, endedAt } = grants;
        const ended = tx.tables.select({ id, ownerId, name, timeZone, endedAt }).from(grants);
        const rows = await ended.where(and(eq(grants.userId, userId), not(grants.isUsable))).orderBy(desc(endedAt), id);
        return rows.map((row) => ({
          ...row,
          // By a check constraint of the table, an ended grant has a name, a time zone and the time of its end.
          name: agentNameFor(userId, { ...row, name: row.name! }),
          timeZone: row.timeZone!,
          endedAt: row.endedAt!,
        }));
      }),
  };
}

async function listRecipients(tx: Transaction, userId: string, agentId: string): Promise<readonly RecipientRecord[]> {
  await requireOwnAgent(tx, userId, agentId);
  const offered = await tx.tables
    .select({ userId: offers.userId, at: offers.createdAt })
    .from(offers)
    .where(and(eq(offers.ownerId, userId), eq(offers.agentId, agentId)))
    .orderBy(asc(offers.createdAt), offers.userId);
  const accepted = await tx.tables
    .select({ userId: grants.userId, at: grants.createdAt })
    .from(grants)
    .where(and(eq(grants.ownerId, userId), eq(grants.agentId, agentId), ne(grants.userId, userId), grants.isUsable))
    .orderBy(asc(grants.createdAt), grants.userId);
  return [
    ...accepted.map((row) => ({ ...row, state: "accepted" as const })),
    ...offered.map((row) => ({ ...row, state: "offered" as const })),
  ];
}

function idTaken(agentId: string): RequestError {
  return new RequestError(
    "agent_exists",
    `The offered agent has the id "${agentId}", and this user already has an agent with that id, perhaps from the same ` +
      "agent file. Delete the user's own agent to accept the offer, or decline the offer.",
  );
}

function offerNotFound(): RequestError {
  return new RequestError(
    "offer_not_found",
    "This user has no such offer. `runtime.agents.offers()` lists the offers.",
  );
}
