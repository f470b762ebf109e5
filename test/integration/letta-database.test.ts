// The import of a Letta server's database: everything with its ids, repeatable, and refusals that say what was expected.
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { lettaTables, openLettaCopy } from "../support/letta-database.ts";
import { createWordEmbedder } from "../support/word-embedder.ts";
import { drain, useRuntimes } from "../support/runtime.ts";
import { useScene } from "../support/use-scene.ts";

const runtimes = useRuntimes();
const letta = useScene(() => openLettaCopy());
afterEach(() => letta.restore());

let users = 0;

async function newUser() {
  users += 1;
  const model = createScriptedModel({ replies: [{ text: "Here I am." }] });
  const runtime = await runtimes.open({ userId: `user-${users}`, model: "scripted", models: [model] });
  return { runtime, model };
}

const whole = {
  agents: 3,
  modules: 7,
  tools: 1,
  sources: 2,
  files: 1,
  conversations: 3,
  messages: 84,
  passages: 6,
  identities: 0,
};
const nothing = Object.fromEntries(Object.keys(whole).map((key) => [key, 0]));

const rowsOf = (table: string) => lettaTables[table]!.rows;
const uuidIn = (id: unknown): string => String(id).replace(/^[a-z]+-/u, "");

/** What the user has, as one value. */
async function everything(runtime: Runtime): Promise<unknown> {
  const agents = await runtime.agents.list();
  const files = await Promise.all(agents.map(({ id }) => runtime.agents.export(id)));
  return files.map(({ palimpsest }) => palimpsest);
}

test("everything is imported once, with Letta's ids, times and texts", async () => {
  const { runtime } = await newUser();
  const planned = await runtime.agents.importLetta(letta.url, { dryRun: true });
  expect(planned.counts).toEqual(whole);
  expect(await runtime.agents.count()).toBe(0);

  const { agents, counts, notes } = await runtime.agents.importLetta(letta.url);
  expect(counts).toEqual(whole);
  expect(notes).toEqual(planned.notes);
  expect(notes.toSorted()).toEqual([
    "1 passage(s) with the same text as another in the archive: not stored again.",
    'agent "dup": the name is in use, so it is called "dup-2".',
    'agents "ada\'s agent", "dup", "dup-2": openai/gpt-4o-mini needs a key: set `openaiApiKey`, or choose another `model` (demo needs none).',
  ]);
  expect(agents.map(({ id }) => id).toSorted()).toEqual(
    rowsOf("agents")
      .map(({ id }) => uuidIn(id))
      .toSorted(),
  );

  const before = await everything(runtime);
  expect(await runtime.agents.importLetta(letta.url)).toMatchObject({ counts: nothing, agents });
  expect(await runtime.agents.importLetta(letta.url, { dryRun: true })).toMatchObject({ counts: nothing });
  expect(await everything(runtime)).toEqual(before);

  const text = JSON.stringify(before);
  const said = rowsOf("messages").flatMap(({ role, content }) =>
    role === "assistant" ? (content as { type: string; text?: string }[]).flatMap((part) => part.text ?? []) : [],
  );
  expect(said.length).toBeGreaterThan(35);
  for (const one of said) expect(text).toContain(JSON.stringify(one).slice(1, -1));
  // The system prompt is the agent's, and a summary becomes a compaction.
  const messageIds = rowsOf("messages")
    .filter(({ role }) => role !== "system" && role !== "summary")
    .map(({ id }) => uuidIn(id));
  expect(messageIds.filter((id) => text.includes(id)).length).toBe(messageIds.length);
});

