// Sources as they are stored: their files, what replaces what, and which agents find their passages. On the engine at hand.
import type { LoadedFile } from "../../src/store/port/source-store.ts";
import { useStore } from "../support/database.ts";
import { ids, newAgent, oddTexts } from "../support/store-builders.ts";

const { test, ada } = useStore();
let agentId: string;
let sourceId: string;
let name: string;

beforeEach(async () => {
  agentId = (await ada.agents.create(newAgent())).id;
  name = `source ${ids.next()}`;
  sourceId = await ada.sources.ensure({ id: ids.next(), name, description: null });
});

function file(path: string, texts: readonly string[], change: Partial<LoadedFile> = {}): LoadedFile {
  const passages = texts.map((text, index) => ({
    id: ids.next(),
    text,
    place: { file: path, heading: "H", lineFrom: index + 1, lineTo: index + 1 },
  }));
  return { id: ids.next(), path, kind: "text", bytes: 10, sha256: "ab", loadedAt: new Date(), passages, ...change };
}

const search = (text: string, of = agentId) =>
  ada.passages.search({ agentId: of, text, meaning: null, page: 0, pageSize: 50, now: new Date() });
const found = async (text: string) => (await search(text)).rows.map((row) => row.text);
const passagesOf = async () =>
  test.ownerRows<{ id: string; content: string }>(
    "select id, content from passages where source_id = $1::uuid order by place->>'lineFrom', id",
    [sourceId],
  );

it("a source is created once, and keeps its description unless it gets another", async () => {
  expect(await ada.sources.ensure({ id: ids.next(), name, description: "about tea" })).toBe(sourceId);
  expect(await ada.sources.ensure({ id: ids.next(), name, description: null })).toBe(sourceId);
  expect(await ada.sources.find(name)).toMatchObject({ id: sourceId, name, description: "about tea", loadedAt: null });
  expect(await ada.sources.find(sourceId)).toMatchObject({ name });
  expect(await ada.sources.find("none")).toBeNull();
});

it.each(["", "  ", "a".repeat(201), "two\nlines", "a\tb"])("%j is not a valid name for a source", async (bad) => {
  const refused = ada.sources.ensure({ id: ids.next(), name: bad, description: null });
  await expect(refused).rejects.toMatchObject({ code: "input_invalid" });
});

describe("a renamed source", () => {
  const named = (old: string) => ada.sources.find(old).then((source) => source?.name ?? null);

  it("keeps its id, its passages and the agents that search it, which cite it by the new name", async () => {
    await ada.sourceFiles.replace(sourceId, file("/a", ["Oolong"]));
    await ada.sources.attach(agentId, sourceId);
    await ada.sources.update(sourceId, { name: `${name} 2` });
    expect([await named(name), await named(`${name} 2`)]).toEqual([null, `${name} 2`]);
    expect((await search("oolong")).rows).toMatchObject([{ source: { id: sourceId, name: `${name} 2` } }]);
    await ada.sources.update(sourceId, { name: `${name} 2` });
    expect(await named(sourceId)).toBe(`${name} 2`);
  });

  it("cannot get the name of another source of the user, but other users can use it", async () => {
    const other = await ada.sources.ensure({ id: ids.next(), name: `${name} taken`, description: null });
    await expect(ada.sources.update(sourceId, { name: `${name} taken` })).rejects.toMatchObject({
      code: "source_exists",
      message: `Expected a new source name, got "${name} taken", which exists already. Choose another name, or delete that source first.`,
    });
    expect([await named(sourceId), await named(other)]).toEqual([name, `${name} taken`]);
    const bens = await test.store.as("ben").sources.ensure({ id: ids.next(), name: `${name} ben`, description: null });
    await test.store.as("ben").sources.update(bens, { name: name });
    expect((await test.store.as("ben").sources.find(name))?.id).toBe(bens);
  });

  it("gets its name before or after a concurrent rename to the same name, and one is refused", async () => {
    const other = await ada.sources.ensure({ id: ids.next(), name: `${name} other`, description: null });
    const both = await Promise.allSettled(
      [sourceId, other].map((id) => ada.sources.update(id, { name: `${name} wanted` })),
    );
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(both.find(({ status }) => status === "rejected")).toMatchObject({ reason: { code: "source_exists" } });
  });

  it.each(["", " \t", "a".repeat(201), "a".repeat(1e6), "two\nlines", "\u001b[2J"])(
    "refuses an invalid name (%#)",
    async (bad) => {
      await expect(ada.sources.update(sourceId, { name: bad })).rejects.toMatchObject({ code: "input_invalid" });
      expect(await named(sourceId)).toBe(name);
    },
  );

  it.each(["字🙂", "</human>", "%_'", "\ud800", "a".repeat(190)])("may be named %j", async (odd) => {
    const wanted = `${odd} ${agentId.slice(-8)}`;
    await ada.sources.update(sourceId, { name: wanted });
    expect(await named(wanted)).toBe(wanted.toWellFormed());
  });

  it("has to exist", async () => {
    for (const none of [ids.next(), "no uuid"])
      await expect(ada.sources.update(none, { name: name })).rejects.toMatchObject({ code: "source_not_found" });
  });
});

