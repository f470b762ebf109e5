// Users whose rows must not be mixed: Ada, who has rows in every table; Ben, who uses one of her agents; and Eve, a stranger. Every text of Ada's own holds `secret`, so that it is known wherever it turns up.
import type { RecordStores } from "../../src/store/port/record-kinds.ts";
import type { UserStore } from "../../src/store/port/store.ts";
import { type Database, openDatabase } from "../../src/store/connection/database.ts";
import type { Transaction } from "../../src/store/connection/transaction.ts";
import { openTestStore, type TestStore } from "./database.ts";
import { fillAgentMessage } from "./isolation-agent-message-cases.ts";
import { fillConsolidation } from "./isolation-consolidation-cases.ts";
import { fillRecords } from "./new-record.ts";
import {
  beginning,
  callTool,
  compactThrough,
  fillSchedule,
  fillModule,
  fillMcpServer,
  fillStoredTool,
  ids,
  keepFile,
  newAgent,
  newFile,
  newKey,
  newMessage,
  newTalk,
  synopsisOf,
  type Talk,
} from "./store-builders.ts";

export const secret = "ada's secret";

/** A conversation with something in every table, and the ids that its rows have. */
export interface FilledTalk extends Talk {
  readonly messageId: string;
  /** The turn of that message, with an event. */
  readonly turnId: string;
  readonly callMessageId: string;
  readonly passageId: string;
  /** Attached to the agent, with one file and one passage. */
  readonly sourceId: string;
  /** Holds `call-2`, which waits for approval. */
  readonly waitingMessageId: string;
  readonly sweepId: string;
  readonly scheduleId: string;
  readonly consolidationId: string;
  readonly agentMessageId: string;
  /** Attached to the agent. */
  readonly toolId: string;
  /** With a tool. */
  readonly mcpServerId: string;
  readonly recordIds: Readonly<Record<keyof RecordStores, string>>;
  /** For the agent; its secret is this id. */
  readonly keyId: string;
  readonly stepId: string;
  /** A module that the agent holds. Ada's is offered to `someone`. */
  readonly moduleId: string;
  /** On the first message; its content is `text`, and stands in the object of `objectKey`. */
  readonly attachmentId: string;
  readonly objectKey: string;
}

export interface IsolationScene {
  readonly test: TestStore;
  readonly database: Database;
  readonly ada: UserStore;
  readonly ben: UserStore;
  readonly eve: UserStore;
  /** Ada's, with an agent of her own. */
  readonly hidden: FilledTalk;
  /** Ada's, with the agent that she has shared with Ben. */
  readonly shared: FilledTalk;
  /** Ben's, with that agent. */
  readonly bens: FilledTalk;
  close(): Promise<void>;
}

export async function openScene(): Promise<IsolationScene> {
  const test = await openTestStore();
  const database = await openDatabase({ connection: test.connection });
  return {
    test,
    database,
    ...(await fillScene(test)),
    async close() {
      await database.close();
      await test.close();
    },
  };
}

/** The three and what they have. With a suffix to their names, one database can hold several such scenes. */
export async function fillScene(
  test: TestStore,
  suffix = "",
): Promise<Omit<IsolationScene, "test" | "database" | "close">> {
  const [ada, ben, eve] = [test.store.as(`ada${suffix}`), test.store.as(`ben${suffix}`), test.store.as(`eve${suffix}`)];
  const hidden = await fillTalk(test, await newTalk(ada), secret);
  const described = { description: secret, tags: [secret], metadata: { text: secret } };
  await ada.agents.update(hidden.agentId, () => described);
  await ada.agents.share(hidden.agentId, "someone");
  await ada.sharedModules.share(hidden.moduleId, "someone", "write");
  const sharedAgent = await ada.agents.create(newAgent({ name: "shared" }));
  await ada.agents.share(sharedAgent.id, ben.userId);
  await ben.agents.accept(sharedAgent.id);
  const shared = await fillTalk(test, await newTalk(ada, sharedAgent.id), secret);
  const { modules } = newAgent();
  await ben.modules.addMissing(sharedAgent.id, modules);
  const bens = await fillTalk(test, await newTalk(ben, sharedAgent.id), "ben's");
  await eve.agents.create(newAgent());
  await test.ownerRows("update inputs set waits_until = now() - interval '1 minute' where status = 'queued'");
  return { ada, ben, eve, hidden, shared, bens };
}

/** Its arguments, preview and definition hold the text. */
async function approveCall(
  { user, lease, conversationId }: Talk,
  { callId, messageId, text }: { readonly callId: string; readonly messageId: string; readonly text: string },
): Promise<void> {
  const at = new Date("2026-11-21T08:00:00Z");
  const call = { conversationId, messageId, callId };
  const definition = { text, change: text };
  const asked = {
    ...call,
    arguments: JSON.stringify({ text }),
    preview: text,
    definition,
    requestedAt: at,
    expiresAt: null,
  };
  await user.approvals.request(lease, [{ awaits: "approval", ...asked }]);
  await user.approvals.decide(lease, call, { verdict: "approved", by: "user", reason: null, arguments: null, at });
}

