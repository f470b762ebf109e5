// What makes a message rank high: what was said around it, its date, its speaker, how rare its words are and what it means.
// On the engine at hand.
import type { RecallQuery } from "../../src/store/port/recall-store.ts";
import { useStore } from "../support/database.ts";
import { chain, ids, newTalk, say, type Talk } from "../support/store-builders.ts";

const { test, ada } = useStore();
let talk: Talk;

beforeEach(async () => (talk = await newTalk(ada)));

const search = (query: Partial<RecallQuery>) =>
  ada.recall.search({ agentId: talk.agentId, page: 0, pageSize: 50, ...query });

const textsFor = async (query: Partial<RecallQuery>): Promise<readonly string[]> =>
  (await search(query)).rows.map((row) => row.text);

interface Said {
  readonly text: string;
  readonly at?: string;
  readonly speaker?: string;
}

/** A conversation that was held elsewhere, a minute between messages unless they say otherwise. */
async function hold(said: readonly Said[]) {
  const messages = chain(
    null,
    said.map(({ text, at, speaker }, index) => ({
      text,
      at: at === undefined ? new Date(Date.UTC(2026, 0, 5, 10, index)) : new Date(at),
      ...(speaker === undefined ? {} : { speaker }),
    })),
  );
  const id = ids.next();
  await ada.conversations.import({ id, agentId: talk.agentId, title: null, messages });
  return messages;
}

const kind = { embedder: "test", dimensions: 3 };
const meaningOf = (vector: readonly number[], floor = 0.5) => ({ ...kind, vector, floor });

async function embed(rows: readonly (readonly [{ readonly id: string }, readonly number[]])[]): Promise<void> {
  await ada.recall.addVectors(talk.agentId, {
    ...kind,
    rows: rows.map(([{ id }, vector]) => ({ messageId: id, vector })),
  });
}

describe("the neighbours of a message", () => {
  const riddle = [
    { text: "Where is the spare key of the harbour house?" },
    { text: "Under the blue pot." },
    { text: "The spare key of the harbour house, in the garden?" },
  ];

  it("make a message a hit that shares no word, if more than one of them does", async () => {
    await hold(riddle);
    const { rows, total } = await search({ text: "spare key harbour house" });
    expect(rows.map(({ text }) => text)).toEqual([riddle[2]!.text, riddle[0]!.text, riddle[1]!.text]);
    expect(total).toBe(3);
    expect(rows[2]!.explanation).toMatchObject({ words: { rank: 3, context: 1 }, literal: false });
    expect(rows[0]!.explanation!.words!.context).toBeGreaterThan(0);
    expect(rows[0]!.explanation!.words!.context).toBeLessThan(0.5);
    expect(await textsFor({ text: "spare key harbour house", weights: { context: 0 } })).toHaveLength(2);
  });

  it("rank an answer above a message without neighbours that shares as many words", async () => {
    await hold([{ text: "the pot is blue", at: "2026-01-09T10:00:00Z" }]);
    await hold(riddle.slice(0, 2));
    const found = await textsFor({ text: "is the spare key under the pot" });
    expect(found).toEqual(["Under the blue pot.", riddle[0]!.text, "the pot is blue"]);
  });

  it("count more if the message before asked them", async () => {
    await hold([
      { text: "Where is the spare key?", at: "2026-01-09T10:00:00Z" },
      { text: "in the pot", at: "2026-01-09T10:01:00Z" },
    ]);
    await hold([
      { text: "There was a spare key.", at: "2026-01-10T10:00:00Z" },
      { text: "in the pot", at: "2026-01-10T10:01:00Z" },
    ]);
    const { rows } = await search({ text: "is the spare key in a pot" });
    const pots = rows.filter(({ text }) => text === "in the pot");
    expect(pots.map(({ at }) => at.getUTCDate())).toEqual([9, 10]);
  });

  it("are two messages on each side, and own words rank higher than those of neighbours", async () => {
    await hold([
      { text: "the lighthouse of Belem" },
      { text: "one" },
      { text: "two" },
      { text: "three" },
      { text: "lighthouse keepers" },
      { text: "Belem again" },
    ]);
    const found = await textsFor({ text: "lighthouse belem" });
    expect(found.slice(0, 3).toSorted()).toEqual(["Belem again", "lighthouse keepers", "the lighthouse of Belem"]);
    expect(found).not.toContain("three");
  });

  it("exclude messages of another sitting, more than six hours away", async () => {
    const times = (pause: string) => ["2026-01-05T10:00:00Z", `2026-01-05T16:00:0${pause}Z`, "2026-01-05T22:00:00Z"];
    const at = (pause: string) => riddle.map(({ text }, index) => ({ text, at: times(pause)[index]! }));
    await hold(at("0"));
    expect(await textsFor({ text: "spare key harbour house" })).toHaveLength(3);
    talk = await newTalk(ada);
    await hold(at("1"));
    expect(await textsFor({ text: "spare key harbour house" })).toEqual([riddle[2]!.text, riddle[0]!.text]);
  });

  it("do not exist for a message on no thread", async () => {
    const [first, , last] = await say(talk, ["the spare key", "left behind", "the spare key"]);
    expect(await textsFor({ text: "spare key" })).toContain("left behind");
    await ada.conversations.moveLeaf(talk.lease, { from: last!.id, to: first!.id });
    expect(await textsFor({ text: "spare key", includeAbandoned: true })).toEqual(["the spare key", "the spare key"]);
  });

  it("exclude messages of the running turn", async () => {
    const [question, answer] = await say(talk, ["the spare key of the harbour", "under the pot"]);
    expect(await textsFor({ text: "spare key harbour", exceptTurnId: question!.turnId })).not.toContain(question!.text);
    expect(await textsFor({ text: "spare key harbour", exceptTurnId: answer!.turnId })).toEqual([question!.text]);
  });

  it("are returned with a hit on request, in the order of the thread", async () => {
    const messages = await hold(["one", "two", "three", "four", "five"].map((text) => ({ text, speaker: "Ada" })));
    const around = await ada.recall.neighbours([messages[3]!.id, messages[0]!.id, "no id", ids.next()], 2);
    const texts = [...around.values()].map(({ before, after }) =>
      [before, after].map((side) => side.map(({ text }) => text)),
    );
    expect(texts).toEqual([
      [["two", "three"], ["five"]],
      [[], ["two", "three"]],
      [[], []],
    ]);
    expect(around.get(messages[0]!.id)!.after[0]).toEqual({ ...messages[1]! });
  });
});