it("is returned with its content", async () => {
  await ada.sourceFiles.replace(sourceId, file("/b", ["one", "two"], { bytes: 5_000_000_000 }));
  await ada.sourceFiles.fail(sourceId, { ...file("/a", []), sha256: "", reason: "it is empty" });
  await ada.sources.attach(agentId, sourceId);
  const agent = await ada.agents.find(agentId);
  expect(await ada.sources.find(name)).toMatchObject({ files: 2, failed: 1, bytes: 5_000_000_010, passages: 2 });
  expect((await ada.sources.find(name))!.agents).toEqual([agent!.name]);
  expect(await ada.sourceFiles.list(sourceId)).toMatchObject([
    { path: "/a", status: "failed", reason: "it is empty", sha256: "", passages: 0 },
    { path: "/b", status: "loaded", reason: null, sha256: "ab", passages: 2, kind: "text", bytes: 5_000_000_000 },
  ]);
});

describe("a reloaded file", () => {
  it("has its new passages and no others, and keeps the rows of unchanged ones", async () => {
    expect(await ada.sourceFiles.replace(sourceId, file("/a", ["one", "two", "three"]))).toBe(3);
    const before = await passagesOf();
    expect(await ada.sourceFiles.replace(sourceId, file("/a", ["one", "2", "three", "four"]))).toBe(4);
    const after = await passagesOf();
    expect(after.map((row) => row.content)).toEqual(["one", "2", "three", "four"]);
    expect(after[0]).toEqual(before[0]);
    expect(after[2]).toEqual(before[2]);
    expect(await ada.sourceFiles.list(sourceId)).toHaveLength(1);
  });

  it("keeps its passages and their count when it fails", async () => {
    await ada.sourceFiles.replace(sourceId, file("/a", ["one", "two"]));
    await ada.sourceFiles.fail(sourceId, { ...file("/a", []), sha256: "cd", reason: "it is broken" });
    expect(await ada.sourceFiles.list(sourceId)).toMatchObject([{ status: "failed", passages: 2, sha256: "cd" }]);
    expect(await passagesOf()).toHaveLength(2);
  });

  it("that must be new is stored by one of two concurrent processes, and replaces nothing", async () => {
    const load = (word: string) => ada.sourceFiles.replace(sourceId, file("/new", [word], { isNew: true }));
    expect((await Promise.all([load("x"), load("y")])).toSorted()).toEqual([1, null]);
    const [before, files] = [await passagesOf(), await ada.sourceFiles.list(sourceId)];
    expect(await load("z")).toBeNull();
    expect([await passagesOf(), await ada.sourceFiles.list(sourceId)]).toEqual([before, files]);
  });

  it("loaded by two concurrent processes has the passages of one", async () => {
    const loads = ["x", "y"].map((word) => ada.sourceFiles.replace(sourceId, file("/a", [`${word} 1`, `${word} 2`])));
    expect(await Promise.all(loads)).toEqual([2, 2]);
    const words = (await passagesOf()).map((row) => row.content[0]);
    expect(words).toHaveLength(2);
    expect(new Set(words).size).toBe(1);
  });
});

it("two files with one text have a passage each, which is deleted with its file", async () => {
  await ada.sourceFiles.replace(sourceId, file("/a", ["same"]));
  await ada.sourceFiles.replace(sourceId, file("/b", ["same"]));
  expect(await passagesOf()).toHaveLength(2);
  expect(await ada.sourceFiles.remove(sourceId, ["/a", "/none"])).toBe(1);
  expect(await ada.sourceFiles.remove(sourceId, [])).toBe(0);
  expect(await passagesOf()).toHaveLength(1);
});

