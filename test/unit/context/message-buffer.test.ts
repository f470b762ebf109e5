// The message buffer: its window, its users, its JSON and its search. What leaves the window has a file of its own.
import type { BufferRole, MessageMetadata } from "../../../src/context/buffer/buffered-message.ts";
import { MessageBuffer, type MessageBufferOptions } from "../../../src/context/buffer/message-buffer.ts";
import type { Embedder } from "../../../src/model/embedding/embedder.ts";
import { ConfigError, EmbeddingError, RequestError } from "../../../src/base/errors.ts";

const contents = (buffer: MessageBuffer, user?: string): readonly string[] =>
  buffer.getMessages(user === undefined ? {} : { user }).map(({ text }) => text);

function bufferOfTwo(options: MessageBufferOptions = {}): MessageBuffer {
  const buffer = new MessageBuffer({ size: 5, ...options });
  buffer.addMessage("user", "I'm Alice", { user_id: "user1" });
  buffer.addMessage("assistant", "Hello Alice!", { user_id: "user1" });
  buffer.addMessage("user", "I'm Bob", { user_id: "user2" });
  buffer.addMessage("assistant", "Hello Bob!", { user_id: "user2" });
  return buffer;
}

describe("the window", () => {
  test("of 5 messages contains the 5 most recent of twelve", () => {
    const buffer = new MessageBuffer({ size: 5 });
    buffer.addMessage("user", "Hello, my name is Alice.");
    buffer.addMessage("assistant", "Hello Alice! How can I help you today?");
    for (let number = 0; number < 10; number += 1) buffer.addMessage("user", `Message ${number}`);
    expect(contents(buffer)).toEqual(["Message 5", "Message 6", "Message 7", "Message 8", "Message 9"]);
    expect(buffer.dropped).toEqual({ messages: 7, summaries: 0 });
  });

  test("contains 50 by default, and is the same array until it changes", () => {
    const buffer = new MessageBuffer();
    for (let number = 0; number < 51; number += 1) buffer.addMessage("user", `${number}`);
    expect(buffer).toMatchObject({ size: 50, multiplier: 10, batchSize: 10, length: 50 });
    expect(buffer.getMessages()).toBe(buffer.getMessages());
  });

  test("keeps the time, and a message unchanged", () => {
    const at = new Date("2026-11-21T10:00:00Z");
    const buffer = new MessageBuffer({ clock: { now: () => at, sleep: async () => undefined } });
    const metadata: Record<string, string> = { user_id: "ada" };
    const added = buffer.addMessage("user", "Hello", metadata);
    metadata["user_id"] = "eve";
    expect(added).toEqual({ role: "user", text: "Hello", at, metadata: { user_id: "ada" } });
    expect(buffer.getMessages()).toEqual([added]);
    expect(() => Object.assign(added.metadata, { user_id: "eve" })).toThrow(TypeError);
  });

  test.each([
    [{ size: 0 }, "size"],
    [{ size: 1.5 }, "size"],
    [{ size: Number.NaN }, "size"],
    [{ multiplier: 0 }, "multiplier"],
    [{ size: 5, batchSize: 6 }, "batchSize"],
    [{ size: 5, batchSize: -1 }, "batchSize"],
  ])("is refused with %j", (options, name) => {
    expect(() => new MessageBuffer(options)).toThrow(ConfigError);
    expect(() => new MessageBuffer(options)).toThrow(`\`${name}\``);
  });

  test.each([
    ["robot", "Hello", {}],
    ["user", 5, {}],
    ["user", null, {}],
    ["user", "Hello", { user_id: 5 }],
    ["user", "Hello", { user_id: null }],
    ["user", "Hello", { tags: ["a"] }],
    ["user", "Hello", { score: Number.NaN }],
  ])("refuses a message of role %j, content %j and metadata %j, and does not change", (role, content, metadata) => {
    const buffer = bufferOfTwo();
    const add = () => buffer.addMessage(role as BufferRole, content as string, metadata as unknown as MessageMetadata);
    expect(add).toThrow(RequestError);
    expect(add).toThrow(/Expected .* of a buffer message/u);
    expect(buffer.length).toBe(4);
  });
});

