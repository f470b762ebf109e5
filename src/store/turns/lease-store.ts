// Stores leases in the rows of their conversations.
// Invariant: the fence is incremented whenever the lease is taken, so a former holder is recognized by its old fence. A holder
// counts as gone only if its process ran on this machine, or in this container, and has ended.
import type { Lease, LeaseOutcome, LeaseRequest, LeaseStore } from "../port/turn-store.ts";
import { grantEnded } from "../agents/agent-access.ts";
import { conversationNotFound, refusedLease } from "../conversations/conversation-faults.ts";
import { isHolderRunning, isOnOtherHost, type LockHolder } from "../../base/lock-holder.ts";
import { callNext } from "../sql/call-next.ts";
import { eventParameters, keepEvents } from "../sql/keep-events.ts";
import { waitsUntil } from "../sql/unfinished-turns.ts";
import { holderText, isHeldHere } from "./turn-store.ts";
import { isUuid } from "../stored-values.ts";
import type { UserContext } from "../connection/database.ts";

export function createLeaseStore(context: UserContext): LeaseStore {
  const { userId, repeatable, statement } = context;
  const ask = (request: LeaseRequest, goneFence: number | null): Promise<TakeRow> =>
    askOnce(context, { request, goneFence });
  return {
    async take(request) {
      const found = await ask(request, null);
      const isGone = found.fence === null && found.holder !== null && isHolderGone(found.holder);
      return outcomeOf(request, isGone ? await ask(request, found.heldFence) : found);
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

/**
 * Takes a lease. $1 user, $2 conversation, $3 the new holder, $4 milliseconds that the lease is valid, $5 the key of the
 * claimant's queued input or null, $6 a fence whose holder is gone, or null, $7 whether the claimant precedes queued inputs.
 * Only one of several concurrent claimants gets the lease, because all of them lock the conversation's row; a claimant that
 * already has it gets it again, under a new fence. Returns one row, or none for an unknown conversation: `fence`, `leafId`
 * and `windowVersion` if the lease was taken; otherwise the holder, and how many inputs are answered before the claimant's.
 * `waits`: whether the claimant's input is still queued. `isOpen`: false if the conversation is read-only.
 */
const takeLease = `
with own as (
  update inputs set waits_until = ${waitsUntil}
  where user_id = $1 and conversation_id = $2::uuid and idempotency_key = $5 and status = 'queued'
  returning created_at, idempotency_key
), ahead as (
  select count(*)::int as count
  from inputs i
  where i.user_id = $1 and i.conversation_id = $2::uuid and i.status = 'queued' and i.waits_until > now()
    and i.idempotency_key is distinct from $5
    and coalesce((select (i.created_at, i.idempotency_key) < (own.created_at, own.idempotency_key) from own), true)
), taken as (
  update conversations
  set lease_fence = lease_fence + 1, lease_holder = $3, lease_expires_at = now() + $4::float8 * interval '1 millisecond'
  where user_id = $1 and id = $2::uuid and is_open
    and (lease_holder is null or lease_holder = $3 or lease_expires_at <= now() or lease_fence = $6::int)
    and ($5::text is null or exists (select from own))
    and ($7::boolean or (select count from ahead) = 0)
  returning lease_fence, leaf_id, window_version
)
select taken.lease_fence as fence, taken.leaf_id as "leafId", taken.window_version as "windowVersion",
  v.lease_fence as "heldFence", v.lease_holder as holder, v.is_open as "isOpen", (select count from ahead) as ahead, $5::text is null or exists (select from own) as waits
from conversations v
left join taken on true
where v.user_id = $1 and v.id = $2::uuid`;

interface TakeRow {
  readonly fence: number | null;
  readonly leafId: string | null;
  readonly windowVersion: number;
  readonly heldFence: number;
  readonly holder: string | null;
  readonly ahead: number;
  readonly waits: boolean;
  readonly isOpen: boolean;
}

async function askOnce(
  { userId, statement }: Pick<UserContext, "userId" | "statement">,
  { request, goneFence }: { readonly request: LeaseRequest; readonly goneFence: number | null },
): Promise<TakeRow> {
  const { conversationId, claimant, ttlMs, idempotencyKey, goesFirst = false } = request;
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
  if (!row.isOpen) throw grantEnded();
  return row;
}

function outcomeOf({ conversationId }: Pick<Lease, "conversationId">, row: TakeRow): LeaseOutcome {
  if (row.fence !== null) {
    const { fence, leafId, windowVersion } = row;
    return { type: "taken", lease: { conversationId, fence }, leafId, windowVersion };
  }
  if (!row.waits) return { type: "adopted" };
  return { type: "busy", holder: row.holder === null ? null : describeHolder(row.holder), ahead: row.ahead };
}

/** Returns a description of the holder for a person. */
function describeHolder(text: string): string {
  const { pid, host } = parse(text);
  return `process ${pid} on ${host}`;
}

/** Returns whether the holder's process is known to have ended. */
export function isHolderGone(text: string): boolean {
  if (isHeldHere(text)) return false;
  const holder = parse(text);
  return !isOnOtherHost(holder) && !isHolderRunning(holder);
}

function parse(text: string): LockHolder {
  return JSON.parse(text) as LockHolder;
}
