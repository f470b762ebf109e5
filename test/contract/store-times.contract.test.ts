// Times of every accepted year are stored exactly, and no time that is in a table makes a statement fail.
import fc from "fast-check";
import { useStore } from "../support/database.ts";
import { ids, newAgent } from "../support/store-builders.ts";

const { test, ada } = useStore();

const now = new Date("2026-11-27T12:00:00.000Z");
const [first, last] = [new Date("0001-01-01T00:00:00.000Z"), new Date("9999-12-31T23:59:59.999Z")];
const times = [
  first,
  new Date("0050-02-28T23:59:59.999Z"),
  new Date("0100-01-01T00:00:00.000Z"),
  new Date("1582-10-10T00:00:00.000Z"),
  new Date("1900-01-01T00:00:00.000Z"),
  new Date("1938-11-27T12:00:00.000Z"),
  new Date(0),
  now,
  last,
];

const passageAt = (at: Date) => ({
  id: ids.next(),
  text: `Ada sails ${ids.next()}`,
  tags: [],
  kind: "memory" as const,
  at,
});

function searchOf(agentId: string, more = {}) {
  const query = { agentId, text: "sails", meaning: null, page: 0, pageSize: 50, now, ...more };
  return ada.passages.search(query).then(({ rows }) => rows);
}

const timesOf = (rows: readonly { readonly at: Date }[]) => rows.map(({ at }) => at.toISOString()).toSorted();
const textsOf = (all: readonly Date[]) => all.map((time) => time.toISOString()).toSorted();

it("passages of the years 1 to 9999 are listed and found at their time", async () => {
  const { id: agentId } = await ada.agents.create(newAgent());
  await ada.passages.add(agentId, times.map(passageAt), "user");
  const found = await searchOf(agentId);
  expect(timesOf(found)).toEqual(textsOf(times));
  const importances = found.map(({ explanation }) => explanation?.importance ?? Number.NaN);
  expect(importances.every((value) => value >= 0.2 && value <= 0.5 + 1e-9)).toBe(true);
  const rows = await ada.passages.list(agentId, { order: "oldest", limit: 50 });
  expect(rows.map(({ at }) => at)).toEqual(times);
});

it("a search is bounded by times before and after the accepted years", async () => {
  const { id: agentId } = await ada.agents.create(newAgent());
  await ada.passages.add(agentId, times.map(passageAt), "user");
  const span = { from: new Date("-000043-01-01T00:00:00Z"), before: new Date("+010000-01-01T00:00:00Z") };
  expect(timesOf(await searchOf(agentId, { span }))).toEqual(textsOf(times));
  const all = { from: new Date(-8.64e15), before: new Date(8.64e15) };
  expect(timesOf(await searchOf(agentId, { span: all }))).toEqual(textsOf(times));
  expect(timesOf(await searchOf(agentId, { span: { from: last } }))).toEqual([last.toISOString()]);
});

it("any time of the years 1 to 9999 is read as it was written", async () => {
  const time = fc.date({ min: first, max: last, noInvalidDate: true });
  await fc.assert(
    fc.asyncProperty(fc.array(time, { minLength: 1, maxLength: 40 }), async (generated) => {
      const { id: agentId } = await ada.agents.create(newAgent());
      await ada.passages.add(agentId, generated.map(passageAt), "user");
      expect(timesOf(await ada.passages.after(agentId, null, 100))).toEqual(textsOf(generated));
      expect(timesOf(await searchOf(agentId))).toEqual(textsOf(generated));
    }),
    { numRuns: 10 },
  );
});

it("a table with times of other years is searched and listed", async () => {
  const { id: agentId } = await ada.agents.create(newAgent());
  const added = [passageAt(now), passageAt(now), passageAt(now), passageAt(now)];
  await ada.passages.add(agentId, added, "user");
  const others = [
    "4714-11-24 00:00:00+00 BC",
    "0001-12-31 23:59:59+00 BC",
    "10000-01-01 00:00:00+00",
    "294276-12-31 23:59:59+00",
  ];
  for (const [index, text] of others.entries()) {
    await test.ownerRows("update passages set created_at = $2::timestamptz where id = $1::uuid", [
      added[index]!.id,
      text,
    ]);
  }
  expect(timesOf(await searchOf(agentId))).toEqual(
    [
      "-004713-11-24T00:00:00.000Z",
      "0000-12-31T23:59:59.000Z",
      "+010000-01-01T00:00:00.000Z",
      "+275760-09-13T00:00:00.000Z",
    ].toSorted(),
  );
  expect(await ada.passages.list(agentId, { order: "newest", limit: 50 })).toHaveLength(4);
});
