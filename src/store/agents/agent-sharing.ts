// Shares agents between users: offers, grants, and what is kept of an ended grant.
// Invariant: nobody may use another user's agent before accepting an offer of it. Database functions write the rows of
// other users, and check the caller.
import { and, asc, desc, eq, ne, not } from "drizzle-orm";
import { RequestError } from "../../base/errors.ts";
import { agentNameFor } from "../port/agent-name.ts";
import type { FormerAgentRecord, OfferRecord, RecipientRecord } from "../port/records.ts";
import type { AgentStore } from "../port/store.ts";
import { requireOwnAgent } from "./agent-access.ts";
import { grants, offers } from "../schema.ts";
import type { Transaction } from "../connection/transaction.ts";
import type { UserContext } from "../connection/database.ts";
import { requireUserId } from "../connection/user-id.ts";
import { isUuid } from "../uuid.ts";

type Sharing = Pick<AgentStore, "share" | "unshare" | "offers" | "accept" | "decline" | "recipients" | "former">;

export function createSharing({ userId, transaction }: UserContext): Sharing {
  return {
    share: (agentId, otherId) => transaction((tx) => share(tx, userId, { agentId, otherId })),
    unshare: (agentId, otherId) =>
      transaction(async (tx) => {
        if (!isUuid(agentId)) return false;
        const [row] = await tx.run<{ readonly ended: boolean }>("select unshare_agent($1::uuid, $2) as ended", [
          agentId,
          requireUserId(otherId),
        ]);
        return row!.ended;
      }),
    offers: () => transaction((tx) => listOffers(tx, userId)),
    accept: (agentId) => transaction((tx) => accept(tx, agentId)),
    decline: (agentId) => transaction((tx) => decline(tx, userId, agentId)),
    recipients: (agentId) => transaction((tx) => listRecipients(tx, userId, agentId)),
    former: () => transaction((tx) => listFormer(tx, userId)),
  };
}

async function share(
  tx: Transaction,
  userId: string,
  { agentId, otherId }: { readonly agentId: string; readonly otherId: string },
): Promise<void> {
  await requireOwnAgent(tx, userId, agentId);
  if (requireUserId(otherId) === userId) {
    throw new RequestError("input_invalid", "Expected another user to share the agent with, got its owner.");
  }
  await tx.run("select share_agent($1::uuid, $2)", [agentId, otherId]);
}

async function listOffers(tx: Transaction, userId: string): Promise<readonly OfferRecord[]> {
  const rows = await tx.tables
    .select()
    .from(offers)
    .where(eq(offers.userId, userId))
    .orderBy(asc(offers.createdAt), offers.agentId);
  return rows.map(({ agentId, ownerId, agentName, createdAt }) => ({
    agentId,
    ownerId,
    name: agentNameFor(userId, { ownerId, name: agentName }),
    at: createdAt,
  }));
}

async function accept(tx: Transaction, agentId: string): Promise<void> {
  if (!isUuid(agentId)) throw offerNotFound();
  const [row] = await tx.run<{ readonly accepted: boolean }>("select accept_offer($1::uuid) as accepted", [agentId]);
  if (!row!.accepted) throw offerNotFound();
}

async function decline(tx: Transaction, userId: string, agentId: string): Promise<void> {
  if (!isUuid(agentId)) throw offerNotFound();
  const declined = await tx.tables
    .delete(offers)
    .where(and(eq(offers.userId, userId), eq(offers.agentId, agentId)))
    .returning({ agentId: offers.agentId });
  if (declined.length === 0) throw offerNotFound();
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

async function listFormer(tx: Transaction, userId: string): Promise<readonly FormerAgentRecord[]> {
  const rows = await tx.tables
    .select()
    .from(grants)
    .where(and(eq(grants.userId, userId), not(grants.isUsable)))
    .orderBy(desc(grants.endedAt), grants.agentId);
  return rows.map(({ agentId, ownerId, agentName, timeZone, endedAt }) => ({
    id: agentId,
    ownerId,
    // Not null in an ended grant: a check constraint of the table.
    name: agentNameFor(userId, { ownerId, name: agentName! }),
    timeZone: timeZone!,
    endedAt: endedAt!,
  }));
}

/** The error for an offer that does not exist, or no longer exists. */
function offerNotFound(): RequestError {
  return new RequestError(
    "offer_not_found",
    "This user has no such offer. `runtime.agents.offers()` lists the offers.",
  );
}
