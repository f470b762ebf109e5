// The readers of other programs' exports: odd trees, times, content and texts.
import { conversationTree } from "../../../src/transfer/conversation-tree.ts";
import type { ExportFormName } from "../../../src/transfer/export-form.ts";
import { exportForms, guessedForm } from "../../../src/transfer/export-forms.ts";
import type { JsonObject } from "../../../src/base/json-values.ts";
import { createRemarks } from "../../../src/transfer/remarks.ts";
import {
  branchedChatgpt,
  chatgptConversation,
  chatgptNode,
  claudeConversation,
  claudeMessage,
} from "../../support/export-samples.ts";

const now = Date.parse("2026-01-01T00:00:00Z");

/** Reads one conversation; ids are the keys of the file. */
function read(form: ExportFormName, item: unknown) {
  const remarks = createRemarks();
  const found = exportForms[form].read(item as JsonObject, remarks);
  if (!("conversation" in found)) throw new TypeError(`Expected a conversation, got ${JSON.stringify(found)}.`);
  const idOf = (...keys: readonly string[]): string => keys.join("/");
  const tree = conversationTree(found.conversation, { idOf, now, remarks });
  return {
    tree,
    leaf: tree?.conversation.leafId,
    links: tree?.conversation.messages.map(({ id, parentId }) => `${parentId ?? "-"} > ${id}`),
    texts: tree?.conversation.messages.map(({ text }) => text),
    times: tree?.conversation.messages.map(({ at }) => at),
    leftOut: remarks.leftOut(),
    notes: remarks.notes(),
  };
}

const user = (content: unknown, more: Partial<Parameters<typeof chatgptNode>[1]> = {}) =>
  read("chatgpt", chatgptConversation("c", [chatgptNode("u", { parent: "root", content, ...more })]));

test("branches, and a current message on an older one", () => {
  const { tree, links, leaf } = read("chatgpt", { ...branchedChatgpt(), current_node: "a1" });
  expect(links).toEqual(["- > u1/0", "u1/0 > a1/0", "u1/0 > a2/0", "a2/0 > u2/0", "u2/0 > a3/0"]);
  expect(leaf).toBe("a1/0");
  expect(tree).toMatchObject({
    branches: 1,
    conversation: { createdAt: "2024-03-05T09:59:00.000Z", updatedAt: "2024-03-06T12:00:00.000Z" },
  });
});

test("nodes without text are passed over, and thoughts belong to the reply", () => {
  const thoughts = { content_type: "thoughts", thoughts: [{ summary: "Plan", content: "First the tide." }] };
  const { links, tree } = read(
    "chatgpt",
    chatgptConversation("c", [
      chatgptNode("s", { parent: "root", role: "system", content: "" }),
      chatgptNode("u", { parent: "s" }),
      chatgptNode("t", { parent: "u", role: "assistant", content: thoughts }),
      chatgptNode("r", {
        parent: "t",
        role: "assistant",
        content: { content_type: "reasoning_recap", content: "5 s" },
      }),
      chatgptNode("a", { parent: "r", role: "assistant" }),
    ]),
  );
  expect(links).toEqual(["- > u/0", "u/0 > a/0"]);
  expect(tree!.conversation.messages[1]).toMatchObject({
    turnId: "u/0",
    content: [
      { type: "thought", text: "Plan\nFirst the tide." },
      { type: "text", text: "Text of a" },
    ],
  });
});

test("calls, results, hidden and system messages are events", () => {
  const { tree } = read(
    "chatgpt",
    chatgptConversation("c", [
      chatgptNode("s", { parent: "root", role: "system", content: "Be kind." }),
      chatgptNode("h", { parent: "s", metadata: { is_visually_hidden_from_conversation: true } }),
      chatgptNode("call", {
        parent: "h",
        role: "assistant",
        recipient: "python",
        content: { content_type: "code", language: "unknown", text: "1+1" },
      }),
      chatgptNode("r", {
        parent: "call",
        role: "tool",
        name: "python",
        content: { content_type: "execution_output", text: "2" },
      }),
      chatgptNode("x", { parent: "r", role: "oracle" }),
    ]),
  );
  expect(tree!.conversation.messages.map(({ kind, text }) => [kind, text])).toEqual([
    ["event", "[System] Be kind."],
    ["event", "Text of h"],
    ["event", "[Call of python] 1+1"],
    ["event", "[Result of python] 2"],
    ["event", "[oracle] Text of x"],
  ]);
});

