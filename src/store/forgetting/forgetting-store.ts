// Finds every place that holds forgotten content, and removes the content from all of them in one transaction.
// Invariant: all conversations and modules of the user are locked before anything is read, and every lease is revoked. So a
// turn that has read the content writes nothing afterwards, and other processes reload their windows.
import { codePointLength } from "../../base/code-points.ts";
import { appendAll } from "../../base/lists.ts";
import { desc, eq } from "drizzle-orm";
import { countLetters, createRedactor, minLetters, minWholeText, type Redactor } from "../../base/redactor.ts";
import { RequestError } from "../../base/errors.ts";
import type {
  Forgetting,
  ForgettingRecord,
  ForgettingRequest,
  ForgettingStore,
  ForgottenPlace,
  PendingForgetting,
  SearchedObjects,
} from "../port/forgetting-store.ts";
import { ensureUser, lockUser } from "../own-rows.ts";
import type { UserContext } from "../connection/database.ts";
import type { Transaction } from "../connection/transaction.ts";
import { forgettings } from "../schema.ts";
import { idsIn, isUuid } from "../stored-values.ts";
import { forgetOperations } from "./forget-consolidations.ts";
import { forgetSections } from "./forget-core-memory.ts";
import { forgetMessages, messagesOfRequest } from "./forget-messages.ts";
import { areSearched, filesOfEmptied, forgetFiles, forgetNodes, readObjects } from "./forget-objects.ts";
import { forgetPassages } from "./forget-passages.ts";
import { emptyRemovedCalls, forgetEvents, forgetInputs, messagesOfOwnTurns } from "./forget-turns.ts";
import { deleteVectors } from "./forget-vectors.ts";
import { forgetFoundTexts, forgetSnapshots, forgetSummaries, forgetSynopses } from "./forget-window.ts";
import { type ForgettingWork, pagesById } from "./forgetting-work.ts";
import { forgetPlainTexts } from "./text-columns.ts";
import { textsOfSubject } from "./subject-lines.ts";
import { sentencesIn } from "../../base/sentences.ts";

export function createForgettingStore({ userId, transaction, repeatable }: UserContext): ForgettingStore {
  return {
    textsOf: (request) => repeatable((tx) => textsOf(tx, userId, request)),
    objects: () => repeatable((tx) => readObjects(tx, userId)),
    find: (request, objects) =>
      repeatable(async (tx) => forget(await workOf(tx, userId, { request, objects, writes: false }), objects, "user")),
    apply: (forgetting) => transaction((tx) => apply(tx, userId, forgetting)),
    defer: (pending, origin) =>
      repeatable(async (tx) => {
        await ensureUser(tx, userId);
        const { id, texts } = pending;
        const row = { userId, id, origin, texts, requestedAt: new Date() };
        await tx.tables.insert(forgettings).values(row).onConflictDoNothing();
      }),
    pending: () => repeatable((tx) => tx.run<PendingForgetting>(pendingForgettings, [userId])),
    count: () =>
      repeatable(async (tx) => (await tx.run<{ readonly count: number }>(countForgettings, [userId]))[0]!.count),
    list: (limit) => repeatable((tx) => list(tx, userId, limit)),
  };
}

const pendingForgettings = `
select id, texts from forgettings where user_id = $1 and applied_at is null order by requested_at, id`;

const countForgettings = "select count(*)::int as count from forgettings where user_id = $1 and applied_at is not null";

const messageTexts = `select id, text from messages where user_id = $1 and id in (${idsIn("$2")})`;

const passageTexts = `select id, content as text from passages where user_id = $1 and id in (${idsIn("$2")})`;

interface TextRow {
  readonly id: string;
  readonly text: string;
}

