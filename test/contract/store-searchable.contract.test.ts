// What an open conversation is told that searches can find, equal to what they find. On the engine at hand.
import type { SearchableCount, SearchableMemory } from "../../src/store/port/searchable-memory.ts";
import type { LoadedFile } from "../../src/store/port/source-store.ts";
import { useStore } from "../support/database.ts";
import { beginning, chain, ids, newTalk, say, type Talk } from "../support/store-builders.ts";

const { test: opened, ada } = useStore();

const at = (day: number) => new Date(Date.UTC(2026, 0, day, 10));
const searchable = ({ user, agentId, conversationId }: Talk) => user.openings.searchable(agentId, conversationId);
const timeOf = (text: string | null) => (text === null ? null : new Date(text));
const timesOf = ({ first, last }: SearchableCount) => [timeOf(first), timeOf(last)];

/** Imports a conversation with one message on each of these days of January. */
async function importDays(agentId: string, days: readonly number[]): Promise<string> {
  const messages = chain(
    null,
    days.map((day) => ({ at: at(day) })),
  );
  const id = ids.next();
  await ada.conversations.import({ id, agentId, title: null, messages });
  return id;
}

function addPassages(agentId: string, tags: readonly (readonly string[])[], origin: "user" | "import" = "user") {
  const rows = tags.map((each, n) => ({
    id: ids.next(),
    text: `passage ${ids.next()}`,
    tags: each,
    kind: "memory" as const,
    at: at(1 + (n % 28)),
  }));
  return ada.passages.add(agentId, rows, origin);
}

test("counts the messages of all conversations that a search finds, with the first, the last, and the last before this one", async () => {
  const talk = await newTalk(ada);
  await importDays(talk.agentId, [2, 3]);
  const said = await say(talk, ["One", "two", " "]);
  await say(talk, ["an alert"], { kind: "event" });
  const { messages, lastBefore } = await searchable(talk);
  expect(messages).toMatchObject({ count: 4, isMore: false });
  expect(timesOf(messages)).toEqual([at(2), said[1]!.at]);
  expect(timeOf(lastBefore)).toEqual(at(3));
  const page = await ada.recall.search({ agentId: talk.agentId, page: 0, pageSize: 10 });
  expect(page.total).toBe(4);
});

test("does not count messages that were left behind on another branch", async () => {
  const talk = await newTalk(ada);
  const [one, ...rest] = await say(talk, ["One", "two", "three"]);
  await ada.conversations.moveLeaf(talk.lease, { from: rest.at(-1)!.id, to: one!.id });
  expect((await searchable(talk)).messages.count).toBe(1);
});

test("an empty conversation comes after everything, and an imported one after what is older than its first message", async () => {
  const talk = await newTalk(ada);
  expect(await searchable(talk)).toMatchObject({ messages: { count: 0, first: null, last: null }, lastBefore: null });
  await importDays(talk.agentId, [5]);
  expect(timeOf((await searchable(talk)).lastBefore)).toEqual(at(5));
  const later = await ada.openings.searchable(talk.agentId, await importDays(talk.agentId, [9, 10]));
  expect(timeOf(later.lastBefore)).toEqual(at(5));
});

test("counts current passages, and all tags, of which those of trusted ones are named", async () => {
  const talk = await newTalk(ada);
  await addPassages(talk.agentId, [["work", "tea"], ["work"], ["a"], ["b"], ["c"], ["d"]]);
  await addPassages(talk.agentId, [["forged", "work"], ["forged"], ["forged"]], "import");
  const some = await searchable(talk);
  expect(some.passages).toMatchObject({ count: 9, isMore: false });
  expect(timesOf(some.passages)).toEqual([at(1), at(6)]);
  expect(some.tags).toEqual({
    common: [
      { tag: "work", count: 3 },
      { tag: "a", count: 1 },
      { tag: "b", count: 1 },
      { tag: "c", count: 1 },
      { tag: "d", count: 1 },
    ],
    total: 7,
  });
  await addPassages(
    talk.agentId,
    Array.from({ length: 192 }, () => []),
  );
  expect((await searchable(talk)).passages).toMatchObject({ count: 200, isMore: true });
});

