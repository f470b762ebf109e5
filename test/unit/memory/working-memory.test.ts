// Working memory: what it finds, for whom, what it takes, and what leaves it when. Its numbers are MUXI's: 5 hits, 10 MB, 5
// minutes.
import { WorkingMemory, type WorkingMemoryOptions } from "../../../src/memory/working/working-memory.ts";
import { createManualClock, settle } from "../../support/manual-clock.ts";
import { createSharedWordsEmbedder, wordVector } from "../../support/shared-words-embedder.ts";

const opened: WorkingMemory[] = [];

function open(options: Partial<WorkingMemoryOptions> = {}): WorkingMemory {
  const memory = new WorkingMemory({ embedder: createSharedWordsEmbedder(), clock: createManualClock(), ...options });
  opened.push(memory);
  return memory;
}

afterEach(async () => {
  for (const memory of opened.splice(0)) await memory.close();
});

const textsOf = async (memory: WorkingMemory, query: string, user: string, k?: number) =>
  (await memory.search(query, k === undefined ? { user } : { user, k })).hits.map(({ text }) => text);

describe("an added text", () => {
  it("is found with its time, source and trust, by meaning as soon as it has a vector and by words until then", async () => {
    const clock = createManualClock();
    const memory = open({ clock });
    memory.add({
      text: "The ferry leaves at nine.",
      source: "timetable",
      user: "ada",
      trust: "external",
      id: "call 7",
    });
    expect(memory.waiting).toBe(1);
    const early = memory.search("ferry", { user: "ada" });
    await memory.idle();
    expect(memory.waiting).toBe(0);
    await early;
    const { hits, wordsAlone } = await memory.search("when leaves the ferry", { user: "ada" });
    expect(wordsAlone).toBe(false);
    expect(hits).toEqual([
      {
        id: "call 7",
        text: "The ferry leaves at nine.",
        source: "timetable",
        at: clock.now(),
        trust: "external",
        by: "meaning",
        score: expect.closeTo(dot("when leaves the ferry", "The ferry leaves at nine."), 5),
      },
    ]);
  });

  it("has the lowest trust by default", async () => {
    const memory = open();
    memory.add({ text: "a fact", source: "user", user: "ada" });
    memory.add({ text: "a fact too", source: "user", user: "ada", trust: "user" });
    const { hits } = await memory.search("fact", { user: "ada" });
    expect(new Map(hits.map(({ text, trust }) => [text, trust]))).toEqual(
      new Map([
        ["a fact", "external"],
        ["a fact too", "user"],
      ]),
    );
  });

  it("is added once under one id for one user", () => {
    const memory = open();
    const text = { text: "once", source: "user", id: "message 1" };
    expect(memory.add({ ...text, user: "ada" })).toBe(true);
    expect(memory.add({ ...text, user: "ada" })).toBe(false);
    expect(memory.add({ ...text, user: "bob" })).toBe(true);
    expect(memory.size).toBe(2);
  });

  it("keeps its time when the given Date is changed", async () => {
    const memory = open();
    const at = new Date("2026-05-08T09:00:00Z");
    memory.add({ text: "a fact", source: "user", user: "ada", at });
    at.setFullYear(1999);
    expect((await memory.search("fact", { user: "ada" })).hits[0]?.at).toEqual(new Date("2026-05-08T09:00:00Z"));
  });

  it("counts with all its data: its text, its source and its id", () => {
    const memory = open();
    const bytesOfNext = (text: string, source: string, id: string): number => {
      const before = memory.bytes;
      memory.add({ text, source, id, user: "ada" });
      return memory.bytes - before;
    };
    const min = bytesOfNext("t", "s", "1");
    expect(bytesOfNext("t".repeat(1001), "s", "2")).toBe(min + 2000);
    expect(bytesOfNext("t", "s".repeat(1001), "3")).toBe(min + 2000);
    expect(bytesOfNext("t", "s", "4".repeat(1001))).toBe(min + 2000);
  });

  it("can be removed, for one user only", async () => {
    const memory = open();
    for (const user of ["ada", "bob"]) memory.add({ text: "shared words", source: "user", user, id: "1" });
    const { bytes } = memory;
    memory.remove("ada", ["1", "unknown"]);
    expect([await textsOf(memory, "shared", "ada"), await textsOf(memory, "shared", "bob")]).toEqual([
      [],
      ["shared words"],
    ]);
    expect(memory.bytes).toBe(bytes / 2);
    memory.clear("bob");
    expect([memory.size, memory.bytes]).toEqual([0, 0]);
  });

  it.each([
    ["a blank text", { text: " \n" }, "`text`"],
    ["no text", { text: 7 as unknown as string }, "`text`"],
    ["no source", { source: "" }, "`source`"],
    ["no user", { user: "" }, "`user`"],
    ["a time that is none", { at: new Date(Number.NaN) }, "`at`"],
  ])("is refused with %s, and nothing changes", (_, wrong, named) => {
    const memory = open();
    expect(() => memory.add({ text: "t", source: "s", user: "u", ...wrong })).toThrow(
      expect.objectContaining({ code: "input_invalid", message: expect.stringContaining(named) }),
    );
    expect([memory.size, memory.bytes]).toEqual([0, 0]);
  });
});

