// An evaluation on a real store: without a key by the literal reader, with scripted models, talks through the loop, of which a reply
// is right only if the request showed the fact in its place, and the shipped cases before and after consolidation: the first of
// each kind, or all of them with TIDYING=full.
import path from "node:path";
import { type EvalSet, evalSetOf } from "../../src/surfaces/eval/eval-set.ts";
import { createLiteralReader, literalReaderName, newerCounts } from "../../src/surfaces/eval/literal-reader.ts";
import { type EvalOptions, runEval } from "../../src/surfaces/eval/run-eval.ts";
import type { ModelRequest } from "../../src/model/llm/model.ts";
import { createScriptedModel, type ScriptedReplies } from "../../src/model/llm/scripted/scripted-model.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { createTalkReader, knowsNothing, talkReaderName } from "../../src/surfaces/eval/talk-reader.ts";
import { createTidier } from "../../src/surfaces/eval/tidier.ts";
import { loadSets } from "../../src/surfaces/eval/loaders/load-sets.ts";
import { reportOf, tableOf } from "../../src/surfaces/eval/report.ts";
import type { QuestionResult } from "../../src/surfaces/eval/results.ts";
import { useRuntimes } from "../support/runtime.ts";

const runtimes = useRuntimes();
let count = 0;

function setOf(questions: readonly object[]): EvalSet {
  count += 1;
  const said = (id: string, at: string, text: string) => ({ at, messages: [{ id, role: "user", text }] });
  return evalSetOf({
    name: `case ${count}`,
    conversations: [
      said("old", "2025-09-01T10:00:00Z", "The boat lies in the harbour of Belem."),
      said("new", "2026-02-01T10:00:00Z", "The boat was moved, its new place is the harbour of Faro."),
      said("secret", "2026-02-03T10:00:00Z", "The code of the lock is 4711."),
    ],
    questions,
  });
}

const where = {
  category: "updates",
  question: "In which harbour lies the boat?",
  answer: "Faro",
  wrong: "Belem",
  evidence: ["new"],
  junk: ["old"],
};

const quiet: Omit<EvalOptions, "models"> = {
  runs: 1,
  known: [],
  onResult: () => undefined,
  signal: new AbortController().signal,
};

describe("without a key", () => {
  let runtime: Runtime;

  beforeAll(async () => (runtime = await runtimes.open({ models: [createLiteralReader()] })));

  it("measures the ranks of the evidence and what the first page leads to", async () => {
    const [result] = await runEval(runtime, [setOf([where])], { ...quiet, models: null });
    expect(result).toMatchObject({ recallAt5: 1, isCorrect: null, answer: null, isAnswerable: true });
    expect(result!.literal).not.toBe("missed");
    expect(result!.tokens).toBeGreaterThan(20);
  });

  it("leaves no question behind for the next one", async () => {
    const set = setOf([where, { ...where, question: "Which harbour, please?" }]);
    await runEval(runtime, [set], { ...quiet, models: null });
    const { hits } = await runtime.recall.search(set.name, "harbour");
    expect(hits.map(({ text }) => text).filter((text) => text.includes("?"))).toEqual([]);
  });

  it("forgets before it asks", async () => {
    const forgotten = {
      category: "forgetting",
      question: "What is the code of the lock?",
      answer: "Forgotten.",
      evidence: [],
      forgotten: ["secret"],
    };
    const [result] = await runEval(runtime, [setOf([forgotten])], { ...quiet, models: null });
    expect(result!.literal).toBe("right");
  });

  it("ends when it is interrupted", async () => {
    const reason = new Error("stop");
    const run = runEval(runtime, [setOf([where])], { ...quiet, models: null, signal: AbortSignal.abort(reason) });
    await expect(run).rejects.toBe(reason);
  });
});

