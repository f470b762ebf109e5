// The query planner: what it takes from each source and in which order, what it leaves out and why, and what a source that
// fails costs. Its numbers are MUXI's: 10 recent messages, 5 hits of each, 4,000 tokens.
import { getEventListeners } from "node:events";
import {
  type ContextSource,
  QueryPlanner,
  type QueryPlannerOptions,
} from "../../../src/memory/planner/query-planner.ts";
import { createOutsideObjects } from "../../../src/store/object-storage/outside-objects.ts";
import { createManualClock, settle } from "../../support/manual-clock.ts";
import { createSharedWordsEmbedder } from "../../support/shared-words-embedder.ts";
import { WorkingMemory } from "../../../src/memory/working/working-memory.ts";

const hit = (text: string, id = text) => ({ id, text });
const giving =
  (...texts: readonly string[]): ContextSource =>
  async () => ({ hits: texts.map((text) => hit(text)) });
const numbered = (name: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, number) => `${name} ${"abcdefghijklmnopqrst"[number]}${number * 7919}`);
/** A token a character, so that sums can be read. */
const countTokens = (text: string): number => text.length;

const plannerOf = (options: Partial<QueryPlannerOptions>): QueryPlanner =>
  new QueryPlanner({ sources: {}, countTokens, clock: createManualClock(), ...options });

const textsOf = (hits: readonly { readonly text: string }[]) => hits.map(({ text }) => text);

describe("the queries of the sources", () => {
  it("10 recent messages, 5 hits of each, 4,000 tokens, for the given user", async () => {
    const asked: unknown[] = [];
    const listening =
      (name: string, count: number): ContextSource =>
      async (query, { user, k }) => {
        asked.push([name, query, user, k]);
        return { hits: numbered(name, count).map((text) => hit(text)) };
      };
    const planner = plannerOf({
      recent: listening("recent", 12),
      sources: { working: listening("working", 7), archival: listening("archival", 7) },
      synopsis: async ({ user }) => `All about ${user}.`,
      countTokens: () => 100,
    });
    const context = await planner.getContext("What now?", "ada");
    expect(asked).toEqual([
      ["recent", "What now?", "ada", 10],
      ["working", "What now?", "ada", 5],
      ["archival", "What now?", "ada", 5],
    ]);
    expect(context.synopsis).toBe("All about ada.");
    expect([context.recent.length, context.found.length]).toEqual([10, 10]);
    // 21 times 100 is well below the budget: all of it is there, and more than was asked for is not.
    expect(context.tokens).toBe(2100);
    expect(context.warnings).toEqual([]);
  });

  it("they run concurrently, and the time of each is reported", async () => {
    const clock = createManualClock();
    const taking =
      (ms: number): ContextSource =>
      async () => {
        await clock.sleep(ms);
        return { hits: [hit(`after ${ms}`)] };
      };
    const planner = plannerOf({ clock, sources: { slow: taking(300), slower: taking(500) } });
    const planned = planner.getContext("q", "ada");
    await settle();
    await clock.advance(300);
    await clock.advance(200);
    const { sources, found } = await planned;
    expect(sources).toEqual([
      { name: "slow", status: "ok", ms: 300, hits: 1 },
      { name: "slower", status: "ok", ms: 500, hits: 1 },
    ]);
    expect(found).toHaveLength(2);
  });

  it.each([
    ["maxTokens", 0],
    ["recent", -1],
    ["k", 1.5],
    ["k", Number.NaN],
  ])("refuses %s = %s", async (name, value) => {
    await expect(plannerOf({}).getContext("q", "ada", { [name]: value })).rejects.toMatchObject({
      code: "input_invalid",
      message: expect.stringContaining(`\`${name}\``),
    });
  });

  it("refuses to plan without a user, and sources with a reserved name", async () => {
    await expect(plannerOf({}).getContext("q", "")).rejects.toMatchObject({ code: "input_invalid" });
    expect(() => plannerOf({ sources: { synopsis: giving() } })).toThrow(
      expect.objectContaining({ code: "config_invalid" }),
    );
  });

  it("without any source it is empty", async () => {
    expect(await plannerOf({}).getContext("q", "ada")).toEqual({
      synopsis: null,
      recent: [],
      found: [],
      tokens: 0,
      explanation: [],
      sources: [],
      warnings: [],
    });
  });
});

