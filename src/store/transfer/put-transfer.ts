// Stores a transfer in the order of its references: modules, tools and sources, agents with what they hold, and their data.
// Invariant: one transaction; a row that is there stays as it is, so a transfer that was interrupted or repeated adds what is
// missing.
import { createHash } from "node:crypto";
import { foldText } from "../../base/fold-text.ts";
import { storableJson, storableText } from "../../base/code-points.ts";
import { RequestError } from "../../base/errors.ts";
import type {
  Transfer,
  TransferCounts,
  TransferredAgent,
  TransferredModule,
  TransferredPassage,
  TransferredSource,
  TransferredTool,
} from "../port/transfer-store.ts";
import { ensureUser } from "../agents/known-user.ts";
import { sourcePassageRow } from "../archive/source-passage-rows.ts";
import type { Transaction } from "../connection/transaction.ts";
import { indexedTerms } from "../search/lexical-terms.ts";
import { putSourceFile } from "../sql/put-source-file.ts";
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
import { addSourcePassages, countSourcePassages } from "../sql/replace-source-passages.ts";
import { putConversations } from "./put-conversations.ts";

/** Rows per statement. */
const batchSize = 200;

interface IdRow {
  readonly id: string;
}

/** Throws RequestError `agent_exists`, `tool_exists`, `source_exists` and `input_invalid`. */
export async function putTransfer(tx: Transaction, userId: string, transfer: Transfer): Promise<TransferCounts> {
  await ensureUser(tx, userId);
  await requireFreeNames(tx, userId, transfer);
  const modules = await tx.run<IdRow>(putModules, [userId, storableJson(transfer.modules.map(moduleRow))]);
  const tools = await tx.run<IdRow>(putTools, [userId, storableJson(transfer.tools.map(toolRow))]);
  const sources = await tx.run<IdRow>(putSources, [userId, storableJson(transfer.sources.map(sourceRow))]);
  const files = await putFiles(tx, userId, newOf(sources, transfer.sources));
  const agents = await tx.run<IdRow>(putAgents, [userId, storableJson(transfer.agents.map(agentRow))]);
  const added = newOf(agents, transfer.agents);
  await tx.run(putGrants, [userId, JSON.stringify(added.map(({ id }) => id))]);
  const holdings = storableJson(added.map(({ id, modules: held, ...agent }) => ({ ...agent, id, modules: held })));
  for (const statement of putHoldings) await tx.run(statement, [userId, holdings]);
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
    storableJson(items.map(({ id, name }) => ({ id, name }))),
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

function moduleRow({ revisions: _revisions, tags, metadata, ...module }: TransferredModule) {
  return { ...module, tags: storableJson(tags), metadata: storableJson(metadata) };
}

function toolRow({ parameters, tags, metadata, ...tool }: TransferredTool) {
  return {
    ...tool,
    parameters: storableJson(parameters),
    tags: storableJson(tags),
    metadata: storableJson(metadata),
  };
}

function sourceRow({ files: _files, passages: _passages, ...row }: TransferredSource) {
  return { ...row, metadata: storableJson(row.metadata), extensions: storableJson(row.extensions) };
}

function agentRow(agent: TransferredAgent) {
  const { conversations: _conversations, passages: _passages, ...row } = agent;
  const { settings, tags, metadata, extensions } = agent;
  const texts = { tags: storableJson(tags), metadata: storableJson(metadata), extensions: storableJson(extensions) };
  return { ...row, ...texts, settings: storableJson(settings) };
}

async function putRevisionsOf(tx: Transaction, userId: string, { id, revisions }: TransferredModule): Promise<void> {
  for (let from = 0; from < revisions.length; from += batchSize) {
    const batch = revisions.slice(from, from + batchSize);
    await tx.run(putRevisions, [userId, storableJson([{ id, revisions: batch }])]);
  }
}

async function putFiles(tx: Transaction, userId: string, sources: readonly TransferredSource[]): Promise<number> {
  let count = 0;
  for (const { id: sourceId, files } of sources) {
    for (const { id, path, kind, bytes, sha256, reason, loadedAt, passages } of files) {
      const status = reason === null ? "loaded" : "failed";
      const facts = [storableText(path), kind, bytes, sha256, status, reason, loadedAt];
      await tx.run(putSourceFile, [userId, id, sourceId, ...facts]);
      const rows = passages.map((passage) => sourcePassageRow(passage, id));
      for (let from = 0; from < rows.length; from += batchSize) {
        const batch = storableJson(rows.slice(from, from + batchSize));
        await tx.run(addSourcePassages, [userId, sourceId, id, batch, loadedAt]);
      }
      await tx.run(countSourcePassages, [userId, id]);
      count += 1;
    }
  }
  return count;
}

interface AgentData {
  readonly agent: TransferredAgent;
  /** Counted up. */
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

/** Returns how many were new. */
export async function putPassagesOf(
  tx: Transaction,
  [userId, agentId, sourceId]: PassageOwner,
  passages: readonly TransferredPassage[],
): Promise<number> {
  const added = new Set<string>();
  for (let from = 0; from < passages.length; from += batchSize) {
    const rows = storableJson(passages.slice(from, from + batchSize).map(passageRow));
    for (const { id } of await tx.run<IdRow>(putPassages, [userId, agentId, rows, sourceId])) added.add(id);
  }
  // After all of them, since a link may lead to any.
  const links = passages.filter(({ id, replacedBy }) => replacedBy !== null && added.has(id));
  for (let from = 0; from < links.length; from += batchSize) {
    const batch = links.slice(from, from + batchSize).map(({ id, replacedBy }) => ({ id, replacedBy }));
    await tx.run(linkPassages, [userId, storableJson(batch)]);
  }
  return added.size;
}

function passageRow(passage: TransferredPassage) {
  const content = storableText(passage.text);
  const folded = foldText(content);
  return {
    id: passage.id,
    conversation_id: passage.conversationId,
    message_id: passage.messageId,
    call_id: passage.callId,
    kind: passage.kind,
    tags: passage.tags,
    origin: passage.origin,
    trust: passage.trust,
    external: passage.external,
    content,
    search_text: folded,
    terms: indexedTerms(folded),
    content_hash: createHash("sha256").update(content).digest("hex"),
    importance: passage.importance,
    access_count: passage.accessCount,
    accessed_at: passage.accessedAt,
    created_at: passage.at,
  };
}