test("counts no passage that was replaced, nor its tags and days", async () => {
  const talk = await newTalk(ada);
  const add = (day: number, tags: readonly string[], replaces: readonly string[] = []) => {
    const passage = {
      id: ids.next(),
      text: `passage ${ids.next()}`,
      tags,
      kind: "memory" as const,
      at: at(day),
      replaces,
    };
    return ada.passages.addOne({ agentId: talk.agentId }, passage, "user");
  };
  const old = await add(1, ["lisbon"]);
  await add(2, ["tea"]);
  expect((await searchable(talk)).tags?.total).toBe(2);
  await add(3, ["porto"], [old!.id]);
  const { passages, tags } = await searchable(talk);
  expect(passages).toMatchObject({ count: 2, isMore: false });
  expect(timesOf(passages)).toEqual([at(2), at(3)]);
  expect(tags).toEqual({
    common: [
      { tag: "porto", count: 1 },
      { tag: "tea", count: 1 },
    ],
    total: 2,
  });
});

test("counts the passages of attached sources apart from the agent's own", async () => {
  const talk = await newTalk(ada);
  const sourceId = await ada.sources.ensure({ id: ids.next(), name: `source ${ids.next()}`, description: null });
  const place = { file: "/a", heading: "H", lineFrom: 1, lineTo: 1 };
  const passages = ["one", "two"].map((text) => ({ id: ids.next(), text, place }));
  const file = { id: ids.next(), path: "/a", kind: "text", bytes: 10, sha256: "ab", loadedAt: new Date(), passages };
  await ada.sourceFiles.replace(sourceId, file as LoadedFile);
  expect((await searchable(talk)).documents).toEqual({ count: 0, isMore: false });
  await ada.sources.attach(talk.agentId, sourceId);
  expect(await searchable(talk)).toMatchObject({ passages: { count: 0 }, documents: { count: 2, isMore: false } });
});

test("a turn's beginning returns the same without its own message, and reads again what has changed", async () => {
  const talk = await newTalk(ada);
  await addPassages(talk.agentId, [["work"]]);
  const before = await searchable(talk);
  const begin = beginnings(talk);
  expect(await begin(before)).toEqual({ ...before, tags: null });
  await addPassages(talk.agentId, [["tea"], ["tea"]]);
  const later = await begin(before);
  expect(later.messages.count).toBe(1);
  expect(later.tags?.common).toEqual([
    { tag: "tea", count: 2 },
    { tag: "work", count: 1 },
  ]);
});

test("a count above the maximum is read again only after another first text", async () => {
  const talk = await newTalk(ada);
  await importDays(talk.agentId, [5, 6]);
  const counted = { count: 200, isMore: true };
  const before = await searchable(talk);
  const known = { ...before, messages: { ...before.messages, ...counted } };
  const begin = beginnings(talk);
  expect((await begin(known)).messages).toEqual(known.messages);
  expect((await begin(before)).messages).toMatchObject({ count: 3, isMore: false });
  await importDays(talk.agentId, [4]);
  expect((await begin(known)).messages).toMatchObject({ count: 5, isMore: false });
});

/** Returns a function that begins one turn after the other, and returns what it was told. */
function beginnings(talk: Talk): (known: SearchableMemory) => Promise<SearchableMemory> {
  let leafId: string | null = null;
  return async (known) => {
    const messages = chain(leafId, [{ text: "Hello" }]);
    const begun = await ada.turns.begin({ ...beginning(talk, { leafId, messages, key: ids.next() }), known });
    leafId = messages[0]!.id;
    return begun!.searchable!;
  };
}

test("of another user's agent, nothing can be found", async () => {
  const talk = await newTalk(ada);
  await say(talk, ["One"]);
  await addPassages(talk.agentId, [["work"]]);
  const ben = opened.store.as("ben");
  const { messages, passages, tags } = await ben.openings.searchable(talk.agentId, talk.conversationId);
  expect([messages.count, passages.count, tags]).toEqual([0, 0, null]);
});