async function textsOf(
  tx: Transaction,
  userId: string,
  { texts, messages, passages, exact = false }: ForgettingRequest,
): Promise<readonly string[]> {
  const read = async (statement: string, ids: readonly string[]) =>
    tx.run<TextRow>(statement, [userId, ids.filter(isUuid)]);
  const [ofMessages, ofPassages] = [await read(messageTexts, messages), await read(passageTexts, passages)];
  const missing = (ids: readonly string[], rows: readonly TextRow[]) =>
    ids.find((id) => !rows.some((row) => row.id === id));
  const message = missing(messages, ofMessages);
  if (message !== undefined)
    throw new RequestError("message_not_found", `There is no message with the id "${message}".`);
  const passage = missing(passages, ofPassages);
  if (passage !== undefined)
    throw new RequestError("passage_not_found", `There is no passage with the id "${passage}".`);
  const copies = [
    ...ofMessages.flatMap(({ text }) => copiesOfMessage(text)),
    ...ofPassages.flatMap(({ text }) => copiesOfPassage(text)),
  ].filter((copy) => countLetters(copy) >= minLetters);
  const wanted = [...new Set([...texts, ...copies])];
  return exact ? wanted : [...wanted, ...(await subjectLines(tx, userId, createRedactor(wanted, texts)))];
}

const pageOfArchives = `
select id, content as text from passages
where user_id = $1 and source_id is null and id > $2::uuid order by id limit $3::int`;

const textsOfModules = `
select value as text from modules where user_id = $1
union select before from revisions where user_id = $1
union select after from revisions where user_id = $1`;

async function subjectLines(tx: Transaction, userId: string, redactor: Redactor): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const rows of pagesById<TextRow>({ tx, userId }, pageOfArchives))
    appendAll(
      found,
      textsOfSubject(
        rows.map(({ text }) => text),
        redactor,
      ),
    );
  const modules = await tx.run<Pick<TextRow, "text">>(textsOfModules, [userId]);
  const lines = modules.filter(({ text }) => redactor.has(text)).flatMap(({ text }) => text.split("\n"));
  return [...new Set([...found, ...textsOfSubject(lines, redactor)])];
}

interface WorkOptions {
  readonly request: ForgettingRequest;
  readonly objects: SearchedObjects;
  readonly writes: boolean;
}

async function workOf(
  tx: Transaction,
  userId: string,
  { request, objects, writes }: WorkOptions,
): Promise<ForgettingWork> {
  const redactor = createRedactor(await textsOf(tx, userId, request), request.texts);
  const ofOwnTurns = request.exact === true ? [] : await messagesOfOwnTurns({ tx, userId, redactor });
  const emptied = new Set([...(await messagesOfRequest({ tx, userId, request })), ...ofOwnTurns]);
  const removedFiles = await filesOfEmptied({ tx, userId, emptied });
  const attachments = new Set([
    ...objects.files.map(({ attachmentId }) => attachmentId),
    ...removedFiles.map(({ id }) => id),
  ]);
  return { tx, userId, request, redactor, emptied, removedFiles, attachments, writes };
}

/** Removes the content, unless `work` is a preview. Returns the places: originals before the texts that were made from them. */
async function forget(
  work: ForgettingWork,
  objects: SearchedObjects,
  origin: ForgettingRecord["origin"],
): Promise<readonly ForgottenPlace[]> {
  const files: readonly ForgottenPlace[] = [
    ...objects.files.map(({ attachmentId: _id, ...place }) => place),
    ...work.removedFiles.map(
      ({ name }) => ({ kind: "attachment", id: name, excerpt: null, effect: "removed" }) as const,
    ),
  ];
  // Searches plain texts before any row is deleted, so that a preview, which deletes no rows, finds the same places.
  const inPlainTexts = await forgetPlainTexts(work);
  const { places: inMessages, messages } = await forgetMessages(work);
  const { places: inPassages, ids: passageIds, write: writePassages } = await forgetPassages(work);
  const { places: inSections, agentIds } = await forgetSections(work, origin);
  const changed = new Set([...messages.map(({ id }) => id), ...passageIds]);
  const places = [
    ...inSections,
    ...inMessages,
    ...inPassages,
    ...(await forgetSummaries(work, messages)),
    ...(await forgetSnapshots(work, { agentIds, passageIds })),
    ...(await forgetSynopses(work, passageIds)),
    ...(await forgetInputs(work)),
    ...(await forgetEvents(work, messages)),
    ...(await forgetFiles(work, files)),
    ...(await forgetNodes(work, objects.nodes)),
    ...(await forgetOperations(work, changed)),
    ...inPlainTexts,
  ];
  if (!work.writes || places.length === 0) return places;
  await forgetFoundTexts(work);
  await emptyRemovedCalls(work);
  await writePassages();
  await deleteVectors(work, { messages: messages.map(({ id }) => id), passages: passageIds });
  return places;
}

