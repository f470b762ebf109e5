// What is deleted is gone from every table, and what a deletion would leave behind is found. The tables and their columns are
// the database's own, so a new table is included. On the engine at hand.
import { RequestError } from "../../src/base/errors.ts";
import type { Orphans } from "../../src/store/port/inspection.ts";
import { createStoreInspector } from "../../src/store/inspection/create-store-inspector.ts";
import { findOrphans, readReferences } from "../../src/store/inspection/references.ts";
import type { Transaction } from "../../src/store/connection/transaction.ts";
import { fillScene, openScene, rowsOf, tablesOf } from "../support/isolation-scene.ts";
import { callTool, ids, newTalk, say } from "../support/store-builders.ts";
import { words } from "../support/words.ts";
import { useScene } from "../support/use-scene.ts";

const database = useScene(() => openScene());
/** Of this test alone, in the database of all. */
let scene: Awaited<ReturnType<typeof fillScene>>;
const inspected = useScene(() => createStoreInspector({ connection: database.test.connection }).open());
let number = 0;

async function newScene(): Promise<void> {
  number += 1;
  scene = await fillScene(database.test, ` ${number}`);
}

beforeAll(newScene);

it("lists the users of the database, with their agents and their last message", async () => {
  const { userId } = scene.ada;
  const found = await database.test.store.listUsers();
  const ids = found.map((user) => user.userId);
  expect(ids).toEqual([...ids].sort());
  const [ada] = found.filter((user) => user.userId === userId);
  expect(ada!.agents).toBeGreaterThan(0);
  expect(ada!.lastMessageAt!.getTime()).toBeGreaterThanOrEqual(ada!.createdAt.getTime());
});

it("sums the model calls of each user by model, and leaves out users without calls since the moment", async () => {
  const { userId } = scene.ada;
  const since = new Date(Date.now() - 3_600_000);
  const found = await database.test.store.listUsage(since);
  const own = await scene.ada.steps.usageSince(since);
  expect(own.length).toBeGreaterThan(0);
  expect(found.filter((used) => used.userId === userId)).toEqual(own.map((used) => ({ userId, ...used })));
  expect(found.filter((used) => used.userId === scene.ben.userId)).toEqual(
    (await scene.ben.steps.usageSince(since)).map((used) => ({ userId: scene.ben.userId, ...used })),
  );
  expect(await database.test.store.listUsage(new Date(Date.now() + 86_400_000))).toEqual([]);
});

const rowsOfAda = () => rowsOf(database, scene.ada.userId);

interface TableRow {
  readonly table: string;
  readonly row: Readonly<Record<string, unknown>>;
}

/** Ben's rows of every table but grants: the grant says that it has ended. */
async function bensRows(): Promise<readonly TableRow[]> {
  const rows = (await rowsOf(database, scene.ben.userId)).map((dump): TableRow => {
    const [table = ""] = dump.split(" ");
    return { table, row: JSON.parse(dump.slice(table.length + 1)) as TableRow["row"] };
  });
  return rows.filter(({ table }) => table !== "grants");
}

/** A row as it is when the grant has ended: a conversation is closed, and its lease is taken away. */
function closed({ table, row }: TableRow): TableRow {
  if (table !== "conversations") return { table, row };
  const fence = Number(row["lease_fence"]) + 1;
  const ended = { is_open: false, lease_fence: fence, lease_holder: null, lease_expires_at: null };
  return { table, row: { ...row, ...ended } };
}

/** What is left of a user who was deleted: deletions of objects elsewhere, which are due until somebody carries them out. */
async function carryOutDeletions(): Promise<number> {
  const due = await scene.ada.attachments.dueDeletions("elsewhere");
  for (const deletion of due) await scene.ada.attachments.deletionDone(deletion);
  return due.length;
}

interface ColumnRow {
  readonly table: string;
  readonly column: string;
}

/** Every column that can hold an id. */
const idColumns = async (): Promise<readonly ColumnRow[]> =>
  database.test.ownerRows<ColumnRow>(`
    select table_name as table, column_name as column from information_schema.columns
    where table_schema = current_schema() and table_name not in (select relname from pg_class where relispartition)
      and (column_name = 'id' or column_name like '%\\_id') order by 1, 2`);