describe("users and metadata", () => {
  test("each user has their own messages", () => {
    const buffer = bufferOfTwo();
    expect(contents(buffer, "user1")).toEqual(["I'm Alice", "Hello Alice!"]);
    expect(contents(buffer, "user2")).toEqual(["I'm Bob", "Hello Bob!"]);
    expect(buffer.getMessages({ metadata: { user_id: "user2" } })).toEqual(buffer.getMessages({ user: "user2" }));
    expect(contents(buffer)).toHaveLength(4);
  });

  test("a filter matches by all its keys, and a message without one does not match", () => {
    const buffer = bufferOfTwo();
    buffer.addMessage("user", "typed", { user_id: "user1", connection: "web", urgent: true });
    const found = (metadata: MessageMetadata, user?: string) =>
      buffer.getMessages({ metadata, ...(user === undefined ? {} : { user }) }).length;
    expect(found({ connection: "web" })).toBe(1);
    expect(found({ connection: "web", urgent: true })).toBe(1);
    expect(found({ connection: "web", urgent: false })).toBe(0);
    expect(found({ connection: "web" }, "user2")).toBe(0);
    expect(found({ toString: "x" })).toBe(0);
    expect(found({})).toBe(5);
  });

  test("a blank user matches no message, not all", () => {
    expect(contents(bufferOfTwo(), "")).toEqual([]);
    expect(bufferOfTwo().getFormattedMessages({ user: "" })).toEqual([]);
  });

  test("without a summary, only messages are formatted", () => {
    expect(bufferOfTwo().getFormattedMessages({ user: "user1" })).toEqual([
      { role: "user", content: "I'm Alice" },
      { role: "assistant", content: "Hello Alice!" },
    ]);
  });
});

describe("JSON", () => {
  test.each([
    ["plain", "Hello"],
    ["CJK", "東京タワーへ行きました"],
    ["emoji", "👩‍👩‍👧‍👦🎉"],
    ["a lone surrogate", "a\uD800b"],
    ["NUL", "a\u0000b"],
    ["a closing frame", "</human>"],
    ["wildcards", "100%_\\'\""],
    ["empty", ""],
    ["a million letters", "a".repeat(1e6)],
  ])("survives a round trip with %s", async (_, content) => {
    const buffer = new MessageBuffer({
      size: 2,
      multiplier: 2,
      summarizer: async (messages) => `${messages.length} left`,
    });
    for (const text of ["one", content, content])
      buffer.addMessage("user", text, { user_id: "ada", n: 1, ok: true, x: null });
    await buffer.summarize();
    const restored = MessageBuffer.fromJSON(JSON.stringify(buffer));
    expect(restored.toJSON()).toEqual(buffer.toJSON());
    expect(restored.getContext({ user: "ada" })).toEqual(buffer.getContext({ user: "ada" }));
    expect(restored.getContext().summary).toBe("1 left");
    expect(MessageBuffer.fromJSON(buffer.toJSON()).toJSON()).toEqual(buffer.toJSON());
  });

  test("a restored buffer continues where it stopped", () => {
    const restored = MessageBuffer.fromJSON(JSON.stringify(bufferOfTwo()));
    restored.addMessage("user", "five");
    restored.addMessage("user", "six");
    expect(contents(restored)).toEqual(["Hello Alice!", "I'm Bob", "Hello Bob!", "five", "six"]);
  });

  const state = JSON.parse(JSON.stringify(bufferOfTwo())) as Record<string, unknown>;
  const [message] = state["messages"] as readonly Record<string, unknown>[];

  test.each([
    ["no JSON", "{", /not JSON/u],
    ["nothing", "", /not JSON/u],
    ["a number", "5", /expected object/u],
    ["null", null, /expected object/u],
    ["a list", "[]", /expected object/u],
    ["another version", { ...state, version: 2 }, /`version`/u],
    ["a size of nothing", { ...state, size: 0 }, /`size`/u],
    ["no messages", { ...state, messages: undefined }, /`messages`/u],
    ["more messages than fit", { ...state, size: 3, batchSize: 1 }, /at most `size` messages/u],
    ["a batch larger than the window", { ...state, batchSize: 6 }, /`batchSize` to be at most/u],
    ["too many waiting", { ...state, waiting: Array.from({ length: 51 }, () => message) }, /waiting messages/u],
    ["a role that is none", { ...state, messages: [{ ...message, role: "robot" }] }, /`messages\.0\.role`/u],
    ["a time that is none", { ...state, messages: [{ ...message, at: "yesterday" }] }, /`messages\.0\.at`/u],
    ["a user that is no text", { ...state, messages: [{ ...message, metadata: { user_id: 5 } }] }, /user_id/u],
    ["a key too much", { ...state, more: 1 }, /more/u],
    ["a million letters", "a".repeat(1e6), /1000000 UTF-16 units/u],
  ])("of %s is refused, with its position", (_, json, where) => {
    const read = () => MessageBuffer.fromJSON(json);
    expect(read).toThrow(RequestError);
    expect(read).toThrow(where);
    expect(read).toThrow(expect.objectContaining({ code: "buffer_invalid" }));
  });

  test("a broken JSON's text is not in the error", () => {
    expect(() => MessageBuffer.fromJSON('{"messages": [secret')).not.toThrow(/secret/u);
  });
});

