// Stores and reads whole agents, for agent files and for imports from other programs.
// Invariant: a transfer is stored in one transaction, each row after the rows that it references. If a constraint or policy
// refuses a row, the whole transfer is refused, with an error that contains no content of the row. Existing rows are
// unchanged, so that repeating a transfer adds only the missing rows.
import { inBatches } from "../../base/lists.ts";
import { RequestError } from "../../base/errors.ts";
import type {
  AddedTexts,
  Transfer,
  TransferCounts,
  TransferredAgent,
  TransferredModule,
  TransferredPassage,
  TransferredSource,
  TransferredTexts,
  TransferStore,
} from "../port/transfer-store.ts";
import type { UserContext } from "../connection/database.ts";
import { sqlStateOf } from "../connection/database-error.ts";
import { idsInUse, readConversation, readHeld, readPassages } from "./read-transfer.ts";
import { requireAgent } from "../agents/agent-access.ts";
import { contentHash, searchedText } from "../archive/passage-rows.ts";
import type { Transaction } from "../connection/transaction.ts";
import { putConversations } from "./put-conversations.ts";
import { storableJson } from "../../base/code-points.ts";
import { addPassagesOf, putFile } from "../archive/source-files.ts";
import { ensureUser } from "../own-rows.ts";
import {
  linkPassages,
  putAgents,
  putGrants,
  putHoldings,
  putModules,
  putPassages,
  putRevisions,
  putSources,
  putTools,
} from "../sql/put-transfer.ts";

export function createTransferStore({ userId, repeatable }: UserContext): TransferStore {
  return {
    idsInUse: (ids) =>
      repeatable(async (tx) => {
        const rows = await tx.run<{ readonly id: string }>(idsInUse, [userId, ids]);
        return rows.map(({ id }) => id);
      }),
    held: (agentId) => repeatable((tx) => readHeld(tx, userId, agentId)),
    conversation: (conversationId) => repeatable((tx) => readConversation(tx, userId, conversationId)),
    passages: (agentId, after, limit) => repeatable((tx) => readPassages(tx, userId, { agentId, after, limit })),
    // The transaction can be repeated after a lost answer, because rows that the first attempt stored are left unchanged.
    put: (transfer) => repeatable((tx) => putTransfer(tx, userId, transfer)).catch(refused),
    add: (agentId, texts) => repeatable((tx) => addTexts(tx, { userId, agentId, texts })).catch(refused),
    countNew: (agentId, texts) => repeatable((tx) => countTexts(tx, { userId, agentId, texts })),
  };
}

/** SQLSTATE classes for invalid values and violated constraints, and the SQLSTATE of a policy that refuses a row. */
const faultsOfRows = /^(?:22|23|42501)/u;

function refused(error: unknown): never {
  const state = sqlStateOf(error);
  if (state === null || state === undefined || !faultsOfRows.test(state)) throw error;
  throw new RequestError(
    "input_invalid",
    `The database refuses a row of the import (SQLSTATE ${state}): the row contradicts another row, or names something that does not exist. Nothing was stored.`,
    { cause: { code: state } },
  );
}

interface TextsRequest {
  readonly userId: string;
  readonly agentId: string;
  readonly texts: TransferredTexts;
}

/** Adds conversations and passages to an agent. Throws RequestError `agent_not_found`, `grant_ended` and `input_invalid`. */
async function addTexts(tx: Transaction, { userId, agentId, texts }: TextsRequest): Promise<AddedTexts> {
  await requireAgent(tx, userId, agentId);
  const added = await putConversations(tx, { userId, agentId }, texts.conversations);
  return { ...added, passages: await putPassagesOf(tx, [userId, agentId, null], texts.passages) };
}