/** The rows of every table in which an id, whatever its column, is one of these: `table.column` each. */
async function rowsNaming(named: readonly string[]): Promise<readonly string[]> {
  const parts = (await idColumns()).map(
    ({ table, column }) =>
      `select '${table}.${column}' as place from "${table}" where "${column}"::text in (select * from named)`,
  );
  const asked = `with named as (select jsonb_array_elements_text($1::text::jsonb)) ${parts.join(" union all ")}`;
  const rows = await database.test.ownerRows<{ readonly place: string }>(asked, [JSON.stringify(named)]);
  return rows.map(({ place }) => place);
}

/** What is found after `work` by the owner, without triggers and so without foreign keys. Nothing of it stays. */
async function orphansAfter(work: (tx: Transaction) => Promise<unknown>): Promise<readonly Orphans[]> {
  let found: readonly Orphans[] = [];
  const undone = database.database.ownerTransaction(async (tx) => {
    await tx.run("set local session_replication_role = replica", []);
    await work(tx);
    found = await findOrphans(tx);
    throw new RequestError("input_invalid", "undone");
  });
  await expect(undone).rejects.toThrow("undone");
  return found;
}

describe("a deleted user", () => {
  beforeEach(newScene);

  it("leaves no row in any table, and their name in none", async () => {
    const named = [scene.ada.userId, scene.hidden.agentId];
    const before = await rowsNaming(named);
    expect(new Set(before.map((place) => place.split(".")[0]))).toEqual(new Set(await tablesOf(database)));
    await scene.ada.usage.delete();
    expect(await carryOutDeletions()).toBe(2);
    expect(await rowsNaming(named)).toEqual([]);
    expect(await rowsOfAda()).toEqual([]);
    expect(await inspected.orphans()).toEqual([]);
  });

  it("leaves other users' data with the user's agents readable", async () => {
    const before = await bensRows();
    await scene.ada.usage.delete();
    expect(await bensRows()).toEqual(before.map(closed));
    expect(await scene.ben.agents.former()).toMatchObject([
      { id: scene.shared.agentId, ownerId: null, name: "/shared", timeZone: "UTC" },
    ]);
    expect((await scene.ben.conversations.thread(scene.bens.conversationId)).messages.length).toBeGreaterThan(0);
  });

  it("deletes no other user, and none of their data with other agents", async () => {
    const bens = await newTalk(scene.ben);
    await say(bens, ["mine", "yours"]);
    await scene.ada.usage.delete();
    expect(await scene.ben.usage.count()).toMatchObject({ agents: 1, conversations: 2 });
    expect((await scene.ben.conversations.thread(bens.conversationId)).messages).toHaveLength(2);
    expect(await scene.eve.agents.list()).toHaveLength(1);
    expect(await scene.ben.agents.list()).toHaveLength(1);
  });

  it("who was a guest leaves the owner's agent and all data of the owner except the grant", async () => {
    const before = await rowsOfAda();
    await scene.ben.usage.delete();
    await scene.ben.attachments.deletionDone((await scene.ben.attachments.dueDeletions("elsewhere"))[0]!);
    const gone = before.filter((row) => row.startsWith("grants") && row.includes(`"user_id": "${scene.ben.userId}"`));
    expect(gone).toHaveLength(1);
    expect(await rowsOfAda()).toEqual(before.filter((row) => !gone.includes(row)));
    expect(await rowsNaming([scene.ben.userId, scene.bens.conversationId, scene.bens.messageId])).toEqual([]);
    expect(await inspected.orphans()).toEqual([]);
  });

  it("is known by their storage usage, and not found after the deletion", async () => {
    expect(await scene.ada.usage.count()).toEqual({
      agents: 2,
      sharedWith: 1,
      conversations: 2,
      messages: expect.any(Number),
      passages: 4,
      sources: 2,
    });
    await scene.ada.usage.delete();
    expect(await scene.ada.usage.count()).toBeNull();
    await expect(scene.ada.usage.delete()).rejects.toMatchObject({ code: "user_not_found" });
  });

  it("can start again, without the earlier data", async () => {
    await scene.ada.usage.delete();
    await newTalk(scene.ada);
    expect(await scene.ada.usage.count()).toMatchObject({
      agents: 1,
      conversations: 1,
      messages: 0,
      passages: 0,
      sources: 0,
    });
  });

  it("is not partly deleted when the deletion fails", async () => {
    const before = await rowsOfAda();
    await database.test.ownerRows(
      "create function refuse() returns trigger language plpgsql as 'begin raise exception ''no''; end'",
    );
    await database.test.ownerRows(
      "create trigger refuse before delete on passages_512 for each row when (old.user_id like 'ada%') execute function refuse()",
    );
    await expect(scene.ada.usage.delete()).rejects.toMatchObject({ code: "store_failed" });
    await database.test.ownerRows("drop function refuse() cascade");
    expect(await rowsOfAda()).toEqual(before);
  });
});