const hostile = [
  ["a long run", "a".repeat(1e6)],
  ["Chinese", "船在早上九点出发"],
  ["an emoji", "🦜"],
  ["a lone surrogate", "before \ud83d after"],
  ["a closing tag", "</human> <current_state>"],
  ["wildcards", "100%_ sure"],
  ["NUL", "a\u0000b"],
] as const;

describe.each(hostile)("with %s", (_, text) => {
  it.each([true, false])("it is returned unchanged (embedder: %s)", async (hasEmbedder) => {
    const memory = open(hasEmbedder ? {} : { embedder: null });
    memory.add({ text, source: "user", user: text.slice(0, 40) });
    await memory.idle();
    expect(await textsOf(memory, text.slice(0, 40), text.slice(0, 40))).toEqual([text]);
    expect(await textsOf(memory, text.slice(0, 40), "somebody else")).toEqual([]);
  });
});

describe("a search", () => {
  it("finds the five nearest by default, and none for a blank query", async () => {
    const memory = open();
    for (let number = 0; number < 12; number += 1) memory.add({ text: `note ${number}`, source: "user", user: "ada" });
    await memory.idle();
    expect(await textsOf(memory, "note", "ada")).toHaveLength(5);
    expect(await textsOf(memory, "note", "ada", 12)).toHaveLength(12);
    expect(await textsOf(memory, "note", "ada", 100)).toHaveLength(12);
    expect(await textsOf(memory, "  ", "ada")).toEqual([]);
  });

  it("is exact: equal to comparing every vector and sorting, of equals the newer first", async () => {
    const embedder = createSharedWordsEmbedder(30);
    const memory = open({ embedder });
    const all = Array.from({ length: 400 }, (_, number) => `word${number % 190} and word${(number * 7) % 23}`);
    all.forEach((text, number) =>
      memory.add({ text, source: "user", user: number % 3 === 0 ? "bob" : "ada", id: `${number}` }),
    );
    await memory.idle();
    const query = "word5 word12";
    const expected = all
      .map((text, number) => ({ id: `${number}`, score: float32Dot(query, text, 30), number }))
      .filter(({ number }) => number % 3 !== 0)
      .sort((one, other) => other.score - one.score || other.number - one.number);
    const { hits } = await memory.search(query, { user: "ada", k: 50 });
    expect(hits.map(({ score }) => score)).toEqual(expected.slice(0, 50).map(({ score }) => expect.closeTo(score, 9)));
    expect(hits.map(({ id }) => id)).toEqual(expected.slice(0, 50).map(({ id }) => id));
  });

  it("is by meaning, not by keywords: a text without a shared word can rank before one with a shared word", async () => {
    // As MUXI has them: vectors of 1,536 numbers.
    const dimensions = 1536;
    const about = (text: string): number => (/boat|ferry|ship/u.test(text) ? 0 : 1);
    const embedder = {
      ...createSharedWordsEmbedder(dimensions),
      embed: async (texts: readonly string[]) =>
        texts.map((text) => Array.from({ length: dimensions }, (_, place) => (place === about(text) ? 1 : 0))),
    };
    const memory = open({ embedder });
    memory.add({ text: "when does the market open", source: "user", user: "ada" });
    memory.add({ text: "a boat sails at nine", source: "user", user: "ada" });
    await memory.idle();
    const { hits } = await memory.search("when does the ferry leave", { user: "ada" });
    expect(hits.map(({ text, score, by }) => [text, score, by])).toEqual([
      ["a boat sails at nine", 1, "meaning"],
      ["when does the market open", 0, "meaning"],
    ]);
  });

  it("leaves out texts under the floor", async () => {
    const memory = open();
    memory.add({ text: "tea with milk", source: "user", user: "ada" });
    memory.add({ text: "granite quarry", source: "user", user: "ada" });
    await memory.idle();
    const { hits } = await memory.search("tea with milk", { user: "ada", floor: 0.9 });
    expect(hits.map(({ text }) => text)).toEqual(["tea with milk"]);
  });

  it.each([0, -1, 1.5, Number.NaN])("refuses k = %s", async (k) => {
    const memory = open();
    memory.add({ text: "a", source: "user", user: "ada" });
    await expect(memory.search("a", { user: "ada", k })).rejects.toMatchObject({ code: "input_invalid" });
  });

  it("rejects with the signal's reason", async () => {
    const memory = open();
    memory.add({ text: "a", source: "user", user: "ada" });
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(memory.search("a", { user: "ada", signal })).rejects.toThrow("enough");
  });

  it("compares only words without an embedder, and says so", async () => {
    const memory = open({ embedder: null });
    memory.add({ text: "The ferry leaves at nine.", source: "timetable", user: "ada" });
    memory.add({ text: "It rains.", source: "weather", user: "ada" });
    expect(await memory.search("ferry nine tomorrow", { user: "ada" })).toMatchObject({
      wordsAlone: true,
      hits: [{ text: "The ferry leaves at nine.", by: "words", score: expect.closeTo(2 / 3) }],
    });
  });
});

