// Archival memory as it is stored: texts once, vectors, and the search over both. On the engine at hand.
import { randomUUID } from "node:crypto";
import type { ListRange } from "../../src/store/port/page.ts";
import type { NewPassage, PassageQuery, PassageRecord } from "../../src/store/port/passage-store.ts";
import { useStore } from "../support/database.ts";
import { ids, newAgent, oddTexts, vectorOf } from "../support/store-builders.ts";

const { test, ada } = useStore();
let agentId: string;

beforeEach(async () => (agentId = (await ada.agents.create(newAgent())).id));

function passage(text: string, change: Partial<NewPassage> = {}): NewPassage {
  return { id: ids.next(), text, tags: [], kind: "memory", at: new Date(), ...change };
}

async function add(...contents: readonly string[]): Promise<readonly NewPassage[]> {
  const added = contents.map((content) => passage(content));
  await ada.passages.add(agentId, added, "user");
  return added;
}

const search = (query: Partial<PassageQuery>) =>
  ada.passages.search({ agentId, text: "", meaning: null, page: 0, pageSize: 5, now: new Date(), ...query });

const textsFor = async (query: Partial<PassageQuery>): Promise<readonly string[]> =>
  (await search({ pageSize: 50, ...query })).rows.map((row) => row.text);

const direction = (cosine: number): readonly number[] => vectorOf(cosine, 512);

const meaningOf = (cosine: number, embedder = "test") => ({
  vector: direction(cosine),
  embedder,
  dimensions: 512,
  floor: 0.35,
});

const addVectors = (rows: readonly (readonly [NewPassage, number])[], embedder = "test") =>
  ada.passages.addVectors(agentId, {
    embedder,
    dimensions: 512,
    rows: rows.map(([{ id }, cosine]) => ({ passageId: id, vector: direction(cosine) })),
  });

describe("the tags of a passage", () => {
  it("are joined when its text is added again, with the lower trust class if there are new ones", async () => {
    const [known] = await add("The boat is called Tern.");
    const addAgain = async (tags: readonly string[], trust: PassageRecord["trust"]) => {
      const again = passage("The boat is called Tern.", { tags, trust });
      expect(await ada.passages.addOne({ agentId }, again, "model")).toEqual({ id: known!.id, isNew: false });
      const rows = await ada.passages.list(agentId, { order: "newest", limit: 9 });
      return rows.map((row) => [row.id, row.tags, row.trust]);
    };
    expect(await addAgain(["boats", "tern"], "user")).toEqual([[known!.id, ["boats", "tern"], "user"]]);
    expect(await addAgain(["tern"], "external")).toEqual([[known!.id, ["boats", "tern"], "user"]]);
    expect(await addAgain(["tern", "new"], "external")).toEqual([[known!.id, ["boats", "tern", "new"], "external"]]);
    expect(await ada.passages.add(agentId, [passage("The boat is called Tern.", { tags: ["x"] })], "user")).toBe(0);
    expect(await textsFor({ text: "boat", tags: ["x"] })).toEqual(["The boat is called Tern."]);
  });

  it("are replaced in its archive only, and found by a search at once", async () => {
    const [first] = await add("Ada sails", "Ada reads");
    const tags = async () => (await search({ text: "Ada", tags: ["sea"] })).rows.map((row) => [row.text, row.tags]);
    expect(await tags()).toEqual([]);
    expect(await ada.passages.setTags({ agentId }, first!.id, ["sea", "boat"])).toBe(true);
    expect(await tags()).toEqual([["Ada sails", ["sea", "boat"]]]);
    const { id: otherId } = await ada.agents.create(newAgent());
    expect(await ada.passages.setTags({ agentId: otherId }, first!.id, [])).toBe(false);
    expect(await ada.passages.setTags({ sourceId: agentId }, first!.id, [])).toBe(false);
    expect(await ada.passages.setTags({ agentId }, "no id", [])).toBe(false);
    expect(await tags()).toEqual([["Ada sails", ["sea", "boat"]]]);
    expect(await ada.passages.setTags({ agentId }, first!.id, [])).toBe(true);
    expect(await tags()).toEqual([]);
  });
});

