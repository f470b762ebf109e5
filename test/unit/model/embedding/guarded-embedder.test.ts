// An embedder behind its circuit breaker: what callers get, when it is called, and what the log is told.
import type { GuardedEmbedder } from "../../../../src/model/embedding/embedder.ts";
import { guardEmbedder } from "../../../../src/model/embedding/guarded-embedder.ts";
import { createFailingEmbedder, type FailingEmbedder } from "../../../support/failing-embedder.ts";
import { createManualClock, type ManualClock, settle } from "../../../support/manual-clock.ts";

let inner: FailingEmbedder;
let clock: ManualClock;
let told: string[];
let guarded: GuardedEmbedder;

beforeEach(() => {
  inner = createFailingEmbedder();
  clock = createManualClock();
  told = [];
  const log = (line: string): void => void told.push(line);
  guarded = guardEmbedder(inner, {
    clock,
    random: () => 0,
    log,
    threshold: 3,
    baseMs: 1000,
    maxMs: 8000,
    callMs: 5000,
  });
});

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => "no failure",
    (error: { readonly code: string }) => error.code,
  );

async function failTimes(times: number): Promise<void> {
  inner.mode = "down";
  for (let time = 0; time < times; time += 1) expect(await codeOf(guarded.embed(["x"]))).toBe("embedder_unavailable");
}

