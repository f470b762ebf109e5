// Removes texts for the window that were made from forgotten texts: summaries, core memory in prompts, and synopses.
// Invariant: no such text remains when a text that it was made from is forgotten. If a summary is affected, its compaction
// and all later ones are undone, so that the messages return to the window and are summarized again. If retention has
// deleted these messages, only the summary's text is removed.
import { groupBy } from "../../base/lists.ts";
import { forgottenMark } from "../../base/redactor.ts";
import type { ForgottenPlace } from "../port/forgetting-store.ts";
import { isWindowComplete } from "../conversations/compaction-store.ts";
import { idsIn } from "../stored-values.ts";
import type { ForgottenMessage } from "./forget-messages.ts";
import { type ForgettingWork, lockFor, pagesById } from "./forgetting-work.ts";

interface CompactionRow {
  readonly id: string;
  readonly conversation_id: string;
  readonly window_version: number;
  readonly from_position: number;
  readonly through_position: number;
  readonly summary: string;
}

const compactionsOfUser = `
select id, conversation_id, window_version, from_position, through_position, summary
from compactions where user_id = $1 and summary <> '' order by conversation_id, window_version, id`;

export async function forgetSummaries(
  work: ForgettingWork,
  messages: readonly ForgottenMessage[],
): Promise<readonly ForgottenPlace[]> {
  const rows = await work.tx.run<CompactionRow>(compactionsOfUser, [work.userId]);
  const forgotten = groupBy(messages, ({ conversationId }) => conversationId);
  const affected = rows.filter((row) => {
    const changed = forgotten.get(row.conversation_id) ?? [];
    return changed.some(({ position }) => covers(row, position)) || work.redactor.has(row.summary);
  });
  const places: ForgottenPlace[] = [];
  for (const [conversationId, affectedThere] of groupBy(affected, (row) => row.conversation_id)) {
    const first = affectedThere[0]!;
    const later = rows.filter(
      (row) => row.conversation_id === conversationId && row.window_version >= first.window_version,
    );
    const isUndone = work.writes && (await undoFrom(work, first));
    const madeFrom = (row: CompactionRow) => affected.includes(row) || covers(row, first.through_position);
    const removed = isUndone || !work.writes ? later : later.filter(madeFrom);
    for (const { id, summary } of removed)
      places.push({ kind: "summary", id, excerpt: work.redactor.excerpt(summary), effect: "undone" });
    if (work.writes) await emptySummaries(work, removed);
  }
  return places;
}

function covers(row: CompactionRow, position: number): boolean {
  return row.from_position <= position && position <= row.through_position;
}

const undo = `
update compactions set undone_at = now()
where user_id = $1 and conversation_id = $2::uuid and window_version >= $3::int and undone_at is null
returning id`;

const redo = `
update compactions set undone_at = null
where user_id = $1 and id in (${idsIn("$2")})`;

/** Undoes a compaction and all later ones. Returns false, with nothing changed, if retention has deleted their messages. */
async function undoFrom({ tx, userId }: ForgettingWork, first: CompactionRow): Promise<boolean> {
  const undone = await tx.run<{ readonly id: string }>(undo, [userId, first.conversation_id, first.window_version]);
  if (await isWindowComplete(tx, userId, first.conversation_id)) return true;
  await tx.run(redo, [userId, undone.map(({ id }) => id)]);
  return false;
}

async function emptySummaries({ tx, userId }: ForgettingWork, rows: readonly CompactionRow[]): Promise<void> {
  await tx.run(`update compactions set summary = $3 where user_id = $1 and id in (${idsIn("$2")})`, [
    userId,
    rows.map(({ id }) => id),
    forgottenMark,
  ]);
}

/** Selects the snapshot and the state entries of each conversation as one text, because both are deleted together. */
const pageOfSnapshots = `
select c.id, c.agent_id, concat_ws(' ', c.memory_snapshot, e.entries) as snapshot
from conversations c
cross join lateral (
  select string_agg(m.stated::text, ' ') as entries from messages m
  where m.user_id = c.user_id and m.conversation_id = c.id and m.stated is not null
) e
where c.user_id = $1 and c.id > $2::uuid and (c.memory_snapshot is not null or e.entries is not null)
order by c.id limit $3::int`;

/**
 * Deletes affected snapshots with the state entries of their conversations, and returns their places. The next request
 * of such a conversation makes a new snapshot and a new state entry.
 */
export async function forgetSnapshots(
  work: ForgettingWork,
  { agentIds, passageIds }: { readonly agentIds: readonly string[]; readonly passageIds: readonly string[] },
): Promise<readonly ForgottenPlace[]> {
  const { tx, userId, redactor } = work;
  const places: ForgottenPlace[] = [];
  for await (const rows of pagesById<{ readonly id: string; readonly agent_id: string; readonly snapshot: string }>(
    work,
    pageOfSnapshots,
  )) {
    for (const { id, agent_id: agentId, snapshot } of rows) {
      const isMadeFrom = agentIds.includes(agentId) || passageIds.some((passage) => snapshot.includes(passage));
      if (!isMadeFrom && !redactor.has(snapshot)) continue;
      places.push({ kind: "prompt", id, excerpt: redactor.excerpt(snapshot), effect: "undone" });
      if (!work.writes) continue;
      await tx.run("update conversations set memory_snapshot = null where user_id = $1 and id = $2::uuid", [
        userId,
        id,
      ]);
      await tx.run("update messages set stated = null where user_id = $1 and conversation_id = $2::uuid", [userId, id]);
    }
  }
  return places;
}

/**
 * Deletes the retrieved items of all messages: they are shortened copies of texts that may be forgotten. The model can
 * search for the texts again.
 */
export async function forgetFoundTexts({ tx, userId }: ForgettingWork): Promise<void> {
  await tx.run(
    "update messages set stated = nullif(stated - 'found', '{}') where user_id = $1 and stated -> 'found' is not null",
    [userId],
  );
}

interface SynopsisRow {
  readonly agent_id: string;
  readonly part: string;
  readonly content: string;
  readonly passages: readonly string[];
}

/** Empties a synopsis, as a trigger does when a passage is deleted (src/store/sql/functions/forget-synopses.sql). */
const emptySynopsis = `
update synopses set content = null, passages = '{}' where user_id = $1 and agent_id = $2::uuid and part = $3`;

/**
 * Ends the claims of synopses that are being made, because their models may have read the content. The update waits for a
 * save in progress, so that the next statement finds the saved synopsis.
 */
const endClaims = "update synopses set claim = null where user_id = $1 and claim is not null";

export async function forgetSynopses(
  work: ForgettingWork,
  passageIds: readonly string[],
): Promise<readonly ForgottenPlace[]> {
  const { tx, userId, redactor } = work;
  if (work.writes) await tx.run(endClaims, [userId]);
  const rows = await tx.run<SynopsisRow>(
    `select agent_id, part, content::text as content, to_jsonb(passages) as passages from synopses
     where user_id = $1 and content is not null order by agent_id, part ${lockFor(work)}`,
    [userId],
  );
  const changed = new Set(passageIds);
  const places: ForgottenPlace[] = [];
  for (const { agent_id: agentId, part, content, passages } of rows) {
    if (!redactor.has(content) && !passages.some((id) => changed.has(id))) continue;
    places.push({ kind: "synopsis", id: part, excerpt: redactor.excerpt(content), effect: "undone" });
    if (work.writes) await tx.run(emptySynopsis, [userId, agentId, part]);
  }
  return places;
}