describe("passages", () => {
  it("are stored once per text, for a user and an agent", async () => {
    const first = passage("Ada sails", {
      tags: ["hobby", "sea"],
      kind: "fact",
      at: new Date("2026-01-02T03:04:05.678Z"),
    });
    expect(await ada.passages.add(agentId, [first, passage("Ada sails"), passage("Ada rows")], "user")).toBe(2);
    expect(await ada.passages.add(agentId, [passage("Ada sails", { tags: ["other"] })], "import")).toBe(0);
    expect(await ada.passages.add(agentId, [], "user")).toBe(0);
    expect(await ada.passages.add((await ada.agents.create(newAgent())).id, [passage("Ada sails")], "user")).toBe(1);
    const rows = await ada.passages.list(agentId, { order: "newest", limit: 5 });
    expect(await ada.passages.count(agentId)).toBe(2);
    const joined = { ...first, tags: ["hobby", "sea", "other"], trust: "external" };
    expect(rows[1]).toEqual({ ...joined, origin: "user", external: [], importance: 0.5, source: null });
  });

  it("have the class of their first insertion; imports and documents are external", async () => {
    await ada.passages.add(agentId, [passage("imported")], "import");
    await ada.passages.add(agentId, [passage("loaded", { kind: "document" })], "user");
    await ada.passages.add(agentId, [passage("said")], "user");
    await ada.passages.add(agentId, [passage("imported")], "user");
    await ada.passages.add(agentId, [passage("said")], "import");
    const rows = await ada.passages.list(agentId, { order: "newest", limit: 5 });
    const trust = Object.fromEntries(rows.map((row) => [row.text, row.trust]));
    expect(trust).toEqual({ imported: "external", loaded: "external", said: "user" });
    expect((await search({ text: "loaded" })).rows).toMatchObject([{ trust: "external" }]);
    const raised = test.ownerRows("update passages set trust = 'user' where agent_id = $1::uuid", [agentId]);
    await expect(raised).rejects.toMatchObject({ code: "store_failed" });
  });

  it("are stored once by concurrent writers", async () => {
    const added = await Promise.all(
      Array.from({ length: 6 }, () => ada.passages.add(agentId, [passage("at once")], "api")),
    );
    expect(added.reduce((sum, one) => sum + one)).toBe(1);
  });

  it("are listed by their time, in pages after or before one of them, and counted", async () => {
    await ada.passages.add(
      agentId,
      Array.from({ length: 12 }, (_, index) => passage(`number ${index}`, { at: new Date(2026, 0, index + 1) })),
      "user",
    );
    const list = async (range: Omit<ListRange, "order" | "limit">, order: ListRange["order"] = "newest") => {
      return ada.passages.list(agentId, { order, limit: 5, ...range });
    };
    expect(await ada.passages.count(agentId)).toBe(12);
    expect(await ada.passages.count(ids.next())).toBe(0);
    expect(await ada.passages.count("no id")).toBe(0);
    const numbers = (rows: readonly PassageRecord[]) => rows.map(({ text }) => Number(text.split(" ")[1]));
    const first = await list({});
    const second = await list({ after: first.at(-1)!.id });
    expect([first, second].map(numbers)).toEqual([
      [11, 10, 9, 8, 7],
      [6, 5, 4, 3, 2],
    ]);
    expect(numbers(await list({ after: second.at(-1)!.id }))).toEqual([1, 0]);
    expect(numbers(await list({ before: second.at(-1)!.id }))).toEqual([7, 6, 5, 4, 3]);
    expect(numbers(await list({ after: second.at(-1)!.id }, "oldest"))).toEqual([3, 4, 5, 6, 7]);
    expect(await list({ after: "no id" })).toEqual([]);
    expect(await list({ after: randomUUID() })).toEqual([]);
  });

  it("are neither hidden nor repeated by others that come or go between two pages", async () => {
    const [oldest, ...others] = [1, 1, 1, 2, 2, 2].map((day, index) =>
      passage(`number ${index}`, { at: new Date(2026, 0, day) }),
    );
    await ada.passages.add(agentId, [oldest!, ...others], "user");
    const first = await ada.passages.list(agentId, { order: "newest", limit: 3 });
    await ada.passages.add(agentId, [passage("newer", { at: new Date(2026, 0, 3) })], "user");
    await ada.passages.delete(agentId, first[0]!.id);
    const rest = await ada.passages.list(agentId, { order: "newest", limit: 9, after: first.at(-1)!.id });
    expect([...first, ...rest].map(({ text }) => text).sort()).toEqual([0, 1, 2, 3, 4, 5].map((n) => `number ${n}`));
  });

  it("are deleted with their vectors, only by their user", async () => {
    const [one] = await add("gone");
    await addVectors([[one!, 1]]);
    expect(await test.store.as("ben").passages.delete(agentId, one!.id)).toBe(false);
    expect(await ada.passages.delete(agentId, "nothing")).toBe(false);
    expect(await ada.passages.delete(agentId, one!.id)).toBe(true);
    expect(await ada.passages.delete(agentId, one!.id)).toBe(false);
    expect(await test.ownerRows("select 1 from passages_512 where passage_id = $1::uuid", [one!.id])).toEqual([]);
  });
});