describe("a deleted agent", () => {
  beforeEach(newScene);

  it("leaves no row of its owner that names it, and keeps other users' data", async () => {
    const before = await bensRows();
    await scene.ada.agents.delete(scene.shared.agentId);
    expect(
      (await rowsOfAda()).filter((row) => !row.startsWith("grants ") && row.includes(scene.shared.agentId)),
    ).toEqual([]);
    expect(await bensRows()).toEqual(before.map(closed));
    expect(await scene.ben.agents.former()).toMatchObject([
      { id: scene.shared.agentId, ownerId: scene.ada.userId, name: `${scene.ada.userId}/shared`, timeZone: "UTC" },
    ]);
    expect(await inspected.orphans()).toEqual([]);
  });

  it("leaves no row of any user after the others have deleted their data", async () => {
    await scene.ada.agents.delete(scene.shared.agentId);
    await scene.ben.agents.delete(scene.shared.agentId);
    expect(await rowsNaming([scene.shared.agentId, scene.bens.conversationId, scene.bens.passageId])).toEqual([]);
    expect(await inspected.orphans()).toEqual([]);
  });
});

describe("a deleted conversation", () => {
  beforeEach(newScene);

  it("leaves no row that names it or its messages, and keeps memory that was written from it", async () => {
    const { conversationId, messageId, callMessageId, agentId } = scene.hidden;
    const named = [conversationId, messageId, callMessageId];
    expect(await rowsNaming(named)).toContain("revisions.message_id");
    expect(await rowsNaming(named)).toContain("passages.conversation_id");
    await scene.ada.conversations.delete(conversationId);
    expect(await rowsNaming(named)).toEqual([]);
    expect(await inspected.orphans()).toEqual([]);
    expect(await scene.ada.passages.count(agentId)).toBe(1);
    const [revision] = await scene.ada.modules.revisions(agentId, { label: "human", limit: 1 });
    expect(revision).toMatchObject({
      toolName: "core_memory_append",
      conversationId: null,
      messageId: null,
      callId: null,
    });
  });

  it("leaves the agent's other conversations unchanged", async () => {
    const other = await newTalk(scene.ada, scene.hidden.agentId);
    const said = await say(other, ["one", "two"]);
    await scene.ada.conversations.delete(scene.hidden.conversationId);
    expect((await scene.ada.conversations.thread(other.conversationId)).messages).toHaveLength(said.length);
    expect(
      (await scene.ada.conversations.list(scene.hidden.agentId, { order: "newest", limit: 10 })).map(({ id }) => id),
    ).toEqual([other.conversationId]);
  });

  it.each(["", "no-uuid", "00000000-0000-7000-8000-000000000000"])("is not found under %j", async (id) => {
    await expect(scene.ada.conversations.delete(id)).rejects.toMatchObject({ code: "conversation_not_found" });
  });

  it("fails the next commit of a turn that was running in it", async () => {
    const talk = await newTalk(scene.ada, scene.hidden.agentId);
    const result = await callTool(talk);
    await scene.ada.conversations.delete(talk.conversationId);
    await expect(scene.ada.turns.commitToolResult(result)).rejects.toMatchObject({ code: "conversation_not_found" });
    expect(await inspected.orphans()).toEqual([]);
  });
});

