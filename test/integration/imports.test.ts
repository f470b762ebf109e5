// Imports of other programs' exports into a real store: what is stored, what a repetition and an interruption do.
import { writeFile } from "node:fs/promises";
import path from "node:path";
import type { Runtime } from "../../src/runtime/runtime.ts";
import {
  branchedChatgpt,
  chatgptConversation,
  chatgptNode,
  claudeConversation,
  claudeMessage,
} from "../support/export-samples.ts";
import { bytesOf, imported, type ImportScene, openImportScene } from "../support/import-scene.ts";
import { useScene } from "../support/use-scene.ts";

const scene = useScene(() => openImportScene());

const newUser: ImportScene["newUser"] = (options) => scene.newUser(options);

async function threads(runtime: Runtime) {
  const conversations = await runtime.conversations.list("main", { order: "oldest", limit: 100 });
  const sorted = conversations.toSorted((one, other) => (one.title! < other.title! ? -1 : 1));
  return Promise.all(
    sorted.map(async ({ id, title }) => {
      const { messages } = await runtime.conversations.messages(id, { from: "beginning" });
      return {
        id,
        title,
        messages: messages.map(({ role, kind, text }) => `${kind === "event" ? kind : role}: ${text}`),
      };
    }),
  );
}

test("a conversation of ChatGPT keeps its times and branches, and recall finds its messages by day", async () => {
  const runtime = await newUser();
  const report = await imported(runtime, [branchedChatgpt()]);
  expect(report).toEqual({
    found: { conversations: 1, messages: 5, branches: 1, passages: 0 },
    added: { conversations: 1, messages: 5, passages: 0 },
    leftOut: [],
    notes: [],
  });
  const [thread] = await threads(runtime);
  expect(thread).toMatchObject({
    title: "Talk c-1",
    messages: [
      "user: Where does the green ferry leave?",
      "assistant: From Belém, hourly.",
      "user: And the yellow tram?",
      "assistant: From Praça da Figueira.",
    ],
  });
  const { messages } = await runtime.conversations.messages(thread!.id, { from: "beginning" });
  expect(messages.map(({ at, trust }) => [at.toISOString(), trust])).toEqual([
    ["2024-03-05T10:00:00.250Z", "external"],
    ["2024-03-05T10:01:00.000Z", "external"],
    ["2024-03-06T11:00:00.000Z", "external"],
    ["2024-03-06T11:00:04.000Z", "external"],
  ]);
  expect((await runtime.conversations.branches(thread!.id)).map(({ preview }) => preview)).toEqual([
    "From Praça da Figueira.",
    "From Cacilhas.",
  ]);
  const onDay = await runtime.recall.search("main", "yellow tram", { start: "2024-03-06", end: "2024-03-06" });
  expect(onDay.hits.map(({ text }) => text)).toContain("And the yellow tram?");
  const before = await runtime.recall.search("main", "yellow tram", { end: "2024-03-05" });
  expect(before.hits.map(({ text }) => text)).not.toContain("And the yellow tram?");
  expect((await runtime.memory.show("main")).map(({ value }) => value).join("")).not.toContain("ferry");
});

test("a second import adds nothing, and a later export adds its new messages", async () => {
  const runtime = await newUser();
  const first = branchedChatgpt();
  await imported(runtime, [first]);
  const again = await imported(runtime, [first]);
  expect(again.added).toEqual({ conversations: 0, messages: 0, passages: 0 });
  const node = chatgptNode("u3", { parent: "a3", at: "2024-03-07T09:00:00Z", content: "Thanks." });
  const grown = { ...first, current_node: "u3", mapping: { ...first.mapping, u3: node } };
  const later = await imported(runtime, [grown, branchedChatgpt("c-2")]);
  expect(later.added).toEqual({ conversations: 1, messages: 6, passages: 0 });
  const [thread] = await threads(runtime);
  expect(thread!.messages.at(-1)).toBe("user: Thanks.");
});

