// Imports at the edges: wrong files, huge and odd texts, agents of others, vectors in the background, and later use.
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import {
  branchedChatgpt,
  chatgptConversation,
  chatgptNode,
  claudeConversation,
  claudeMessage,
} from "../support/export-samples.ts";
import { bytesOf, imported, type ImportScene, openImportScene } from "../support/import-scene.ts";
import { drain } from "../support/runtime.ts";
import { createWordEmbedder } from "../support/word-embedder.ts";
import { zipOf } from "../support/zip-bytes.ts";
import { useScene } from "../support/use-scene.ts";

const scene = useScene(() => openImportScene());

const newUser: ImportScene["newUser"] = (options) => scene.newUser(options);

test.each([
  [
    "Claude's as ChatGPT's",
    [claudeConversation("k", [])],
    "chatgpt",
    "expected conversations of ChatGPT, got an export of Claude (claude).",
  ],
  [
    "ChatGPT's as mem0's",
    [branchedChatgpt()],
    "mem0",
    "expected memories of mem0, got an export of ChatGPT (chatgpt).",
  ],
  ["an agent file", { agents: [], blocks: [] }, "claude", "expected conversations of Claude, got an agent file."],
  ["something else", [{ a: 1 }, 2], "chatgpt", "the file contains no conversations of ChatGPT."],
] as const)("%s is refused, and nothing is stored", async (_name, value, form, message) => {
  const runtime = await newUser();
  await expect(imported(runtime, value, { form })).rejects.toMatchObject({
    code: "import_invalid",
    message: `Cannot import: ${message} Nothing was stored.`,
  });
  expect(await runtime.conversations.list("main")).toEqual([]);
});

test("an empty list is an empty export", async () => {
  const report = await imported(await newUser(), []);
  expect(report.found).toEqual({ conversations: 0, messages: 0, branches: 0, passages: 0 });
});

test("a ZIP is read, and its other files are counted", async () => {
  const zip = path.join(scene.folder, "export.zip");
  await writeFile(
    zip,
    zipOf({ "conversations.json": JSON.stringify([branchedChatgpt()]), "chat.html": "<", "a.png": "" }),
  );
  const report = await (await newUser()).imports.run("main", zip, { form: "chatgpt" });
  expect(report).toMatchObject({ added: { messages: 5 }, leftOut: [{ text: "other files of the export", count: 2 }] });
});

test("a message of five million characters is stored and found", async () => {
  const runtime = await newUser();
  const words = Array.from({ length: 600_000 }, (_, index) => `w${index % 50_000}`).join(" ");
  const node = chatgptNode("u", { parent: "root", content: `${words} needle-in-hay` });
  expect((await imported(runtime, [chatgptConversation("c", [node])])).added.messages).toBe(1);
  expect((await runtime.recall.search("main", "needle-in-hay")).hits).toHaveLength(1);
});

test("NUL, lone surrogates and control characters in texts, titles, names and tags", async () => {
  const runtime = await newUser();
  const odd = "a\u0000b\ud800c\u001b[31md 👩‍👩‍👧";
  const conversation = chatgptConversation("c", [chatgptNode("u", { parent: "root", content: odd, name: odd })], {
    title: odd,
  });
  await imported(runtime, [conversation]);
  const [{ id, title } = { id: "", title: "" }] = await runtime.conversations.list("main");
  expect(title).toContain("a\uFFFDb\uFFFDc");
  const { messages } = await runtime.conversations.messages(id);
  expect(messages[0]).toMatchObject({
    text: "a\uFFFDb\uFFFDc\u001b[31md 👩‍👩‍👧",
    speaker: expect.stringContaining("a\uFFFDb"),
  });
  const memory = { id: odd, memory: odd, user_id: odd, metadata: { [odd]: odd } };
  expect((await imported(runtime, [memory], { form: "mem0" })).added.passages).toBe(1);
  expect((await imported(runtime, [memory], { form: "mem0" })).added.passages).toBe(0);
});

