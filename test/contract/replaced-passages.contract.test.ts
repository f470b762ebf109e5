// Passages that replace others: which one is current, how searches rank them, and what a deletion leaves; and reading all passages a
// piece at a time, whatever happens in between. On the engine at hand.
import type { NewPassage, PassageQuery, PassagePart } from "../../src/store/port/passage-store.ts";
import type { Origin } from "../../src/store/port/records.ts";
import { useStore } from "../support/database.ts";
import { ids, newAgent } from "../support/store-builders.ts";

const { test, ada } = useStore();
let agentId: string;

beforeEach(async () => (agentId = (await ada.agents.create(newAgent())).id));

let day = 0;

/** Adds a passage on the next day, and returns its id. */
async function add(text: string, change: Partial<NewPassage> = {}, origin: Origin = "user"): Promise<string> {
  day += 1;
  const passage: NewPassage = {
    id: ids.next(),
    text,
    tags: [],
    kind: "memory",
    at: new Date(Date.UTC(2026, 0, day)),
    ...change,
  };
  return (await ada.passages.addOne({ agentId }, passage, origin)).id;
}

/** Replaces a passage if it is current. */
async function replace(text: string, replaces: readonly string[]): Promise<string> {
  const passage: NewPassage = { id: ids.next(), text, tags: [], kind: "memory", at: new Date(), replaces };
  return (await ada.passages.replace(agentId, passage, { origin: "user", forgettings: 0 })).id;
}

async function search(query: Partial<PassageQuery>) {
  const asked = { agentId, text: "", meaning: null, page: 0, pageSize: 50, now: new Date(), ...query };
  return (await ada.passages.search(asked)).rows.map(({ id, replacement }) => [id, replacement?.id ?? null]);
}

/** The agent's passages, oldest first, each with the one that replaced it. */
async function links(): Promise<readonly (readonly [string, string | null])[]> {
  const listed = await ada.passages.list(agentId, { order: "oldest", limit: 50 });
  return listed.map(({ id, replacedBy }) => [id, replacedBy ?? null]);
}

/** Three passages of which each replaces the one before. */
async function chain(): Promise<readonly [string, string, string]> {
  const kiwi = await add("Elsa is allergic to kiwi, only to kiwi, says Elsa.");
  const nuts = await add("Elsa is allergic to nuts.", { replaces: [kiwi] });
  const pineapple = await add("Elsa is allergic to pineapple.", { replaces: [nuts] });
  return [kiwi, nuts, pineapple];
}

describe("a replaced passage", () => {
  it("ranks behind the current one, and behind no other, whatever its words are", async () => {
    const [kiwi, nuts, pineapple] = await chain();
    const other = await add("Elsa sails.");
    expect(await search({ text: "is Elsa allergic to kiwi" })).toEqual([
      [pineapple, null],
      [kiwi, pineapple],
      [nuts, pineapple],
      [other, null],
    ]);
    expect(await search({ text: '"kiwi"' })).toEqual([[kiwi, pineapple]]);
  });

  it("keeps its rank and shows the current one if that was not found", async () => {
    const old = await add("The surgery appointment is on 3 May.");
    const current = await add("The operation was moved to 12 May.", { replaces: [old] });
    await add("The surgery has a garden.");
    expect((await search({ text: "surgery appointment" }))[0]).toEqual([old, current]);
  });

  it("shows the current one also if a filter leaves that out", async () => {
    const old = await add("Ben works at the mill.", { tags: ["work"] });
    const current = await add("Ben works at the dock.", { replaces: [old] });
    expect(await search({ text: "Ben works", tags: ["work"] })).toEqual([[old, current]]);
  });

  it("is current again if its replacement is deleted, and replaced by the next one if there is one", async () => {
    const [kiwi, nuts, pineapple] = await chain();
    expect(await links()).toEqual([
      [kiwi, nuts],
      [nuts, pineapple],
      [pineapple, null],
    ]);
    await ada.passages.delete(agentId, nuts);
    expect(await links()).toEqual([
      [kiwi, pineapple],
      [pineapple, null],
    ]);
    await ada.passages.delete(agentId, pineapple);
    expect(await links()).toEqual([[kiwi, null]]);
  });

  it.each([
    ["the whole end of the chain", [1, 2]],
    ["its beginning and its end", [0, 2]],
  ])("has no link to what one statement deleted: %s", async (_title, deleted) => {
    const passages = await chain();
    await test.ownerRows(`delete from passages where id in (${deleted.map((at) => `'${passages[at]}'`).join()})`);
    expect((await links()).map(([, replacedBy]) => replacedBy)).toEqual([null]);
  });

  it("is current since then if its text is saved again, and can replace what replaced it", async () => {
    const lisbon = await add("Lives in Lisbon.");
    const porto = await add("Lives in Porto.", { replaces: [lisbon] });
    expect(await add("Lives in Lisbon.", { replaces: [porto] })).toBe(lisbon);
    expect(await links()).toEqual([
      [porto, lisbon],
      [lisbon, null],
    ]);
    expect(await add("Lives in Porto.", {}, "import")).toBe(porto);
    expect(await links()).toEqual([
      [porto, lisbon],
      [lisbon, null],
    ]);
  });

  it("is not one of another agent or user, nor the passage itself", async () => {
    const [kiwi] = await chain();
    const before = await links();
    const first = agentId;
    agentId = (await ada.agents.create(newAgent())).id;
    const own = await add("Elsa likes kiwi.", { replaces: [kiwi] });
    expect(await add("Elsa likes kiwi.", { replaces: [own] })).toBe(own);
    expect(await links()).toEqual([[own, null]]);
    const ben = test.store.as("ben");
    const other = (await ben.agents.create(newAgent())).id;
    const passage: NewPassage = {
      id: ids.next(),
      text: "x",
      tags: [],
      kind: "memory",
      at: new Date(),
      replaces: [kiwi],
    };
    await ben.passages.addOne({ agentId: other }, passage, "user");
    expect(await ben.passages.idsEnding(other, [kiwi.slice(-8)])).toEqual([]);
    agentId = first;
    expect(await links()).toEqual(before);
  });
});

