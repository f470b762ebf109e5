// Answers before and after consolidation, on the shipped cases: the first of each kind, or all of them with TIDYING=full.
import path from "node:path";
import { createTalkReader } from "../../src/surfaces/eval/talk-reader.ts";
import { createTidier } from "../../src/surfaces/eval/tidier.ts";
import { loadSets } from "../../src/surfaces/eval/loaders/load-sets.ts";
import { reportOf, tableOf } from "../../src/surfaces/eval/report.ts";
import type { QuestionResult } from "../../src/surfaces/eval/results.ts";
import { runEval } from "../../src/surfaces/eval/run-eval.ts";
import { createTestRuntimes } from "../support/runtime.ts";
import { useScene } from "../support/use-scene.ts";

const runtimes = useScene(() => createTestRuntimes());
const isFull = process.env["TIDYING"] === "full";
const [shipped] = loadSets(path.resolve("evals/consolidation.txt"), "consolidation");
const all = shipped!.cases!;
const cases = isFull ? all : all.filter(({ kind }, at) => all.findIndex((one) => one.kind === kind) === at);

it(`no answer is harder to find in ${cases.length} cases, and nothing outdated looks current`, async () => {
  const tidier = createTidier(cases);
  const runtime = await runtimes.open({ model: tidier.name, models: [tidier, createTalkReader()], timeZone: "UTC" });
  const notes: string[] = [];
  const run = (known: readonly QuestionResult[]) =>
    runEval(runtime, [{ ...shipped!, cases: [...cases] }], {
      models: null,
      runs: 1,
      known,
      onResult: () => undefined,
      note: (line) => notes.push(line),
      signal: new AbortController().signal,
    });
  const results = await run([]);
  const noted = notes.length;
  expect(await run(results)).toEqual(results);
  expect(notes).toHaveLength(noted);
  const report = reportOf(results, { version: "", models: null, runs: 1 });
  if (isFull) console.log(`${notes.join("\n")}\n${tableOf(report)}`);
  const [raw, tidy] = ["raw", "consolidated"].map((arm) => results.filter(({ set }) => set.endsWith(`20, ${arm}`)));
  expect(tidy).toHaveLength(cases.length);
  const worse = tidy!.filter((after, at) => {
    const before = raw![at]!;
    return Number(after.recallAt10) < Number(before.recallAt10) || Number(after.isCorrect) < Number(before.isCorrect);
  });
  expect(worse).toEqual([]);
  expect(tidy!.filter(({ literal }) => literal === "junk")).toEqual([]);
  const [before, after] = notes.filter((note) => note.startsWith("Round 20")).map(sizes);
  expect(after!.passages).toBeLessThanOrEqual((isFull ? 2 / 3 : 1) * before!.passages);
  if (isFull) expect([before!.core > 90, after!.core <= 70]).toEqual([true, true]);
});

function sizes(note: string) {
  const [, passages = "", core = ""] = /(\d+) passages, core memory (\d+) %/u.exec(note) ?? [];
  return { passages: Number(passages), core: Number(core) };
}