describe("vectors", () => {
  it("are requested oldest first, per embedder, until they exist", async () => {
    const [one, two] = await add("one", "two");
    const missing = (embedder: string, limit = 5) =>
      ada.passages.withoutVector(agentId, { embedder, dimensions: 512, limit });
    expect(await missing("test")).toEqual([
      { id: one!.id, content: "one" },
      { id: two!.id, content: "two" },
    ]);
    expect(await missing("test", 1)).toHaveLength(1);
    await addVectors([[one!, 1]]);
    await addVectors([[one!, 0.5]]);
    expect(await missing("test")).toEqual([{ id: two!.id, content: "two" }]);
    expect(await missing("other")).toHaveLength(2);
    const stored = await test.ownerRows("select 1 from passages_512 where passage_id = $1::uuid", [one!.id]);
    expect(stored).toHaveLength(1);
  });

  it("of a deleted passage, or of another user's, are skipped", async () => {
    const [one] = await add("one");
    await addVectors([[passage("never added"), 1]]);
    const vector = direction(1);
    await test.store
      .as("ben")
      .passages.addVectors(agentId, { embedder: "test", dimensions: 512, rows: [{ passageId: one!.id, vector }] });
    expect(await ada.passages.withoutVector(agentId, { embedder: "test", dimensions: 512, limit: 5 })).toHaveLength(1);
  });

  it("of a wrong width or with NaN are refused", async () => {
    const [one] = await add("one");
    const store = (vector: readonly number[], dimensions: number) =>
      ada.passages.addVectors(agentId, { embedder: "t", dimensions, rows: [{ passageId: one!.id, vector }] });
    await expect(store([1, 0, 0], 512)).rejects.toMatchObject({ code: "embedding_dimensions_mismatch" });
    await expect(store([...direction(1), 0], 512)).rejects.toMatchObject({ code: "embedding_dimensions_mismatch" });
    for (const dimensions of [0, -1, 1.5, 16_001, Number.NaN]) {
      await expect(store([], dimensions)).rejects.toMatchObject({ code: "embedding_dimensions_mismatch" });
      const kind = { embedder: "t", dimensions };
      await expect(ada.passages.withoutVector(agentId, { ...kind, limit: 1 })).rejects.toMatchObject({
        code: "embedding_dimensions_mismatch",
      });
    }
    const broken = { passageId: one!.id, vector: direction(Number.NaN) };
    await expect(
      ada.passages.addVectors(agentId, { embedder: "t", dimensions: 512, rows: [broken] }),
    ).rejects.toMatchObject({ code: "embedding_failed" });
  });
});

