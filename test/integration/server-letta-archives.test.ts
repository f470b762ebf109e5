// Archival memory and archives of Letta's API, driven by its official client.
import Letta from "@letta-ai/letta-client";
import { openLettaServer } from "../support/letta-server.ts";
import { useScene } from "../support/use-scene.ts";

const server = useScene(() => openLettaServer());
let client: Letta;
beforeAll(async () => ({ client } = server));

let count = 0;
const newAgent = () => client.agents.create({ name: `keeper-${(count += 1)}` });

const textsOf = async (agent: Letta.AgentState, query: Letta.Agents.PassageListParams = {}) =>
  (await client.agents.passages.list(agent.id, query)).map(({ text }) => text);

test("passages are listed from the oldest on, by cursors, by text and from the newest", async () => {
  const agent = await newAgent();
  const [first] = await client.agents.passages.create(agent.id, { text: "note 0", tags: ["n"] });
  expect(first).toMatchObject({
    text: "note 0",
    tags: ["n"],
    embedding: null,
    archive_id: `archive-${agent.id.slice(6)}`,
  });
  for (const text of ["note 1", "note 2", "other"]) await client.agents.passages.create(agent.id, { text });
  expect(await textsOf(agent)).toEqual(["note 0", "note 1", "note 2", "other"]);
  expect(await textsOf(agent, { ascending: false, limit: 2 })).toEqual(["other", "note 2"]);
  expect(await textsOf(agent, { after: first!.id!, limit: 2 })).toEqual(["note 1", "note 2"]);
  expect(await textsOf(agent, { search: "NOTE 2" })).toEqual(["note 2"]);
  expect(await client.agents.passages.delete(first!.id!, { agent_id: agent.id })).toEqual({
    message: `Memory id=${first!.id} successfully deleted`,
  });
  await expect(client.agents.passages.delete(first!.id!, { agent_id: agent.id })).rejects.toMatchObject({
    status: 404,
  });
  expect(await textsOf(agent)).toHaveLength(3);
});

test("a list has the same pages with an attached archive, which is read whole", async () => {
  const agent = await newAgent();
  const add = async (text: string, day: number): Promise<string> => {
    const created_at = `2026-03-0${day}T09:00:00Z`;
    const [passage] = await client.agents.passages.create(agent.id, { text, created_at });
    return passage!.id!;
  };
  // Not in the order of their times.
  const [third, first] = [await add("three", 3), await add("one", 1)];
  for (const [text, day] of [
    ["five", 5],
    ["two", 2],
    ["four", 4],
  ] as const)
    await add(text, day);
  const queries: readonly (readonly [Letta.Agents.PassageListParams, readonly string[]])[] = [
    [{}, ["one", "two", "three", "four", "five"]],
    [{ limit: 2 }, ["one", "two"]],
    [{ limit: 0 }, []],
    [{ ascending: false, limit: 2 }, ["five", "four"]],
    [{ after: first, limit: 2 }, ["two", "three"]],
    [{ before: third }, ["one", "two"]],
    [{ before: third, limit: 1 }, ["two"]],
    [{ after: third, ascending: false }, ["two", "one"]],
    [{ after: `passage-${agent.id.slice(6)}` }, []],
    [{ search: "O", limit: 2 }, ["one", "two"]],
  ];
  const expected = queries.map(([, texts]) => texts);
  const pages = () => Promise.all(queries.map(([query]) => textsOf(agent, query)));
  expect(await pages()).toEqual(expected);
  const archive = await client.archives.create({ name: "empty" });
  await client.agents.archives.attach(archive.id, { agent_id: agent.id });
  expect(await pages()).toEqual(expected);
});

test("a search gives the tags, the number of results and only what all or any tags match", async () => {
  const agent = await newAgent();
  await client.agents.passages.create(agent.id, { text: "a blue boat", tags: ["boat", "blue"] });
  await client.agents.passages.create(agent.id, { text: "a red boat", tags: ["boat", "red"] });
  const find = async (query: Letta.Agents.PassageSearchParams) =>
    (await client.agents.passages.search(agent.id, query)).results.map(({ content }) => content);
  expect((await find({ query: "boat" })).toSorted()).toEqual(["a blue boat", "a red boat"]);
  expect(await find({ query: "boat", top_k: 1 })).toHaveLength(1);
  expect(await find({ query: "boat", tags: ["boat", "red"], tag_match_mode: "all" })).toEqual(["a red boat"]);
  expect(await find({ query: "boat", start_datetime: "2001-01-01T00:00:00Z", end_datetime: "2001-02-01" })).toEqual([]);
  const [found] = await client.passages.search({ agent_id: agent.id, query: "red" });
  expect(found).toMatchObject({ passage: { text: "a red boat" }, score: 0 });
});

