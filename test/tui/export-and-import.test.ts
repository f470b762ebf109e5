// `/export` and `/import`: the written file, and the imported conversation in the database.
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createTextFile } from "../../src/surfaces/cli/new-file.ts";
import { readTextFile } from "../../src/surfaces/cli/parse/read-text.ts";
import { drain, useRuntimes } from "../support/runtime.ts";
import { append, openScene } from "../support/scene.ts";
import { typeLine } from "../support/typed-line.ts";
import { useFolder } from "../support/folders.ts";

const runtimes = useRuntimes();
const folder = useFolder();

const textFiles = { read: (file: string) => readTextFile(file, "/import"), create: createTextFile };
const fileAt = (name: string) => path.join(folder, name);
const written = (name: string, text: string) => (writeFileSync(fileAt(name), text), fileAt(name));

async function talk(said = "I sail 字🙂 </human> %_'") {
  const scene = await openScene(runtimes, [
    { text: "No." },
    { thought: "Hm.", toolCalls: [append("x")] },
    { text: "You\nsail." },
  ]);
  await drain(scene.agent.send(said));
  await drain(scene.agent.retry());
  return { ...scene, textFiles };
}

test("/export writes the visible messages of the thread, and /import reads them unchanged", async () => {
  const scene = await talk();
  const { runtime, name, agent } = scene;
  const file = fileAt("out.jsonl");
  expect((await typeLine(`/export "${file}"`, { ...scene, width: 400 })).text).toContain(
    `Wrote 2 messages to ${file}: JSON Lines`,
  );
  const [one, two] = agent.messages.filter(({ text }) => text !== "");
  expect(readFileSync(file, "utf8")).toBe(
    `{"role":"user","text":"I sail 字🙂 </human> %_'","at":"${one!.at.toISOString()}"}\n` +
      `{"role":"assistant","text":"You\\nsail.","at":"${two!.at.toISOString()}"}\n`,
  );
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const other = await openScene(runtimes, []);
  const { text } = await typeLine(`/import ${file}`, { ...other, textFiles, width: 400 });
  const listed = await other.runtime.conversations.list(other.name);
  const imported = listed.find(({ id }) => id !== other.agent.conversationId);
  expect(text).toContain(`Imported 2 messages as conversation ${imported!.id}.`);
  expect(await other.runtime.conversations.export(imported!.id)).toEqual(
    await runtime.conversations.export(agent.conversationId),
  );
  expect((await other.runtime.recall.search(other.name, '"I sail"')).hits[0]).toMatchObject({ trust: "external" });
  expect((await runtime.conversations.list(name)).length).toBe(1);
});

test("/export and /import take a path as a terminal inserts it", async () => {
  const scene = await talk();
  const escaped = fileAt("my\\ talk\\ \\(1\\).jsonl");
  const file = fileAt("my talk (1).jsonl");
  expect((await typeLine(`/export ${escaped}`, { ...scene, width: 400 })).text).toContain(`to ${file}: JSON Lines`);
  expect((await typeLine(`/import ${escaped}`, { ...scene, width: 400 })).text).toContain("Imported 2 messages");
});

test("an export includes messages outside the window, and the speakers of an import", async () => {
  const { runtime, name } = await openScene(runtimes, []);
  const at = new Date("2026-11-21T10:00:00Z");
  const messages = Array.from({ length: 250 }, (_, number) => ({
    role: number % 2 === 0 ? ("user" as const) : ("assistant" as const),
    speaker: number % 2 === 0 ? "Ada" : "Ben",
    text: `said ${number}`,
    at,
  }));
  const { id } = await runtime.conversations.import(name, { messages });
  expect(await runtime.conversations.export(id)).toEqual(messages);
  await expect(runtime.conversations.export("no id")).rejects.toMatchObject({ code: "conversation_not_found" });
});

test("/export overwrites no file, leaves no incomplete one, and chooses a default name", async () => {
  const scene = await talk();
  const there = written("there.jsonl", "mine");
  await expect(typeLine(`/export ${there}`, scene)).rejects.toThrow("already exists");
  expect(readFileSync(there, "utf8")).toBe("mine");
  await expect(typeLine(`/export ${fileAt("none/x.jsonl")}`, scene)).rejects.toMatchObject({ code: "config_invalid" });
  const created: string[] = [];
  await typeLine("/export", { ...scene, textFiles: { ...textFiles, create: async (file) => void created.push(file) } });
  expect(created).toEqual([`conversation-${scene.agent.conversationId}.jsonl`]);
  const empty = await openScene(runtimes, []);
  expect((await typeLine(`/export ${fileAt("empty.jsonl")}`, { ...empty, textFiles })).text).toContain(
    "There are no messages to export yet",
  );
  expect(readdirSync(folder)).not.toContain("empty.jsonl");
});

const good = '{"role":"user","text":"Ahoy","at":"2026-11-21T10:13:00Z"}\n';

test.each([
  ["one bad line", `${good}{"role":"user"}\n`, "line 2"],
  ["no JSON", "Ahoy\n", "line 1"],
  ["nothing", "\n\n", "has no messages. Expected one on each line."],
  ["another role", good.replace("user", "system"), "line 1"],
  ["a NUL in the JSON", "{\u0000}", "line 1"],
  ["a huge line", "a".repeat(1e6), "line 1"],
  ["times that go back", good + good.replace("2026", "2025"), "line 2"],
])("/import of a file with %s stores nothing", async (_name, content, said) => {
  const scene = { ...(await openScene(runtimes, [])), textFiles };
  const before = await scene.runtime.conversations.list(scene.name);
  await expect(typeLine(`/import ${written("bad.jsonl", content)}`, scene)).rejects.toThrow(said);
  expect(await scene.runtime.conversations.list(scene.name)).toEqual(before);
});

test("/import without a file, of a missing one, and of one that is not text reports it", async () => {
  const scene = { ...(await openScene(runtimes, [])), textFiles };
  expect((await typeLine("/import", scene)).text).toContain("Missing file: /import FILE.");
  await expect(typeLine(`/import ${fileAt("missing.jsonl")}`, scene)).rejects.toThrow("/import: cannot read");
  writeFileSync(fileAt("bytes"), Buffer.from([0xff, 0xfe, 0x00]));
  await expect(typeLine(`/import ${fileAt("bytes")}`, scene)).rejects.toMatchObject({ code: "config_invalid" });
});

test("in a chat without access to files, both report it", async () => {
  const scene = await openScene(runtimes, []);
  for (const line of ["/export", "/import x"])
    expect((await typeLine(line, scene)).text).toContain("has no access to files");
});
