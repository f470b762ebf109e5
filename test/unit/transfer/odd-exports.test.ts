// Generated exports: whatever a file contains, it is read without a failure, and what is made of it can be stored.
// `FUZZ_TRIALS`: the number of trials, 500 by default.
import fc from "fast-check";
import { conversationTree } from "../../../src/transfer/conversation-tree.ts";
import { exportForms } from "../../../src/transfer/export-forms.ts";
import { isObject, type JsonObject } from "../../../src/base/json-values.ts";
import { createRemarks } from "../../../src/transfer/remarks.ts";

const keys = ["a", "b", "c", "d"] as const;
const key = fc.constantFrom(...keys);
const odd = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom(null, "", "\u0000\ud800", -1, 1e300, Number.MAX_VALUE),
);
const time = fc.oneof(
  fc.double({ noNaN: true }),
  fc.constantFrom("2024-01-01T00:00:00Z", "2024-01-01 10:00", "x", null),
  odd,
);
const text = fc.oneof(fc.string({ unit: "binary" }), odd);

/** An object with some of these fields, and any of them odd. */
const some = (fields: Readonly<Record<string, fc.Arbitrary<unknown>>>) =>
  fc.oneof({ weight: 9, arbitrary: fc.record(fields, { requiredKeys: [] }) }, { weight: 1, arbitrary: odd });

const contentType = fc.constantFrom(
  "text",
  "multimodal_text",
  "code",
  "thoughts",
  "tether_quote",
  "image_asset_pointer",
  "x",
);
const part = fc.oneof(text, some({ content_type: contentType, text }));
const node = some({
  parent: key,
  children: fc.array(key, { maxLength: 3 }),
  message: some({
    author: some({ role: fc.constantFrom("user", "assistant", "tool", "system", "x"), name: text }),
    create_time: time,
    recipient: fc.constantFrom("all", "python", ""),
    content: some({
      content_type: contentType,
      parts: fc.array(part, { maxLength: 3 }),
      text,
      thoughts: fc.array(part),
    }),
    metadata: some({ attachments: fc.array(some({ name: text, mime_type: text })) }),
  }),
});
const chatgpt = some({
  id: key,
  title: text,
  create_time: time,
  update_time: time,
  current_node: key,
  mapping: fc.dictionary(key, node, { maxKeys: 4 }),
});

const block = some({
  type: fc.constantFrom("text", "thinking", "tool_use", "tool_result", "x"),
  text,
  name: text,
  content: odd,
  input: odd,
});
const claude = some({
  uuid: key,
  name: text,
  created_at: time,
  chat_messages: fc.array(
    some({
      uuid: key,
      parent_message_uuid: key,
      sender: text,
      text,
      created_at: time,
      content: fc.array(block),
      files: fc.array(odd),
    }),
    { maxLength: 5 },
  ),
});

const mem0 = some({ id: key, memory: text, metadata: odd, categories: odd, created_at: time, user_id: text });

test.each([
  ["chatgpt", chatgpt],
  ["claude", claude],
  ["mem0", mem0],
] as const)("any %s export", (form, generated) => {
  fc.assert(
    fc.property(generated, (item) => {
      if (!isObject(item)) return;
      const remarks = createRemarks();
      exportForms[form].recognizes(item);
      const read = exportForms[form].read(item, remarks);
      if ("conversation" in read) checkTree(read.conversation);
      if ("memory" in read) expect(read.memory.tags.every((tag) => tag.isWellFormed() && tag.length > 0)).toBe(true);
    }),
    { numRuns: Number(process.env["FUZZ_TRIALS"] || 500) },
  );
});

function checkTree(conversation: Parameters<typeof conversationTree>[0]): void {
  const idOf = (...words: readonly string[]): string => words.join("/");
  const tree = conversationTree(conversation, { idOf, now: 0, remarks: createRemarks() });
  if (tree === null) return;
  const { messages, leafId, createdAt, updatedAt } = tree.conversation;
  const seen = new Set<string>();
  for (const { id, parentId, at, text: words } of messages) {
    expect(parentId === null || seen.has(parentId)).toBe(true);
    expect(seen.has(id)).toBe(false);
    seen.add(id);
    expect(new Date(at).toISOString()).toBe(at);
    expect(words.isWellFormed() && !words.includes("\u0000")).toBe(true);
  }
  expect(seen.has(leafId!)).toBe(true);
  expect(updatedAt >= createdAt).toBe(true);
}

test("deeply nested content is no failure", () => {
  let deep: unknown = "end";
  for (let depth = 0; depth < 100_000; depth += 1) deep = [deep];
  const item: JsonObject = {
    uuid: "k",
    chat_messages: [{ uuid: "m", sender: "human", text: "Hi", content: [{ type: "x", deep }] }],
  };
  const read = exportForms.claude.read(item, createRemarks());
  expect("conversation" in read && read.conversation.messages[0]?.drafts).toEqual([
    { role: "user", kind: "message", text: "Hi" },
  ]);
});