describe("the date and the speaker", () => {
  it("count as words of the message, in the user's time zone, and select no candidate alone", async () => {
    await hold([{ text: "we sailed to the island", at: "2026-05-08T23:30:00Z" }]);
    await hold([{ text: "we sailed to the island", at: "2026-05-11T10:00:00Z" }]);
    const dayOf = async (text: string, timeZone?: string) =>
      (await search({ text, ...(timeZone === undefined ? {} : { timeZone }) })).rows[0]!.at.getUTCDate();
    expect(await dayOf("sailed to the island 8 May 2026")).toBe(8);
    expect(await dayOf("sailed to the island 11 May 2026")).toBe(11);
    expect(await dayOf("sailed to the island 9 May 2026", "Europe/Lisbon")).toBe(8);
    expect(await dayOf("sailed to the island 9 May 2026", "UTC")).toBe(11);
    expect(await textsFor({ text: "11 May" })).toEqual([]);
  });

  it("rank messages of the named speaker higher", async () => {
    await hold([{ text: "I bought a red bicycle", speaker: "Ada" }]);
    await hold([{ text: "I bought a red bicycle", speaker: "Ben" }]);
    const speakers = async (text: string, weights = {}) =>
      (await search({ text, weights })).rows.map(({ speaker }) => speaker);
    expect(await speakers("what did Ada buy, a bicycle?")).toEqual(["Ada", "Ben"]);
    expect(await speakers("what did Ben buy, a bicycle?")).toEqual(["Ben", "Ada"]);
    // Without it, the later of the two by its id.
    expect(await speakers("what did Ada buy, a bicycle?", { speaker: 0 })).toEqual(["Ben", "Ada"]);
  });
});

describe("a rare term", () => {
  it("counts more than a common one, unless rarity has no weight", async () => {
    await hold([{ text: "an anchor", at: "2026-01-01T10:00:00Z" }]);
    for (let day = 2; day < 8; day += 1)
      await hold([{ text: `a boat on day ${day}`, at: `2026-01-0${day}T10:00:00Z` }]);
    expect((await textsFor({ text: "boat anchor" }))[0]).toBe("an anchor");
    expect((await textsFor({ text: "boat anchor", weights: { rarity: 0 } }))[0]).toBe("a boat on day 7");
  });
});

