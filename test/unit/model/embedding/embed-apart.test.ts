// Which texts an embedder breaks at: found by asking for less and less, and never mistaken for an outage.
import { embedApart } from "../../../../src/model/embedding/embed-apart.ts";
import type { Embedder } from "../../../../src/model/embedding/embedder.ts";
import { EmbeddingError } from "../../../../src/base/errors.ts";

const never = new AbortController().signal;

/** Gives [length] for each text; `fault` throws for a call that it does not like. */
function embedderWith(fault: (texts: readonly string[], call: number) => void) {
  const calls: (readonly string[])[] = [];
  const embedder: Embedder = {
    name: "test/faulty",
    dimensions: 1,
    async embed(texts) {
      calls.push(texts);
      fault(texts, calls.length);
      return texts.map((text) => [text.length]);
    },
    close: async () => undefined,
  };
  return { embedder, calls };
}

const poisonedBy = (...poisons: readonly string[]) =>
  embedderWith((texts) => {
    if (texts.some((text) => poisons.includes(text))) throw new TypeError("cannot read that");
  });

const texts = Array.from({ length: 32 }, (_, index) => `text ${index}`);

describe("embedApart", () => {
  it("makes one call on success", async () => {
    const { embedder, calls } = poisonedBy();
    expect(await embedApart(embedder, texts, { signal: never })).toEqual(texts.map((text) => [text.length]));
    expect(calls).toHaveLength(1);
  });

  it.each([
    [["text 0"], 13],
    [["text 31"], 13],
    [["text 3", "text 17"], 22],
  ])("returns null for %j of 32 texts and vectors for the others, in %i calls", async (poisons, expected) => {
    const { embedder, calls } = poisonedBy(...poisons);
    expect(await embedApart(embedder, texts, { signal: never })).toEqual(
      texts.map((text) => (poisons.includes(text) ? null : [text.length])),
    );
    expect(calls).toHaveLength(expected);
  });

  it("returns null for a single text, and for several that are all refused", async () => {
    const { embedder, calls } = poisonedBy("a", "b");
    expect(await embedApart(embedder, ["a"], { signal: never })).toEqual([null]);
    expect(calls).toEqual([["a"], ["palimpsest"]]);
    expect(await embedApart(embedder, ["a", "b"], { signal: never })).toEqual([null, null]);
  });

  it("throws the error of an embedder that accepts nothing, after one more call", async () => {
    const { embedder, calls } = embedderWith((_texts, call) => {
      throw new TypeError(`down ${call}`);
    });
    await expect(embedApart(embedder, texts, { signal: never })).rejects.toThrow("down 1");
    expect(calls).toEqual([texts, ["palimpsest"]]);
  });

  it("treats no text as refused during an outage that begins meanwhile", async () => {
    const { embedder } = embedderWith((part, call) => {
      if (part.includes("text 31") || call > 4) throw new TypeError("down");
    });
    await expect(embedApart(embedder, texts, { signal: never })).rejects.toThrow("down");
  });

  it.each(["embedder_unavailable", "embedding_dimensions_mismatch"] as const)(
    "does not search further after %s",
    async (code) => {
      const { embedder, calls } = embedderWith(() => {
        throw new EmbeddingError(code, "not the texts' fault");
      });
      await expect(embedApart(embedder, texts, { signal: never })).rejects.toMatchObject({ code });
      expect(calls).toHaveLength(1);
    },
  );

  it("searches further after embedding_failed", async () => {
    const { embedder } = embedderWith((part) => {
      if (part.includes("text 9")) throw new EmbeddingError("embedding_failed", "400");
    });
    expect((await embedApart(embedder, texts, { signal: never }))[9]).toBeNull();
  });

  it.each([1, 2, 3])("throws the reason of an abort in call %i", async (when) => {
    const abort = new AbortController();
    const reason = new RangeError("enough");
    const { embedder, calls } = embedderWith((_part, call) => {
      if (call === when) abort.abort(reason);
      if (call !== 2 || when === 2) throw new TypeError("cannot");
    });
    await expect(embedApart(embedder, texts, { signal: abort.signal })).rejects.toBe(reason);
    expect(calls).toHaveLength(when);
  });
});