// These statements lock rows in the same order as the writes of a turn, which prevents deadlocks.
const lockConversations = "select 1 from conversations where user_id = $1 order by id for update";
const lockModules = "select 1 from modules where user_id = $1 order by id for update";

/** Revokes all leases. The new window version makes open sessions load everything again; the new fence ends running turns. */
const takeLeases = `
update conversations
set window_version = window_version + 1, lease_fence = lease_fence + 1, lease_holder = null, lease_expires_at = null
where user_id = $1`;

/**
 * Ends all running consolidations, because their models may have read the content, even if no place holds it now: the row
 * may have been deleted since.
 */
const endConsolidations = `
update consolidations set status = 'failed', ended_at = now(), reason = 'A text was forgotten during the run.'
where user_id = $1 and status = 'running'`;

async function apply(
  tx: Transaction,
  userId: string,
  { request, objects, record, pending }: Forgetting,
): Promise<readonly ForgottenPlace[] | null> {
  await ensureUser(tx, userId);
  await lockUser(tx, userId);
  await tx.run(lockConversations, [userId]);
  await tx.run(lockModules, [userId]);
  const work = await workOf(tx, userId, { request, objects, writes: true });
  if (!(await areSearched(work, objects))) return null;
  const places = await forget(work, objects, record.origin);
  await tx.run(endConsolidations, [userId]);
  if (places.length === 0 && pending.length === 0) return places;
  await tx.run(takeLeases, [userId]);
  await storeRecord(tx, userId, { record, pending, places });
  return places;
}

async function storeRecord(
  tx: Transaction,
  userId: string,
  { record, pending, places }: Pick<Forgetting, "record" | "pending"> & { readonly places: readonly ForgottenPlace[] },
): Promise<void> {
  const counts: Record<string, number> = {};
  for (const { kind } of places) counts[kind] = (counts[kind] ?? 0) + 1;
  const { id, origin, requestedAt } = record;
  const done = `update forgettings set texts = null, applied_at = now()
    where user_id = $1 and applied_at is null and id in (${idsIn("$2")})`;
  await tx.run(
    `insert into forgettings (user_id, id, origin, counts, requested_at, applied_at)
     values ($1, $2::uuid, $3, $4::text::jsonb, $5::timestamptz, now())
     on conflict (user_id, id) do update set counts = excluded.counts, texts = null, applied_at = now()
     where forgettings.applied_at is null`,
    [userId, id, origin, counts, requestedAt],
  );
  await tx.run(done, [userId, pending]);
}

async function list(tx: Transaction, userId: string, limit: number): Promise<readonly ForgettingRecord[]> {
  const rows = await tx.tables
    .select()
    .from(forgettings)
    .where(eq(forgettings.userId, userId))
    .orderBy(desc(forgettings.requestedAt), desc(forgettings.id))
    .limit(limit);
  return rows.map(({ id, origin, counts, requestedAt, appliedAt }) => ({ id, origin, counts, requestedAt, appliedAt }));
}

/** Copies of a sentence or line are removed only if it has at least this many code points. */
const minSentence = 24;

/** Returns the whole text, its sentences and its lines: a part of the text may have been copied from a search result. */
function copiesOfMessage(text: string): readonly string[] {
  const sentences = sentencesIn(text).map((found) => found.trim());
  return [
    ...[text.trim()].filter((whole) => codePointLength(whole) >= minWholeText),
    ...sentences.filter((one) => codePointLength(one) >= minSentence),
  ];
}

/** Like `copiesOfMessage`, but includes the whole text even if it is short, because a passage was written to be kept. */
function copiesOfPassage(text: string): readonly string[] {
  return [text.trim(), ...copiesOfMessage(text)];
}