test.each([
  [{ content_type: "text", parts: ["one", "", "two"] }, "one\ntwo"],
  [{ content_type: "tether_quote", url: "example.org", title: "Tides", text: "High" }, "Tides example.org\nHigh"],
  [{ content_type: "system_error", name: "Timeout", text: "too slow" }, "Timeout: too slow"],
  [
    { content_type: "user_editable_context", user_profile: "A sailor", user_instructions: "Be brief" },
    "[Custom instructions] A sailor\nBe brief",
  ],
  [{ content_type: "multimodal_text", parts: [{ content_type: "audio_transcription", text: "Ahoy" }] }, "Ahoy"],
  [{ content_type: "odd", text: "kept" }, "kept"],
  [{ content_type: "odd", deep: { a: 1 } }, JSON.stringify({ content_type: "odd", deep: { a: 1 } }, null, 2)],
  [{ content_type: "text", parts: ["a\u0000b\ud800 👋🏽"] }, "a\uFFFDb\uFFFD 👋🏽"],
])("the content %j", (content, text) => {
  expect(user(content).texts).toEqual([text]);
});

test("files and unknown types are counted", () => {
  const parts = [
    { content_type: "image_asset_pointer" },
    { content_type: "audio_asset_pointer" },
    { content_type: "x", text: "y" },
  ];
  const attachments = [
    { name: "a.pdf", mime_type: "application/pdf" },
    { name: "b.png", mime_type: "image/png" },
  ];
  const { texts, leftOut, notes } = user({ content_type: "multimodal_text", parts }, { metadata: { attachments } });
  expect(texts).toEqual(["[image]\ny\n[file: a.pdf]"]);
  expect(leftOut).toEqual([
    { text: "images", count: 1 },
    { text: "recordings", count: 1 },
    { text: "attached files", count: 1 },
  ]);
  expect(notes).toEqual([{ text: 'parts of the unknown type "x", kept as text', count: 1 }]);
});

test("a missing time is that of the message before, or of the conversation", () => {
  const nodes = [
    chatgptNode("u", { parent: "root", at: null }),
    chatgptNode("a", { parent: "u", role: "assistant", at: "2024-03-05T10:00:00Z" }),
    chatgptNode("v", { parent: "a", at: null }),
  ];
  expect(read("chatgpt", chatgptConversation("c", nodes)).times).toEqual([
    "2024-03-05T09:59:00.000Z",
    "2024-03-05T10:00:00.000Z",
    "2024-03-05T10:00:00.000Z",
  ]);
  const timeless = chatgptConversation("c", nodes.slice(0, 1), { create_time: null, update_time: "soon" });
  const { times, notes } = read("chatgpt", timeless);
  expect(times).toEqual(["2026-01-01T00:00:00.000Z"]);
  expect(notes.map(({ text }) => text)).toContain("conversations without any time, which got the time of the import");
});

test.each([[-5], [Number.NaN], [1e300], ["9999999-01-01"], [{}], ["yesterday"]])(
  "the time %j counts as missing",
  (time) => {
    const node = chatgptNode("u", { parent: "root" });
    const odd = { ...node, message: { ...node.message, create_time: time } };
    const item = chatgptConversation("c", []);
    const { times } = read("chatgpt", { ...item, current_node: "u", mapping: { u: odd } });
    expect(times).toEqual(["2024-03-05T09:59:00.000Z"]);
  },
);

test("a cycle is cut, and unknown parents and current messages are noted", () => {
  const cycle = chatgptConversation("c", [
    chatgptNode("tail", { parent: "b" }),
    chatgptNode("a", { parent: "b" }),
    chatgptNode("b", { parent: "a" }),
    chatgptNode("self", { parent: "self" }),
    chatgptNode("lost", { parent: "nowhere" }),
  ]);
  const { links, notes, leaf } = read("chatgpt", { ...cycle, current_node: "gone" });
  expect(links).toEqual(["- > lost/0", "- > b/0", "b/0 > tail/0", "b/0 > a/0", "- > self/0"]);
  expect(leaf).toBe("self/0");
  expect(notes.map(({ text, count }) => [text.split(",")[0], count])).toEqual([
    ["cycles of messages", 2],
    ["messages whose parent is missing", 1],
    ["conversations whose current message is missing", 1],
  ]);
});

