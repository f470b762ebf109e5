// Stores leases in the rows of their conversations.
// Invariant: the fence is incremented whenever the lease is taken, so a former holder is recognized by its old fence. A
// holder counts as gone only when its process ran in this very system and runs no more.
import type { Lease, LeaseOutcome, LeaseRequest, LeaseStore } from "../port/turn-store.ts";
import { grantEnded } from "../agents/agent-access.ts";
import { conversationNotFound, refusedLease } from "../conversations/conversation-faults.ts";
import { isHolderRunning, isOnOtherHost, type LockHolder } from "../embedded/lock-holder.ts";
import { callNext } from "../sql/call-next.ts";
import { eventParameters, keepEvents } from "../sql/keep-events.ts";
import { takeLease } from "../sql/take-lease.ts";
import type { UserContext } from "../connection/database.ts";
import { holderText } from "./turn-store.ts";
import { isUuid } from "../uuid.ts";

export function createLeaseStore(context: UserContext): LeaseStore {
  const { userId, repeatable, statement } = context;
  const ask = (request: LeaseRequest, goneFence: number | null): Promise<TakeRow> =>
    askOnce(context, { request, goneFence });
  return {
    async take(request) {
      const found = await ask(request, null);
      const isGone = found.fence === null && found.holder !== null && isHolderGone(found.holder);
      return outcomeOf(request, isGone ? await ask(request, found.held_fence) : found);
    },
    async renew({ conversationId, fence }, ttlMs) {
      const renewed = await statement(renewLease, [userId, conversationId, fence, ttlMs]);
      if (renewed.length === 0) throw await repeatable((tx) => refusedLease(tx, userId, conversationId));
    },
    async stop(conversationId) {
      if (!isUuid(conversationId)) throw conversationNotFound(conversationId);
      return (await statement(stopHolder, [userId, conversationId])).length > 0;
    },
    async isStopped({ conversationId, fence }) {
      return (await statement(findStop, [userId, conversationId, fence])).length > 0;
    },
    async release({ conversationId, fence }, events = null) {
      await statement(releaseLease, [userId, conversationId, fence, ...eventParameters(events)]);
    },
  };
}

const renewLease = `
update conversations set lease_expires_at = now() + $4::float8 * interval '1 millisecond'
where user_id = $1 and id = $2::uuid and lease_fence = $3::int and lease_holder is not null
returning 1`;

const stopHolder = `
update conversations set stopped_fence = lease_fence
where user_id = $1 and id = $2::uuid and lease_holder is not null and lease_expires_at > now()
returning 1`;

const findStop = `
select 1 from conversations where user_id = $1 and id = $2::uuid and lease_fence = $3::int and stopped_fence = $3::int`;

const releaseLease = `
with released as (
  update conversations set lease_holder = null, lease_expires_at = null
  where user_id = $1 and id = $2::uuid and lease_fence = $3::int
  returning agent_id
), ${keepEvents("released", 4)}
select ${callNext} from released`;

interface TakeRow {
  readonly fence: number | null;
  readonly leaf_id: string | null;
  readonly window_version: number;
  readonly held_fence: number;
  readonly holder: string | null;
  readonly ahead: number;
  readonly waits: boolean;
  readonly is_open: boolean;
}

async function askOnce(
  { userId, statement }: Pick<UserContext, "userId" | "statement">,
  { request, goneFence }: { readonly request: LeaseRequest; readonly goneFence: number | null },
): Promise<TakeRow> {
  const { conversationId, claimant, ttlMs, idempotencyKey = null, goesFirst = false } = request;
  if (!isUuid(conversationId)) throw conversationNotFound(conversationId);
  const [row] = await statement<TakeRow>(takeLease, [
    userId,
    conversationId,
    holderText(claimant),
    ttlMs,
    idempotencyKey,
    goneFence,
    goesFirst,
  ]);
  if (row === undefined) throw conversationNotFound(conversationId);
  if (!row.is_open) throw grantEnded();
  return row;
}

function outcomeOf({ conversationId }: Pick<Lease, "conversationId">, row: TakeRow): LeaseOutcome {
  if (row.fence !== null) {
    const { fence, leaf_id: leafId, window_version: windowVersion } = row;
    return { type: "taken", lease: { conversationId, fence }, leafId, windowVersion };
  }
  if (!row.waits) return { type: "adopted" };
  return { type: "busy", holder: row.holder === null ? null : describeHolder(row.holder), ahead: row.ahead };
}

/** Describes the holder for a person. */
function describeHolder(text: string): string {
  const { pid, host } = parse(text);
  return `process ${pid} on ${host}`;
}

/** Whether that process is known to have ended. */
export function isHolderGone(text: string): boolean {
  const holder = parse(text);
  return !isOnOtherHost(holder) && !isHolderRunning(holder);
}

function parse(text: string): LockHolder {
  return JSON.parse(text) as LockHolder;
}