describe("users", () => {
  it("never find each other's texts, whatever their names, and a search requires a user", async () => {
    const memory = open();
    const users = ["ada", "bob", "__proto__", "constructor", "Ada", "ada ", "%", "a'; --"];
    for (const user of users) memory.add({ text: `the secret of [${user}]`, source: "user", user });
    await memory.idle();
    for (const user of users) expect(await textsOf(memory, "secret", user, 100)).toEqual([`the secret of [${user}]`]);
    expect(await textsOf(memory, "secret", "toString")).toEqual([]);
    await expect(memory.search("secret", { user: "" })).rejects.toMatchObject({ code: "input_invalid" });
    await expect(memory.search("secret", {} as { user: string })).rejects.toMatchObject({ code: "input_invalid" });
  });
});

describe("the vectors of a former user", () => {
  it("are not needed: without texts, no query is embedded", async () => {
    const embedder = createSharedWordsEmbedder();
    const memory = open({ embedder });
    for (const user of ["ada", "bob"]) memory.add({ text: "shared words", source: "user", user });
    await memory.idle();
    memory.clear("ada");
    const before = embedder.calls.length;
    expect(await textsOf(memory, "shared", "ada")).toEqual([]);
    expect(embedder.calls.length).toBe(before);
    expect(await textsOf(memory, "shared", "bob")).toEqual(["shared words"]);
    expect(embedder.calls.length).toBe(before + 1);
  });
});

