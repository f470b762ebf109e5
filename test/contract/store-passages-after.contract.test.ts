// Reading all passages a piece at a time, whatever happens in between. On the engine at hand.
import type { PassagePart } from "../../src/store/port/passage-store.ts";
import type { UserStore } from "../../src/store/port/store.ts";
import { openTestStore } from "../support/database.ts";
import { ids, newAgent } from "../support/store-builders.ts";
import { useScene } from "../support/use-scene.ts";

const test = useScene(() => openTestStore());
let ada: UserStore;
let agentId: string;

beforeAll(async () => {
  ada = test.store.as("ada");
});

beforeEach(async () => {
  agentId = (await ada.agents.create(newAgent())).id;
});

async function add(text: string): Promise<string> {
  const id = ids.next();
  await ada.passages.add(agentId, [{ id, text, tags: ["a"], kind: "fact", at: new Date(), importance: 0.7 }], "user");
  return id;
}

describe("passages.after", () => {
  it("returns each once, in insertion order, despite concurrent inserts and deletes", async () => {
    const first = await add("one");
    const second = await add("two");
    await add("three");
    const piece = await ada.passages.after(agentId, null, 2);
    expect(piece.map(({ text }) => text)).toEqual(["one", "two"]);
    expect(piece[0]).toMatchObject({ id: first, tags: ["a"], kind: "fact", importance: 0.7, source: null });
    await ada.passages.delete(agentId, first);
    await ada.passages.delete(agentId, second);
    await add("four");
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
    await add("one");
    const other = (await ada.agents.create(newAgent())).id;
    expect(await ada.passages.after(other, null, 10)).toEqual([]);
    expect(await test.store.as("bob").passages.after(agentId, null, 10)).toEqual([]);
    expect(await ada.passages.after("main", null, 10)).toEqual([]);
  });
});
