// Compactions that were made before they had ranges stand for everything from the first message on, as they did.
import { migrationsBefore, olderId as id } from "../support/earlier-migrations.ts";
import { newFolder, openPool, removeFolders } from "../support/embedded-folder.ts";

afterAll(() => removeFolders());

const rows = `
insert into users values ('ada');
insert into agents values ('ada', '${id("a")}', 'scout', 'demo', 'native', 'chat', '', '{}');
insert into conversations (user_id, id, agent_id, leaf_id, leaf_position) values ('ada', '${id("c")}', '${id("a")}', '${id("6")}', 6);
insert into conversations (user_id, id, agent_id) values ('ada', '${id("d")}', '${id("a")}');
insert into messages (user_id, id, agent_id, conversation_id, turn_id, position, author, role, kind, status, content, text, tokens, created_at)
  select 'ada', ('00000000-0000-7000-8000-00000000000' || n)::uuid, '${id("a")}', '${id("c")}', '${id("f")}', n, 'user', 'user', 'message',
    'complete', '[]', '', 10, now() + n * interval '1 hour'
  from generate_series(1, 6) n;
insert into compactions (user_id, id, agent_id, conversation_id, summary, through_id, through_position, messages, tokens_before, tokens_after, model, created_at) values
  ('ada', '${id("10")}', '${id("a")}', '${id("c")}', 'first', '${id("2")}', 2, 2, 30, 12, 'demo', now() + interval '210 minutes'),
  ('ada', '${id("11")}', '${id("a")}', '${id("c")}', 'second', '${id("4")}', 4, 4, 40, 13, null, now() + interval '1 day');`;

test("what was not kept then is told as it is now, and the newest is the one in the window", async () => {
  const folder = newFolder();
  const before = await openPool({ folder, migrationsFolder: migrationsBefore("_compaction_ranges"), idleMs: 300 });
  await before.sql.unsafe(rows);
  await before.sql.end();
  const { sql } = await openPool({ folder });
  const shared = { strategy: "recursive", from_position: 1, input_tokens: 0, dollars: null, undone_at: null };
  expect(await sql.unsafe("select * from compactions order by id")).toMatchObject([
    { ...shared, window_version: 1, through_position: 2, thread_messages: 3, range_tokens: 20, summary: "first" },
    { ...shared, window_version: 2, through_position: 4, thread_messages: 6, range_tokens: 40, summary: "second" },
  ]);
  const versions = await sql.unsafe("select window_version from conversations order by id");
  expect(versions.map((row) => row["window_version"])).toEqual([2, 0]);
});
