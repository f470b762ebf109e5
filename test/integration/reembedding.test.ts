// Agents with embedders of their own, and going over from one to another, on a real database.
import type { RuntimeOptions } from "../../src/runtime/compose/compose.ts";
import type { Embedder } from "../../src/model/embedding/embedder.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { createBriefClock } from "../support/manual-clock.ts";
import { comparedBy, newEmbedders, standing } from "../support/reembedding-standing.ts";
import { useRuntimes } from "../support/runtime.ts";
import { createWordEmbedder, type WordEmbedder } from "../support/word-embedder.ts";

const runtimes = useRuntimes();
let old: WordEmbedder;
let next: WordEmbedder;
let told: string[];
let userId: string;
let number = 0;

beforeEach(() => {
  number += 1;
  userId = `user ${number}`;
  [old, next] = newEmbedders();
  told = [];
});

/** Nothing is remembered, so that each call is seen. */
const open = (options: RuntimeOptions = {}): Promise<Runtime> =>
  runtimes.open({
    userId,
    embedder: old,
    embedders: [next],
    embeddingCache: 0,
    clock: createBriefClock(),
    log: (line) => void told.push(line),
    ...options,
  });

async function withPassages(count: number, options: RuntimeOptions = {}): Promise<Runtime> {
  const runtime = await open(options);
  await runtime.agents.create({ name: "main", human: "" });
  await runtime.archival.import(
    "main",
    Array.from({ length: count }, (_, index) => ({ text: `boat number${index}` })),
  );
  await runtime.idle();
  return runtime;
}