test("agents have their memory, passages, files, tools and conversations", async () => {
  const { runtime, model } = await newUser();
  await runtime.agents.importLetta(letta.url, { model: "scripted" });
  const ada = "ada's agent";
  expect(await runtime.agents.find(ada)).toMatchObject({
    description: "An agent",
    model: "scripted",
    tags: ["boat", "test"],
    metadata: { m: "x" },
    settings: { timeZone: "Europe/Amsterdam" },
  });
  const memory = await runtime.memory.show(ada);
  expect(memory.map(({ label, trust }) => [label, trust]).toSorted()).toEqual([
    ["human", "external"],
    ["persona", "external"],
    ["project", "external"],
  ]);
  expect(memory.find(({ label }) => label === "human")?.value).toContain("Has a blue boat called Albatros.");

  // The block that two agents hold is one module.
  await runtime.memory.edit(ada, "project", { append: "Moved." });
  expect((await runtime.memory.show("dup")).find(({ label }) => label === "project")?.value).toMatch(/Moved\.$/);

  const mooring = await runtime.archival.search(ada, "mooring");
  expect(mooring.hits.map(({ text, tags }) => ({ text, tags }))).toEqual([
    { text: "The mooring costs 120 euro per month.", tags: ["money"] },
  ]);
  for (const agent of ["dup", "dup-2"]) {
    const found = await runtime.archival.search(agent, "lighthouse");
    expect(found.hits[0]?.text).toBe("Shared: the lighthouse blinks twice.");
  }
  const log = await runtime.archival.search(ada, "compass fog");
  expect(log.hits[0]?.text).toContain("off by four degrees");
  const [file] = await runtime.sources.files("logbooks");
  expect(file).toMatchObject({ id: uuidIn(rowsOf("files")[0]!["id"]), path: "log.txt" });

  expect(await runtime.tools.ofAgent(ada)).toMatchObject([{ name: "add_numbers", agentRequiresApproval: true }]);
  const talks = await runtime.conversations.list(ada);
  expect(talks.map(({ id }) => id).toSorted()).toEqual(
    [uuidIn(rowsOf("conversations")[0]!["id"]), (await runtime.agents.find(ada)).id].toSorted(),
  );

  const agent = await runtime.agents.open(ada, { conversation: { id: uuidIn(rowsOf("conversations")[0]!["id"]) } });
  await drain(agent.send("Go on."));
  const sent = JSON.stringify(model.requests.at(-1)?.messages);
  expect(sent).toContain("In this conversation we spoke of Texel.");
  expect(sent).not.toContain("harbour");
});

test("an import that was stopped goes on, and takes what Letta got since", async () => {
  const { runtime } = await newUser();
  const stop = new AbortController();
  const stopped = runtime.agents.importLetta(letta.url, {
    signal: stop.signal,
    onProgress: ({ agentsDone }) => agentsDone === 1 && stop.abort(new Error("Stopped here.")),
  });
  await expect(stopped).rejects.toThrow("Stopped here.");
  expect(await runtime.agents.count()).toBeLessThan(3);

  await letta.run(`insert into archival_passages select * from jsonb_populate_record(null::archival_passages,
    (select to_jsonb(p) || '{"id": "passage-00000000-0000-4000-8000-000000000001", "text": "New since."}'
     from archival_passages p where p.text like 'The mooring%'))`);
  await runtime.agents.importLetta(letta.url);
  const other = await newUser();
  await other.runtime.agents.importLetta(letta.url);
  const [one, two] = [await everything(runtime), await everything(other.runtime)];
  const plain = (value: unknown) => JSON.stringify(value).replaceAll(/"(?:loadedAt|at)":"2026[^"]+"/gu, "");
  expect(JSON.stringify(one)).toContain("New since.");
  expect(plain(one).length).toBe(plain(two).length);
});

test("a call that waited at the first import has its result and what followed after the next one", async () => {
  const { runtime } = await newUser();
  await letta.run("delete from messages where sequence_id >= 88");
  await runtime.agents.importLetta(letta.url);
  const id = (await runtime.conversations.list("ada's agent")).find(({ title }) => title === null)!.id;
  const last = async () => (await runtime.conversations.messages(id)).messages.at(-1);
  expect((await last())?.calls[0]?.result?.text).toMatch(/^This call was not run/u);
  await letta.restore();
  await runtime.agents.importLetta(letta.url);
  expect((await last())?.text).toMatch(/^Done: .*"5"/su);
  const { messages } = await runtime.conversations.messages(id);
  expect(messages.at(-2)?.calls[0]).toMatchObject({ status: "ok", result: { text: "5" } });
});

test("what goes on here after an import stays, and names in use are not taken", async () => {
  const { runtime } = await newUser();
  await runtime.agents.create({ name: "dup", human: "Someone else." });
  await runtime.sources.create("logbooks");
  const { notes } = await runtime.agents.importLetta(letta.url, { model: "scripted" });
  expect(notes).toContain('source "logbooks": the name is in use, so it is called "logbooks-2".');
  expect((await runtime.agents.list()).map(({ name }) => name).toSorted()).toEqual([
    "ada's agent",
    "dup",
    "dup-2",
    "dup-3",
  ]);
  expect((await runtime.sources.show("logbooks-2")).files).toBe(1);

  const agent = await runtime.agents.open("dup-2");
  await drain(agent.send("I am here now."));
  await runtime.agents.setDetails("dup-3", { name: "renamed" });
  const again = await runtime.agents.importLetta(letta.url);
  expect(again.counts).toEqual(nothing);
  expect(again.agents.map(({ name }) => name)).toContain("renamed");
  const found = await runtime.conversations.list("dup-2");
  expect((await runtime.conversations.messages(found[0]!.id)).messages.at(-1)?.text).toBe("Here I am.");
});