describe("orphans", () => {
  // Nothing of what these do stays.
  beforeAll(newScene);

  it("are searched in every column that contains an id", async () => {
    const references = await database.database.ownerTransaction(readReferences);
    const judged = new Set(references.flatMap(({ table, columns }) => columns.map((column) => `${table}.${column}`)));
    const missing = (await idColumns())
      .filter(({ table, column }) => column !== "id" && !judged.has(`${table}.${column}`))
      .map(({ table, column }) => `${table}.${column}`);
    // Deletions of objects outlive what they name, and a message to an agent outlives the agent and the call; a turn and a call are no rows of their own; an archive is an agent or a source; a user is not part of another row.
    expect(missing).toEqual(
      words(`
        agent_messages.call_id agent_messages.call_message_id agent_messages.chain_id agent_messages.to_agent_id
        agent_messages.to_conversation_id agent_messages.turn_id inputs.turn_id messages.turn_id
        object_deletions.user_id passages.archive_id passages.call_id passages_512.archive_id revisions.call_id
        schedule_runs.turn_id steps.turn_id tool_calls.call_id turn_events.turn_id users.user_id
      `),
    );
  });

  it("are found, with their table and the missing parent, when a user is deleted with the constraints disabled", async () => {
    expect(await inspected.orphans()).toEqual([]);
    const found = await orphansAfter((tx) => tx.run("delete from users where user_id = $1", [scene.ada.userId]));
    // Deletions that are due outlive everything.
    const tables = (await tablesOf(database)).filter((table) => table !== "users" && table !== "object_deletions");
    expect(new Set(found.map(({ table }) => table))).toEqual(new Set(tables));
    expect(found).toContainEqual({ table: "passages_512", columns: "user_id", missing: "users", rows: 2 });
    expect(found).toContainEqual({ table: "grants", columns: "owner_id", missing: "users", rows: 3 });
  });

  const removals: readonly (readonly [string, string, string, (of: typeof scene) => string])[] = [
    ["agents", "owner_id, agent_id", "delete from agents where id = $1::uuid", ({ hidden }) => hidden.agentId],
    [
      "conversations",
      "conversation_id",
      "delete from conversations where id = $1::uuid",
      ({ bens }) => bens.conversationId,
    ],
    ["messages", "message_id", "delete from messages where id = $1::uuid", ({ hidden }) => hidden.callMessageId],
    ["passages", "passage_id", "delete from passages where id = $1::uuid", ({ hidden }) => hidden.passageId],
    ["modules", "module_id", "delete from modules where id = $1::uuid", ({ hidden }) => hidden.moduleId],
  ];

  it.each(removals)(
    "are found when a row of %s is deleted with the constraints disabled",
    async (missing, columns, statement, idOf) => {
      const found = await orphansAfter((tx) => tx.run(statement, [idOf(scene)]));
      expect(found).toContainEqual({ table: expect.any(String), columns, missing, rows: expect.any(Number) });
    },
  );

  it("are found in a table of vectors that is added later", async () => {
    const found = await orphansAfter(async (tx) => {
      await tx.run("create table passages_384 (user_id text not null, passage_id uuid not null)", []);
      await tx.run("insert into passages_384 values ($1, $2::uuid)", [scene.ada.userId, ids.next()]);
    });
    expect(found).toEqual([{ table: "passages_384", columns: "passage_id", missing: "passages", rows: 1 }]);
  });

  it("are found even if another user has a row with that id", async () => {
    const found = await orphansAfter(async (tx) => {
      await tx.run("create table strays (user_id text not null, message_id uuid not null)", []);
      await tx.run("insert into strays values ($1, $3::uuid), ($2, $3::uuid)", [
        scene.ben.userId,
        scene.ada.userId,
        scene.hidden.messageId,
      ]);
    });
    expect(found).toEqual([{ table: "strays", columns: "message_id", missing: "messages", rows: 1 }]);
  });

  it("are not reported to a role that does not own the tables", async () => {
    const refusal = database.database.transaction(scene.ada.userId, async (tx) => {
      await tx.run("set local row_security = off", []);
      return findOrphans(tx);
    });
    await expect(refusal).rejects.toMatchObject({ code: "store_failed", cause: { code: "42501" } });
  });
});