/** Returns the numbers of rows that `addTexts` would add. Throws RequestError `agent_not_found` and `grant_ended`. */
async function countTexts(tx: Transaction, { userId, agentId, texts }: TextsRequest): Promise<AddedTexts> {
  await requireAgent(tx, userId, agentId);
  const conversations = texts.conversations.map(({ id }) => id);
  const messages = texts.conversations.flatMap((conversation) => conversation.messages.map(({ id }) => id));
  const passages = texts.passages.map(({ id, text }) => ({ id, hash: contentHash(text) }));
  const parameters = [userId, agentId, conversations, messages, passages];
  const [counted] = await tx.run<AddedTexts>(countMissing, parameters);
  return counted!;
}

/**
 * Counts what is not stored yet; a passage counts as stored if its id or its content is. $1 user, $2 agent, $3 ids of
 * conversations, $4 ids of messages, $5 passages with `id` and `hash`, the hexadecimal SHA-256 of their content.
 */
const countMissing = `
select
  (select count(*) from jsonb_array_elements_text($3::text::jsonb) g
    where not exists (select from conversations x where x.user_id = $1 and x.id = g::uuid))::int as conversations,
  (select count(*) from jsonb_array_elements_text($4::text::jsonb) g
    where not exists (select from messages x where x.user_id = $1 and x.id = g::uuid))::int as messages,
  (select count(*) from jsonb_to_recordset($5::text::jsonb) as g (id uuid, hash text)
    where not exists (select from passages x where x.user_id = $1 and x.id = g.id)
      and not exists (
        select from passages x where x.user_id = $1 and x.archive_id = $2::uuid and x.content_hash = decode(g.hash, 'hex')
      ))::int as passages`;

/** Rows per statement. */
const batchSize = 200;

interface IdRow {
  readonly id: string;
}

/**
 * Stores a transfer, and returns how many rows were new. Throws RequestError `agent_exists`, `tool_exists`, `source_exists` and
 * `input_invalid`.
 */
async function putTransfer(tx: Transaction, userId: string, transfer: Transfer): Promise<TransferCounts> {
  await ensureUser(tx, userId);
  await requireFreeNames(tx, userId, transfer);
  const put = (statement: string, rows: readonly object[]) =>
    tx.run<IdRow>(statement, [userId, rows.map(withJsonTexts)]);
  const modules = await put(
    putModules,
    transfer.modules.map(({ revisions: _r, ...module }) => module),
  );
  const tools = await put(putTools, transfer.tools);
  const sources = await put(
    putSources,
    transfer.sources.map(({ files: _f, passages: _p, ...source }) => source),
  );
  const files = await putFiles(tx, userId, newOf(sources, transfer.sources));
  const heads = transfer.agents.map(({ conversations: _c, passages: _p, ...agent }) => agent);
  const agents = await put(putAgents, heads);
  const added = newOf(agents, heads);
  await tx.run(putGrants, [userId, added.map(({ id }) => id)]);
  for (const statement of putHoldings) await tx.run(statement, [userId, added]);
  for (const module of newOf(modules, transfer.modules)) await putRevisionsOf(tx, userId, module);
  const data = { conversations: 0, messages: 0, passages: 0 };
  for (const agent of transfer.agents) await putData(tx, userId, { agent, data });
  for (const { id: sourceId, passages } of transfer.sources)
    data.passages += await putPassagesOf(tx, [userId, null, sourceId], passages);
  const counts = { agents: agents.length, modules: modules.length, tools: tools.length, sources: sources.length };
  return { ...counts, files, ...data };
}

function newOf<Item extends IdRow>(rows: readonly IdRow[], items: readonly Item[]): readonly Item[] {
  const ids = new Set(rows.map(({ id }) => id));
  return items.filter(({ id }) => ids.has(id));
}

const namesInUse = `
select (select a.name from agents a join jsonb_to_recordset($2::text::jsonb) n (id uuid, name text) on a.name = n.name and a.id <> n.id
    where a.user_id = $1 limit 1) as agent,
  (select t.name from stored_tools t join jsonb_to_recordset($3::text::jsonb) n (id uuid, name text) on t.name = n.name and t.id <> n.id
    where t.user_id = $1 limit 1) as tool,
  (select s.name from sources s join jsonb_to_recordset($4::text::jsonb) n (id uuid, name text) on s.name = n.name and s.id <> n.id
    where s.user_id = $1 limit 1) as source`;