describe("the ranking", () => {
  it("is by rank: the first of each source before the second of any, in the order of the sources", async () => {
    const planner = plannerOf({ sources: { working: giving("tea", "milk"), archival: giving("granite", "slate") } });
    const { found } = await planner.getContext("q", "ada");
    expect(found.map(({ text, foundIn, score }) => [text, foundIn, score])).toEqual([
      ["tea", "working", 1 / 61],
      ["granite", "archival", 1 / 61],
      ["milk", "working", 1 / 62],
      ["slate", "archival", 1 / 62],
    ]);
  });

  it("a hit of two sources ranks above that of one, once, with the sum of both", async () => {
    const planner = plannerOf({
      sources: {
        working: giving("granite", "Ada lives in Lisbon"),
        archival: giving("slate", "ADA  lives in Ｌisbon"),
      },
    });
    const { found, explanation } = await planner.getContext("q", "ada");
    expect(found[0]).toMatchObject({ text: "Ada lives in Lisbon", foundIn: "working", score: 1 / 62 + 1 / 62 });
    expect(textsOf(found)).toEqual(["Ada lives in Lisbon", "granite", "slate"]);
    expect(explanation.find(({ source, rank }) => source === "archival" && rank === 2)).toMatchObject({
      outcome: "dropped",
      reason: "duplicate of hit 2 of working",
    });
  });

  it("hits with one id are one, whatever their texts; a repetition in one source does not raise its score", async () => {
    const planner = plannerOf({
      sources: {
        working: async () => ({ hits: [hit("the beginning", "1"), hit("the beginning", "2"), hit("granite")] }),
        archival: async () => ({ hits: [hit("the whole of a long message", "1")] }),
      },
    });
    const { found } = await planner.getContext("q", "ada");
    expect(found.map(({ id, score }) => [id, score])).toEqual([
      ["1", 1 / 61 + 1 / 61],
      ["granite", 1 / 63],
    ]);
  });

  it("recent messages are not repeated", async () => {
    const planner = plannerOf({ recent: giving("newest", "older"), sources: { archival: giving("older", "granite") } });
    const { recent, found, explanation } = await planner.getContext("q", "ada");
    expect([textsOf(recent), textsOf(found)]).toEqual([["older", "newest"], ["granite"]]);
    expect(explanation.at(-1)).toMatchObject({ source: "archival", rank: 1, reason: "duplicate of hit 2 of recent" });
  });

  it.each([
    ["long runs", "a".repeat(1e6)],
    ["lone surrogates", "\ud83d".repeat(10)],
    ["Chinese", "船在早上九点从里斯本出发"],
    ["NUL", "a\u0000b</human>%_"],
  ])("treats %s like any text", async (_, text) => {
    const planner = plannerOf({ sources: { one: giving(text), two: async () => ({ hits: [hit(text, "other id")] }) } });
    const { found } = await planner.getContext(text, "ada", { maxTokens: 2e6 });
    expect(textsOf(found)).toEqual([text]);
  });
});

describe("the fit", () => {
  it("never exceeds the tokens, takes smaller hits if one is too long, and gives the reasons", async () => {
    const planner = plannerOf({ sources: { archival: giving("x".repeat(60), "y".repeat(50), "z".repeat(30)) } });
    const { found, tokens, explanation } = await planner.getContext("q", "ada", { maxTokens: 100 });
    expect(textsOf(found)).toEqual(["x".repeat(60), "z".repeat(30)]);
    expect(tokens).toBe(90);
    expect(explanation.map(({ rank, tokens: each, outcome, reason }) => [rank, each, outcome, reason])).toEqual([
      [1, 60, "taken", "rank 1 of the hits"],
      [2, 50, "dropped", "no room: 40 tokens were left"],
      [3, 30, "taken", "rank 2 of the hits"],
    ]);
  });

  it("recent messages get half of what the synopsis leaves, then come the hits, older messages get the rest", async () => {
    const texts = ["1", "2", "3", "4", "5"].map((digit) => digit.repeat(20));
    const planner = plannerOf({
      recent: giving(...texts),
      sources: { archival: giving("found ".repeat(5)) },
      synopsis: async () => "s".repeat(10),
    });
    const { recent, found, tokens } = await planner.getContext("q", "ada", { maxTokens: 110 });
    // 10 of 110 are the synopsis', 40 of the other 50 are two messages', 30 are the passage's: one more message fits.
    expect(textsOf(recent)).toEqual([texts[2], texts[1], texts[0]]);
    expect([found.length, tokens]).toEqual([1, 10 + 60 + 30]);
  });

  it("recent messages get no more than half while a hit would not fit", async () => {
    const planner = plannerOf({
      recent: giving(...["1", "2", "3", "4", "5"].map((digit) => digit.repeat(20))),
      sources: { archival: giving("x".repeat(30), "y".repeat(20)) },
    });
    const { recent, found, tokens } = await planner.getContext("q", "ada", { maxTokens: 100 });
    expect([recent.length, found.length, tokens]).toEqual([2, 2, 90]);
  });

  it("recent messages have no gap: after one that is too long there is no older one", async () => {
    const planner = plannerOf({ recent: giving("new", "l".repeat(500), "old") });
    const { recent, explanation } = await planner.getContext("q", "ada", { maxTokens: 100 });
    expect(textsOf(recent)).toEqual(["new"]);
    expect(explanation.map(({ outcome }) => outcome)).toEqual(["taken", "dropped", "dropped"]);
  });

  it("a synopsis over the budget is dropped, and the rest is fitted without it", async () => {
    const planner = plannerOf({ sources: { archival: giving("tea") }, synopsis: async () => "s".repeat(101) });
    const { synopsis, found, tokens, explanation } = await planner.getContext("q", "ada", { maxTokens: 100 });
    expect([synopsis, textsOf(found), tokens]).toEqual([null, ["tea"], 3]);
    expect(explanation[0]).toMatchObject({ source: "synopsis", outcome: "dropped", tokens: 101 });
  });

  it("tokens are those of a hit as it is rendered", async () => {
    const planner = plannerOf({ sources: { archival: giving("tea") }, render: ({ text }) => `memory: ${text}` });
    expect((await planner.getContext("q", "ada")).tokens).toBe(11);
  });
});