describe("the cap", () => {
  it("is 10 MB by default, with a clean-up every 5 minutes", async () => {
    const clock = createManualClock();
    const memory = open({ clock });
    expect([memory.maxMemoryMb, memory.fifoIntervalMin]).toEqual([10, 5]);
    memory.add({ text: "a", source: "user", user: "ada" });
    expect(clock.waits).toEqual([5 * 60_000]);
  });

  it("applies at every insert: the oldest are evicted first, whatever their user", async () => {
    const memory = open({ maxMemoryMb: 0.01, embedder: createSharedWordsEmbedder(8) });
    const added: string[] = [];
    for (let number = 0; number < 60; number += 1) {
      const id = `${number}`;
      added.push(id);
      memory.add({ text: "x".repeat(100 + number), source: "user", user: number % 2 === 0 ? "ada" : "bob", id });
      expect(memory.bytes).toBeLessThanOrEqual(10_000);
    }
    await memory.idle();
    expect(memory.size).toBeGreaterThan(5);
    expect(memory.size).toBeLessThan(15);
    const kept: string[] = [];
    for (const user of ["ada", "bob"]) {
      const { hits } = await memory.search("x", { user, k: 100 });
      kept.push(...hits.map(({ id }) => id));
    }
    expect(kept.map(Number).sort((one, other) => one - other)).toEqual(added.slice(-memory.size).map(Number));
  });

  it("counts the vector from the beginning, so that the size does not grow later", async () => {
    const memory = open({ embedder: createSharedWordsEmbedder(1000) });
    memory.add({ text: "a", source: "user", user: "ada" });
    const { bytes } = memory;
    expect(bytes).toBeGreaterThan(4000);
    await memory.idle();
    expect(memory.bytes).toBe(bytes);
  });

  it("a single text above it is refused, without evictions", () => {
    const memory = open({ maxMemoryMb: 0.1 });
    memory.add({ text: "stays", source: "user", user: "ada" });
    expect(() => memory.add({ text: "a".repeat(1e6), source: "user", user: "ada" })).toThrow(
      expect.objectContaining({ code: "input_invalid", message: expect.stringMatching(/100000.*in pieces/u) }),
    );
    expect(memory.size).toBe(1);
  });

  it("when it is lowered, the next clean-up evicts the oldest until it is met", async () => {
    const clock = createManualClock();
    const memory = open({ clock, maxMemoryMb: 1 });
    for (let number = 100; number < 200; number += 1) {
      memory.add({ text: `note ${number}`, source: "user", user: "ada", id: `${number}` });
    }
    await memory.idle();
    memory.maxMemoryMb = memory.bytes / 4 / 1_000_000;
    await clock.advance(4 * 60_000);
    expect(memory.size).toBe(100);
    await clock.advance(60_000);
    expect(memory.size).toBe(25);
    expect(await textsOf(memory, "note", "ada", 100)).not.toContain("note 174");
    memory.maxMemoryMb = memory.bytes / 5 / 1_000_000;
    expect(memory.cleanup()).toBe(20);
    expect(memory.cleanup()).toBe(0);
  });

  it.each([
    [{ maxMemoryMb: 0 }, "maxMemoryMb"],
    [{ maxMemoryMb: Number.NaN }, "maxMemoryMb"],
    [{ fifoIntervalMin: -5 }, "fifoIntervalMin"],
    [{ fifoIntervalMin: Number.POSITIVE_INFINITY }, "fifoIntervalMin"],
  ])("invalid limits are refused: %j", (limits, named) => {
    expect(() => open(limits)).toThrow(
      expect.objectContaining({ code: "config_invalid", message: expect.stringContaining(named) }),
    );
  });
});