describe("search", () => {
  /** Sailing and boats point one way, cooking another. */
  const vectorOf = (text: string): readonly number[] => {
    if (/sail|boat|harbour/iu.test(text)) return [1, 0, 0];
    return /cook|soup/iu.test(text) ? [0, 1, 0] : [0, 0, 1];
  };
  function createEmbedder(
    fail = false,
  ): Embedder & { readonly asked: string[][]; readonly queries: (boolean | undefined)[] } {
    const asked: string[][] = [];
    const queries: (boolean | undefined)[] = [];
    return {
      name: "test",
      dimensions: 3,
      asked,
      queries,
      async embed(texts, options) {
        asked.push([...texts]);
        queries.push(options?.isQuery);
        if (fail) throw new EmbeddingError("embedding_failed", "No.");
        return texts.map(vectorOf);
      },
      close: async () => undefined,
    };
  }
  function talk(options: MessageBufferOptions): MessageBuffer {
    const buffer = new MessageBuffer(options);
    for (const text of ["I sail on Sundays", "Soup is for dinner", "The boat is blue", "Rain again"])
      buffer.addMessage("user", text);
    return buffer;
  }
  const found = async (buffer: MessageBuffer, query: string, options = {}) =>
    (await buffer.search(query, options)).hits.map(({ text }) => text);

  test("by meaning, the newer of equals first, and nothing unrelated", async () => {
    const buffer = talk({ embedder: createEmbedder() });
    expect(await buffer.search("harbour")).toMatchObject({
      wordsAlone: false,
      hits: [
        { type: "message", text: "The boat is blue", relevance: 1, recency: 0.75, score: 0.7 + 0.3 * 0.75 },
        { type: "message", text: "I sail on Sundays", relevance: 1, recency: 0.25 },
      ],
    });
    expect(await found(buffer, "harbour", { k: 1 })).toEqual(["The boat is blue"]);
  });

  test("by words without an embedder, and with vector search off", async () => {
    const embedder = createEmbedder();
    for (const buffer of [talk({}), talk({ embedder, vectorSearch: false }), talk({ embedder: null })]) {
      expect(await found(buffer, "the BOAT")).toEqual(["The boat is blue"]);
      expect((await buffer.search("harbour")).hits).toEqual([]);
      expect((await buffer.search("boat")).wordsAlone).toBe(true);
    }
    expect(embedder.asked).toEqual([]);
  });

  test("by words when the embedder refuses the query; a refused entry has no similarity", async () => {
    const refusing = (part: string): Embedder => ({
      ...createEmbedder(),
      embed: async (texts) => texts.map((text) => (text.includes(part) ? null : vectorOf(text))),
    });
    const query = await talk({ embedder: refusing("harbour") }).search("harbour boat");
    expect(query).toMatchObject({ wordsAlone: true, hits: [{ text: "The boat is blue" }] });
    const entry = await talk({ embedder: refusing("boat") }).search("harbour");
    expect(entry).toMatchObject({ wordsAlone: false, hits: [{ text: "I sail on Sundays" }] });
    expect(entry.hits).toHaveLength(1);
  });

  test("by words when the embedder fails, and says so", async () => {
    const result = await talk({ embedder: createEmbedder(true) }).search("soup");
    expect(result).toMatchObject({ wordsAlone: true, hits: [{ text: "Soup is for dinner" }] });
  });

  test("the recency weight decides between the better and the newer", async () => {
    const buffer = new MessageBuffer();
    buffer.addMessage("user", "red boat");
    buffer.addMessage("user", "red car");
    expect(await found(buffer, "red boat", { recencyWeight: 0 })).toEqual(["red boat", "red car"]);
    expect(await found(buffer, "red boat", { recencyWeight: 1 })).toEqual(["red car", "red boat"]);
  });

  test("is limited to the user, in summaries too", async () => {
    const buffer = bufferOfTwo({ size: 2, summarizer: async ([first]) => `They said ${first!.text}` });
    await buffer.summarize();
    expect(await found(buffer, "I'm", { user: "user2" })).toEqual(["I'm Bob"]);
    expect(await found(buffer, "They said", { user: "user1" })).toEqual([
      "They said Hello Alice!",
      "They said I'm Alice",
    ]);
  });

  test("requests each vector once", async () => {
    const embedder = createEmbedder();
    const buffer = talk({ embedder });
    buffer.addMessage("user", "Rain again");
    await buffer.search("harbour");
    await buffer.search("harbour");
    buffer.addMessage("user", "New");
    await buffer.search("harbour");
    expect(embedder.asked).toEqual([
      ["harbour"],
      ["I sail on Sundays", "Soup is for dinner", "The boat is blue", "Rain again"],
      ["New"],
    ]);
    // A query that is an entry as well is another text to some models.
    await buffer.search("New");
    expect(embedder.asked.at(-1)).toEqual(["New"]);
    expect(embedder.queries).toEqual([true, false, false, true]);
  });

  test("keeps most of its vectors when there are more texts than the cache holds", async () => {
    const embedder = createEmbedder();
    const buffer = new MessageBuffer({ size: 1100, embedder });
    for (let number = 0; number < 1100; number += 1) buffer.addMessage("user", `text ${number}`);
    await buffer.search("boat");
    await buffer.search("boat");
    expect(embedder.asked.map((texts) => texts.length)).toEqual([1, 1100, 1, 100]);
  });

  test.each([
    ["", 0],
    [" \n", 0],
    ["タワー", 1],
    ["東京", 1],
    ["東京の塔", 1],
    ["大阪の塔", 0],
    ["🎉", 1],
    ["%_", 1],
    ["</human>", 1],
    ["\uD800", 0],
    ["a".repeat(1e6), 0],
    ["京".repeat(1e6), 0],
  ])("finds %#: %.20j", async (query, hits) => {
    const buffer = new MessageBuffer();
    for (const text of ["東京タワー", "party 🎉", "100%_", "</human>"]) buffer.addMessage("user", text);
    expect((await buffer.search(query)).hits).toHaveLength(hits);
  });

  test.each([
    [{ k: 0 }],
    [{ k: 1.5 }],
    [{ recencyWeight: -0.1 }],
    [{ recencyWeight: 2 }],
    [{ recencyWeight: Number.NaN }],
  ])("refuses %j", async (options) => {
    await expect(talk({}).search("boat", options)).rejects.toMatchObject({ code: "input_invalid" });
  });

  test("an abort is not an outage", async () => {
    const embedder = {
      ...createEmbedder(),
      embed: async () => Promise.reject(new DOMException("Stopped", "AbortError")),
    };
    await expect(talk({ embedder }).search("boat")).rejects.toThrow("Stopped");
  });
});