test("a search compares times with a zone to the minute, and others in the zone of the agent", async () => {
  const agent = await newAgent();
  await server.host.forUser("ada").agents.update(agent.name, { timeZone: "Asia/Tokyo" });
  await client.agents.passages.create(agent.id, { text: "a tide at nine", created_at: "2026-03-01T09:00:00Z" });
  const counts = async (range: { readonly start?: string; readonly end?: string }) => {
    const named = (suffix: string) => Object.fromEntries(Object.entries(range).map(([end, at]) => [end + suffix, at]));
    const ofAgent = await client.agents.passages.search(agent.id, { query: "tide", ...named("_datetime") });
    const everywhere = await client.passages.search({ agent_id: agent.id, query: "tide", ...named("_date") });
    return [ofAgent.results.length, everywhere.length];
  };
  for (const at of ["2026-03-01T09:00:00Z", "2026-03-01T18:00:00+09:00", "2026-03-01T18:00", "2026-03-01"])
    expect([at, ...(await counts({ start: at, end: at }))]).toEqual([at, 1, 1]);
  for (const start of ["2026-03-01T09:01:00Z", "2026-03-01T18:01:00+09:00", "2026-03-01T18:01", "2026-03-02"])
    expect([start, ...(await counts({ start }))]).toEqual([start, 0, 0]);
  for (const end of ["2026-03-01T08:59:00Z", "2026-03-01T17:59:00+09:00", "2026-03-01T17:59", "2026-02-28"])
    expect([end, ...(await counts({ end }))]).toEqual([end, 0, 0]);
});

test("a search of one archive heeds the dates, and leaves out the other archives of the agent", async () => {
  const agent = await newAgent();
  const archive = await client.archives.create({ name: "gulls" });
  await client.agents.archives.attach(archive.id, { agent_id: agent.id });
  for (const day of [1, 2, 3]) {
    const created_at = `2026-03-0${day}T09:00:00Z`;
    await client.archives.passages.create(archive.id, { text: `gull gull ${day}`, created_at });
    await client.agents.passages.create(agent.id, { text: `a gull was seen at the pier on day ${day}`, created_at });
  }
  const find = async (body: Letta.PassageSearchParams) =>
    (await client.passages.search(body)).map(({ passage }) => passage.text);
  const days = { start_date: "2026-03-02", end_date: "2026-03-03T08:59:59Z" };
  expect(await find({ archive_id: archive.id, query: "gull", ...days })).toEqual(["gull gull 2"]);
  const own = `archive-${agent.id.slice(6)}`;
  expect(await find({ archive_id: own, query: "gull", ...days })).toEqual(["a gull was seen at the pier on day 2"]);
  for (const query of ["gull", ""]) {
    const texts = await find({ archive_id: own, query, limit: 3 });
    expect(texts.toSorted()).toEqual([1, 2, 3].map((day) => `a gull was seen at the pier on day ${day}`));
  }
});

test("a search without a query lists the newest passages with the tags and between the dates", async () => {
  const agent = await newAgent();
  const archive = await client.archives.create({ name: "terns" });
  await client.agents.archives.attach(archive.id, { agent_id: agent.id });
  const add = (day: number, ...tags: readonly string[]) =>
    client.agents.passages.create(agent.id, {
      text: `tern ${day}`,
      created_at: `2026-03-0${day}T09:00:00Z`,
      tags: [...tags],
    });
  for (const [day, ...tags] of [
    [1, "a"],
    [2, "a", "b"],
    [3, "b"],
  ] as const)
    await add(day, ...tags);
  const shared = { text: "tern 4", created_at: "2026-03-04T09:00:00Z", tags: ["b"] };
  await client.archives.passages.create(archive.id, shared);
  const find = async (body: Letta.PassageSearchParams) =>
    (await client.passages.search(body)).map(({ passage }) => passage.text);
  const of = { agent_id: agent.id };
  expect(await find({ ...of, tags: ["b"] })).toEqual(["tern 4", "tern 3", "tern 2"]);
  expect(await find({ ...of, tags: ["a", "b"], tag_match_mode: "all", query: " " })).toEqual(["tern 2"]);
  expect(await find({ ...of, start_date: "2026-03-02T09:00:00Z", limit: 2 })).toEqual(["tern 4", "tern 3"]);
  expect(await find({ ...of, end_date: "2026-03-01" })).toEqual(["tern 1"]);
  expect(await find({ archive_id: archive.id, tags: ["b"] })).toEqual(["tern 4"]);
  expect(await find({ archive_id: archive.id, tags: ["a"] })).toEqual([]);
  expect((await find({ tags: ["b"] })).slice(0, 3)).toEqual(["tern 4", "tern 3", "tern 2"]);
});