test("parents come from the lists of children where a node has none, and a long thread needs no recursion", () => {
  const count = 20_000;
  const nodes = Array.from({ length: count }, (_, index) => ({
    ...chatgptNode(`n${index}`, { parent: null }),
    children: index + 1 < count ? [`n${index + 1}`] : [],
  }));
  const { links } = read("chatgpt", chatgptConversation("c", nodes as ReturnType<typeof chatgptNode>[]));
  expect(links).toHaveLength(count);
  expect(links!.at(-1)).toBe(`n${count - 2}/0 > n${count - 1}/0`);
});

test("nothing to import: no id, no text, no objects", () => {
  const remarks = createRemarks();
  expect(exportForms.chatgpt.read({ mapping: {} }, remarks)).toEqual({ leftOut: "conversations without an id" });
  expect(exportForms.claude.read({ chat_messages: [] }, remarks)).toEqual({ leftOut: "conversations without an id" });
  expect(read("chatgpt", { id: "c", mapping: { a: 1, b: null, c: { message: "no" } } }).tree).toBeNull();
  expect(read("claude", { uuid: "k", chat_messages: [null, 3, {}] })).toMatchObject({
    tree: null,
    leftOut: [{ text: "messages that are not objects", count: 2 }],
  });
});

test("a thread of Claude without parents is in the order of the file", () => {
  const messages = [claudeMessage("m1", "One"), claudeMessage("m2", "Two", { sender: "assistant", content: [] })];
  const { links, texts, times } = read("claude", claudeConversation("k", messages));
  expect(links).toEqual(["- > m1/0", "m1/0 > m2/0"]);
  expect(texts).toEqual(["One", "Two"]);
  expect(times![0]).toBe("2025-06-01T08:00:00.123Z");
});

test("titles are one line of at most 200 characters", () => {
  const title = ` A\n\t${"🌊".repeat(300)}`;
  const { tree } = read("chatgpt", { ...branchedChatgpt(), title });
  expect(tree!.conversation.title).toBe(`A ${"🌊".repeat(198)}`);
});

test("a text of more than ten million characters is cut", () => {
  const { texts, notes } = user("x".repeat(10_000_001));
  expect(texts![0]).toHaveLength(10_000_000);
  expect(notes).toEqual([{ text: "texts of more than 10,000,000 characters, which were cut", count: 1 }]);
});

test("an item of another form is recognized", () => {
  expect(guessedForm(branchedChatgpt())).toBe("an export of ChatGPT (chatgpt)");
  expect(guessedForm(claudeConversation("k", []))).toBe("an export of Claude (claude)");
  expect(guessedForm({ memory: "x" })).toBe("an export of mem0 (mem0)");
  expect(guessedForm({ agents: [], blocks: [] })).toBe("an agent file");
  expect(guessedForm({ role: "user", text: "x" })).toBe("the messages of one conversation");
  expect(guessedForm({ a: 1 })).toBeNull();
});

test("metadata that is too long for a tag is counted, and tags are limited", () => {
  const remarks = createRemarks();
  const metadata = {
    long: "x".repeat(300),
    ...Object.fromEntries(Array.from({ length: 120 }, (_, n) => [`k${n}`, n])),
  };
  const item = exportForms.mem0.read({ memory: "m", metadata, run_id: 7, expiration_date: null }, remarks);
  expect(item).toMatchObject({ memory: { key: null, at: null } });
  expect("memory" in item && item.memory.tags).toHaveLength(100);
  expect(remarks.leftOut()).toEqual([
    { text: "tags of a memory beyond its first 100", count: 21 },
    { text: "values of metadata that are too long for a tag", count: 1 },
  ]);
});

test("a file with many odd names does not make the report long", () => {
  const remarks = createRemarks();
  for (let index = 0; index < 1000; index += 1) remarks.note(`type ${index}`);
  expect(remarks.notes()).toHaveLength(41);
  expect(remarks.notes()[0]).toEqual({ text: "other reasons", count: 960 });
});