/** Reads what it knows from object storage, where nobody listens. */
const deadObjects: ContextSource = async (_, { user }) => {
  const place = { kind: "s3", endpoint: "http://127.0.0.1:1", bucket: "b", region: "r" } as const;
  const objects = createOutsideObjects({ ...place, accessKeyId: "a", secretAccessKey: "s" }, user);
  return { hits: [hit(String(await objects.get("history")))] };
};

describe("a failing source", () => {
  it("loses only its own hits: the rest is returned, with a warning", async () => {
    const embedder = createSharedWordsEmbedder();
    embedder.isDown = true;
    const planner = plannerOf({
      recent: giving("newest"),
      sources: {
        working: async () => {
          await embedder.embed(["q"]);
          return { hits: [] };
        },
        archival: giving("granite"),
        nodes: deadObjects,
      },
      synopsis: () => {
        throw new TypeError("no model");
      },
    });
    const { recent, found, synopsis, warnings, sources } = await planner.getContext("q", "ada");
    expect([textsOf(recent), textsOf(found), synopsis]).toEqual([["newest"], ["granite"], null]);
    expect(warnings).toEqual([
      "synopsis was left out: no model",
      "working was left out: out of order",
      expect.stringMatching(/^nodes was left out: .*object/u),
    ]);
    expect(sources.map(({ name, status }) => [name, status])).toEqual([
      ["synopsis", "failed"],
      ["recent", "ok"],
      ["working", "failed"],
      ["archival", "ok"],
      ["nodes", "failed"],
    ]);
  });

  it("working memory without its embedder still searches by words, and says so", async () => {
    const embedder = createSharedWordsEmbedder();
    embedder.isDown = true;
    const memory = new WorkingMemory({ embedder, clock: createManualClock() });
    memory.add({ text: "The ferry leaves at nine.", source: "timetable", user: "ada" });
    const planner = plannerOf({
      sources: {
        working: async (query, { user, k, signal }) => {
          const { hits, wordsAlone } = await memory.search(query, { user, k, signal });
          return { hits, ...(wordsAlone ? { warning: "only words were compared" } : {}) };
        },
        archival: giving("granite"),
      },
    });
    const { found, warnings } = await planner.getContext("ferry", "ada");
    expect(textsOf(found)).toEqual(["The ferry leaves at nine.", "granite"]);
    expect(warnings).toEqual(["working: only words were compared"]);
    await memory.close();
  });

  it("one that hangs is abandoned after its time-out, and aborted", async () => {
    const clock = createManualClock();
    let given: AbortSignal | undefined;
    const hanging: ContextSource = (_, { signal }) => {
      given = signal;
      return new Promise(() => undefined);
    };
    const planner = plannerOf({ clock, timeoutMs: 700, sources: { hanging, archival: giving("granite") } });
    const planned = planner.getContext("q", "ada");
    await settle();
    await clock.advance(700);
    const { found, warnings, sources } = await planned;
    expect(textsOf(found)).toEqual(["granite"]);
    expect(warnings).toEqual(["hanging was left out: no answer in 700 ms"]);
    expect(sources[0]).toEqual({ name: "hanging", status: "late", ms: 700, hits: 0 });
    expect(given?.aborted).toBe(true);
  });

  it("leaves no listener on the caller's signal, which may live for long", async () => {
    const { signal } = new AbortController();
    const broken: ContextSource = () => Promise.reject(new TypeError("broken"));
    const planner = plannerOf({ recent: giving("newest"), sources: { archival: giving("granite"), broken } });
    await planner.getContext("q", "ada", { signal });
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("an abort by the caller is not a failure of a source: it rejects with the reason", async () => {
    const stop = new AbortController();
    const hanging: ContextSource = () => new Promise(() => undefined);
    const planned = plannerOf({ sources: { hanging } }).getContext("q", "ada", { signal: stop.signal });
    await settle();
    stop.abort(new Error("enough"));
    await expect(planned).rejects.toThrow("enough");
  });
});