/** At least one row in every table that a conversation has rows in. */
export async function fillTalk(test: TestStore, talk: Talk, text: string): Promise<FilledTalk> {
  const { user, agentId, conversationId, lease } = talk;
  const { file, objectKey } = await keepFile(talk, text);
  await user.attachments.reserve(conversationId, "elsewhere", [{ ...newFile(text), id: ids.next() }]).then(([due]) =>
    // It leaves the deletion of an object behind that is due.
    user.attachments.discard([due!.id]),
  );
  const begun = newMessage({ text, content: [{ type: "text", text }, file] });
  const key = `key of ${text}`;
  await user.turns.begin(beginning(talk, { leafId: null, messages: [begun], key }));
  await user.events.append(lease, { turnId: begun.turnId, first: 1, last: 1, events: JSON.stringify([{ text }]) });
  await user.inputs.enqueue(conversationId, {
    messages: [{ idempotencyKey: `waiting: ${text}`, content: [{ type: "text", text }] }],
  });
  const result = await callTool(talk);
  await approveCall(talk, { callId: result.callId, messageId: result.callMessageId, text });
  const modules = await user.modules.list(agentId);
  const own = modules.find((module) => module.scope === "user")!;
  const passageId = ids.next();
  await user.turns.commitToolResult({
    ...result,
    changes: [{ label: own.label, scope: "user", revision: own.revision, before: own.value, after: text }],
    passages: [{ id: passageId, text, tags: ["tag"], kind: "fact", at: new Date() }],
  });
  const link =
    "insert into later_statements (user_id, earlier_id, later_id, passage_id) values ($1, $2::uuid, $3::uuid, $4::uuid)";
  await test.ownerRows(link, [user.userId, begun.id, result.callMessageId, passageId]);
  await compactThrough(talk, begun.id, { summary: text });
  await user.passages.addVectors(agentId, { embedder: "test", dimensions: 512, rows: [{ passageId, vector }] });
  const messageVector = "insert into messages_512 values ($1, $2::uuid, $3::uuid, 'test', $4::vector)";
  await test.ownerRows(messageVector, [user.userId, agentId, begun.id, JSON.stringify(vector)]);
  const sourceId = await fillSource(test, talk, text);
  const { callMessageId: waitingMessageId, callId } = await callTool(talk, { callId: "call-2" });
  const requestedAt = new Date("2026-11-21T09:00:00Z");
  const waiting = { conversationId, messageId: waitingMessageId, callId, requestedAt, expiresAt: null };
  const asked = { awaits: "approval", ...waiting, arguments: JSON.stringify({ text }), preview: text } as const;
  await user.approvals.request(lease, [asked]);
  await keepEmbedders(test, talk);
  await keepNode(talk, text);
  const sweepId = ids.next();
  await user.retention.begin({ id: sweepId, agentId, at: requestedAt, limits: {}, unlessAfter: null });
  await fillSynopsis(talk, { passageId, text });
  const toolId = await fillStoredTool(talk, text);
  const mcpServerId = await fillMcpServer(talk, text);
  const recordIds = await fillRecords(user, text);
  const [step] = await user.turnRecords.steps({ order: "newest", limit: 1, agentId });
  const ofAgent = { ...newKey(text), agentId };
  await user.keys.create(ofAgent);
  const moduleId = await fillModule(talk, text);
  const scheduleId = await fillSchedule(talk, text);
  const consolidationId = await fillConsolidation(talk, { passageId, text });
  const agentMessageId = await fillAgentMessage(test, talk, { messageId: result.callMessageId, text });
  await user.forgetting.defer({ id: ids.next(), texts: [text] }, "model");
  return {
    ...talk,
    messageId: begun.id,
    turnId: begun.turnId,
    callMessageId: result.callMessageId,
    passageId,
    sourceId,
    waitingMessageId,
    sweepId,
    scheduleId,
    consolidationId,
    agentMessageId,
    toolId,
    mcpServerId,
    recordIds,
    keyId: ofAgent.id,
    stepId: step!.id,
    moduleId,
    attachmentId: file.location.id,
    objectKey,
  };
}

/** The embedders that an agent is searched by, keeps, and is to lose, as the user of the talk has them. */
export async function keepEmbedders(test: TestStore, { user, agentId }: Talk): Promise<void> {
  for (const [embedder, role] of [
    ["test", "searched"],
    ["kept", "kept"],
    ["dropped", "dropping"],
  ] as const) {
    const row =
      "insert into agent_embedders (user_id, agent_id, embedder, dimensions, role) values ($1, $2::uuid, $3, 512, $4)";
    await test.ownerRows(row, [user.userId, agentId, embedder, role]);
  }
}