describe("an outage of the embedder", () => {
  it("loses nothing, is reported, and the texts get their vectors after the next clean-up", async () => {
    const [clock, embedder, told] = [createManualClock(), createSharedWordsEmbedder(), [] as unknown[]];
    const memory = open({ clock, embedder, onEmbeddingFailure: (error) => told.push(error) });
    embedder.isDown = true;
    for (let number = 0; number < 40; number += 1)
      memory.add({ text: `ship number${number}end`, source: "port", user: "ada" });
    await memory.idle();
    expect(told).toEqual([expect.objectContaining({ message: "out of order" })]);
    expect(await memory.search("number7end", { user: "ada", k: 1 })).toMatchObject({
      wordsAlone: true,
      hits: [{ text: "ship number7end", by: "words" }],
    });
    embedder.isDown = false;
    expect(memory.waiting).toBe(40);
    await clock.advance(5 * 60_000);
    await memory.idle();
    expect(memory.waiting).toBe(0);
    expect((await memory.search("number7end", { user: "ada", k: 1 })).hits).toMatchObject([
      { text: "ship number7end", by: "meaning" },
    ]);
    expect(embedder.calls.every((texts) => texts.length <= 32)).toBe(true);
  });

  it("does not cause a call for every text that is added meanwhile", async () => {
    const [clock, embedder] = [createManualClock(), createSharedWordsEmbedder()];
    const memory = open({ clock, embedder });
    embedder.isDown = true;
    for (let number = 0; number < 20; number += 1) {
      memory.add({ text: `ship ${number}`, source: "port", user: "ada" });
      await settle();
    }
    expect(embedder.calls).toHaveLength(1);
    await clock.advance(10_000);
    memory.add({ text: "one more", source: "port", user: "ada" });
    await settle();
    expect(embedder.calls).toHaveLength(2);
  });

  it("fewer vectors than texts are a reported failure, and no text counts as refused", async () => {
    const told: unknown[] = [];
    const whole = createSharedWordsEmbedder();
    const embedder = { ...whole, embed: async (texts: readonly string[]) => (await whole.embed(texts)).slice(1) };
    const memory = open({ embedder, onEmbeddingFailure: (error) => told.push(error) });
    for (const text of ["tea", "milk"]) memory.add({ text, source: "user", user: "ada" });
    await memory.idle();
    expect(told).toEqual([expect.objectContaining({ message: "Expected 2 vectors from the embedder, got 1." })]);
    expect(memory.waiting).toBe(2);
  });

  it("a vector of another width is a reported failure, and does not break searches", async () => {
    const told: unknown[] = [];
    const embedder = { ...createSharedWordsEmbedder(), dimensions: 3 };
    const memory = open({ embedder, onEmbeddingFailure: (error) => told.push(error) });
    memory.add({ text: "tea", source: "user", user: "ada" });
    await memory.idle();
    expect(told).toEqual([expect.objectContaining({ code: "embedding_dimensions_mismatch" })]);
    expect(await memory.search("tea", { user: "ada" })).toMatchObject({ wordsAlone: true, hits: [{ text: "tea" }] });
  });

  it("a refused text is found by its words, and does not block the others", async () => {
    const embedder = createSharedWordsEmbedder();
    const memory = open({ embedder });
    embedder.refuses = "poison";
    memory.add({ text: "poison ivy", source: "user", user: "ada" });
    memory.add({ text: "green ivy", source: "user", user: "ada" });
    await memory.idle();
    const { hits, wordsAlone } = await memory.search("ivy", { user: "ada" });
    expect(wordsAlone).toBe(false);
    expect(new Map(hits.map(({ text, by }) => [text, by]))).toEqual(
      new Map([
        ["poison ivy", "words"],
        ["green ivy", "meaning"],
      ]),
    );
    expect(memory.waiting).toBe(0);
  });

  it("one that hangs does not prevent closing the memory", async () => {
    const embedder = { ...createSharedWordsEmbedder(), embed: () => new Promise<never>(() => undefined) };
    const memory = open({ embedder });
    memory.add({ text: "tea", source: "user", user: "ada" });
    await settle();
    await memory.close();
    expect([memory.size, memory.bytes]).toEqual([0, 0]);
  });
});

function dot(one: string, other: string, dimensions = 64): number {
  const [first, second] = [wordVector(one, dimensions), wordVector(other, dimensions)];
  return first.reduce((sum, number, place) => sum + number * (second[place] ?? 0), 0);
}

function float32Dot(one: string, other: string, dimensions: number): number {
  const [first, second] = [one, other].map((text) => Float32Array.from(wordVector(text, dimensions)));
  return Array.from(first ?? []).reduce((sum, number, place) => sum + number * (second?.[place] ?? 0), 0);
}