describe("the weight of meaning", () => {
  it("finds a message that shares no word, above the floor, with the explanation", async () => {
    const [near, far] = [await hold([{ text: "my dog is ill" }]), await hold([{ text: "the weather is fine" }])];
    await embed([
      [near[0]!, [1, 0, 0]],
      [far[0]!, [0, 1, 0]],
    ]);
    const { rows, total } = await search({ text: "puppy", meaning: meaningOf([0.8, 0.6, 0], 0.7) });
    expect(total).toBe(1);
    expect(rows).toMatchObject([
      { text: "my dog is ill", explanation: { words: null, literal: false, meaning: { rank: 1 } } },
    ]);
    expect(rows[0]!.explanation!.meaning!.cosine).toBeCloseTo(0.8, 5);
    expect(rows[0]!.explanation!.score).toBeCloseTo(0.9, 5);
    expect((await search({ text: "puppy", meaning: meaningOf([0.8, 0.6, 0], 0.5) })).total).toBe(2);
    expect(await textsFor({ text: "puppy", meaning: meaningOf([1, 0, 0]), weights: { meaning: 0 } })).toEqual([]);
  });

  it("is added to words, also below the floor", async () => {
    const one = await hold([{ text: "the boat" }]);
    const other = await hold([{ text: "the boat" }]);
    await embed([
      [one[0]!, [0.3, 0.954, 0]],
      [other[0]!, [0.1, 0.995, 0]],
    ]);
    const { rows } = await search({ text: "boat", meaning: meaningOf([1, 0, 0], 0.9) });
    expect(rows.map(({ id }) => id)).toEqual([one[0]!.id, other[0]!.id]);
    expect(rows[0]!.explanation!.meaning).toMatchObject({ rank: null });
  });

  it("finds nothing by another embedder's vectors, on an abandoned branch or outside the date range", async () => {
    const [first, left] = await say(talk, ["kept", "left behind"]);
    await embed([
      [first!, [1, 0, 0]],
      [left!, [1, 0, 0]],
    ]);
    await ada.conversations.moveLeaf(talk.lease, { from: left!.id, to: first!.id });
    const meaning = meaningOf([1, 0, 0]);
    expect(await textsFor({ text: "puppy", meaning })).toEqual(["kept"]);
    expect((await textsFor({ text: "puppy", meaning, includeAbandoned: true })).toSorted()).toEqual([
      "kept",
      "left behind",
    ]);
    expect(await textsFor({ text: "puppy", meaning, span: { before: new Date(0) } })).toEqual([]);
    expect(await textsFor({ text: "puppy", meaning, span: { from: new Date(0) } })).toEqual(["kept"]);
    expect(await textsFor({ text: "puppy", meaning, exceptTurnId: first!.turnId })).toEqual([]);
    expect(await textsFor({ text: "puppy", meaning: { ...meaning, embedder: "other" } })).toEqual([]);
    expect(await textsFor({ text: `"puppy"`, meaning })).toEqual([]);
  });
});

describe("messages without a vector", () => {
  it("are listed newest first with the preceding message, among the newest, and are counted", async () => {
    const messages = await hold([
      { text: "Where?", at: "2026-01-05T10:00:00Z" },
      { text: "Here.", at: "2026-01-05T10:01:00Z", speaker: "Ben" },
      { text: "Good morning", at: "2026-01-06T10:00:00Z" },
    ]);
    await say(talk, ["an event"], { kind: "event" });
    const pending = (more: object = {}) => ada.recall.withoutVector(talk.agentId, { ...kind, limit: 10, ...more });
    expect(await pending()).toEqual([
      { id: messages[2]!.id, text: "Good morning", speaker: null, previous: null },
      { id: messages[1]!.id, text: "Here.", speaker: "Ben", previous: "Where?" },
      { id: messages[0]!.id, text: "Where?", speaker: null, previous: null },
    ]);
    await embed([[messages[2]!, [1, 0, 0]]]);
    expect((await pending()).map(({ text }) => text)).toEqual(["Here.", "Where?"]);
    expect((await pending({ among: 2 })).map(({ text }) => text)).toEqual(["Here."]);
    expect(await pending({ among: 1 })).toEqual([]);
    const counted = await ada.recall.countWithoutVector({ ...kind, roles: ["searched"], isDefault: true });
    expect(counted.filter(({ agentId }) => agentId === talk.agentId)).toEqual([{ agentId: talk.agentId, messages: 2 }]);
  });

  it("cannot get one of another width", async () => {
    const [message] = await hold([{ text: "one" }]);
    await expect(embed([[message!, [1, 0]]])).rejects.toMatchObject({ code: "embedding_dimensions_mismatch" });
    expect(await ada.recall.withoutVector(talk.agentId, { ...kind, limit: 10 })).toHaveLength(1);
  });
});