test("vectors of the embedder that the runtime has are kept, and no others are made again", async () => {
  const embedder = createWordEmbedder("openai/words", 3);
  users += 1;
  const runtime = await runtimes.open({ userId: `user-${users}`, model: "demo", embedder });
  const config = '{"embedding_endpoint_type": "openai", "embedding_model": "words", "embedding_dim": 3}';
  await letta.run(`update archival_passages set embedding = '[0,1,0,0,0]', embedding_config = '${config}'`);
  await letta.run(
    `update archival_passages set embedding_config = '{"embedding_model": "other"}' where text like '%ferry%'`,
  );
  await runtime.agents.importLetta(letta.url, { model: "demo" });
  await runtime.idle();
  expect(embedder.made).toContain("Shared: the ferry leaves at noon.");
  for (const kept of ["The mooring costs 120 euro per month.", "Shared: the lighthouse blinks twice."]) {
    expect(embedder.made).not.toContain(kept);
    const agent = kept.startsWith("Shared") ? "dup" : "ada's agent";
    const found = await runtime.archival.search(agent, kept);
    expect(found.hits.find(({ text }) => text === kept)?.explanation.meaning?.cosine).toBeDefined();
  }
});

test("identities keep their ids and their agents, and a key in use is not taken", async () => {
  const { runtime } = await newUser();
  const id = "00000000-0000-4000-8000-00000000000a";
  const [agent] = rowsOf("agents");
  await letta.run(`insert into identities values
    ('identity-${id}', 'ada@x', 'Ada', 'user', '[{"key": "age", "type": "number", "value": 36}]', now(), false),
    ('identity-00000000-0000-4000-8000-00000000000b', 'taken', 'B', 'planet', null, now(), false)`);
  await letta.run(
    `insert into identities_agents (identity_id, agent_id) values ('identity-${id}', '${String(agent!["id"])}')`,
  );
  await runtime.identities.create({ key: "taken", name: "Mine" });
  const { counts, notes } = await runtime.agents.importLetta(letta.url);
  expect(counts.identities).toBe(1);
  expect(notes).toContain('identity "taken": your identity with this key was kept.');
  expect(await runtime.identities.find(id)).toMatchObject({
    key: "ada@x",
    kind: "user",
    properties: [{ key: "age", type: "number", value: 36 }],
  });
  const { extensions } = await runtime.agents.find(uuidIn(agent!["id"]));
  expect(extensions).toMatchObject({ letta: { identity_ids: [id] } });
  expect((await runtime.agents.importLetta(letta.url)).counts.identities).toBe(0);
});

test("parts that cannot be moved are reported", async () => {
  const { runtime } = await newUser();
  await letta.run("insert into mcp_server (id, is_deleted) values ('m', false), ('n', true)");
  await letta.run("insert into groups (id, is_deleted) values ('g', false)");
  await letta.run("update file_contents set text = null");
  await letta.run("update block set label = 'the human!' where label = 'human'");
  const { notes, counts } = await runtime.agents.importLetta(letta.url);
  expect(notes).toContain("1 MCP server(s): not moved.");
  expect(notes).toContain("1 group(s) of agents: not moved.");
  expect(notes).toContain('file "log.txt": the database does not have its text.');
  expect(counts.files).toBe(0);
  expect((await runtime.memory.show("dup")).map(({ label }) => label)).toContain("the_human_");
});

test("the text of a file is loaded whatever the name says, and a file that cannot be loaded stops nothing", async () => {
  const { runtime } = await newUser();
  const logbooks = String(rowsOf("sources")[0]!["id"]);
  const other = "source-00000000-0000-4000-8000-0000000000ff";
  await letta.run(`insert into sources (id, name, is_deleted) values ('${other}', 'odd', false)`);
  const files = [
    [logbooks, "logbooks/report.pdf", "report.pdf", "The rudder was replaced in June."],
    [logbooks, "logbooks/plan.docx", "plan.docx", "Sail to Madeira in May."],
    [logbooks, "logbooks/log_(1).txt", "log.txt", "On 4 May we sailed back."],
    [other, "odd/a:b.txt", "a:b.txt", "not loaded"],
  ] as const;
  for (const [index, [source, name, original, text]] of files.entries()) {
    const id = `file-00000000-0000-4000-8000-00000000000${index}`;
    await letta.run(`insert into files (id, source_id, file_name, original_file_name, is_deleted)
      values ('${id}', '${source}', '${name}', '${original}', false)`);
    await letta.run(
      `insert into file_contents (id, file_id, text, is_deleted) values ('c${index}', '${id}', '${text}', false)`,
    );
  }
  const { counts, notes } = await runtime.agents.importLetta(letta.url);
  expect(counts).toEqual({ ...whole, sources: 3, files: 4 });
  expect(notes).toContain('file "a:b.txt": its name is not a relative path with / as separator.');
  const stored = await runtime.sources.files("logbooks");
  expect(stored.map(({ path, status }) => [path, status])).toEqual(
    ["log.txt", "log_(1).txt", "plan.docx", "report.pdf"].map((name) => [name, "loaded"]),
  );
  for (const [, , , text] of files.slice(0, 3))
    expect((await runtime.archival.search("ada's agent", text)).hits[0]!.text).toContain(text);
  expect(await runtime.agents.importLetta(letta.url)).toMatchObject({ counts: nothing });
});

