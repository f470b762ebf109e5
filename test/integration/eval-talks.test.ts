// Talks of an evaluation through the loop: a reply of the talk reader is right only if the request showed the fact in its place.
import { type EvalSet, evalSetOf } from "../../src/surfaces/eval/eval-set.ts";
import { runEval } from "../../src/surfaces/eval/run-eval.ts";
import { createTalkReader, knowsNothing, talkReaderName } from "../../src/surfaces/eval/talk-reader.ts";
import { createTestRuntimes } from "../support/runtime.ts";
import { useScene } from "../support/use-scene.ts";

const runtimes = useScene(() => createTestRuntimes());
let count = 0;

async function hold(talk: readonly object[], known: Parameters<typeof runEval>[2]["known"] = []) {
  const runtime = await runtimes.open({ model: talkReaderName, models: [createTalkReader()], timeZone: "UTC" });
  const set: EvalSet = evalSetOf({ name: `talk ${(count += 1)}`, talk });
  const quiet = { models: null, runs: 1, known, onResult: () => undefined, signal: new AbortController().signal };
  return { set, results: await runEval(runtime, [set], quiet) };
}

const expected = (say: string, expect: object) => ({ say, expect: { category: "one", answer: "?", ...expect } });
const verdictsOf = ({ results }: Awaited<ReturnType<typeof hold>>) =>
  results.map(({ isCorrect, answer }) => [isCorrect, answer]);

it("a reply is right if it shows the fact from the named place, and nothing wrong", async () => {
  const held = await hold([
    { say: "I live in Faro. The inspection of the boat is on 14 May 2027." },
    expected("Where do I live?", { shows: ["Faro"], from: "core" }),
    expected("Where do I live, please?", { shows: ["Faro"], from: "recall" }),
    expected("When is the inspection of the boat?", { shows: ["14 May"], wrong: ["2027"], from: "archive" }),
    expected("Who is the captain?", {}),
    expected("What is today's date?", { shows: ["{today}"], wrong: ["{tomorrow}"], from: "state" }),
  ]);
  expect(verdictsOf(held).slice(0, 4)).toEqual([
    [true, "[core] I live in Faro."],
    [false, "[core] I live in Faro."],
    [false, "[archive] The inspection of the boat is on 14 May 2027."],
    [true, knowsNothing],
  ]);
  expect(held.results[4]).toMatchObject({ isCorrect: true, category: "one", literal: null, searchMs: null });
});

it("what the user forgets is gone, in the user's words, by its subject, and as a message", async () => {
  const held = await hold([
    { earlier: ["The diagnosis of Bruno is celiac disease."], daysAgo: 3 },
    { say: "Karin is getting divorced from Per. The offer for the house is 310,000 euros." },
    { say: "Please forget that Karin is getting divorced from Per." },
    { say: "Please forget what I told you about the offer for the house." },
    { forget: "The diagnosis of Bruno is celiac disease." },
    expected("From whom is Karin getting divorced?", { wrong: ["Per"] }),
    expected("How much is the offer for the house?", { wrong: ["310"] }),
    expected("What is the diagnosis of Bruno?", { wrong: ["celiac"] }),
  ]);
  expect(verdictsOf(held).map(([isRight]) => isRight)).toEqual([true, true, true]);
});

it("after a compaction the reply comes from the summary", async () => {
  const pastes = Array.from({ length: 3 }, () => ({ say: "These are the minutes.", paste: 5000 }));
  const table = { shows: ["42"], from: "summary", here: true };
  const held = await hold([
    { say: "For today our table is number 42." },
    ...pastes,
    expected("Which table is ours?", table),
  ]);
  expect(verdictsOf(held)).toEqual([[true, "[summary] For today our table is number 42."]]);
});

it("a talk whose results are all known is not held again", async () => {
  const { set, results } = await hold([expected("Good morning.", { shows: ["Noted"] })]);
  const known = results.map((result) => ({ ...result, set: `talk ${count + 1}`, answer: "known" }));
  const again = await hold(set.talk ?? [], known);
  expect(again.results).toEqual(known);
});