test("a dry run reports the same counts and stores nothing", async () => {
  const runtime = await newUser();
  await imported(runtime, [branchedChatgpt("c-2")]);
  const image = { content_type: "multimodal_text", parts: [{ content_type: "image_asset_pointer" }, "See"] };
  const other = chatgptConversation("c-3", [chatgptNode("u1", { parent: "root", content: image })]);
  const file = [branchedChatgpt(), branchedChatgpt("c-2"), other, branchedChatgpt(), {}];
  const planned = await imported(runtime, file, { dryRun: true });
  expect(await threads(runtime)).toHaveLength(1);
  const real = await imported(runtime, file);
  expect(planned).toEqual(real);
  expect(real).toMatchObject({
    found: { conversations: 3, messages: 11, branches: 2 },
    added: { conversations: 2, messages: 6 },
  });
  expect(real.leftOut.toSorted((one, two) => (one.text < two.text ? -1 : 1))).toEqual([
    { text: "conversations that the file contains more than once", count: 1 },
    { text: "images", count: 1 },
    { text: "items that are not conversations of ChatGPT", count: 1 },
  ]);
});

test("an import that was interrupted continues", async () => {
  const runtime = await newUser();
  const file = Array.from({ length: 400 }, (_, index) => branchedChatgpt(`c-${index}`));
  const stop = new AbortController();
  const reason = new Error("stop");
  const interrupted = imported(runtime, file, { onProgress: () => stop.abort(reason), signal: stop.signal });
  await expect(interrupted).rejects.toBe(reason);
  const stored = (await runtime.conversations.list("main", { limit: 1000 })).length;
  expect(stored).toBeGreaterThan(0);
  expect(stored).toBeLessThan(400);
  const { added } = await imported(runtime, file);
  expect(added.conversations).toBe(400 - stored);
  expect(await runtime.conversations.list("main", { limit: 1000 })).toHaveLength(400);
});

test("what precedes the end of a truncated file is kept, and the error has the place", async () => {
  const runtime = await newUser();
  const text = JSON.stringify([branchedChatgpt(), branchedChatgpt("c-2"), branchedChatgpt("c-3")]);
  const cut = runtime.imports.run("main", bytesOf(text.slice(0, -300)), { form: "chatgpt" });
  await expect(cut).rejects.toMatchObject({
    code: "import_invalid",
    message: expect.stringMatching(
      /is incomplete: it ends at byte [\d,]+, in item 3\. Stored before the error: 2 conversations, 10 messages\.$/u,
    ),
  });
  expect(await threads(runtime)).toHaveLength(2);
  const broken = runtime.imports.run("main", bytesOf(`${text.slice(0, -300)}}}!`), { form: "chatgpt" });
  await expect(broken).rejects.toThrow(/is not JSON at byte [\d,]+, in item 3\. Nothing was stored\./u);
});

test("a conversation that was continued here keeps its current message", async () => {
  const runtime = await newUser();
  const first = branchedChatgpt();
  await imported(runtime, [first]);
  const [{ id } = { id: "" }] = await runtime.conversations.list("main");
  const agent = await runtime.agents.open("main", { conversation: { id } });
  for await (const _event of agent.send("One more question.")) continue;
  const node = chatgptNode("u3", { parent: "a3", at: "2024-03-07T09:00:00Z", content: "Thanks." });
  await imported(runtime, [{ ...first, current_node: "u3", mapping: { ...first.mapping, u3: node } }]);
  expect((await threads(runtime))[0]!.messages).toContain("user: One more question.");
  expect((await runtime.conversations.branches(id)).map(({ preview }) => preview)).toContain("Thanks.");
});

test("two agents can import the same file", async () => {
  const runtime = await newUser();
  await runtime.agents.create({ name: "other" });
  await imported(runtime, [branchedChatgpt()]);
  const report = await runtime.imports.run("other", bytesOf(JSON.stringify([branchedChatgpt()])), { form: "chatgpt" });
  expect(report.added.messages).toBe(5);
  const { hits } = await runtime.recall.search("other", "green ferry");
  // The answer follows its question.
  expect(hits.map(({ text }) => text)).toEqual(["Where does the green ferry leave?", "From Belém, hourly."]);
});

