// No table shows a user another user's rows or lets them be written, asked by bare SQL in the runtime's role: the policies
// alone, without the filters of the store. The list of tables is the database's own. On the engine at hand.
import { failureOf, openScene, rowsOfAda, secret, tablesOf, withoutUser } from "../support/isolation-scene.ts";
import { ids, newAgent } from "../support/store-builders.ts";
import { useScene } from "../support/use-scene.ts";
import { words } from "../support/words.ts";

const scene = useScene(() => openScene());
let tables: readonly string[];

beforeAll(async () => (tables = await tablesOf(scene)));

type Row = Readonly<Record<string, unknown>>;

/** What `ask` answers for each table, by name. */
async function eachTable<Answer>(ask: (table: string) => Promise<Answer>): Promise<Record<string, Answer>> {
  const answers: Record<string, Answer> = {};
  for (const table of tables) answers[table] = await ask(table);
  return answers;
}

const same = <Answer>(answer: Answer): Record<string, Answer> =>
  Object.fromEntries(tables.map((table) => [table, answer]));

const asUser = (userId: string, statement: string, parameters: readonly string[] = []): Promise<readonly Row[]> =>
  scene.database.transaction(userId, (tx) => tx.run<Row>(statement, parameters));

async function columnsOf(table: string): Promise<readonly string[]> {
  const rows = await scene.test.ownerRows<{ readonly name: string }>(
    "select column_name as name from information_schema.columns where table_schema = current_schema() and table_name = $1 and is_generated = 'NEVER'",
    [table],
  );
  return rows.map(({ name }) => name);
}

/** Inserts a row of a user's as another, with changes. */
async function insertAs(userId: string, table: string, change: Row): Promise<string | null> {
  const [owned] = await scene.test.ownerRows<{ readonly row: Row }>(
    `select to_jsonb(t) as row from "${table}" t where user_id = 'ada' or to_jsonb(t) ->> 'owner_id' = 'ada' limit 1`,
  );
  const row: Row = typeof owned!.row === "string" ? (JSON.parse(owned!.row) as Row) : owned!.row;
  const present = Object.fromEntries(Object.entries(change).filter(([column]) => column in row));
  const columns = (await columnsOf(table)).map((name) => `"${name}"`).join(", ");
  return failureOf(
    asUser(
      userId,
      `insert into "${table}" (${columns}) select ${columns} from jsonb_populate_record(null::"${table}", $1::text::jsonb)`,
      [JSON.stringify({ ...row, ...present })],
    ),
  );
}

/** The tables whose rows name an agent. */
async function tablesWithAgent(): Promise<readonly string[]> {
  const named: string[] = [];
  for (const table of tables) if ((await columnsOf(table)).includes("agent_id")) named.push(table);
  return named;
}

/** The tables in which the foreign key to the conversation says which agent a row may name. */
const settledByConversation: readonly string[] = words(
  "agent_messages attachments compactions inputs messages steps turn_events turns",
);

/** How a row that names the wrong agent is refused: by that foreign key, or by the policy. */
const refusals = (named: readonly string[]): Record<string, string> =>
  Object.fromEntries(named.map((table) => [table, settledByConversation.includes(table) ? "23503" : "42501"]));

/** What makes a row Ben's, in his conversation, with an agent. */
function bensRow(agentId: string): Row {
  const { conversationId: conversation_id, messageId: message_id } = scene.bens;
  return { user_id: "ben", owner_id: "ben", conversation_id, message_id, agent_id: agentId };
}

/** Tables that no policy protects from the runtime's role, or that its role is not bound by. It may not read a partition by its name. */
async function unprotected(): Promise<readonly string[]> {
  const rows = await scene.test.ownerRows<{ readonly name: string }>(`
    select c.relname as name from pg_class c
    where c.relkind in ('r', 'p') and c.relnamespace = current_schema()::regnamespace and not (c.relispartition
      and not has_table_privilege('palimpsest_runtime', c.oid, 'select, insert, update, delete, truncate')) and not (c.relrowsecurity
      and exists (select from pg_policies p where p.schemaname = current_schema() and p.tablename = c.relname
        and p.roles = '{palimpsest_runtime}' and p.cmd = 'ALL' and p.qual is not null and p.with_check is not null))`);
  return rows.map(({ name }) => name);
}

