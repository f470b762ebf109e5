// What the window of an earlier step had, from records.
import {
  messagesBeforeReply,
  messagesInWindow,
  compactionsAt,
  lastTurns,
  startOf,
  type Compaction,
} from "../../../src/surfaces/inspector/window/past-window.ts";

const message = (id: string, role = "user") => ({ id, role });
const turn = [message("1"), message("2", "assistant"), message("3", "tool"), message("4", "assistant")];

test("a call had the messages of its turn before its reply", () => {
  const ids = (number: number) => messagesBeforeReply(turn, number).map(({ id }) => id);
  expect(ids(1)).toEqual(["1"]);
  expect(ids(2)).toEqual(["1", "2", "3"]);
  // A call that failed has no reply: it had all that is there.
  expect(ids(3)).toEqual(["1", "2", "3", "4"]);
});

const compaction = (throughId: string, at: string, undoneAt: string | null = null) =>
  ({ throughId, throughPosition: Number(throughId), at, undoneAt, summary: throughId }) as unknown as Compaction;

test("the compactions in effect are those before a moment that were not undone by then", () => {
  const all = [
    compaction("30", "2026-01-03T00:00:00Z"),
    compaction("20", "2026-01-02T00:00:00Z", "2026-01-05T00:00:00Z"),
    compaction("10", "2026-01-01T00:00:00Z", "2026-01-01T12:00:00Z"),
  ];
  const at = (moment: string) => compactionsAt(all, moment).map(({ summary }) => summary);
  expect(at("2026-01-01T06:00:00Z")).toEqual(["10"]);
  expect(at("2026-01-02T06:00:00Z")).toEqual(["20"]);
  expect(at("2026-01-04T00:00:00Z")).toEqual(["20", "30"]);
  expect(at("2026-01-06T00:00:00Z")).toEqual(["30"]);
  expect(at("2025-01-01T00:00:00Z")).toEqual([]);
});

test("the window has the messages after the last one that a compaction covers", () => {
  const earlier = ["1", "2", "3", "4"].map((id) => message(id));
  const ids = (...through: readonly string[]) =>
    messagesInWindow(
      earlier,
      through.map((id) => compaction(id, "")),
    ).map(({ id }) => id);
  expect(ids()).toEqual(["1", "2", "3", "4"]);
  expect(ids("2")).toEqual(["3", "4"]);
  expect(ids("1", "3")).toEqual(["4"]);
  expect(ids("9")).toEqual(["1", "2", "3", "4"]);
});

const said = (id: string) => ({
  id,
  turnId: id.slice(0, 1),
  role: { u: "user", a: "assistant", t: "tool" }[id.slice(1, 2)]!,
});
const thread = ["au", "aa", "bu", "ba", "bt", "bu2", "ba2", "cu", "ca"].map(said);

test("the last turns have all their messages, and a late result does not begin a turn", () => {
  const ids = (count: number, of = thread) => lastTurns(of, count).map(({ id }) => id);
  expect(ids(0)).toEqual([]);
  expect(ids(1)).toEqual(["cu", "ca"]);
  expect(ids(2)).toEqual(["bu", "ba", "bt", "bu2", "ba2", "cu", "ca"]);
  expect(ids(9)).toHaveLength(9);
  expect(ids(1, ["au", "aa"].map(said).concat({ id: "at", turnId: "z", role: "tool" }))).toEqual(["au", "aa", "at"]);
});

test("the last turns begin in the window now at their first user message, after the summaries", () => {
  const messages = ["su", "sa", "bu", "ba", "bt", "bt2", "bu2", "ba2", "cu", "ca"].map(said);
  const at = (count: number) => startOf({ messages, summaries: 2 }, lastTurns(thread, count));
  expect([0, 1, 2, 3, 9].map(at)).toEqual([10, 8, 2, 2, 2]);
});