interface UsedNames {
  readonly agent: string | null;
  readonly tool: string | null;
  readonly source: string | null;
}

async function requireFreeNames(tx: Transaction, userId: string, transfer: Transfer): Promise<void> {
  const names = [transfer.agents, transfer.tools, transfer.sources].map((items) =>
    items.map(({ id, name }) => ({ id, name })),
  );
  const [used] = await tx.run<UsedNames>(namesInUse, [userId, ...names]);
  const { agent = null, tool = null, source = null } = used ?? {};
  if (agent !== null)
    throw new RequestError("agent_exists", `An agent named "${agent}" exists already. Choose another name.`);
  if (tool !== null)
    throw new RequestError("tool_exists", `A stored tool named "${tool}" exists already. Nothing was stored.`);
  if (source !== null)
    throw new RequestError("source_exists", `A source named "${source}" exists already. Nothing was stored.`);
}

const jsonTexts: readonly string[] = ["tags", "metadata", "extensions", "parameters"];

/** Returns the record with objects of text columns converted to JSON texts, which keep the order of the fields. */
function withJsonTexts(record: object): object {
  const fields = Object.entries(record).map(([field, value]: [string, unknown]) => [
    field,
    jsonTexts.includes(field) ? storableJson(value) : value,
  ]);
  return Object.fromEntries(fields) as object;
}

async function putRevisionsOf(tx: Transaction, userId: string, { id, revisions }: TransferredModule): Promise<void> {
  for (const batch of inBatches(revisions, batchSize)) await tx.run(putRevisions, [userId, id, batch]);
}

async function putFiles(tx: Transaction, userId: string, sources: readonly TransferredSource[]): Promise<number> {
  for (const { id: sourceId, files } of sources) {
    for (const file of files) {
      await putFile(tx, userId, { sourceId, file });
      await addPassagesOf(tx, userId, { ...file, sourceId, fileId: file.id });
    }
  }
  return sources.reduce((sum, { files }) => sum + files.length, 0);
}

interface AgentData {
  readonly agent: TransferredAgent;
  /** The transfer's counts, to which `putData` adds the agent's new rows. */
  readonly data: { conversations: number; messages: number; passages: number };
}

async function putData(tx: Transaction, userId: string, { agent, data }: AgentData): Promise<void> {
  const target = { userId, agentId: agent.id };
  const { conversations, messages } = await putConversations(tx, target, agent.conversations);
  data.conversations += conversations;
  data.messages += messages;
  data.passages += await putPassagesOf(tx, [userId, agent.id, null], agent.passages);
}

/** The user, the agent and the source of passages: one of the last two is null. */
type PassageOwner = readonly [userId: string, agentId: string | null, sourceId: string | null];

/** Stores passages, and returns how many were new. */
async function putPassagesOf(
  tx: Transaction,
  [userId, agentId, sourceId]: PassageOwner,
  passages: readonly TransferredPassage[],
): Promise<number> {
  const added = new Set<string>();
  for (const batch of inBatches(passages, batchSize)) {
    const rows = batch.map(passageRow);
    for (const { id } of await tx.run<IdRow>(putPassages, [userId, agentId, rows, sourceId])) added.add(id);
  }
  // The links `replacedBy` are stored last, since each may lead to any of the passages.
  const links = passages.filter(({ id, replacedBy }) => replacedBy !== null && added.has(id));
  for (const batch of inBatches(links, batchSize))
    await tx.run(linkPassages, [userId, batch.map(({ id, replacedBy }) => ({ id, replacedBy }))]);
  return added.size;
}

function passageRow({ text, at, ...passage }: TransferredPassage) {
  return { ...passage, ...searchedText(text), createdAt: at };
}