test("conversations of Claude keep their branches, files and calls", async () => {
  const runtime = await newUser();
  const root = "00000000-0000-4000-8000-000000000000";
  const call = [
    { type: "thinking", thinking: "I should look." },
    { type: "text", text: "Let me look." },
    { type: "tool_use", name: "web_search", input: { query: "tides" } },
    { type: "tool_result", name: "web_search", content: [{ type: "text", text: "High at noon." }] },
    { type: "text", text: "High water is at noon." },
    { type: "sparkle", text: "An odd block." },
  ];
  const attached = {
    attachments: [{ file_name: "tides.txt", extracted_content: "Tide table" }],
    files: [{ file_name: "a.png" }],
  };
  const messages = [
    claudeMessage("m1", "When is high water?", { parent: root, more: attached }),
    claudeMessage("m2", "", { sender: "assistant", parent: "m1", at: "2025-06-01T08:00:09Z", content: call }),
    claudeMessage("m3", "I do not know.", { sender: "assistant", parent: "m1", at: "2025-06-01T08:00:02Z" }),
  ];
  const report = await imported(runtime, [claudeConversation("k-1", messages)], { form: "claude" });
  expect(report).toMatchObject({ found: { conversations: 1, messages: 6, branches: 1 }, added: { messages: 6 } });
  expect(report.leftOut).toEqual([{ text: "attached files", count: 1 }]);
  expect(report.notes).toEqual([{ text: 'blocks of the unknown type "sparkle", kept as text', count: 1 }]);
  const [thread] = await threads(runtime);
  expect(thread!.messages).toEqual([
    "user: [file: tides.txt]\nTide table\n\nWhen is high water?\n\n[file: a.png]",
    "assistant: Let me look.",
    'event: [Call of web_search] {\n  "query": "tides"\n}',
    "event: [Result of web_search] High at noon.",
    "assistant: High water is at noon.\n\nAn odd block.",
  ]);
});

test("memories of mem0 become passages with their times, users and metadata", async () => {
  const runtime = await newUser();
  await runtime.archival.add("main", "Prefers the window seat");
  const memories = {
    results: [
      {
        id: "6f0c",
        memory: "Lives in Lisbon",
        hash: "x",
        user_id: "ada",
        categories: ["home"],
        metadata: { source: "chat", nested: { a: 1 }, list: ["x", "y"], none: null },
        created_at: "2024-07-26T15:00:00-07:00",
        updated_at: null,
      },
      { id: "6f0d", memory: "Prefers the window seat", created_at: "2024-08-01T00:00:00Z" },
      { id: "6f0e", memory: "Lives in Lisbon", created_at: "2024-09-01T00:00:00Z" },
      { id: "6f0f", memory: "  " },
    ],
    relations: [{ source: "ada", relationship: "lives_in", target: "lisbon" }],
  };
  const planned = await imported(runtime, memories, { form: "mem0", dryRun: true });
  const report = await imported(runtime, memories, { form: "mem0" });
  expect(report).toEqual(planned);
  expect(report).toEqual({
    found: { conversations: 0, messages: 0, branches: 0, passages: 2 },
    added: { conversations: 0, messages: 0, passages: 1 },
    leftOut: [
      { text: "memories with the same text as an earlier memory", count: 1 },
      { text: "memories without a text", count: 1 },
    ],
    notes: [],
  });
  const rows = await runtime.archival.list("main");
  expect(rows.find(({ text }) => text === "Lives in Lisbon")).toMatchObject({
    tags: ["user:ada", "home", "source:chat", 'nested:{ "a": 1 }', "list:x", "list:y"],
    at: new Date("2024-07-26T22:00:00Z"),
    origin: "import",
    trust: "external",
    kind: "memory",
  });
  expect((await imported(runtime, memories, { form: "mem0" })).added.passages).toBe(0);
});

test("a file on disk is read by its path, and a missing one is an error", async () => {
  const runtime = await newUser();
  const file = path.join(scene.folder, "conversations.json");
  await writeFile(file, `\uFEFF${JSON.stringify([branchedChatgpt()])}\n`);
  expect((await runtime.imports.run("main", file, { form: "chatgpt" })).added.messages).toBe(5);
  const missing = runtime.imports.run("main", `${file}.not`, { form: "chatgpt" });
  await expect(missing).rejects.toThrow("there is no such file");
  await expect(runtime.imports.run("nobody", file, { form: "chatgpt" })).rejects.toMatchObject({
    code: "agent_not_found",
  });
});