test("an agent that another user shares gets this user's conversations", async () => {
  const ada = await newUser();
  const ben = await newUser();
  await ada.agents.share("main", ben.userId);
  const name = `${ada.userId}/main`;
  await ben.agents.accept(name);
  const report = await ben.imports.run(name, bytesOf(JSON.stringify([branchedChatgpt()])), { form: "chatgpt" });
  expect(report.added.messages).toBe(5);
  expect(await ben.conversations.list(name)).toHaveLength(1);
  expect(await ada.conversations.list("main")).toEqual([]);
  expect((await imported(ada, [branchedChatgpt()])).added.messages).toBe(5);
  await ada.agents.unshare("main", ben.userId);
  await expect(ben.imports.run(name, bytesOf("[]"), { form: "chatgpt" })).rejects.toMatchObject({
    code: "grant_ended",
  });
});

test("an import does not wait for vectors, which are made in the background", async () => {
  const embedder = createWordEmbedder("words", 64);
  embedder.mode = "down";
  const runtime = await newUser({ embedder });
  expect((await imported(runtime, [branchedChatgpt()])).added.messages).toBe(5);
  expect((await imported(runtime, [{ memory: "Rows a boat" }], { form: "mem0" })).added.passages).toBe(1);
  expect(embedder.made).toEqual([]);
  await runtime.close();
  embedder.mode = "up";
  const later = await scene.runtimes.open({ userId: runtime.userId, embedder });
  await later.agents.open("main");
  await later.idle();
  expect(embedder.made).toHaveLength(6);
});

test("an imported conversation can be continued, with its tool calls as events", async () => {
  const model = createScriptedModel({ replies: [{ text: "Still at noon." }] });
  const runtime = await newUser({ model: "scripted", models: [model] });
  const content = [
    { type: "tool_use", name: "web_search", input: { query: "tides" } },
    { type: "tool_result", name: "web_search", content: "High at noon." },
    { type: "text", text: "At noon." },
  ];
  const messages = [claudeMessage("m1", "High water?"), claudeMessage("m2", "", { sender: "assistant", content })];
  await imported(runtime, [claudeConversation("k", messages)], { form: "claude" });
  const agent = await runtime.agents.open("main");
  await drain(agent.send("And now?"));
  const sent = JSON.stringify(model.requests[0]!.messages);
  for (const text of ["High water?", "High at noon.", "At noon.", "And now?"]) expect(sent).toContain(text);
  expect(sent).not.toContain("tool-call");
});

test("a repeated export that has grown adds to conversations that are stored, also when others are new or complete", async () => {
  const runtime = await newUser();
  const short = (id: string, count: number) =>
    chatgptConversation(
      id,
      Array.from({ length: count }, (_, index) =>
        chatgptNode(`n${index}`, { parent: index === 0 ? "root" : `n${index - 1}` }),
      ),
    );
  await imported(runtime, [short("a", 2), short("b", 2)]);
  const report = await imported(runtime, [short("new", 3), short("b", 5), short("a", 2), short("empty", 0)]);
  expect(report).toMatchObject({
    found: { conversations: 3, messages: 10 },
    added: { conversations: 1, messages: 6 },
    leftOut: [{ text: "conversations without messages", count: 1 }],
  });
  const counts = (await runtime.conversations.list("main")).map(({ title, messages }) => [title, messages]);
  expect(counts.toSorted()).toEqual([
    ["Talk a", 2],
    ["Talk b", 5],
    ["Talk new", 3],
  ]);
});

test("wrong arguments are refused before anything is read", async () => {
  const runtime = await newUser();
  const wrong = runtime.imports.run("main", "x.json", { form: "gemini" as "chatgpt" });
  await expect(wrong).rejects.toMatchObject({ code: "input_invalid", message: expect.stringContaining("`form`") });
  await expect(runtime.imports.run("main", 5 as unknown as string, { form: "claude" })).rejects.toMatchObject({
    message: expect.stringContaining("a path or a stream of bytes"),
  });
  const texts = (async function* () {
    yield "[]" as unknown as Uint8Array;
  })();
  await expect(runtime.imports.run("main", texts, { form: "claude" })).rejects.toMatchObject({ code: "input_invalid" });
});
