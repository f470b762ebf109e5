// Passages of a source that belong to no file, and what describes a source.
import { composeRuntime } from "../../src/runtime/compose/compose.ts";
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import { useStore } from "../support/database.ts";

const { test: opened } = useStore();

async function newRuntime(userId = "ada") {
  const models = [createScriptedModel({ replies: [] })];
  return composeRuntime({ model: "scripted", models, embedder: null, userId }, { store: opened.store });
}

test("a source is created empty, described, renamed, and keeps what front ends store with it", async () => {
  const { sources } = await newRuntime();
  const extensions = { shelf: { colour: "red" } };
  expect(await sources.create("notes", { description: "about boats", metadata: { a: 1 }, extensions })).toMatchObject({
    name: "notes",
    description: "about boats",
    metadata: { a: 1 },
    extensions,
    files: 0,
    passages: 0,
  });
  expect(await sources.update("notes", { name: "boats", description: null, metadata: {} })).toMatchObject({
    name: "boats",
    description: null,
    metadata: {},
    extensions,
  });
  await expect(sources.create("boats")).rejects.toMatchObject({ code: "source_exists" });
  await expect(sources.create(" ")).rejects.toMatchObject({ code: "input_invalid" });
  await expect(sources.update("notes", { description: "x" })).rejects.toMatchObject({ code: "source_not_found" });
  await expect(sources.create("x", { descripton: "x" } as never)).rejects.toMatchObject({ code: "input_invalid" });
});

test("its passages are found by the agents that it is attached to, once each, and by no other user", async () => {
  const { sources, archival, agents } = await newRuntime();
  await agents.create({ name: "skipper", persona: "", human: "" });
  await sources.create("log");
  const first = await sources.add("log", "The mooring is number 12.", { tags: ["harbour"] });
  expect(await sources.add("log", "The mooring is number 12.")).toEqual({ id: first.id, isNew: false });
  const both = await Promise.all([1, 2].map(() => sources.add("log", "The anchor is a Bruce.")));
  expect(new Set(both.map(({ id }) => id)).size).toBe(1);
  expect(both.filter(({ isNew }) => isNew)).toHaveLength(1);
  await expect(sources.add("log", " ")).rejects.toMatchObject({ code: "input_invalid" });
  expect((await archival.search("skipper", "mooring")).total).toBe(0);
  await sources.attach("skipper", "log");
  expect((await archival.search("skipper", "mooring")).hits).toEqual([
    expect.objectContaining({ id: first.id, trust: "user", tags: ["harbour"], source: { name: "log" } }),
  ]);
  expect((await sources.passages("log")).map(({ text }) => text)).toEqual([
    "The anchor is a Bruce.",
    "The mooring is number 12.",
  ]);
  expect(await sources.setPassageTags("log", first.id, ["pier", "harbour", "pier"])).toBe(true);
  expect((await archival.search("skipper", "mooring", { tags: ["pier"] })).hits[0]?.tags).toEqual(["pier", "harbour"]);
  expect(await archival.setTags("skipper", first.id, [])).toBe(false);
  await expect(sources.setPassageTags("log", first.id, [" "])).rejects.toMatchObject({ code: "input_invalid" });
  const other = await newRuntime("bob");
  await expect(other.sources.passages("log")).rejects.toMatchObject({ code: "source_not_found" });
  expect(await sources.deletePassage("log", first.id)).toBe(true);
  expect(await sources.deletePassage("log", first.id)).toBe(false);
  expect((await sources.show("log")).passages).toBe(1);
  expect((await archival.search("skipper", "mooring")).total).toBe(0);
});

test("a file is removed by its path, with its passages", async () => {
  const { sources } = await newRuntime();
  await sources.load("charts", [{ name: "north.md", data: "The buoy at the north end is green." }]);
  const { id } = await sources.show("charts");
  // By its id, as every function that takes a source.
  expect((await sources.load(id, [{ name: "south.md", data: "The south end is red." }])).source.id).toBe(id);
  expect((await sources.list()).filter(({ name }) => name === id)).toEqual([]);
  expect(await sources.removeFile(id, (await sources.files(id))[1]!.path)).toBe(true);
  const [file] = await sources.files("charts");
  expect(await sources.removeFile("charts", `${file!.path}.old`)).toBe(false);
  expect(await sources.removeFile("charts", file!.path)).toBe(true);
  expect(await sources.show("charts")).toMatchObject({ files: 0, passages: 0 });
});

test("the archive of an agent tells the id of a text that it has already", async () => {
  const { archival, agents } = await newRuntime();
  await agents.create({ name: "clerk", persona: "", human: "" });
  const { id, isNew } = await archival.add("clerk", "Stamps are in the drawer.");
  expect(isNew).toBe(true);
  expect(await archival.add("clerk", "Stamps are in the drawer.")).toEqual({ id, isNew: false });
});
