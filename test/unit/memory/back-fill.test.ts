// Vectors that an outage has left missing, made in the background: when, how many at a time, and when it ends.
import type { Clock } from "../../../src/base/clock.ts";
import type { GuardedEmbedder } from "../../../src/model/embedding/embedder.ts";
import { EmbeddingError } from "../../../src/base/errors.ts";
import { type BackFill, createBackFill } from "../../../src/memory/vectors/back-fill.ts";
import { createRefusedTexts } from "../../../src/memory/vectors/refused-texts.ts";
import type { PassageStore } from "../../../src/store/port/passage-store.ts";
import { passagesToEmbed } from "../../../src/memory/vectors/unembedded.ts";
import { createFailingEmbedder, type FailingEmbedder } from "../../support/failing-embedder.ts";
import { createManualClock, type ManualClock, settle } from "../../support/manual-clock.ts";

let clock: ManualClock;
let waits: (readonly [number, unknown])[];
let inner: FailingEmbedder;
let pauseMs: number;
let missing: Map<string, number>;
let looks: number;
/** Happens once, during the next look, when that has seen what is missing. */
let duringLook: (() => void) | null;
let failures: unknown[];
let refusals: string[];
let vectorsMade: number;
let backFill: BackFill;

beforeEach(() => {
  clock = createManualClock();
  waits = [];
  inner = createFailingEmbedder();
  pauseMs = 0;
  missing = new Map();
  looks = 0;
  duringLook = null;
  failures = [];
  refusals = [];
  vectorsMade = 0;
  const watched: Clock = {
    now: clock.now,
    sleep: (ms, signal, options) => {
      waits.push([ms, options]);
      return clock.sleep(ms, signal);
    },
  };
  backFill = createBackFill({
    onVectors: (made) => (vectorsMade += made),
    texts: [passagesToEmbed(passages(), kind)],
    need: { ...kind, roles: ["searched"], isDefault: true },
    recent: passagesToEmbed(passages(), kind),
    embedder: guarded(),
    refused: createRefusedTexts((error) => refusals.push(error.message)),
    clock: watched,
    onFailure: (error) => failures.push(error),
  });
});

const kind = { embedder: "test/failing", dimensions: 512 };

function passages(): PassageStore {
  const left = (agentId: string): number => missing.get(agentId) ?? 0;
  const port = {
    countWithoutVector: async () => {
      looks += 1;
      const seen = [...missing]
        .filter(([, count]) => count > 0)
        .map(([archiveId, count]) => ({ archiveId, passages: count }));
      duringLook?.();
      duringLook = null;
      return seen;
    },
    withoutVector: async (agentId: string, { limit }: { readonly limit: number }) =>
      Array.from({ length: Math.min(limit, left(agentId)) }, (_, index) => ({ id: String(index), content: "text" })),
    addVectors: async (
      agentId: string,
      { rows }: { readonly rows: readonly { readonly vector: readonly number[] }[] },
    ) => {
      if (rows.some(({ vector }) => vector.length !== 512))
        throw new EmbeddingError("embedding_dimensions_mismatch", "too narrow");
      missing.set(agentId, left(agentId) - rows.length);
    },
  };
  return port as unknown as PassageStore;
}

/** Fails as a guarded embedder does. */
function guarded(): GuardedEmbedder {
  return {
    name: inner.name,
    dimensions: 512,
    similarity: async () => ({ floor: 0.35, weight: 1 }),
    windowTokens: 128,
    countTokens: (text) => text.length,
    pauseMs: () => pauseMs,
    embed: (texts, { signal } = {}) => {
      if (inner.mode !== "hanging") {
        return inner.embed(texts).catch(() => Promise.reject(new EmbeddingError("embedder_unavailable", "down")));
      }
      return new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
    },
    close: async () => undefined,
  };
}

async function rounds(count: number): Promise<void> {
  for (let round = 0; round < count; round += 1) await clock.advance(250);
}

const left = () => [...missing.values()].reduce((sum, count) => sum + count, 0);