test("an archive is shared by the agents that it is attached to, and deleted with its passages", async () => {
  const [one, other] = [await newAgent(), await newAgent()];
  const archive = await client.archives.create({ name: "shared", description: "d" });
  expect(await client.archives.create({ name: "shared" })).toMatchObject({ name: "shared" });
  const passage = await client.archives.passages.create(archive.id, { text: "The tide turns at six." });
  expect(passage).toMatchObject({ text: "The tide turns at six.", archive_id: archive.id });
  await client.agents.archives.attach(archive.id, { agent_id: one.id });
  expect([await textsOf(one), await textsOf(other)]).toEqual([["The tide turns at six."], []]);
  expect(
    (await client.archives.list({ agent_id: one.id }))
      .getPaginatedItems()
      .map(({ id }) => id)
      .toSorted(),
  ).toEqual([archive.id, `archive-${one.id.slice(6)}`].toSorted());
  expect(await client.archives.update(archive.id, { name: "tides" })).toMatchObject({
    name: "tides",
    description: "d",
  });
  const [found] = await client.passages.search({ archive_id: archive.id, query: "tide six" });
  expect(found!.passage.id).toBe(passage.id);
  await client.agents.archives.detach(archive.id, { agent_id: one.id });
  expect(await textsOf(one)).toEqual([]);
  await client.archives.delete(archive.id);
  await expect(client.archives.retrieve(archive.id)).rejects.toMatchObject({ status: 404 });
  await expect(client.archives.passages.create(archive.id, { text: "x" })).rejects.toMatchObject({ status: 404 });
});

test("bad input is refused, and nothing is stored", async () => {
  const agent = await newAgent();
  const send = (body: unknown) => server.ask("POST", `/v1/agents/${agent.id}/archival-memory`, body);
  for (const body of [{}, { text: "" }, { text: 7 }, { text: "x", tags: "y" }, { text: "x", created_at: "monday" }])
    expect((await send(body)).status).toBe(422);
  expect((await send({ text: "  " })).status).toBe(400);
  expect((await server.ask("GET", "/v1/archives/archive-1")).status).toBe(422);
  expect(await textsOf(agent)).toEqual([]);
});

test("what belongs to another user does not exist", async () => {
  const agent = await newAgent();
  const [passage] = await client.agents.passages.create(agent.id, { text: "mine" });
  const archive = await client.archives.create({ name: "mine" });
  const kept = await client.archives.passages.create(archive.id, { text: "kept" });
  const { secret } = await server.host.keys.create("ben", { scope: "admin" });
  const ben = new Letta({ baseURL: server.url, apiKey: secret, maxRetries: 0 });
  const own = await ben.agents.create({ name: "ben's" });
  const refused = [
    ben.agents.passages.list(agent.id),
    ben.agents.passages.create(agent.id, { text: "x" }),
    ben.agents.passages.search(agent.id, { query: "mine" }),
    ben.agents.passages.delete(passage!.id!, { agent_id: own.id }),
    ben.archives.retrieve(archive.id),
    ben.archives.update(archive.id, { name: "x" }),
    ben.archives.delete(archive.id),
    ben.archives.passages.create(archive.id, { text: "x" }),
    ben.archives.passages.delete(kept.id!, { archive_id: archive.id }),
    ben.archives.retrieve(`archive-${agent.id.slice(6)}`),
    ben.agents.archives.attach(archive.id, { agent_id: own.id }),
    ben.passages.search({ archive_id: archive.id, query: "kept" }),
    ben.passages.search({ agent_id: agent.id, query: "mine" }),
  ];
  for (const attempt of refused) await expect(attempt).rejects.toMatchObject({ status: 404 });
  expect(await ben.passages.search({ query: "mine" })).toEqual([]);
  expect((await ben.archives.list()).items).toEqual([]);
  expect(await textsOf(agent)).toEqual(["mine"]);
  expect((await client.passages.search({ archive_id: archive.id, query: "kept" })).length).toBe(1);
});
