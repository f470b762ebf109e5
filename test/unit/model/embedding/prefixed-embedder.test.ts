// What stands before a text when a model reads it: known by the model's name, set by a person, never before what has no words.
import type { Embedder, EmbedOptions } from "../../../../src/model/embedding/embedder.ts";
import { knownPrefixes, type PrefixOptions, prefixTexts } from "../../../../src/model/embedding/prefixed-embedder.ts";

const e5 = ["query: ", "passage: "];
const represent = ["Represent this sentence for searching relevant passages: ", ""];
const nomic = ["search_query: ", "search_document: "];
const instructed = [
  "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: ",
  "",
];
const none = ["", ""];

describe("the prefixes of a model", () => {
  it.each([
    ["transformers/e5-small-v2", e5],
    ["transformers/Xenova/multilingual-e5-small", e5],
    ["openai/intfloat/E5-Large", e5],
    ["openai/intfloat/multilingual-e5-large-instruct", instructed],
    ["openai/intfloat/e5-mistral-7b-instruct", instructed],
    ["transformers/Xenova/bge-small-en-v1.5", represent],
    ["openai/BAAI/bge-large-en", represent],
    ["openai/bge-base-zh-v1.5", ["为这个句子生成表示以用于检索相关文章：", ""]],
    ["openai/bge-m3", none],
    ["openai/mxbai-embed-large:latest", represent],
    ["openai/nomic-embed-text", nomic],
    ["openai/nomic-embed-text:v1.5", nomic],
    ["openai/text-embedding-3-small", none],
    ["transformers/all-MiniLM-L6-v2", none],
    ["transformers/me5-small", none],
    ["local/use-lite", none],
    ["", none],
    ["e5-".repeat(300_000), none],
  ])("%.40s", (name, [query, passage]) => {
    expect(knownPrefixes(name)).toEqual({ query, passage });
  });
});

interface Asked {
  readonly texts: readonly string[];
  readonly options: EmbedOptions | undefined;
}

function open(name: string, request: Partial<PrefixOptions> = {}, facts: Partial<Embedder> = {}) {
  const asked: Asked[] = [];
  const inner: Embedder = {
    name,
    dimensions: 1,
    windowTokens: 512,
    countTokens: (text) => text.length,
    embed: async (texts, options) => {
      asked.push({ texts, options });
      return texts.map(() => [1]);
    },
    close: async () => undefined,
    ...facts,
  };
  return { asked, embedder: prefixTexts(inner, { query: null, passage: null, ...request }) };
}

describe("an embedder with prefixes", () => {
  it("puts the query prefix before queries and the other before passages, and passes on the options", async () => {
    const { asked, embedder } = open("openai/nomic-embed-text");
    const { signal } = new AbortController();
    expect(await embedder.embed(["tea?", "who"], { isQuery: true, signal })).toEqual([[1], [1]]);
    await embedder.embed(["tea"]);
    expect(asked).toEqual([
      { texts: ["search_query: tea?", "search_query: who"], options: { isQuery: true, signal } },
      { texts: ["search_document: tea"], options: {} },
    ]);
  });

  it("puts none before a text without a letter or digit, so that the adapter recognizes it", async () => {
    const { asked, embedder } = open("transformers/e5-small");
    await embedder.embed(["", " \n", "?!", "\ud800", "\u0000", "字", "7", "</human>", "a🙂"]);
    const after = ["passage: 字", "passage: 7", "passage: </human>", "passage: a🙂"];
    expect(asked[0]!.texts).toEqual(["", " \n", "?!", "\ud800", "\u0000", ...after]);
  });

  it("changes no text for an unknown model without settings", async () => {
    const { asked, embedder } = open("openai/other");
    await embedder.embed(["a".repeat(1e6)]);
    await embedder.embed(["b"], { isQuery: true });
    expect(asked.map(({ texts }) => texts)).toEqual([["a".repeat(1e6)], ["b"]]);
    expect(embedder).toMatchObject({ name: "openai/other", windowTokens: 512 });
  });

  it("counts no tokens without a prefix, since that may load a tokenizer", () => {
    const countTokens = () => {
      throw new Error("counted");
    };
    expect(open("openai/text-embedding-3-small", {}, { countTokens }).embedder.windowTokens).toBe(512);
    expect(() => open("openai/e5-small", {}, { countTokens })).toThrow("counted");
  });

  it("uses the setting instead of the known prefix, also an empty one", async () => {
    const { asked, embedder } = open("openai/bge-small-en", { query: "", passage: "P:\n" });
    await embedder.embed(["tea"], { isQuery: true });
    await embedder.embed(["tea"]);
    expect(asked.map(({ texts }) => texts)).toEqual([["tea"], ["P:\ntea"]]);
  });

  it("has another name only with another prefix for passages", () => {
    const nameOf = (name: string, request: Partial<PrefixOptions>) => open(name, request).embedder.name;
    expect(nameOf("openai/e5-small", { query: "Q: " })).toBe("openai/e5-small");
    expect(nameOf("openai/e5-small", { passage: "passage: " })).toBe("openai/e5-small");
    expect(nameOf("openai/e5-small", { passage: "" })).toBe("openai/e5-small|");
    expect(nameOf("openai/x", { passage: "P:\n\u0000\ud800" })).toBe("openai/x|P:\\n\\u0000\\ud800");
  });

  it("reduces the window by its prefix, by at most half", () => {
    expect(open("openai/e5-small").embedder.windowTokens).toBe(512 - "passage: ".length);
    expect(open("openai/x", { query: "q".repeat(256) }).embedder.windowTokens).toBe(512);
    expect(open("openai/e5-small", {}, { windowTokens: 18 }).embedder.windowTokens).toBe(9);
    for (const request of [{ query: "q".repeat(257) }, { passage: "p".repeat(500) }])
      expect(() => open("openai/x", request)).toThrow(
        /expected at most half of the 512 tokens that openai\/x reads, got a prefix of \d+ tokens/u,
      );
  });
});