it("without a text a search returns all that its filters match, newest first, page by page", async () => {
  const [first, second, third] = [
    await add("One", { tags: ["work"], at: new Date("2026-03-01T10:00:00Z") }),
    await add("Two", { tags: ["work"], at: new Date("2026-03-02T10:00:00Z") }),
    await add("Three", { tags: ["work", "red"], at: new Date("2026-03-03T10:00:00Z") }),
  ];
  await add("Four", { tags: ["home"], at: new Date("2026-03-02T11:00:00Z") });
  const all = { text: null, tags: ["work"] } as const;
  expect((await search(all)).map(([id]) => id)).toEqual([third, second, first]);
  expect((await search({ ...all, page: 1, pageSize: 2 })).map(([id]) => id)).toEqual([first]);
  const span = { from: new Date("2026-03-02T00:00:00Z"), before: new Date("2026-03-03T00:00:00Z") };
  expect((await search({ ...all, span })).map(([id]) => id)).toEqual([second]);
});

describe("a replacement of a current passage", () => {
  it("is made once, whoever is first", async () => {
    const first = await add("The boat is blue.");
    const ends = await Promise.allSettled([replace("It is red.", [first]), replace("It is green.", [first])]);
    expect(ends.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    await expect(replace("It is white.", [first])).rejects.toMatchObject({ code: "revision_conflict" });
    expect(await ada.passages.count(agentId)).toBe(2);
  });

  it("is refused for a passage of another agent or of none", async () => {
    const { id: other } = await ada.agents.create(newAgent());
    const elsewhere = await ada.passages.addOne(
      { agentId: other },
      { id: ids.next(), text: "Elsewhere.", tags: [], kind: "memory", at: new Date() },
      "user",
    );
    for (const id of [elsewhere.id, ids.next()])
      await expect(replace(`Not ${id}.`, [id])).rejects.toMatchObject({ code: "revision_conflict" });
  });
});

async function addOne(text: string): Promise<string> {
  const id = ids.next();
  await ada.passages.add(agentId, [{ id, text, tags: ["a"], kind: "fact", at: new Date(), importance: 0.7 }], "user");
  return id;
}

describe("passages.after", () => {
  it("returns each once, in insertion order, despite concurrent inserts and deletes", async () => {
    const first = await addOne("one");
    const second = await addOne("two");
    await addOne("three");
    const piece = await ada.passages.after(agentId, null, 2);
    expect(piece.map(({ text }) => text)).toEqual(["one", "two"]);
    expect(piece[0]).toMatchObject({ id: first, tags: ["a"], kind: "fact", importance: 0.7, source: null });
    await ada.passages.delete(agentId, first);
    await ada.passages.delete(agentId, second);
    await addOne("four");
    const rest = await ada.passages.after(agentId, second, 2);
    expect(rest.map(({ text }) => text)).toEqual(["three", "four"]);
    expect(await ada.passages.after(agentId, rest[1]!.id, 2)).toEqual([]);
  });

  it("returns only the current ones, or those since a time with what they replaced", async () => {
    const at = new Date("2026-01-01");
    const old = ids.next();
    await ada.passages.add(agentId, [{ id: old, text: "old", tags: [], kind: "fact", at }], "user");
    await ada.passages.add(agentId, [{ id: ids.next(), text: "other", tags: [], kind: "fact", at }], "user");
    const later = new Date("2026-01-02");
    const replacing = { id: ids.next(), text: "new", tags: [], kind: "fact", at: later, replaces: [old] } as const;
    await ada.passages.replace(agentId, replacing, { origin: "user", forgettings: 0 });
    const textsOf = async (part: PassagePart) =>
      (await ada.passages.after(agentId, null, 10, part)).map(({ text }) => text);
    expect(await textsOf({ isCurrent: true })).toEqual(["other", "new"]);
    expect(await textsOf({ since: later })).toEqual(["old", "new"]);
    expect(await textsOf({ since: later, isCurrent: true })).toEqual(["new"]);
    expect(await textsOf({ since: new Date("2026-01-03") })).toEqual([]);
  });

  it("returns nothing of another agent or user, and nothing for an invalid id", async () => {
    await addOne("one");
    const other = (await ada.agents.create(newAgent())).id;
    expect(await ada.passages.after(other, null, 10)).toEqual([]);
    expect(await test.store.as("bob").passages.after(agentId, null, 10)).toEqual([]);
    expect(await ada.passages.after("main", null, 10)).toEqual([]);
  });
});