describe("the importance of a passage", () => {
  it.each([
    // 0.3 · 0.5^(days / 30) + 0.3 · ln(accesses + 1) + 0.4 · given
    ["new, never found, given nothing", { days: 0, accesses: 0, given: undefined }, 0.5],
    ["30 days old", { days: 30, accesses: 0, given: undefined }, 0.35],
    ["90 days old and given the most", { days: 90, accesses: 0, given: 1 }, 0.4375],
    ["new, given nothing by its owner", { days: 0, accesses: 0, given: 0 }, 0.3],
    ["new and found 9 times", { days: 0, accesses: 9, given: undefined }, 0.5 + 0.3 * Math.log(10)],
    ["from a clock that is ahead", { days: -30, accesses: 0, given: undefined }, 0.5],
  ])(
    "is computed from recency, accesses and the given importance: %s",
    async (_what, { days, accesses, given }, expected) => {
      const id = ids.next();
      const importance = given === undefined ? {} : { importance: given };
      await ada.passages.add(
        agentId,
        [{ id, text: "weighed", tags: [], kind: "fact", at: new Date(), ...importance }],
        "user",
      );
      const [row] = await test.ownerRows<{ readonly weight: number }>(
        `with moved as (
         update passages set created_at = now() - $2::int * interval '1 day', access_count = $3::int where id = $1::uuid
         returning passages
       ) select importance_of((passages), now()) as weight from moved`,
        [id, days, accesses],
      );
      expect(row!.weight).toBeCloseTo(expected, 6);
    },
  );

  it.each([
    ["2001-01-31", "new"],
    ["2026-01-31", "given more"],
  ])("selects the passages of a synopsis, at the given time: %s, %s", async (at, first) => {
    const passages = [
      passage("new", { at: new Date("2001-01-31"), importance: 0.4 }),
      passage("given more", { at: new Date("2000-01-01"), importance: 0.5 }),
    ];
    await ada.passages.add(agentId, passages, "user");
    const { memories } = await ada.synopses.memories(agentId, { limit: 1, characters: 20, now: new Date(at) });
    expect(memories.map(({ content }) => content)).toEqual([first]);
  });
});