test("labels that are reduced to one label stay apart, at each import", async () => {
  const { runtime } = await newUser();
  await letta.run("update block set label = '2024_plan' where label = 'human'");
  await letta.run("update block set label = '2025_plan' where label = 'persona'");
  await letta.run("update block set label = 'plan' where label = 'project'");
  const { notes } = await runtime.agents.importLetta(letta.url);
  const memory = await runtime.memory.show("ada's agent");
  expect(memory.map(({ label }) => label).toSorted()).toEqual(["plan", "plan_49b669c1", "plan_6567142a"]);
  const renamed = (label: string, to: string) =>
    `label "${label}": another block would have the same label here, so it is called "${to}".`;
  expect(notes).toEqual(
    expect.arrayContaining([renamed("2024_plan", "plan_49b669c1"), renamed("2025_plan", "plan_6567142a")]),
  );
  expect(await runtime.agents.importLetta(letta.url)).toMatchObject({ counts: nothing });
});

test("an agent that the store refuses is named, and what came before is counted", async () => {
  const { runtime } = await newUser();
  const [{ id: agent } = {}, { id: block } = {}] = [rowsOf("agents")[0], rowsOf("block").at(-1)];
  await letta.run(`insert into blocks_agents values ('${String(agent)}', '${String(block)}', 'human')`);
  await expect(runtime.agents.importLetta(letta.url)).rejects.toMatchObject({
    code: "import_invalid",
    message: expect.stringMatching(
      /^Cannot import: agent "dup-2": The database refuses a row .+ does not exist\. Stored before the error: 2 agents, 7 modules/,
    ) as string,
  });
});

const refused: readonly (readonly [string, string, RegExp])[] = [
  ["another program's database", "drop table alembic_version", /expected a database of Letta's server/],
  [
    "another version",
    "update alembic_version set version_num = 'abc'",
    /expected the schema .+ of Letta 0\.16\.8, got abc/,
  ],
  ["a missing table", "drop table archives_agents", /cannot be read \(relation "archives_agents" does not exist\)/],
  [
    "a row of another shape",
    `update block set value = null where label = 'project'`,
    /blocks\[\d+\]\.value: expected string/,
  ],
];

test.each(refused)("%s is refused, and nothing is stored", async (_, change, message) => {
  const { runtime } = await newUser();
  await letta.run(change);
  await expect(runtime.agents.importLetta(letta.url)).rejects.toMatchObject({
    code: "import_invalid",
    message: expect.stringMatching(new RegExp(`${message.source}.*\\. Nothing was stored\\.$`)) as string,
  });
  expect(await runtime.agents.count()).toBe(0);
});

test("a fault that is met later says what was stored before it, and that a dry run stored nothing", async () => {
  const { runtime } = await newUser();
  await letta.run("update messages set role = null");
  const message = (kept: string) => ({ message: expect.stringMatching(new RegExp(`messages\\[0\\].*\\. ${kept}$`)) });
  const trial = runtime.agents.importLetta(letta.url, { dryRun: true });
  await expect(trial).rejects.toMatchObject(message("Nothing was stored\\."));
  const kept = "Stored before the error: 1 agent, 7 modules, 1 tool, 2 sources, 1 file, 2 passages\\.";
  await expect(runtime.agents.importLetta(letta.url)).rejects.toMatchObject(message(kept));
  expect(await runtime.agents.count()).toBe(1);
});

test("a database that cannot be reached is refused", async () => {
  const { runtime } = await newUser();
  for (const [url, message] of [
    ["postgresql://letta@127.0.0.1:1/letta", /cannot be read \(.*ECONNREFUSED/],
    ["postgresql://letta@no-such-host.invalid/letta", /cannot be read \(.*no-such-host/],
    ["letta", /cannot be read/],
    ["http://127.0.0.1/letta", /cannot be read/],
  ] as const) {
    await expect(runtime.agents.importLetta(url)).rejects.toMatchObject({
      code: "import_invalid",
      message: expect.stringMatching(new RegExp(`${message.source}.*\\. Nothing was stored\\.$`)) as string,
    });
  }
});
