// Searching what was said: what is found, in which order, and how much there is. On the engine at hand.
import type { RecallQuery } from "../../src/store/port/recall-store.ts";
import { useStore } from "../support/database.ts";
import { chain, newTalk, oddTexts, say, type Talk } from "../support/store-builders.ts";

const { test, ada } = useStore();
let talk: Talk;

beforeEach(async () => (talk = await newTalk(ada)));

const search = (query: Partial<RecallQuery>) =>
  ada.recall.search({ agentId: talk.agentId, page: 0, pageSize: 5, ...query });

const textsFor = async (query: Partial<RecallQuery>): Promise<readonly string[]> =>
  (await search({ pageSize: 50, ...query })).rows.map((row) => row.text);

describe("recall", () => {
  it("pages 12 matches as 5, 5, 2 and then none, with the total on every page", async () => {
    await say(
      talk,
      Array.from({ length: 12 }, (_, index) => `sailing ${index}`),
    );
    const pages = await Promise.all([0, 1, 2, 3, 1e9].map((page) => search({ text: "sailing", page })));
    expect(pages.map(({ rows, total }) => [rows.length, total])).toEqual([
      [5, 12],
      [5, 12],
      [2, 12],
      [0, 12],
      [0, 12],
    ]);
    expect(new Set(pages.flatMap(({ rows }) => rows.map((row) => row.id))).size).toBe(12);
  });

  it("returns messages as they were stored", async () => {
    const [said] = await say(talk, ["Ahoy there"]);
    const explanation = {
      score: 2.2,
      bonus: 0.2,
      words: { rank: 1, score: expect.any(Number), context: 0 },
      meaning: null,
      literal: true,
    };
    expect(await search({ text: "ahoy" })).toEqual({ rows: [{ ...said, explanation }], total: 1 });
    expect(await search({})).toEqual({ rows: [{ ...said, explanation: null }], total: 1 });
  });

  it("excludes events, tool results, empty text and other agents", async () => {
    await say(talk, ["boat login"], { kind: "event" });
    await say(talk, ["boat result"], { role: "tool" });
    await say(talk, ["", "  "]);
    await say(talk, ["boat of the user", "boat of the assistant"]);
    await say(await newTalk(ada), ["boat of another agent"]);
    expect(await textsFor({ text: "boat" })).toEqual(["boat of the assistant", "boat of the user"]);
    expect(await textsFor({})).toEqual(["boat of the user", "boat of the assistant"]);
  });

  it("finds messages in all conversations of the agent, but not in the excluded turn", async () => {
    const [first] = await say(talk, ["boat one"]);
    await say(await newTalk(ada, talk.agentId), ["boat two"]);
    expect(await textsFor({ text: "boat" })).toEqual(["boat two", "boat one"]);
    expect(await textsFor({ text: "boat", exceptTurnId: first!.turnId })).toEqual(["boat two"]);
    expect(await textsFor({ exceptTurnId: first!.turnId })).toEqual(["boat two"]);
  });

  it("finds messages of one speaker: the user's, the assistant's, or by a name in any case", async () => {
    await say(talk, ["boat of the user", "boat of the assistant"]);
    for (const filter of [{}, { text: "boat" }, { text: '"boat"' }]) {
      const found = (speaker: string) => textsFor({ ...filter, speaker });
      expect(await found("user")).toEqual(["boat of the user"]);
      expect(await found("Assistant")).toEqual(["boat of the assistant"]);
      expect(await found("Ada")).toEqual([]);
    }
  });

  it("sorts by time in both directions without words and for a literal query", async () => {
    const texts = ["boat one", "boat two", "boat three"];
    await say(talk, texts);
    for (const filter of [{}, { text: '"boat"' }]) {
      expect(await textsFor({ ...filter, order: "oldest" })).toEqual(texts);
      expect(await textsFor({ ...filter, order: "newest" })).toEqual(texts.toReversed());
      const pages = await Promise.all([0, 1].map((page) => search({ ...filter, order: "oldest", page, pageSize: 2 })));
      expect(pages.map(({ rows }) => rows.map(({ text }) => text))).toEqual([texts.slice(0, 2), texts.slice(2)]);
    }
  });

  it("returns the conversations of messages, by title or first words, also of an unknown message", async () => {
    const [message] = await say(talk, ["boat"]);
    const unknown = "0190a000-0000-7000-8000-000000000000";
    const found = await ada.recall.conversationsOf([message!.id, unknown, "no id"]);
    expect([...found]).toEqual([[message!.id, { id: talk.conversationId, title: "boat" }]]);
    expect([...(await test.store.as("ben").recall.conversationsOf([message!.id]))]).toEqual([]);
  });

  it("ranks literal matches first, then by words, then by time", async () => {
    await say(talk, [
      "the red boat",
      "a boat",
      "red paint",
      "a red and a fast boat",
      "boats are red",
      "RED BOAT!",
      "nothing",
    ]);
    expect(await textsFor({ text: "red boat", weights: { context: 0 } })).toEqual([
      "RED BOAT!",
      "the red boat",
      "a red and a fast boat",
      "boats are red",
      "red paint",
      "a boat",
    ]);
  });

  it("searches a text in double quotes literally", async () => {
    await say(talk, ["the red boat", "the boat is red", `he said "red boat" twice`]);
    expect(await textsFor({ text: `"red boat"` })).toEqual([`he said "red boat" twice`, "the red boat"]);
    expect(await textsFor({ text: `""red boat""` })).toEqual([`he said "red boat" twice`]);
    expect(await textsFor({ text: `"boats"` })).toEqual([]);
    expect(await textsFor({ text: `""` })).toEqual([]);
  });

  it.each([
    ["100%", "it was 100% sure", "it was 1000 sure"],
    ["a_b", "snake a_b case", "snake axb case"],
    ["C:\\dir", "in C:\\dir\\file", "in C:/dir/file"],
    [`it's "so"`, `it's "so"!`, "its so"],
    ["</human>", "see </human> there", "see human there, <human>"],
    ["...", "well... yes", "well yes"],
    ["?", "really?", "really"],
  ])("finds %j literally", async (query, found, other) => {
    await say(talk, [found, other]);
    expect(await textsFor({ text: `"${query}"` })).toEqual([found]);
    expect((await textsFor({ text: query }))[0]).toBe(found);
  });

  it("finds literally if the query has only stop words or punctuation", async () => {
    await say(talk, ["what is the matter", "of the people", "!!!"]);
    expect(await textsFor({ text: "the" })).toEqual(["of the people", "what is the matter"]);
    expect(await textsFor({ text: "!!" })).toEqual(["!!!"]);
    expect(await textsFor({ text: "and if" })).toEqual([]);
  });

  it("ignores case, diacritics and compatibility forms", async () => {
    const texts = ["Viel Ärger", "ΟΔΥΣΣΕΥΣ", "ＦＵＬＬ width", "Ещё", "naïve"];
    await say(talk, texts);
    for (const [query, found] of [
      ["ärger", 0],
      ["ARGER", 0],
      ["οδυσσευς", 1],
      ["full", 2],
      ["ещё", 3],
      ["naive", 4],
    ] as const) {
      expect(await textsFor({ text: query })).toEqual([texts[found]]);
    }
  });

  it("finds Chinese and Japanese without spaces, also in another order", async () => {
    await say(talk, ["我昨天去海边划船了", "今天天气很好", "週末にヨットで海に行きました"]);
    expect(await textsFor({ text: "海边" })).toEqual(["我昨天去海边划船了"]);
    expect(await textsFor({ text: "海边划船的照片" })).toEqual(["我昨天去海边划船了"]);
    expect(await textsFor({ text: "ヨット" })).toEqual(["週末にヨットで海に行きました"]);
    expect(await textsFor({ text: "が" })).toEqual([]);
  });

  it.each(oddTexts)("finds by any text: %s", async (_, text) => {
    await say(talk, ["something else", text]);
    expect((await textsFor({ text }))[0]).toBe(text);
    expect(await textsFor({ text: `"${text}"` })).toEqual([text]);
  });

  it.each([[""], ["   "], ["\n"], ["\u0000"], ["\ud800"], ["| & ! <-> ( )"], ["'''"], [":*"]])(
    "finds nothing, without an error, by %j",
    async (text) => {
      await say(talk, ["something"]);
      expect(await search({ text })).toEqual({ rows: [], total: 0 });
    },
  );

  it("filters by dates, with the beginning included and the end excluded", async () => {
    const at = (time: string) => new Date(`2009-10-${time}Z`);
    const times = ["03T23:59:59.999", "04T00:00:00.000", "04T18:00:00.000", "05T23:59:59.999", "06T00:00:00.000"];
    const messages = chain(
      null,
      times.map((time) => ({ text: `boat ${time}`, at: at(time) })),
    );
    await ada.turns.append(talk.lease, messages);
    const span = { from: at("04T00:00:00"), before: at("06T00:00:00") };
    expect(await textsFor({ span })).toEqual(times.slice(1, 4).map((time) => `boat ${time}`));
    expect(await textsFor({ span, text: "boat", weights: { context: 0 } })).toEqual(
      times
        .slice(1, 4)
        .reverse()
        .map((time) => `boat ${time}`),
    );
    expect(await textsFor({ span: { from: span.before } })).toEqual(["boat 06T00:00:00.000"]);
    expect(await textsFor({ span: { before: span.from } })).toEqual(["boat 03T23:59:59.999"]);
    expect(await search({ span, page: 1, pageSize: 2 })).toMatchObject({
      total: 3,
      rows: [{ text: "boat 05T23:59:59.999" }],
    });
    expect(await search({ span, page: 9 })).toEqual({ rows: [], total: 3 });
  });

  it("breaks ties of time by id, the same on every page", async () => {
    const at = new Date("2026-01-01T00:00:00Z");
    const messages = chain(
      null,
      Array.from({ length: 6 }, () => ({ text: "same", at })),
    );
    await ada.turns.append(talk.lease, messages);
    const rows = [
      await search({ text: "same", pageSize: 3 }),
      await search({ text: "same", pageSize: 3, page: 1 }),
    ].flatMap((page) => page.rows);
    expect(rows.map((row) => row.id)).toEqual(messages.map((message) => message.id).reverse());
  });

  it("finds no agent for a text that is not an id", async () => {
    expect(await search({ agentId: "nothing", text: "boat" })).toEqual({ rows: [], total: 0 });
  });
});