describe("every table", () => {
  it("contains rows of Ada's, so that the tests below can find some", async () => {
    expect(tables.length).toBeGreaterThanOrEqual(13);
    const counts = await eachTable(async (table) => {
      const owned = `select from "${table}" t where user_id = 'ada' or to_jsonb(t) ->> 'owner_id' = 'ada'`;
      return (await scene.test.ownerRows(owned)).length > 0;
    });
    expect(counts).toEqual(same(true));
  });

  it("has row-level security and policies for reading and writing, and a table without them is detected", async () => {
    expect(await unprotected()).toEqual([]);
    await scene.test.ownerRows("create table forgotten (user_id text not null)");
    expect(await unprotected()).toEqual(["forgotten"]);
    await scene.test.ownerRows("alter table forgotten enable row level security");
    expect(await unprotected()).toEqual(["forgotten"]);
    await scene.test.ownerRows("drop table forgotten");
  });

  it("is empty without a user, and cannot be written", async () => {
    const before = await rowsOfAda(scene);
    const count = (statement: string) => withoutUser(scene, async (tx) => (await tx.run(statement, [])).length);
    expect(await eachTable((table) => count(`select from "${table}"`))).toEqual(same(0));
    expect(await eachTable((table) => count(`update "${table}" set user_id = user_id returning 1`))).toEqual(same(0));
    expect(await eachTable((table) => count(`delete from "${table}" returning 1`))).toEqual(same(0));
    const insert = (table: string) =>
      failureOf(withoutUser(scene, (tx) => tx.run(`insert into "${table}" (user_id) values ('')`, [])));
    expect(await eachTable(insert)).toEqual(same("42501"));
    expect(await rowsOfAda(scene)).toEqual(before);
  });

  it("shows a stranger no row of another user", async () => {
    const others = (table: string) => asUser("eve", `select * from "${table}" where user_id <> 'eve'`);
    expect(await eachTable(others)).toEqual(same([]));
  });

  it("shows a recipient only the shared agent, its own modules and the grant", async () => {
    const seen = await eachTable((table) => asUser("ben", `select * from "${table}" where user_id <> 'ben'`));
    expect(seen).toEqual({
      ...same([]),
      agents: [expect.objectContaining({ id: scene.shared.agentId })],
      agent_modules: [expect.objectContaining({ agent_id: scene.shared.agentId, scope: "agent" })],
      modules: [expect.objectContaining({ label: "persona" })],
    });
    expect(JSON.stringify(seen)).not.toContain(secret);
    const grants = await asUser("ben", "select user_id, agent_id, owner_id from grants");
    expect(grants).toEqual([{ user_id: "ben", agent_id: scene.shared.agentId, owner_id: "ada" }]);
    expect(await asUser("ada", "select user_id from grants order by user_id")).toEqual(
      ["ada", "ada", "ben"].map((user_id) => ({ user_id })),
    );
  });

  it.each(["ben", "eve"])("lets %s change and delete none of Ada's rows", async (userId) => {
    const before = await rowsOfAda(scene);
    const count = async (statement: string) => (await asUser(userId, statement)).length;
    const theirs = `user_id <> '${userId}' returning 1`;
    expect(await eachTable((table) => count(`update "${table}" set user_id = '${userId}' where ${theirs}`))).toEqual(
      same(0),
    );
    expect(await eachTable((table) => count(`delete from "${table}" where ${theirs}`))).toEqual(same(0));
    expect(await asUser(userId, "update grants set owner_id = owner_id returning 1")).toEqual([]);
    expect(await asUser(userId, "delete from grants returning 1")).toEqual([]);
    expect(await asUser(userId, "delete from offers returning 1")).toEqual([]);
    expect(await rowsOfAda(scene)).toEqual(before);
  });

  it.each(["ben", "eve"])("lets %s insert nothing under Ada's name", async (userId) => {
    const before = await rowsOfAda(scene);
    expect(await eachTable((table) => insertAs(userId, table, {}))).toEqual(same("42501"));
    expect(await rowsOfAda(scene)).toEqual(before);
  });
});