describe("switching to another embedder", () => {
  it("computes every vector once, switches, and keeps the old ones until they are dropped", async () => {
    const runtime = await withPassages(70);
    expect(await standing(runtime)).toEqual(["searched test/old 70/70"]);
    expect(await comparedBy(runtime)).toBe("old");
    const progress: string[] = [];
    const onProgress = ({ done, texts }: { readonly done: number; readonly texts: number }): void =>
      void progress.push(`${done}/${texts}`);
    const result = await runtime.embeddings.reembed({ to: "test/next", batch: 32, onProgress });
    expect(result).toEqual({
      to: { embedder: "test/next", dimensions: 12 },
      agents: ["main"],
      already: [],
      made: 70,
      refused: 0,
    });
    expect(progress).toEqual(["32/70", "64/70", "70/70"]);
    expect(await standing(runtime)).toEqual(["searched test/next 70/70", "kept test/old 70/70"]);
    expect(await comparedBy(runtime)).toBe("next");
    expect((await runtime.embeddings.rollback()).map(({ agent }) => agent.name)).toEqual(["main"]);
    expect(await comparedBy(runtime)).toBe("old");
    await runtime.embeddings.rollback(["main"]);
    expect(await comparedBy(runtime)).toBe("next");
    expect(await runtime.embeddings.dropOld()).toEqual({ agents: ["main"], deleted: 70 });
    expect(await standing(runtime)).toEqual(["searched test/next 70/70"]);
    await expect(runtime.embeddings.rollback()).rejects.toMatchObject({ code: "reembedding_refused" });
    expect(await runtime.embeddings.dropOld()).toEqual({ agents: [], deleted: 0 });
    expect(told.filter((line) => !line.startsWith("preparing"))).toEqual([]);
  });

  it("does nothing a second time, for the current embedder, or without agents", async () => {
    const runtime = await withPassages(3);
    const none = { made: 0, refused: 0, agents: [] };
    expect(await runtime.embeddings.reembed({ to: "test/old" })).toMatchObject({ ...none, already: ["main"] });
    expect(await standing(runtime)).toEqual(["searched test/old 3/3"]);
    const request = { to: "test/next", fromDimensions: 16, toDimensions: 12 };
    expect(await runtime.embeddings.reembed(request)).toMatchObject({ agents: ["main"] });
    expect(await runtime.embeddings.reembed(request)).toMatchObject({ ...none, already: ["main"] });
    await runtime.agents.delete("main");
    expect(await runtime.embeddings.reembed({ to: "test/next" })).toMatchObject({ ...none, already: [] });
  });

  it("continues after an interruption, with searches on the old one until then, and embeds no text twice", async () => {
    const runtime = await withPassages(100);
    const stopping = new AbortController();
    const running = runtime.embeddings.reembed({
      to: "test/next",
      batch: 10,
      signal: stopping.signal,
      onProgress: ({ done }) => done === 40 && stopping.abort(new Error("enough")),
    });
    await expect(running).rejects.toThrow("enough");
    expect(await standing(runtime)).toEqual(["searched test/old 100/100", "building test/next 40/100"]);
    expect(await comparedBy(runtime)).toBe("old");
    await runtime.close();
    const again = await open();
    expect(await again.embeddings.reembed({ to: "test/next" })).toMatchObject({ agents: ["main"], made: 60 });
    const boats = next.made.filter((text) => text.startsWith("boat"));
    expect([boats.length, new Set(boats).size]).toEqual([100, 100]);
  });

  it("waits during an outage", async () => {
    const runtime = await withPassages(64);
    let waits = 0;
    const clock = createBriefClock();
    const waiting = await open({
      clock: {
        now: clock.now,
        sleep: (ms, signal, options) => {
          if (next.mode === "down" && ms >= 250 && ms <= 5000) waits += 1;
          if (waits === 3) next.mode = "up";
          return clock.sleep(ms, signal, options);
        },
      },
    });
    const onProgress = ({ done }: { readonly done: number }): void => {
      if (done === 32) next.mode = "down";
    };
    expect(await waiting.embeddings.reembed({ to: "test/next", batch: 32, onProgress })).toMatchObject({ made: 64 });
    expect(waits).toBeGreaterThanOrEqual(3);
    expect(await comparedBy(runtime)).toBe("next");
  });

  it("can be stopped during an outage, with everything kept", async () => {
    const runtime = await withPassages(64);
    const stopping = new AbortController();
    const onProgress = (): void => {
      next.mode = "down";
      setTimeout(() => stopping.abort(new Error("enough")), 50);
    };
    const running = runtime.embeddings.reembed({ to: "test/next", batch: 32, onProgress, signal: stopping.signal });
    await expect(running).rejects.toThrow("enough");
    expect(await standing(runtime)).toEqual(["searched test/old 64/64", "building test/next 32/64"]);
  });

  it("limits the texts per call and per second", async () => {
    const waits: number[] = [];
    const runtime = await withPassages(25, { clock: createBriefClock(waits, () => new Date(0)) });
    waits.length = 0;
    await runtime.embeddings.reembed({ to: "test/next", batch: 10, ratePerSecond: 4 });
    expect(next.sizes.slice(0, 4)).toEqual([1, 10, 10, 5]);
    expect(waits.filter((ms) => ms >= 2500 && ms <= 7000)).toEqual([2500, 5000, 6250]);
  });

  it("switches without refused texts, which are found by their words", async () => {
    const runtime = await withPassages(40);
    next.refuses = "number7";
    const result = await runtime.embeddings.reembed({ to: "test/next" });
    expect(result).toMatchObject({ agents: ["main"], made: 39, refused: 1 });
    expect(await standing(runtime)).toEqual(["searched test/next 39/40", "kept test/old 40/40"]);
    const { hits } = await runtime.archival.search("main", "number7", { pageSize: 1 });
    expect(hits[0]).toMatchObject({ text: "boat number7", explanation: { words: { rank: 1 } } });
  });

  it("includes texts that are added meanwhile, not deleted ones, and continues without a deleted agent", async () => {
    const runtime = await withPassages(64);
    await runtime.agents.create({ name: "other", human: "" });
    await runtime.archival.add("other", "an anchor");
    const rows = await runtime.archival.list("main", { limit: 100 });
    let isFirst = true;
    const clerk = await open();
    const meddling: Promise<unknown>[] = [];
    const result = await runtime.embeddings.reembed({
      to: "test/next",
      onProgress: () => {
        if (!isFirst) return;
        isFirst = false;
        for (const { id } of rows.slice(0, 10)) meddling.push(clerk.archival.delete("main", id));
        meddling.push(clerk.archival.add("main", "a lighthouse"), clerk.agents.delete("other"));
      },
    });
    await Promise.all(meddling);
    expect(result.agents.includes("main")).toBe(true);
    await runtime.idle();
    await clerk.idle();
    expect(await standing(runtime)).toEqual(["searched test/next 55/55", "kept test/old 55/55"]);
    expect(await runtime.embeddings.list()).toHaveLength(1);
  });

  it("is done once by two concurrent runs", async () => {
    const runtime = await withPassages(50);
    const other = await open();
    const results = await Promise.all([
      runtime.embeddings.reembed({ to: "test/next" }),
      other.embeddings.reembed({ to: "test/next" }),
    ]);
    for (const { agents, already } of results) expect([...agents, ...already]).toEqual(["main"]);
    expect(await standing(runtime)).toEqual(["searched test/next 50/50", "kept test/old 50/50"]);
  });

  it("fails if another process abandons it", async () => {
    const runtime = await withPassages(70);
    let abandoned: Promise<unknown> = Promise.resolve();
    const running = runtime.embeddings.reembed({
      to: "test/next",
      batch: 1,
      onProgress: ({ done }) => {
        if (done === 1) abandoned = runtime.embeddings.abandon();
      },
    });
    await expect(running).rejects.toMatchObject({
      code: "reembedding_refused",
      message: expect.stringContaining("Another process has abandoned"),
    });
    await abandoned;
    expect(await standing(runtime)).toEqual(["searched test/old 70/70"]);
  });
});