describe("searching passages", () => {
  it("pages 12 candidates as 5, 5, 2 and then none, with the total on every page", async () => {
    await add(...Array.from({ length: 12 }, (_, index) => `sailing ${index}`));
    const pages = await Promise.all([0, 1, 2, 3].map((page) => search({ text: "sailing", page })));
    expect(pages.map(({ rows, total }) => [rows.length, total])).toEqual([
      [5, 12],
      [5, 12],
      [2, 12],
      [0, 12],
    ]);
    expect(new Set(pages.flatMap(({ rows }) => rows.map((row) => row.id))).size).toBe(12);
  });

  it("finds by words without vectors, literal matches first", async () => {
    await add("boats are red", "a red boat", "red paint", "nothing");
    expect((await textsFor({ text: "red boat" }))[0]).toBe("a red boat");
    expect(await search({ text: "red boat" })).toMatchObject({ total: 3 });
    expect(await textsFor({ text: `"red boat"` })).toEqual(["a red boat"]);
  });

  it("finds by meaning alone from a floor of similarity on", async () => {
    const [near, at, below] = await add("Cinderella wept", "on the floor", "below the floor", "no vector");
    await addVectors([
      [near!, 0.9],
      [at!, 0.351],
      [below!, 0.34],
    ]);
    expect(await textsFor({ text: "why was she crying", meaning: meaningOf(1) })).toEqual([
      "Cinderella wept",
      "on the floor",
    ]);
    expect(await textsFor({ text: "", meaning: meaningOf(1) })).toEqual(["Cinderella wept", "on the floor"]);
  });

  it("merges the hits by words and by meaning, each once", async () => {
    const [both, word, meaning] = await add("a sailing boat", "sailing", "a yacht");
    await addVectors([
      [both!, 0.8],
      [word!, 0.1],
      [meaning!, 0.7],
    ]);
    const found = await search({ text: "sailing", meaning: meaningOf(1) });
    expect(found.rows.map((row) => row.text)).toEqual(["a sailing boat", "sailing", "a yacht"]);
    expect(found.total).toBe(3);
  });

  it("compares only vectors of the named embedder", async () => {
    const [one, two] = await add("one", "two");
    await addVectors([[one!, 0.9]], "first");
    await addVectors([[two!, 0.9]], "second");
    expect(await textsFor({ meaning: meaningOf(1, "first") })).toEqual(["one"]);
    expect(await textsFor({ meaning: meaningOf(1, "third") })).toEqual([]);
  });

  it("returns at most fifty by meaning alone", async () => {
    const added = await add(...Array.from({ length: 60 }, (_, index) => `p${index}`));
    await addVectors(added.map((one, index) => [one, 0.4 + index / 1000] as const));
    const found = await search({ meaning: meaningOf(1) });
    expect(found.total).toBe(50);
    expect(found.rows[0]!.text).toBe("p59");
  });

  it("filters by tags, any of them, and by dates", async () => {
    const at = (day: number) => new Date(Date.UTC(2026, 0, day));
    const added = [
      passage("boat a", { tags: ["x"], at: at(1) }),
      passage("boat b", { tags: ["y", "z"], at: at(2) }),
      passage("boat c", { tags: [], at: at(3) }),
    ];
    await ada.passages.add(agentId, added, "user");
    await addVectors(added.map((one) => [one, 0.9] as const));
    for (const asked of [null, meaningOf(1)]) {
      const found = (query: Partial<PassageQuery>) =>
        textsFor({ text: "boat", meaning: asked, ...query }).then((texts) => [...texts].sort());
      expect(await found({ tags: ["x", "z"] })).toEqual(["boat a", "boat b"]);
      expect(await found({ tags: ["none"] })).toEqual([]);
      expect(await found({ tags: [] })).toHaveLength(3);
      expect(await found({ span: { from: at(2), before: at(3) } })).toEqual(["boat b"]);
      expect(await found({ tags: ["x"], span: { from: at(2) } })).toEqual([]);
    }
  });

  it("breaks ties by id", async () => {
    const added = await add("same word one", "same word two", "same word six");
    expect((await search({ text: "word" })).rows.map((row) => row.id)).toEqual(added.map((one) => one.id));
  });

  it.each(oddTexts)("finds by any text: %s", async (_, text) => {
    await add("something else", text);
    expect(await textsFor({ text: `"${text}"` })).toEqual([text]);
    expect((await textsFor({ text }))[0]).toBe(text);
  });

  it.each([[""], ["  "], ["\u0000"], ["| & !"], [`""`]])("finds nothing, without an error, by %j", async (text) => {
    await add("something");
    expect(await search({ text })).toEqual({ rows: [], total: 0 });
  });

  it("finds nothing of another user or agent", async () => {
    const [one] = await add("boat");
    await addVectors([[one!, 1]]);
    const other = await ada.agents.create(newAgent());
    await ada.agents.share(agentId, "ben");
    await test.store.as("ben").agents.accept(agentId);
    const query = { text: "boat", meaning: meaningOf(1), page: 0, pageSize: 5, now: new Date() };
    expect((await test.store.as("ben").passages.search({ ...query, agentId })).total).toBe(0);
    expect((await ada.passages.search({ ...query, agentId: other.id })).total).toBe(0);
    expect((await ada.passages.search({ ...query, agentId: "nothing" })).total).toBe(0);
  });
});
