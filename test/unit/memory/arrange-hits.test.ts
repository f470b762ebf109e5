// Arranging ranked results: statements first, of one subject the newest, questions last.
import { arrangeHits } from "../../../src/memory/recall/arrange-hits.ts";
import type { RecallHit } from "../../../src/store/port/recall-store.ts";
import { storedMessage } from "../../support/messages.ts";

function hit(id: string, day: number, text: string, more: Partial<RecallHit> = {}): RecallHit {
  const at = new Date(Date.UTC(2026, 4, day));
  return { ...storedMessage({ role: "user", text, at }), id, explanation: null, ...more };
}

const own = { role: "assistant" } as const;
const arranged = (hits: readonly RecallHit[]) => arrangeHits(hits).map(({ hit: { id }, about }) => [id, about]);

test("unrelated statements keep their order", () => {
  const hits = [hit("a", 3, "I sail boats."), hit("b", 1, "My cat is grey."), hit("c", 2, "Porto is far away.")];
  expect(arranged(hits)).toEqual([
    ["a", null],
    ["b", null],
    ["c", null],
  ]);
});

test("of the statements on one subject, the newest comes first and the others follow it, where the best of them ranks", () => {
  const group = { groupId: "allergy" };
  const hits = [
    hit("best", 2, "I like cats."),
    hit("fact", 1, "I am allergic to peanuts.", group),
    hit("other", 2, "My cat is grey."),
    hit("newest", 5, "The doctor says it was the hazelnuts.", group),
    hit("between", 3, "Walnuts are to blame.", group),
  ];
  expect(arranged(hits)).toEqual([
    ["best", null],
    ["newest", null],
    ["between", "newest"],
    ["fact", "newest"],
    ["other", null],
  ]);
});

test("the agent's own messages rank below what they answer or repeat; others keep their rank", () => {
  const hits = [
    hit("answer", 2, "You are allergic to peanuts.", own),
    hit("new", 2, "I recommend The Name of the Wind.", own),
    hit("fact", 1, "I am allergic to peanuts."),
    hit("late", 5, "Peanuts: I am allergic to them."),
  ];
  expect(arranged(hits)).toEqual([
    ["new", null],
    ["fact", null],
    ["answer", "fact"],
    ["late", null],
  ]);
});

test("an imported reply with a speaker is a statement", () => {
  const hits = [
    hit("reply", 1, "I live in Lisbon.", { ...own, speaker: "Ben", groupId: "home" }),
    hit("b", 2, "Lisbon is where I live.", { groupId: "home" }),
  ];
  expect(arranged(hits)).toEqual([
    ["b", null],
    ["reply", "b"],
  ]);
});

test.each([
  ["Where do I live?", true],
  ["Hi! Where do I live?", true],
  ["どこに住んでいますか？", true],
  ["I live in Lisbon. Where do you live?", false],
  ["I live in Lisbon.", false],
  ["", false],
])("%j is last: %p", (text, isLast) => {
  const hits = [hit("asked", 1, text), hit("b", 1, "My cat is grey.")];
  expect(arrangeHits(hits).map((one) => one.hit.id)).toEqual(isLast ? ["b", "asked"] : ["asked", "b"]);
});

test("nothing is lost or doubled", () => {
  const words = ["boat", "cat", "Lisbon", "red", "sail"];
  const texts = Array.from(
    { length: 20 },
    (_, at) => `${words[at % 5]} ${words[(at * 3) % 5]} ${at % 7 === 0 ? "x?" : "x."}`,
  );
  const hits = texts.map((text, at) =>
    hit(String(at), (at * 7) % 20, text, at % 3 === 0 ? own : { groupId: `${at % 4}` }),
  );
  const ids = arrangeHits(hits).map((one) => one.hit.id);
  expect(ids.toSorted()).toEqual(hits.map(({ id }) => id).toSorted());
});
