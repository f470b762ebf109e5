// Forgets in the queue of inputs and in the stored events of recent turns.
// Invariant: an input is withdrawn and a turn's events are deleted as a whole: a sender that still waits for its turn
// would send the text again, and a text can be spread over many events.
import type { ForgottenPlace } from "../port/forgetting-store.ts";
import { excerptOf } from "../../base/message/forget-content.ts";
import type { ForgottenMessage } from "./forget-messages.ts";
import { type ForgettingWork, lockFor } from "./forgetting-work.ts";

interface InputRow {
  readonly conversation_id: string;
  readonly idempotency_key: string;
  readonly messages: string;
}

export async function forgetInputs(work: ForgettingWork): Promise<readonly ForgottenPlace[]> {
  const { tx, userId, redactor } = work;
  const rows = await tx.run<InputRow>(
    `select conversation_id, idempotency_key, messages::text as messages from inputs
     where user_id = $1 and messages is not null order by conversation_id, idempotency_key ${lockFor(work)}`,
    [userId],
  );
  const withdraw = "delete from inputs where user_id = $1 and conversation_id = $2::uuid and idempotency_key = $3";
  const places: ForgottenPlace[] = [];
  for (const { conversation_id: id, idempotency_key: key, messages } of rows) {
    const excerpt = excerptOf(messages, redactor);
    if (excerpt === null) continue;
    places.push({ kind: "input", id, excerpt, effect: "removed" });
    if (work.writes) await tx.run(withdraw, [userId, id, key]);
  }
  return places;
}

interface EventRow {
  readonly turn_id: string;
  readonly events: string;
}

export async function forgetEvents(
  work: ForgettingWork,
  messages: readonly ForgottenMessage[],
): Promise<readonly ForgottenPlace[]> {
  const { tx, userId, redactor } = work;
  const rows = await tx.run<EventRow>(
    "select turn_id, events from turn_events where user_id = $1 order by turn_id, first_sequence",
    [userId],
  );
  const touched = new Set(messages.map(({ turnId }) => turnId));
  const places: ForgottenPlace[] = [];
  for (const [turnId, batches] of batchesByTurn(rows)) {
    const texts = [...batches, joinedDeltas(batches)];
    const excerpt = texts.map((text) => excerptOf(text, redactor)).find((found) => found !== null) ?? null;
    if (excerpt === null && !touched.has(turnId)) continue;
    places.push({ kind: "events", id: turnId, excerpt, effect: "removed" });
    const remove = "delete from turn_events where user_id = $1 and turn_id = $2::uuid";
    if (work.writes) await tx.run(remove, [userId, turnId]);
  }
  return places;
}

function batchesByTurn(rows: readonly EventRow[]): ReadonlyMap<string, readonly string[]> {
  const batches = new Map<string, string[]>();
  for (const { turn_id: turnId, events } of rows) {
    const known = batches.get(turnId);
    if (known === undefined) batches.set(turnId, [events]);
    else known.push(events);
  }
  return batches;
}

/** The texts of all deltas of a turn in their order, by type: of what it said and of what it thought. */
function joinedDeltas(batches: readonly string[]): string {
  const entries = batches.flatMap(entriesOf);
  const types = [...new Set(entries.map(({ type }) => type))];
  const textOf = (type: string) => entries.flatMap((entry) => (entry.type === type ? entry.texts : [])).join("");
  return types.map(textOf).join("\n\n");
}

/** The entries of deltas, as `encodeEvents` writes them. */
function entriesOf(events: string): readonly { readonly type: string; readonly texts: readonly string[] }[] {
  const entries = JSON.parse(events) as readonly { readonly type: string; readonly texts?: readonly string[] }[];
  return entries.flatMap(({ type, texts }) => (texts === undefined ? [] : [{ type, texts }]));
}