describe("the literal reader", () => {
  const request = (instructions: string): ModelRequest => ({
    system: { instructions, memory: "" },
    messages: [
      { role: "user", content: [{ type: "text", text: "[Mon 2026-11-23 20:00] Where?" }] },
      {
        role: "assistant",
        content: [{ type: "tool-call", callId: "1", name: "conversation_search", arguments: "{}" }],
      },
      {
        role: "tool",
        content: [{ type: "tool-result", callId: "1", name: "conversation_search", status: "ok", text: "Here." }],
      },
    ],
    tools: [],
    maxOutputTokens: 100,
  });
  const replyTo = async (asked: ModelRequest): Promise<string> => {
    const texts: string[] = [];
    for await (const event of createLiteralReader().stream(asked, {})) {
      if (event.type === "text-delta") texts.push(event.text);
      if (event.type === "tool-call") texts.push(`${event.name} ${event.arguments}`);
    }
    return texts.join("");
  };

  it("knows that the newer statement counts only if its instructions say so", async () => {
    expect(await replyTo(request("When two sources disagree, the newer one counts."))).toBe(`${newerCounts}\nHere.`);
    expect(await replyTo(request("Newer messages are at the end. Do not disagree."))).toBe("Here.");
  });

  it("searches for the question without the time that precedes it", async () => {
    const asked = request("");
    expect(await replyTo({ ...asked, messages: asked.messages.slice(0, 1) })).toBe(
      'conversation_search {"query":"Where?"}',
    );
    expect(createLiteralReader().name).toBe(literalReaderName);
  });
});

describe("with models", () => {
  const lastText = (request: ModelRequest): string => JSON.stringify(request.messages.at(-1));
  const models = { answers: "test/answers", judges: "test/judge" };
  const open = (answers: ScriptedReplies, judges: ScriptedReplies) =>
    runtimes.open({
      model: models.answers,
      models: [
        createScriptedModel({ name: models.answers, replies: answers }),
        createScriptedModel({ name: models.judges, replies: judges }),
      ],
    });

  it("scores answers, and the judge by an answer that is known to be wrong", async () => {
    const seen: string[] = [];
    const runtime = await open(
      () => ({ text: "In Faro." }),
      (request) => {
        seen.push(lastText(request));
        return { text: "CORRECT" };
      },
    );
    const results = await runEval(runtime, [setOf([where])], { ...quiet, models, runs: 2 });
    expect(
      results.map(({ run, answer, isCorrect, isWrongAccepted }) => [run, answer, isCorrect, isWrongAccepted]),
    ).toEqual([
      [0, "In Faro.", true, true],
      [1, "In Faro.", true, true],
    ]);
    expect(seen).toHaveLength(4);
    expect(seen[0]).toContain("Given answer: In Faro.");
    expect(seen[1]).toContain("Given answer: Belem");
    expect(seen.join("")).not.toContain("The boat lies");
  });

  it("says what was told before the question, and asks no question again that has a result", async () => {
    const sent: string[] = [];
    const runtime = await open(
      (request) => {
        sent.push(lastText(request));
        return { text: "Yes." };
      },
      () => ({ text: "WRONG" }),
    );
    const set = setOf([where, { ...where, question: "Which fish?", told: ["Remember: cod."] }]);
    const first = await runEval(runtime, [{ ...set, questions: set.questions.slice(0, 1) }], { ...quiet, models });
    expect(first[0]!.isCorrect).toBe(false);
    const again = { ...set, name: `${set.name} again` };
    const known = first.map((result) => ({ ...result, set: again.name }));
    const all = await runEval(runtime, [again], { ...quiet, models, known });
    expect(all).toHaveLength(2);
    expect(sent.map((text) => /Remember: cod|Which fish|which harbour/iu.exec(text)?.[0])).toEqual([
      "which harbour",
      "Remember: cod",
      "Which fish",
    ]);
  });
});

let talks = 0;

async function hold(talk: readonly object[], known: Parameters<typeof runEval>[2]["known"] = []) {
  const runtime = await runtimes.open({ model: talkReaderName, models: [createTalkReader()], timeZone: "UTC" });
  const set: EvalSet = evalSetOf({ name: `talk ${(talks += 1)}`, talk });
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
  const known = results.map((result) => ({ ...result, set: `talk ${talks + 1}`, answer: "known" }));
  const again = await hold(set.talk ?? [], known);
  expect(again.results).toEqual(known);
});

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