describe("the form of a message", () => {
  const apart = (day: number) => `2026-02-${String(day).padStart(2, "0")}T10:00:00Z`;

  it.each([
    "Is the boat red?",
    "Is the boat red?!",
    "the boat is red (is it?)",
    "赤い boat？",
    "هل boat أحمر؟",
    "το boat είναι εδώ;",
  ])("ranks a question lower than a statement: %s", async (asked) => {
    const said = asked.replaceAll(/[?？؟;!]/gu, ".");
    await hold([{ text: said, at: apart(1) }]);
    await hold([{ text: asked, at: apart(3) }]);
    expect(await textsFor({ text: "boat" })).toEqual([said, asked]);
    expect((await textsFor({ text: "boat", weights: { question: 0 } }))[0]).toBe(asked);
  });

  it("ranks a longer message higher than a shorter one with the same matches", async () => {
    const longer = "the boat has an engine, two sails and a small kitchen";
    await hold([{ text: longer, at: apart(1) }]);
    await hold([{ text: "the boat", at: apart(3) }]);
    expect(await textsFor({ text: "boat" })).toEqual([longer, "the boat"]);
    expect((await textsFor({ text: "boat", weights: { length: 0 } }))[0]).toBe("the boat");
  });

  it("ranks a message higher if the messages around it are near by meaning", async () => {
    const same = await hold([
      { text: "the boat", at: apart(1) },
      { text: "we sailed", at: "2026-02-01T12:00:00Z" },
    ]);
    await hold([{ text: "the boat", at: apart(3) }]);
    await embed([[same[1]!, [1, 0, 0]]]);
    const query = { text: "boat", meaning: meaningOf([1, 0, 0], 0.9) };
    const days = async (weights: object) =>
      (await search({ ...query, weights: { context: 0, ...weights } })).rows.map(({ at }) => at.getUTCDate());
    expect(await days({})).toEqual([1, 3, 1]);
    expect(await days({ surroundings: 0 })).toEqual([3, 1, 1]);
    const { rows } = await search(query);
    expect(rows.map(({ explanation }) => explanation!.bonus)).toEqual([0.4, 0.2, 0.2]);
  });
});

describe("a query of many words", () => {
  const common = Array.from({ length: 30 }, (_, index) => `word${index}`);

  it("is ranked by its sixteen rarest terms and selects messages by the rarest", async () => {
    const day = (index: number) => new Date(Date.UTC(2026, 0, index + 2)).toISOString();
    for (let index = 0; index < 8; index += 1) await hold([{ text: `${common.join(" ")} ${index}`, at: day(index) }]);
    await hold([{ text: "a xylophone", at: "2025-01-01T10:00:00Z" }]);
    expect(await textsFor({ text: `${common.join(" ")} xylophone` })).toContain("a xylophone");
    const quoted = [...common, "xylophon"].map((word) => `''${word}''`).join(" | ");
    const chosen = await test.ownerRows(
      `select cardinality(r.kept) as kept, r.any_selective::text as selective
       from rarest_terms(terms_of('${quoted}'), 16, array(select words from messages where agent_id = '${talk.agentId}')) r`,
    );
    expect(chosen).toEqual([{ kept: 16, selective: "'xylophon' | 'word0'" }]);
  });
});

describe("a query in any script", () => {
  it.each([
    ["한국어", "배를", "어제 배를 타고 섬에 갔어요", "오늘은 날씨가 좋네요"],
    ["Arabic with its article", "سفينة", "رأيت السفينة في الميناء", "الطقس جميل اليوم"],
    ["a part of a German compound", "schifffahrt", "die Donaudampfschifffahrtsgesellschaft", "ein kleines Boot"],
    ["an emoji", "🦀", "we ate 🦀 by the sea", "we ate soup"],
    ["an identifier", "user_id", "rename user_id to ownerId", "rename the user and the id"],
    ["a percentage", "100%", "it was 100% sure", "it was 1000 sure"],
  ])("%s", async (_, query, found, other) => {
    await hold([{ text: found, at: "2026-01-01T10:00:00Z" }]);
    await hold([{ text: other, at: "2026-01-03T10:00:00Z" }]);
    expect((await textsFor({ text: query }))[0]).toBe(found);
  });

  it("is searched as a part of a word if no term is known", async () => {
    await hold([{ text: "the lighthouse" }]);
    expect(await textsFor({ text: "ighthou" })).toEqual(["the lighthouse"]);
  });

  it("is answered even if it and the messages are huge", async () => {
    await hold([{ text: `the harbour ${"a".repeat(1e6)}` }, { text: "the harbour" }]);
    expect((await search({ text: "harbour" })).total).toBe(2);
    expect((await textsFor({ text: "a".repeat(1e6) }))[0]).toHaveLength(1_000_012);
  });
});

describe("the weight of an embedder", () => {
  it("multiplies that of meaning", async () => {
    const [words, near] = await hold([
      { text: "The harbour is closed.", at: "2026-01-05T10:00:00Z" },
      { text: "The ships wait out there.", at: "2026-01-07T10:00:00Z" },
    ]);
    await embed([
      [words!, [0, 1, 0]],
      [near!, [1, 0, 0]],
    ]);
    const first = async (weight: number): Promise<string | undefined> =>
      (await search({ text: "which harbour", meaning: { ...meaningOf([1, 0, 0]), weight } })).rows[0]?.text;
    expect([await first(1), await first(4)]).toEqual(["The harbour is closed.", "The ships wait out there."]);
  });
});
