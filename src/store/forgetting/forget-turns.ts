// Removes forgotten texts from queued inputs and from stored events of recent turns. Finds the turns that requested the
// forgetting: those that called the tool `forget` with one of the texts in its arguments.
// Invariant: a queued input is deleted, not redacted, because its sender still waits and would send the text again. All
// events of a turn are deleted, because a text can be spread over many events. All messages of a turn that requested the
// forgetting are emptied, on all branches and in forks, because they paraphrase the text. Other sentences of these messages,
// such as "Anything else?", are not removed from other turns.
import type { ForgottenPlace } from "../port/forgetting-store.ts";
import { emptiedArguments, excerptOf, forgetToolName } from "../../base/message/forget-content.ts";
import type { ForgottenMessage } from "./forget-messages.ts";
import { type ForgettingWork, lockFor } from "./forgetting-work.ts";
import { groupBy } from "../../base/lists.ts";
import { forgottenMark } from "../../base/redactor.ts";
import type { ContentPart } from "../../base/message/message.ts";
import { idsIn } from "../stored-values.ts";

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

export async function forgetEvents(
  work: ForgettingWork,
  messages: readonly ForgottenMessage[],
): Promise<readonly ForgottenPlace[]> {
  const { tx, userId, redactor } = work;
  const rows = await tx.run<{ readonly turn_id: string; readonly events: string }>(
    "select turn_id, events from turn_events where user_id = $1 order by turn_id, first_sequence",
    [userId],
  );
  const touched = new Set(messages.map(({ turnId }) => turnId));
  const places: ForgottenPlace[] = [];
  for (const [turnId, rowsOfTurn] of groupBy(rows, (row) => row.turn_id)) {
    const batches = rowsOfTurn.map(({ events }) => events);
    const texts = [...batches, joinedDeltas(batches)];
    const excerpt = texts.map((text) => excerptOf(text, redactor)).find((found) => found !== null) ?? null;
    if (excerpt === null && !touched.has(turnId)) continue;
    places.push({ kind: "events", id: turnId, excerpt, effect: "removed" });
    const remove = "delete from turn_events where user_id = $1 and turn_id = $2::uuid";
    if (work.writes) await tx.run(remove, [userId, turnId]);
  }
  return places;
}

/** Returns the text and the reasoning of a turn, each joined from its deltas. */
function joinedDeltas(batches: readonly string[]): string {
  const entries = batches.flatMap(entriesOf);
  const types = [...new Set(entries.map(({ type }) => type))];
  const textOf = (type: string) => entries.flatMap((entry) => (entry.type === type ? entry.texts : [])).join("");
  return types.map(textOf).join("\n\n");
}

/** Returns the text and reasoning deltas in events that `encodeEvents` wrote. */
function entriesOf(events: string): readonly { readonly type: string; readonly texts: readonly string[] }[] {
  const entries = JSON.parse(events) as readonly { readonly type: string; readonly texts?: readonly string[] }[];
  return entries.flatMap(({ type, texts }) => (texts === undefined ? [] : [{ type, texts }]));
}

interface CallRow {
  readonly turn_id: string;
  readonly content: string;
  readonly call_id: string;
  readonly approved: string | null;
}

// Finds the copies of a message in forks by their equal content, because forks have no rows in `tool_calls`.
const callsOfForget = `
select m.turn_id, m.content::text as content, c.call_id, c.approved_arguments as approved
from tool_calls c
join messages called on called.user_id = $1 and called.id = c.message_id
join messages m on m.user_id = $1 and m.content = called.content
where c.user_id = $1 and c.name = $2`;

/** Returns the ids of the messages of the turns that requested the forgetting. */
export async function messagesOfOwnTurns({
  tx,
  userId,
  redactor,
}: Pick<ForgettingWork, "tx" | "userId" | "redactor">): Promise<readonly string[]> {
  const calls = await tx.run<CallRow>(callsOfForget, [userId, forgetToolName]);
  const turns = calls.filter((call) => argumentsOf(call).some((text) => excerptOf(text, redactor) !== null));
  const rows = await tx.run<{ readonly id: string }>(
    `select id from messages
     where user_id = $1 and turn_id in (${idsIn("$2")})`,
    [userId, [...new Set(turns.map((call) => call.turn_id))]],
  );
  return rows.map(({ id }) => id);
}

/** Returns the arguments that the model wrote, and those that the user approved instead, if any. */
function argumentsOf({ content, call_id: callId, approved }: CallRow): readonly string[] {
  const parts = JSON.parse(content) as readonly ContentPart[];
  const own = parts.flatMap((part) => (part.type === "tool-call" && part.callId === callId ? [part.arguments] : []));
  return approved === null ? own : [...own, approved];
}

const emptyCalls = `
update tool_calls
set requested_arguments = case when requested_arguments is null then null when name = $3 then $4 else '{}' end,
  approved_arguments = case when approved_arguments is null then null when name = $3 then $4 else '{}' end,
  preview = case when preview is null then null else $5 end,
  reason = case when reason is null then null else $5 end
where user_id = $1 and message_id in (${idsIn("$2")})`;

/** Empties what is stored about the calls of emptied messages: arguments, previews and reasons. */
export async function emptyRemovedCalls({ tx, userId, emptied }: ForgettingWork): Promise<void> {
  const ids = [...emptied];
  await tx.run(emptyCalls, [userId, ids, forgetToolName, emptiedArguments(forgetToolName), forgottenMark]);
}