describe("is refused with nothing started:", () => {
  const refusals: readonly (readonly [string, (runtime: Runtime) => Promise<unknown>, string, RegExp])[] = [
    [
      "an unknown embedder",
      (r) => r.embeddings.reembed({ to: "test/nowhere" }),
      "config_invalid",
      /"test\/old" \(16 dimensions\), "test\/next" \(12 dimensions\), "local\/use-lite".*, got "test\/nowhere"/u,
    ],
    [
      "a name that is none",
      (r) => r.embeddings.reembed({ to: "</human>\u0000🦀 %_" }),
      "config_invalid",
      /Expected the embedder to be/u,
    ],
    [
      "a huge name",
      (r) => r.embeddings.reembed({ to: "a".repeat(1e6) }),
      "config_invalid",
      /^Expected the embedder to be .*, got "a{100}"\.$/u,
    ],
    [
      "none",
      (r) => r.embeddings.reembed({ to: "none" }),
      "config_invalid",
      /Expected the embedder to be .*, got "none"/u,
    ],
    [
      "a key that is missing",
      (r) => r.embeddings.reembed({ to: "openai/text-embedding-3-small" }),
      "config_invalid",
      /`openaiApiKey`/u,
    ],
    [
      "another width than is said",
      (r) => r.embeddings.reembed({ to: "test/next", toDimensions: 384 }),
      "config_invalid",
      /with 384 dimensions/u,
    ],
    [
      "another width of the local one",
      (r) => r.embeddings.reembed({ to: "local/use-lite", toDimensions: 384 }),
      "config_invalid",
      /Expected vectors of 384 dimensions from local\/use-lite, got 512/u,
    ],
    [
      "another width than there is",
      (r) => r.embeddings.reembed({ to: "test/next", fromDimensions: 512 }),
      "config_invalid",
      /"main" to have 512 dimensions, got 16 \(test\/old\)/u,
    ],
    [
      "an unknown agent",
      (r) => r.embeddings.reembed({ to: "test/next", agents: ["mian"] }),
      "agent_not_found",
      /Did you mean "main"/u,
    ],
    [
      "no batch",
      (r) => r.embeddings.reembed({ to: "test/next", batch: 0 }),
      "input_invalid",
      /`batch`.*from 1 to 2048, got 0/u,
    ],
    [
      "no rate",
      (r) => r.embeddings.reembed({ to: "test/next", ratePerSecond: 0 }),
      "input_invalid",
      /`ratePerSecond`/u,
    ],
  ];

  it.each(refusals)("%s", async (_what, ask, code, message) => {
    const runtime = await withPassages(1);
    await expect(ask(runtime)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
    expect(await standing(runtime)).toEqual(["searched test/old 1/1"]);
    expect((await runtime.embeddings.list(["main"]))[0]).toMatchObject({ searched: { since: null }, building: null });
  });

  it("an embedder that does not work, or returns another width than it states", async () => {
    const narrow: Embedder = { ...next, name: "test/narrow", embed: async (texts) => texts.map(() => [1, 0]) };
    const runtime = await withPassages(1, { embedders: [next, narrow] });
    const mismatch = { code: "embedding_dimensions_mismatch" };
    await expect(runtime.embeddings.reembed({ to: "test/narrow" })).rejects.toMatchObject(mismatch);
    next.mode = "down";
    const outage = { code: "embedder_unavailable" };
    await expect(runtime.embeddings.reembed({ to: "test/next" })).rejects.toMatchObject(outage);
    expect(await standing(runtime)).toEqual(["searched test/old 1/1"]);
  });

  it("a runtime without vectors", async () => {
    const runtime = await withPassages(1);
    const without = await open({ embedder: null });
    await expect(without.embeddings.reembed({ to: "test/next" })).rejects.toMatchObject({ code: "config_invalid" });
    expect((await without.embeddings.list())[0]).toMatchObject({ searched: null });
    expect(await comparedBy(without)).toBe("nothing");
    expect(await standing(runtime)).toEqual(["searched test/old 1/1"]);
  });
});

describe("agents with different embedders", () => {
  async function two(): Promise<Runtime> {
    const runtime = await withPassages(3);
    await runtime.agents.create({ name: "other", human: "" });
    await runtime.archival.import("other", [{ text: "boat of the other" }]);
    await runtime.idle();
    await runtime.embeddings.reembed({ to: "test/next", agents: ["other"] });
    return runtime;
  }

  it("share a database without affecting each other", async () => {
    const runtime = await two();
    expect([await comparedBy(runtime, "main"), await comparedBy(runtime, "other")]).toEqual(["old", "next"]);
    expect(next.made.filter((text) => text.startsWith("boat "))).toEqual(["boat of the other"]);
    await runtime.embeddings.dropOld();
    expect([await comparedBy(runtime, "main"), await comparedBy(runtime, "other")]).toEqual(["old", "next"]);
    old.made.length = 0;
    await runtime.archival.add("other", "boat that is new");
    await runtime.idle();
    expect([old.made, next.made.includes("boat that is new")]).toEqual([[], true]);
    expect(await standing(runtime, "other")).toEqual(["searched test/next 2/2"]);
  });

  it("find a source's passages each by its own embedder, and keep them when one drops its old vectors", async () => {
    const runtime = await two();
    const text = `${process.cwd()}/test/support/word-embedder.ts`;
    await runtime.sources.load("docs", [text]);
    await runtime.sources.attach("main", "docs");
    await runtime.sources.attach("other", "docs");
    await runtime.idle();
    const searchAs = (agent: string) => comparedBy(runtime, agent, "embedder dimensions text");
    expect([await searchAs("main"), await searchAs("other")]).toEqual(["old", "next"]);
    expect(await runtime.embeddings.dropOld()).toMatchObject({ agents: ["other"], deleted: 1 });
    expect([await searchAs("main"), await searchAs("other")]).toEqual(["old", "next"]);
    const again = await runtime.sources.load("docs", [text]);
    expect(again.vectors).toEqual({ made: 0, missing: 0 });
  });

  it("are searched by words if their embedder cannot be opened, which is logged once", async () => {
    const runtime = await two();
    await runtime.close();
    const poor = await open({ embedders: [] });
    expect([await comparedBy(poor, "main"), await comparedBy(poor, "other")]).toEqual(["old", "words alone"]);
    await poor.archival.add("other", "an anchor");
    await poor.idle();
    expect(await comparedBy(poor, "other")).toBe("words alone");
    expect(told.filter((line) => line.includes("test/next"))).toEqual([
      expect.stringMatching(
        /^Searches that need the embedder test\/next compare only words in this process: Expected the embedder to be /u,
      ),
    ]);
    const rich = await open();
    await rich.agents.open("other");
    await rich.idle();
    expect(await standing(rich, "other")).toEqual(["searched test/next 2/2", "kept test/old 2/2"]);
  });
});

describe("a new text", () => {
  it("gets both vectors while the old ones are kept, so that a rollback loses nothing", async () => {
    const runtime = await withPassages(3);
    await runtime.embeddings.reembed({ to: "test/next" });
    await runtime.archival.add("main", "a lighthouse");
    await runtime.conversations.import("main", { messages: [{ role: "user", text: "a harbour", at: new Date(0) }] });
    await runtime.idle();
    expect(await standing(runtime)).toEqual(["searched test/next 5/5", "kept test/old 5/5"]);
    await runtime.embeddings.rollback();
    expect(await comparedBy(runtime, "main", "lighthouse")).toBe("old");
  });

  it("gets both while another process builds, which computes those of existing texts", async () => {
    const runtime = await withPassages(600);
    const stopping = new AbortController();
    const onProgress = (): void => stopping.abort(new Error("enough"));
    const running = runtime.embeddings.reembed({ to: "test/next", batch: 1, signal: stopping.signal, onProgress });
    await expect(running).rejects.toThrow("enough");
    await runtime.close();
    next.made.length = 0;
    const chat = await open();
    await chat.agents.open("main");
    await chat.idle();
    // Of the 600, the 500 newest; the first has one already.
    expect((await standing(chat))[1]).toBe("building test/next 501/600");
    await chat.archival.add("main", "a lighthouse");
    await chat.idle();
    expect(old.made).toContain("a lighthouse");
    expect(next.made).toContain("a lighthouse");
    expect(next.made).toHaveLength(501);
    expect((await standing(chat))[1]).toBe("building test/next 502/601");
  });

  it("gets no vector if the runtime computes none", async () => {
    const runtime = await withPassages(3);
    await runtime.embeddings.reembed({ to: "test/next" });
    const without = await open({ embedder: null });
    await without.archival.add("main", "a lighthouse");
    await without.idle();
    expect(await standing(runtime)).toEqual(["searched test/next 3/4", "kept test/old 3/4"]);
  });
});

it("a runtime closes every embedder that it received", async () => {
  const closed: string[] = [];
  const closing = (embedder: Embedder): Embedder => ({
    ...embedder,
    close: async () => void closed.push(embedder.name),
  });
  const third = createWordEmbedder("test/third", 3);
  const runtime = await withPassages(1, { embedder: closing(old), embedders: [closing(next), closing(third)] });
  await runtime.embeddings.reembed({ to: "test/next" });
  await runtime.close();
  expect(closed.toSorted()).toEqual(["test/next", "test/old", "test/third"]);
});
