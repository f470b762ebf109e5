// Vectors that are remembered: what is asked for, what is kept, and what callers of the same text share.
import { cacheVectors } from "../../../../src/model/embedding/cached-embedder.ts";
import type { GuardedEmbedder, Vector } from "../../../../src/model/embedding/embedder.ts";
import { settle } from "../../../support/manual-clock.ts";

interface Call {
  readonly texts: readonly string[];
  readonly isQuery: boolean | undefined;
  readonly give: (vectors?: readonly Vector[]) => void;
  readonly fail: (reason: unknown) => void;
}

let calls: Call[];
let cached: GuardedEmbedder;

/** Each call waits until a test ends it; an abort ends it, too. */
beforeEach(() => {
  calls = [];
  const embedder: GuardedEmbedder = {
    name: "test/slow",
    dimensions: 1,
    similarity: async () => ({ floor: 0.2, weight: 1 }),
    windowTokens: 9,
    countTokens: (text) => text.length,
    pauseMs: () => 7,
    embed: (texts, { isQuery, signal } = {}) =>
      new Promise((resolve, reject) => {
        signal?.addEventListener("abort", () => reject(signal.reason));
        calls.push({ texts, isQuery, give: (vectors = texts.map(vectorOf)) => resolve(vectors), fail: reject });
      }),
    close: async () => undefined,
  };
  cached = cacheVectors(embedder, 3);
});

function vectorOf(text: string): readonly number[] {
  return [text.length];
}

async function fill(...texts: readonly string[]): Promise<void> {
  const filled = cached.embed(texts);
  await settle();
  calls.at(-1)?.give();
  await filled;
}

const asked = () => calls.map(({ texts }) => texts);

describe("a cached embedder", () => {
  it("has the embedder's properties", async () => {
    expect(cached).toMatchObject({ name: "test/slow", dimensions: 1, windowTokens: 9 });
    expect(await cached.similarity()).toEqual({ floor: 0.2, weight: 1 });
    expect([cached.pauseMs(), cached.countTokens("four")]).toEqual([7, 4]);
  });

  it("treats a query and an equal passage as two texts", async () => {
    const both = Promise.all([cached.embed(["a"], { isQuery: true }), cached.embed(["a"])]);
    await settle();
    expect(calls.map(({ texts, isQuery }) => [texts, isQuery])).toEqual([
      [["a"], true],
      [["a"], undefined],
    ]);
    calls[0]!.give([[7]]);
    calls[1]!.give([[8]]);
    expect(await both).toEqual([[[7]], [[8]]]);
    expect(await cached.embed(["a"], { isQuery: true })).toEqual([[7]]);
    expect(await cached.embed(["a"], { isQuery: false })).toEqual([[8]]);
    expect(calls).toHaveLength(2);
  });

  it("requests only missing texts, each once, and returns all in order", async () => {
    await fill("a", "bb");
    const result = cached.embed(["bb", "ccc", "a", "ccc"]);
    await settle();
    expect(asked()).toEqual([["a", "bb"], ["ccc"]]);
    calls[1]?.give();
    expect(await result).toEqual([[2], [3], [1], [3]]);
    expect(await cached.embed(["a", "ccc"])).toEqual([[1], [3]]);
    expect(calls).toHaveLength(2);
  });

  it("evicts the least recently used text", async () => {
    await fill("a", "b", "c");
    await cached.embed(["a"]);
    await fill("d");
    await cached.embed(["a", "c", "d"]);
    expect(asked()).toEqual([["a", "b", "c"], ["d"]]);
    const again = cached.embed(["b"]);
    await settle();
    expect(asked().at(-1)).toEqual(["b"]);
    calls.at(-1)?.give();
    await again;
  });

  it("returns all vectors of a call that exceeds its size", async () => {
    const texts = ["a", "bb", "ccc", "dddd", "eeeee"];
    const result = cached.embed(texts);
    await settle();
    calls[0]?.give();
    expect(await result).toEqual([[1], [2], [3], [4], [5]]);
  });

  it("requests a text once for concurrent callers", async () => {
    const both = Promise.all([cached.embed(["a", "b"]), cached.embed(["b", "c"])]);
    await settle();
    expect(asked()).toEqual([["a", "b"], ["c"]]);
    for (const call of calls) call.give();
    expect(await both).toEqual([
      [[1], [1]],
      [[1], [1]],
    ]);
  });

  it("caches no failure: the next call requests again", async () => {
    const failed = cached.embed(["a"]);
    await settle();
    calls[0]?.fail(new TypeError("down"));
    await expect(failed).rejects.toThrow("down");
    await fill("a");
    expect(asked()).toEqual([["a"], ["a"]]);
  });

  it("caches no refusal", async () => {
    const refused = cached.embed(["a", "b"]);
    await settle();
    calls[0]?.give([null, [1]]);
    expect(await refused).toEqual([null, [1]]);
    await fill("a", "b");
    expect(asked()).toEqual([["a", "b"], ["a"]]);
  });

  it("shares a refusal with concurrent callers", async () => {
    const both = Promise.all([cached.embed(["a"]), cached.embed(["a"])]);
    await settle();
    calls[0]?.give([null]);
    expect(await both).toEqual([[null], [null]]);
    expect(calls).toHaveLength(1);
  });

  it("requests a text again if the other call was aborted", async () => {
    const abort = new AbortController();
    const first = cached.embed(["a"], { signal: abort.signal });
    const second = cached.embed(["a"]);
    await settle();
    const reason = new RangeError("enough");
    abort.abort(reason);
    await expect(first).rejects.toBe(reason);
    await settle();
    expect(asked()).toEqual([["a"], ["a"]]);
    calls[1]?.give();
    expect(await second).toEqual([[1]]);
  });

  it("rejects at once when it is aborted while it waits for another call, which continues", async () => {
    const abort = new AbortController();
    const first = cached.embed(["a"]);
    const second = cached.embed(["a"], { signal: abort.signal });
    await settle();
    const reason = new RangeError("enough");
    abort.abort(reason);
    await expect(second).rejects.toBe(reason);
    calls[0]?.give();
    expect(await first).toEqual([[1]]);
    await expect(cached.embed(["a"], { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(calls).toHaveLength(1);
  });
});
