// Data from before texts had a class: what people wrote is theirs, and of what nobody knows any more it is the lowest.
import { migrationsBefore, olderId as id } from "../support/earlier-migrations.ts";
import { newFolder, openPool, removeFolders } from "../support/embedded-folder.ts";

afterAll(() => removeFolders());

const rows = `
insert into users values ('ada');
insert into agents values ('ada', '${id("a")}', 'scout', 'demo', 'native', 'chat', '', '{}');
insert into modules (user_id, agent_id, label, position, scope, value, max_length, read_only, revision) values
  ('ada', '${id("a")}', 'first', 0, 'user', '', 9, false, 0),
  ('ada', '${id("a")}', 'set', 1, 'user', 'x', 9, false, 1),
  ('ada', '${id("a")}', 'written', 2, 'user', 'x', 9, false, 1),
  ('ada', '${id("a")}', 'restored', 3, 'user', '', 9, false, 2);
insert into revisions (user_id, agent_id, label, revision, before, after, origin, undoes) values
  ('ada', '${id("a")}', 'set', 1, '', 'x', 'user', null),
  ('ada', '${id("a")}', 'written', 1, '', 'x', 'model', null),
  ('ada', '${id("a")}', 'restored', 1, '', 'x', 'import', null),
  ('ada', '${id("a")}', 'restored', 2, 'x', '', 'user', 1);
insert into passages (user_id, id, agent_id, kind, tags, origin, content, search_text, content_hash) values
  ('ada', '${id("1")}', '${id("a")}', 'memory', '{}', 'user', 'said', 'said', '\\x01'),
  ('ada', '${id("2")}', '${id("a")}', 'memory', '{}', 'model', 'written', 'written', '\\x02'),
  ('ada', '${id("3")}', '${id("a")}', 'document', '{}', 'user', 'loaded', 'loaded', '\\x03'),
  ('ada', '${id("4")}', '${id("a")}', 'memory', '{}', 'import', 'imported', 'imported', '\\x04');
insert into conversations (user_id, id, agent_id) values ('ada', '${id("c")}', '${id("a")}');
insert into messages (user_id, id, agent_id, conversation_id, turn_id, position, author, role, kind, status, content, text, tokens, created_at)
  select 'ada', gen_random_uuid(), '${id("a")}', '${id("c")}', '${id("f")}', row_number() over (), author, 'user', 'message', 'complete', '[]', '', 1, now()
  from unnest(array['user', 'model', 'tool', 'runtime']) author;`;

test("classes are given to what was stored before, and none is higher than is known", async () => {
  const folder = newFolder();
  const before = await openPool({ folder, migrationsFolder: migrationsBefore("_trust"), idleMs: 300 });
  await before.sql.unsafe(rows);
  await before.sql.end();
  const { sql } = await openPool({ folder });
  const classes = async (table: string, name: string) =>
    Object.fromEntries(
      (await sql.unsafe(`select ${name} as name, trust from ${table}`)).map(({ name: key, trust }) => [key, trust]),
    );
  expect(await classes("modules", "label")).toEqual({
    first: "user",
    set: "user",
    written: "external",
    restored: "external",
  });
  expect(await classes("revisions", "label || revision")).toEqual({
    set1: "user",
    written1: "external",
    restored1: "external",
    restored2: "external",
  });
  expect(await classes("passages", "content")).toEqual({
    said: "user",
    written: "external",
    loaded: "external",
    imported: "external",
  });
  expect(await classes("messages", "author")).toEqual({
    user: "user",
    runtime: "user",
    model: "external",
    tool: "external",
  });
});