describe("a guarded embedder", () => {
  it("returns vectors unchanged, and has the embedder's name and width", async () => {
    expect(guarded).toMatchObject({ name: "test/failing", dimensions: 512 });
    expect(await guarded.embed(["one", "two"])).toEqual(await inner.embed(["one", "two"]));
    expect(guarded.pauseMs()).toBe(0);
    expect(told).toEqual([]);
  });

  it("is not called while the circuit is open: it fails at once", async () => {
    await failTimes(3);
    // Each that failed was followed by one for a harmless text.
    expect(inner.calls).toHaveLength(6);
    expect(await codeOf(guarded.embed(["x"]))).toBe("embedder_unavailable");
    expect(inner.calls).toHaveLength(6);
    expect(guarded.pauseMs()).toBe(500);
  });

  it("counts its failures from zero after a success", async () => {
    await failTimes(2);
    inner.mode = "up";
    await guarded.embed(["x"]);
    await failTimes(2);
    expect(guarded.pauseMs()).toBe(0);
  });

  it("is tested by one call after the pause, and reported as recovered on success", async () => {
    await failTimes(3);
    await clock.advance(500);
    inner.mode = "up";
    const [probe, other] = await Promise.all([codeOf(guarded.embed(["x"])), codeOf(guarded.embed(["y"]))]);
    expect([probe, other]).toEqual(["no failure", "embedder_unavailable"]);
    expect(await codeOf(guarded.embed(["z"]))).toBe("no failure");
  });

  it("logs one line when an outage begins and one when it ends, however long it was", async () => {
    await failTimes(3);
    for (const pause of [500, 1000, 2000, 4000, 4000]) {
      await clock.advance(pause);
      expect(await codeOf(guarded.embed(["x"]))).toBe("embedder_unavailable");
    }
    expect(inner.calls).toHaveLength(16);
    inner.mode = "up";
    await clock.advance(4000);
    await guarded.embed(["x"]);
    await guarded.close();
    expect(told).toEqual([
      expect.stringMatching(/^The embedder test\/failing failed.*out of order/u),
      expect.stringContaining("recovered"),
    ]);
  });

  it("logs unreported failures when it is closed", async () => {
    await failTimes(2);
    expect(told).toEqual([]);
    await guarded.close();
    expect(told).toEqual([expect.stringContaining("out of order")]);
    expect(inner.isClosed).toBe(true);
  });

  it("is not awaited beyond the time-out, even if it ignores the signal", async () => {
    inner.mode = "hanging";
    const failure = guarded.embed(["one", "two"]).catch((error: unknown) => error);
    await settle();
    expect(clock.waits).toEqual([7000]);
    await clock.advance(7000);
    expect(await failure).toMatchObject({ code: "embedder_unavailable", message: "Embedding timed out after 7 s." });
  });

  it.each([
    [true, 11_000],
    [false, 61_000],
  ])("is awaited longer if its model is on this machine (remote: %s)", async (isRemote, limitMs) => {
    inner.mode = "hanging";
    const failure = guardEmbedder({ ...inner, isRemote }, { clock, random: () => 0, log: () => undefined })
      .embed(["one"])
      .catch((error: unknown) => error);
    await settle();
    expect(clock.waits).toEqual([limitMs]);
    await clock.advance(limitMs);
    expect(await failure).toMatchObject({ code: "embedder_unavailable" });
  });

  it("rethrows an abort, and does not count it as a failure", async () => {
    inner.mode = "hanging";
    const reason = new RangeError("enough");
    for (let time = 0; time < 5; time += 1) {
      const abort = new AbortController();
      const call = guarded.embed(["x"], { signal: abort.signal });
      abort.abort(reason);
      await expect(call).rejects.toBe(reason);
    }
    expect(inner.calls).toHaveLength(5);
    await expect(guarded.embed(["x"], { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(inner.calls).toHaveLength(5);
    expect(told).toEqual([]);
  });

  it("leaves the probe to the next call when it is aborted", async () => {
    await failTimes(3);
    await clock.advance(500);
    inner.mode = "hanging";
    const abort = new AbortController();
    const probe = codeOf(guarded.embed(["x"], { signal: abort.signal }));
    abort.abort(new RangeError("enough"));
    await probe;
    inner.mode = "up";
    expect(await codeOf(guarded.embed(["x"]))).toBe("no failure");
  });

  it("has defaults for floor, weight, window and token count", async () => {
    expect(guarded).toMatchObject({ windowTokens: 512 });
    expect(await guarded.similarity()).toEqual({ floor: 0.35, weight: 1 });
    expect(guarded.countTokens("Hello, world!")).toBeGreaterThan(2);
    const own = { ...inner, similarityFloor: 0.1, windowTokens: 9, countTokens: (text: string) => text.length };
    const options = { clock, random: () => 0, log: () => undefined };
    expect(guardEmbedder(own, options)).toMatchObject({ windowTokens: 9 });
    expect(await guardEmbedder(own, options).similarity()).toEqual({ floor: 0.1, weight: 1 });
    const heavy = guardEmbedder({ ...own, meaningWeight: 3 }, { ...options, similarityFloor: 0.2 });
    expect(await heavy.similarity()).toEqual({ floor: 0.2, weight: 3 });
    const learned = { ...own, learnedFloor: async () => 0.3 };
    expect(await guardEmbedder(learned, options).similarity()).toEqual({ floor: 0.3, weight: 1 });
    expect(guardEmbedder(own, options).countTokens("four")).toBe(4);
  });

  it("treats a text that breaks the embedder as refused, not as an outage", async () => {
    inner.poison = "bad";
    for (let time = 0; time < 10; time += 1) {
      const [good, bad] = await guarded.embed(["good", "bad"]);
      expect([good?.length, bad]).toEqual([512, null]);
    }
    expect({ told, pause: guarded.pauseMs() }).toEqual({ told: [], pause: 0 });
  });

  it("fails if it returns another number of vectors than texts", async () => {
    const few = { ...inner, embed: async () => [[1]] };
    const failure = guardEmbedder(few, { clock, random: () => 0, log: () => undefined }).embed(["a", "b"]);
    await expect(failure).rejects.toMatchObject({
      code: "embedder_unavailable",
      message: "Expected 2 vectors from test/failing, got 1.",
    });
  });

  it("keeps the cause of a failure", async () => {
    inner.mode = "down";
    await expect(guarded.embed(["x"])).rejects.toMatchObject({
      cause: expect.objectContaining({ message: "out of order" }),
    });
  });
});

describe("vectors of a custom embedder", () => {
  const guardOf = (vectors: unknown) => {
    const own = {
      name: "own/three",
      dimensions: 3,
      embed: async () => vectors as readonly number[][],
      close: async () => undefined,
    };
    return guardEmbedder(own, { clock, random: () => 0, log: (line) => void told.push(line) });
  };

  it("are normalized if they are not of length 1, which is logged once", async () => {
    const embedder = guardOf([[0, 30, 40]]);
    expect(await embedder.embed(["a"])).toEqual([[0, 0.6, 0.8]]);
    expect(await embedder.embed(["b"])).toEqual([[0, 0.6, 0.8]]);
    expect(told).toEqual(["The embedder own/three returns vectors that are not of length 1: they are normalized."]);
  });

  it("are refused at once if they are of another width, however often: that is no outage", async () => {
    const embedder = guardOf([[1, 0]]);
    for (let time = 0; time < 5; time += 1)
      await expect(embedder.embed(["a"])).rejects.toMatchObject({
        code: "embedding_dimensions_mismatch",
        message: "Expected vectors of 3 dimensions from own/three, got 2.",
      });
  });

  it.each([
    [
      "not arrays",
      [new Float32Array([1, 0, 0])],
      "embedding_failed",
      "Expected an array of numbers for each text from own/three, got a value that is not an array.",
    ],
    ["no list", null, "embedding_failed", "Expected 1 vectors from own/three, got no array."],
    [
      "NaN",
      [[Number.NaN, 0, 1]],
      "embedding_failed",
      "Expected a vector of finite numbers that are not all 0 from own/three, got a number that is not finite.",
    ],
    [
      "not finite",
      [[Number.POSITIVE_INFINITY, 0, 1]],
      "embedding_failed",
      "Expected a vector of finite numbers that are not all 0 from own/three, got a number that is not finite.",
    ],
    [
      "zero",
      [[0, 0, 0]],
      "embedding_failed",
      "Expected a vector of finite numbers that are not all 0 from own/three, got only zeros.",
    ],
  ])("are refused if they are %s", async (_title, vectors, code, message) => {
    await expect(guardOf(vectors).embed(["a"])).rejects.toMatchObject({
      code: "embedder_unavailable",
      message,
      cause: { name: "EmbeddingError", code },
    });
  });
});