it.each(oddTexts)("a passage of %s is read as it can be stored", async (_, text) => {
  await ada.sourceFiles.replace(sourceId, file("/odd", [text]));
  const [row] = await passagesOf();
  expect(row!.content).toBe(text.toWellFormed().replaceAll("\u0000", "\uFFFD"));
});

it.each(["/字/🙂 %_'\".md", "/\ud800\u0000", `/${"a".repeat(2000)}`])("the path %j is recognized again", async (at) => {
  await ada.sourceFiles.replace(sourceId, file(at, ["one"]));
  await ada.sourceFiles.replace(sourceId, file(at, ["two"]));
  const stored = await ada.sourceFiles.list(sourceId);
  expect(stored.map(({ path }) => path)).toEqual([at.toWellFormed().replaceAll("\u0000", "\uFFFD")]);
  expect(await ada.sourceFiles.remove(sourceId, [at])).toBe(1);
});

it("a file of many passages is stored completely", async () => {
  const many = Array.from({ length: 1001 }, (_, index) => `line ${index}`);
  expect(await ada.sourceFiles.replace(sourceId, file("/many", many))).toBe(1001);
});

describe("attaching", () => {
  beforeEach(() => ada.sourceFiles.replace(sourceId, file("/docs/tea.md", ["Oolong is half oxidized"])));

  it("lets the agent find and cite the passages, and copies nothing", async () => {
    expect(await found("oolong")).toEqual([]);
    expect(await ada.sources.attach(agentId, sourceId)).toBe(true);
    expect(await ada.sources.attach(agentId, sourceId)).toBe(false);
    const place = { file: "/docs/tea.md", heading: "H", lineFrom: 1, lineTo: 1 };
    expect((await search("oolong")).rows).toMatchObject([
      { kind: "document", origin: "import", trust: "external", source: { id: sourceId, name, location: place } },
    ]);
    expect(
      await test.ownerRows("select 1 from passages where content like 'Oolong%' and agent_id is not null"),
    ).toEqual([]);
    expect(await ada.passages.count(agentId)).toBe(0);
  });

  it("applies to one agent, and can be undone", async () => {
    const other = (await ada.agents.create(newAgent())).id;
    await ada.sources.attach(agentId, sourceId);
    expect((await search("oolong", other)).rows).toEqual([]);
    expect(await ada.sources.detach(other, sourceId)).toBe(false);
    expect(await ada.sources.detach(agentId, sourceId)).toBe(true);
    expect(await ada.sources.detach(agentId, sourceId)).toBe(false);
    expect(await found("oolong")).toEqual([]);
    expect(await passagesOf()).toHaveLength(1);
  });

  it("needs an existing agent and source", async () => {
    await expect(ada.sources.attach(ids.next(), sourceId)).rejects.toMatchObject({ code: "agent_not_found" });
    await expect(ada.sources.attach(agentId, ids.next())).rejects.toMatchObject({ code: "source_not_found" });
    await expect(ada.sources.attach(agentId, "no id")).rejects.toMatchObject({ code: "source_not_found" });
  });

  it("is deleted with the source, and with the agent", async () => {
    await ada.sources.attach(agentId, sourceId);
    await ada.agents.delete(agentId);
    expect((await ada.sources.find(name))!.agents).toEqual([]);
    expect(await ada.sources.delete(sourceId)).toBe(true);
    expect(await ada.sources.delete(sourceId)).toBe(false);
    expect(await passagesOf()).toEqual([]);
    expect(await test.ownerRows("select 1 from source_files where source_id = $1::uuid", [sourceId])).toEqual([]);
  });
});

it.each(["list", "replace", "fail", "remove"] as const)("%s needs an existing source", async (operation) => {
  const calls = {
    list: () => ada.sourceFiles.list(ids.next()),
    replace: () => ada.sourceFiles.replace(ids.next(), file("/a", ["x"])),
    fail: () => ada.sourceFiles.fail(ids.next(), { ...file("/a", []), reason: "it is empty" }),
    remove: () => ada.sourceFiles.remove(ids.next(), ["/a"]),
  };
  await expect(calls[operation]()).rejects.toMatchObject({ code: "source_not_found" });
});