describe("a user's own row", () => {
  it("cannot name an agent that is neither the user's nor shared", async () => {
    const refused: Record<string, string | null> = {};
    const named = await tablesWithAgent();
    for (const table of named) refused[table] = await insertAs("ben", table, bensRow(scene.hidden.agentId));
    expect(named.length).toBeGreaterThanOrEqual(11);
    expect(refused).toEqual(refusals(named));
  });

  it("cannot be an agent of the id of an agent that another user shares or offers", async () => {
    const takenOver = { user_id: "ben", name: "taken over" };
    expect(await insertAs("ben", "agents", { ...takenOver, id: scene.shared.agentId })).toBe("42501");
    const offered = { user_id: "someone", name: "taken over", id: scene.hidden.agentId };
    expect(await insertAs("someone", "agents", offered)).toBe("42501");
  });

  it("can be an agent of the id of an unknown agent, which changes nothing for its owner and other users", async () => {
    const before = await rowsOfAda(scene);
    const [id, user_id] = [scene.shared.agentId, "eve"];
    const own = { user_id, agent_id: id, owner_id: user_id };
    expect(await insertAs(user_id, "agents", { user_id, id, name: "twin" })).toBeNull();
    expect(await insertAs(user_id, "grants", own)).toBeNull();
    const injected = { ...own, id, module_id: id, label: "injected", scope: "agent" };
    for (const table of ["modules", "agent_modules"]) expect(await insertAs(user_id, table, injected)).toBeNull();
    for (const to of ["ben", "someone"]) await asUser(user_id, `select share_agent('${id}', '${to}')`);
    expect(await asUser("ben", "select id, user_id from agents where user_id <> 'ben'")).toEqual([
      { id, user_id: "ada" },
    ]);
    for (const table of ["modules", "agent_modules"])
      expect(await asUser("ben", `select from ${table} where label = 'injected'`)).toEqual([]);
    expect(await asUser("ben", "select owner_id from offers")).toEqual([]);
    expect(await asUser("someone", `select owner_id from offers where agent_id = '${id}'`)).toEqual([
      { owner_id: user_id },
    ]);
    expect(await asUser(user_id, `select unshare_agent('${id}', 'ben') as ended`)).toEqual([{ ended: false }]);
    await asUser(user_id, `delete from agents where id = '${id}'`);
    expect(await asUser("someone", `select from offers where agent_id = '${id}'`)).toEqual([]);
    expect(await rowsOfAda(scene)).toEqual(before);
    expect(await scene.ben.agents.find(id)).toMatchObject({ id, ownerId: "ada" });
  });

  it("cannot name a usable agent if its conversation is with another agent", async () => {
    const { id } = await scene.ben.agents.create(newAgent({ name: "ben's own" }));
    const named: Record<string, string | null> = {};
    for (const table of settledByConversation) named[table] = await insertAs("ben", table, bensRow(id));
    expect(named).toEqual(refusals(settledByConversation));
  });

  it("can name the agent of its conversation, so the refused rows had no other fault", async () => {
    for (const table of settledByConversation) {
      expect([table, await insertAs("ben", table, bensRow(scene.shared.agentId))]).toEqual([table, null]);
    }
  });

  it("cannot be moved to such an agent, or to another user", async () => {
    const moved: Record<string, string | null> = {};
    for (const table of await tablesWithAgent()) {
      // Ben has no offer, and no grant that has ended: no other row can be changed.
      if (table === "grants" || table === "offers") continue;
      const to = (change: string) => failureOf(asUser("ben", `update "${table}" set ${change} where user_id = 'ben'`));
      moved[table] = await to(`agent_id = '${scene.hidden.agentId}'`);
      expect([table, await to("user_id = 'ada'")]).toEqual([table, "42501"]);
    }
    expect(moved).toEqual(refusals(Object.keys(moved)));
  });

  it("cannot be an agent module of another user's agent", async () => {
    const own = { user_id: "ben", owner_id: "ben", agent_id: scene.shared.agentId };
    const injected = { ...own, id: scene.shared.agentId, module_id: scene.shared.agentId, label: "injected" };
    expect(await insertAs("ben", "modules", injected)).toBeNull();
    expect(await insertAs("ben", "agent_modules", { ...injected, scope: "agent" })).toBe("42501");
    expect(await insertAs("ben", "agent_modules", { ...injected, scope: "user" })).toBeNull();
    const promote = "update agent_modules set scope = 'agent' where user_id = 'ben' and label = 'injected'";
    expect(await failureOf(asUser("ben", promote))).toBe("42501");
  });

  it.each(["grants", "offers"])(
    "cannot be one of %s for another user, nor of an agent of another user",
    async (table) => {
      const eves = { user_id: "eve", agent_id: scene.shared.agentId };
      expect(await insertAs("ben", table, { ...eves, owner_id: "ben" })).toBe("42501");
      expect(await insertAs("ben", table, { ...eves, owner_id: "ada" })).toBe("42501");
      expect(await insertAs("ada", table, { ...eves, owner_id: "ada" })).toBe("42501");
      const bens = { user_id: "ben", agent_id: scene.hidden.agentId };
      expect(await insertAs("ben", table, { ...bens, owner_id: "ben" })).toBe("42501");
      expect(await insertAs("ben", table, { ...bens, owner_id: "ada" })).toBe("42501");
    },
  );
});

describe("an offer", () => {
  it("is visible to the owner and the recipient, and gives the recipient no other row", async () => {
    const { id } = await scene.ada.agents.create(newAgent({ name: "offered", systemPrompt: secret }));
    await scene.ada.agents.share(id, "ben");
    const offered = `where agent_id = '${id}'`;
    for (const userId of ["ada", "ben"]) expect(await asUser(userId, `select from offers ${offered}`)).toHaveLength(1);
    expect(await asUser("eve", `select from offers ${offered}`)).toEqual([]);
    expect(await asUser("ben", `select from agents where id = '${id}'`)).toEqual([]);
    expect(await asUser("ben", `select from agent_modules ${offered}`)).toEqual([]);
    expect(await asUser("eve", `delete from offers ${offered} returning 1`)).toEqual([]);
    expect(await failureOf(asUser("ben", `update offers set owner_id = 'ben' ${offered}`))).toBe("42501");
    // No row of the user's can name the agent before the offer is accepted, whatever the policies say.
    await expect(scene.ben.conversations.create({ id: ids.next(), agentId: id })).rejects.toMatchObject({
      code: "agent_not_found",
    });
    expect(await insertAs("ben", "conversations", bensRow(id))).toBe("42501");
    await scene.ada.agents.delete(id);
  });
});