describe("the back-fill", () => {
  it("does nothing before it is woken", async () => {
    missing.set("a", 5);
    await rounds(5);
    expect({ looks, waits }).toEqual({ looks: 0, waits: [] });
  });

  it("computes all missing vectors, of all agents, in batches with pauses, and then stops", async () => {
    missing = new Map([
      ["a", 262],
      ["b", 3],
    ]);
    backFill.wake();
    await rounds(1);
    expect(left()).toBe(137);
    await rounds(10);
    expect(left()).toBe(0);
    expect(inner.calls.map((texts) => texts.length)).toEqual([128, 128, 6, 3]);
    expect(looks).toBe(5);
    await rounds(10);
    expect(looks).toBe(5);
  });

  it.each([
    ["of all texts", undefined],
    ["of the newest texts of an agent", "a"],
  ])("reports the number of vectors that it made %s", async (_title, agentId) => {
    missing.set("a", 40);
    expect(backFill.isRunning()).toBe(false);
    backFill.wake(agentId);
    expect(backFill.isRunning()).toBe(true);
    await rounds(10);
    expect({ vectorsMade, isRunning: backFill.isRunning() }).toEqual({ vectorsMade: 40, isRunning: false });
  });

  it("searches again when it is woken during a search that finds nothing", async () => {
    duringLook = () => {
      missing.set("a", 1);
      backFill.wake();
    };
    backFill.wake();
    await rounds(5);
    expect({ looks, left: left() }).toEqual({ looks: 3, left: 0 });
  });

  it("works once, however often it is woken, and again when it is woken later", async () => {
    missing.set("a", 1);
    for (let time = 0; time < 4; time += 1) backFill.wake();
    await rounds(3);
    expect(looks).toBe(2);
    missing.set("a", 1);
    backFill.wake();
    await rounds(3);
    expect({ looks, left: left() }).toEqual({ looks: 4, left: 0 });
  });

  it("waits while the embedder's circuit is open, in the background", async () => {
    missing.set("a", 1);
    pauseMs = 4000;
    backFill.wake();
    await rounds(15);
    expect(inner.calls).toHaveLength(0);
    await rounds(1);
    expect(inner.calls).toHaveLength(1);
    expect(waits[0]).toEqual([4000, { background: true }]);
    expect(waits.every(([, options]) => JSON.stringify(options) === '{"background":true}')).toBe(true);
  });

  it("continues after an outage, without logging it: the guard does that", async () => {
    missing.set("a", 1);
    inner.mode = "down";
    backFill.wake();
    await rounds(4);
    expect({ calls: inner.calls.length, left: left() }).toEqual({ calls: 4, left: 1 });
    inner.mode = "up";
    await rounds(1);
    expect({ left: left(), failures }).toEqual({ left: 0, failures: [] });
  });

  it("ends with any other failure, logged once, until it is woken again", async () => {
    missing.set("a", 1);
    inner.mode = "narrow";
    backFill.wake();
    await rounds(5);
    expect(failures).toEqual([expect.objectContaining({ code: "embedding_dimensions_mismatch" })]);
    expect(inner.calls).toHaveLength(1);
    inner.mode = "up";
    backFill.wake();
    await rounds(1);
    expect(left()).toBe(0);
  });

  it.each(["up", "hanging"] as const)(
    "stops at once while the embedder is %s, and cannot be woken any more",
    async (mode) => {
      missing.set("a", 100);
      inner.mode = mode;
      backFill.wake();
      await rounds(1);
      await backFill.stop();
      const before = { looks, calls: inner.calls.length };
      backFill.wake();
      await rounds(5);
      await settle();
      expect({ looks, calls: inner.calls.length, failures }).toEqual({ ...before, failures: [] });
    },
  );

  it("reads only an agent's newest messages when it is woken for that agent, before everything else", async () => {
    missing = new Map([
      ["a", 3],
      ["b", 33],
    ]);
    backFill.wake("b");
    await rounds(5);
    expect({ looks, left: Object.fromEntries(missing) }).toEqual({ looks: 0, left: { a: 3, b: 0 } });
    missing.set("b", 1);
    backFill.wake();
    backFill.wake("b");
    await rounds(1);
    expect(Object.fromEntries(missing)).toEqual({ a: 3, b: 0 });
    await rounds(2);
    expect(left()).toBe(0);
  });

  it("is idle when nothing is left to do, and while the embedder's circuit is open", async () => {
    const states: string[] = [];
    missing.set("a", 40);
    backFill.wake();
    const idle = backFill.idle().then(() => states.push(`idle with ${left()} left`));
    await rounds(1);
    expect(states).toEqual([]);
    await rounds(3);
    await idle;
    missing.set("a", 1);
    pauseMs = 4000;
    backFill.wake();
    await backFill.idle();
    states.push(`paused with ${left()} left`);
    expect(states).toEqual(["idle with 0 left", "paused with 1 left"]);
  });
});