/** A node memory of the conversation, in the database. */
export async function keepNode({ user, conversationId }: Talk, text: string): Promise<void> {
  const data = Buffer.from(text);
  await user.nodeMemories.replace({
    ...nodeKeyOf(conversationId),
    place: "database",
    objectKey: `nodes/${conversationId}`,
    messages: 2,
    bytes: data.length,
    updatedAt: new Date("2026-11-21T09:00:00Z"),
    from: null,
    data,
  });
}

export const nodeKeyOf = (conversation: string) => ({ app: "app", conversation, node: "node" });

/** An identity made from the agent's passage, which the conversation's prompt shows. */
export async function fillSynopsis(
  { user, agentId, lease }: Talk,
  { passageId, text }: { readonly passageId: string; readonly text: string },
): Promise<void> {
  const [claim, now] = [ids.next(), new Date("2026-11-21T09:00:00Z")];
  await user.synopses.claim(agentId, { claim, parts: ["identity"], now, nextRefreshAt: now, asked: false });
  await user.synopses.save(agentId, claim, [synopsisOf([passageId], { traits: [text] })]);
  const synopsis = { text, trust: "model", passages: [passageId] } as const;
  await user.conversations.saveSnapshot(lease, { text, values: {}, stateKey: "k1", trust: "model", synopsis });
}

/** A source with a file and a passage, attached to the agent. */
export async function fillSource(test: TestStore, { user, agentId }: Talk, text: string): Promise<string> {
  const [sourceId, fileId] = [ids.next(), ids.next()];
  await test.ownerRows("insert into sources (user_id, id, name) values ($1, $2::uuid, $3)", [
    user.userId,
    sourceId,
    `${text} ${sourceId}`,
  ]);
  await test.ownerRows(
    `insert into source_files (user_id, id, source_id, path, kind, size, content_hash, status, passages)
     values ($1, $2::uuid, $3::uuid, $4, 'text', 1, 'hash', 'loaded', 1)`,
    [user.userId, fileId, sourceId, text],
  );
  await test.ownerRows("insert into agent_sources (user_id, agent_id, source_id) values ($1, $2::uuid, $3::uuid)", [
    user.userId,
    agentId,
    sourceId,
  ]);
  await test.ownerRows(
    `insert into passages (user_id, id, source_id, file_id, kind, tags, origin, content, search_text, content_hash)
     values ($1, $2::uuid, $3::uuid, $4::uuid, 'document', '{}', 'import', $5, $5, 'hash')`,
    [user.userId, ids.next(), sourceId, fileId, text],
  );
  return sourceId;
}

export const vector = Array.from({ length: 512 }, () => 0.1);

/** Runs `work` in the runtime's role without a user, which the program itself cannot. */
export const withoutUser = <Result>(
  { database }: IsolationScene,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> =>
  database.ownerTransaction(async (tx) => {
    await tx.run("set local row_security = on", []);
    await tx.run("set local role palimpsest_runtime", []);
    return work(tx);
  });

/** The SQLSTATE with which it failed, `code` for an error without one, or null when it did not. */
export const failureOf = async (work: Promise<unknown>): Promise<string | null> =>
  work.then(
    () => null,
    (error: { readonly code: string; readonly cause?: { readonly code?: string } }) => error.cause?.code ?? error.code,
  );

const isTable = "relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition";

/** The tables there are, from the catalogue. */
export async function tablesOf({ test }: Pick<IsolationScene, "test">): Promise<readonly string[]> {
  const rows = await test.ownerRows<{ readonly name: string }>(
    `select relname as name from pg_class where ${isTable} order by 1`,
  );
  return rows.map(({ name }) => name);
}

/** Every row that is Ada's, of every table. */
export const rowsOfAda = (scene: Pick<IsolationScene, "test">): Promise<readonly string[]> => rowsOf(scene, "ada");

/** Every row that is one of these users', of every table. One statement reads all tables: a test compares hundreds of such dumps. */
export async function rowsOf(
  { test }: Pick<IsolationScene, "test">,
  ...userIds: readonly string[]
): Promise<readonly string[]> {
  const tables = await test.ownerRows<{ readonly name: string; readonly isOwned: boolean }>(
    `select relname as name, exists (
       select from pg_attribute where attrelid = pg_class.oid and attname = 'owner_id' and not attisdropped) as "isOwned"
     from pg_class where ${isTable} order by 1`,
  );
  const users = `in (${userIds.map((_, at) => `$${at + 1}`).join(", ")})`;
  const parts = tables.map(({ name, isOwned }) => {
    const whose = isOwned ? `user_id ${users} or owner_id ${users}` : `user_id ${users}`;
    return `select '${name} ' || to_jsonb(t)::text as dump from "${name}" t where ${whose}`;
  });
  const rows = await test.ownerRows<{ readonly dump: string }>(`${parts.join(" union all ")} order by 1`, userIds);
  return rows.map(({ dump }) => dump);
}
