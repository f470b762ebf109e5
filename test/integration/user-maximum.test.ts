// What one user may store: agents and files. What exceeds it is refused before anything is written, and other users are not concerned.
import { readFileSync } from "node:fs";
import { composeRuntime } from "../../src/runtime/compose/compose.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import { useStore } from "../support/database.ts";

const { test: opened } = useStore();
let users = 0;

const empty = { persona: "", human: "" };

async function openUser(): Promise<Runtime> {
  users += 1;
  const models = [createScriptedModel({ replies: [] })];
  const limits = { maxUserAgents: 2, maxUserFiles: 3 };
  const userId = `bounded-${users}`;
  return composeRuntime({ model: "scripted", models, embedder: null, userId, ...limits }, { store: opened.store });
}

const refused = (setting: string) => ({
  code: "user_limit_reached",
  message: expect.stringMatching(
    new RegExp(`^A user may have at most \\d .*\\(\`${setting}\`\\), .*Nothing was written\\.$`, "u"),
  ),
});

it("refuses an agent too many, however it comes", async () => {
  const runtime = await openUser();
  await runtime.agents.create({ name: "one", ...empty });
  const file = await runtime.agents.export("one");
  await runtime.agents.open("two", { create: empty });
  await expect(runtime.agents.create({ name: "three", ...empty })).rejects.toMatchObject(refused("maxUserAgents"));
  await expect(runtime.agents.open("three", { create: empty })).rejects.toMatchObject(refused("maxUserAgents"));
  await expect(runtime.agents.import(file, { name: "three" })).rejects.toMatchObject(refused("maxUserAgents"));
  expect((await runtime.agents.list()).map(({ name }) => name)).toEqual(["one", "two"]);
  await runtime.agents.delete("two");
  expect((await runtime.agents.import(file, { name: "three" })).agents).toHaveLength(1);
  const other = await openUser();
  await other.agents.create({ name: "one", ...empty });
  for (const one of [runtime, other]) await one.close();
});

it("refuses files too many in all sources together, but not those that are loaded again", async () => {
  const runtime = await openUser();
  const files = (...names: readonly string[]) =>
    names.map((name) => ({ name, data: Buffer.from(`The text of ${name}.`) }));
  await runtime.sources.load("first", files("a.txt", "b.txt"));
  await runtime.sources.load("second", files("a.txt"));
  await runtime.sources.load("first", files("a.txt", "b.txt"));
  await expect(runtime.sources.load("first", files("a.txt", "c.txt"))).rejects.toMatchObject(refused("maxUserFiles"));
  await expect(runtime.sources.load("third", files("a.txt"))).rejects.toMatchObject(refused("maxUserFiles"));
  expect((await runtime.sources.list()).map(({ name, files: count }) => [name, count])).toEqual([
    ["first", 2],
    ["second", 1],
  ]);
  expect(await runtime.sources.removeFile("first", "a.txt")).toBe(true);
  await runtime.sources.load("third", files("a.txt"));
  const fromLetta = JSON.parse(readFileSync("test/fixtures/letta/agent-0.16.af", "utf8")) as object;
  await expect(runtime.agents.import(fromLetta)).rejects.toMatchObject(refused("maxUserFiles"));
  const other = await openUser();
  await other.sources.load("notes", files("a.txt"));
  await other.agents.create({ name: "reader", ...empty });
  await other.sources.attach("reader", "notes");
  const own = await other.agents.export("reader");
  await expect(runtime.agents.import(own)).rejects.toMatchObject(refused("maxUserFiles"));
  expect(await runtime.agents.list()).toEqual([]);
  await runtime.sources.delete("third");
  await runtime.agents.import(own);
  // A source that the user has by then is kept, and no file is added.
  expect((await runtime.agents.import(own, { name: "again" })).agents).toHaveLength(1);
  for (const one of [runtime, other]) await one.close();
});
