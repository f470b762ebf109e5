// An evaluation on a real store: without a key by the literal reader, and with scripted models.
import { type EvalSet, evalSetOf } from "../../src/surfaces/eval/eval-set.ts";
import { createLiteralReader, literalReaderName, newerCounts } from "../../src/surfaces/eval/literal-reader.ts";
import { type EvalOptions, runEval } from "../../src/surfaces/eval/run-eval.ts";
import type { ModelRequest } from "../../src/model/llm/model.ts";
import { createScriptedModel, type ScriptedReplies } from "../../src/model/llm/scripted/scripted-model.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { createTestRuntimes, type TestRuntimes } from "../support/runtime.ts";

let runtimes: TestRuntimes;
let count = 0;

beforeAll(async () => {
  runtimes = await createTestRuntimes();
});

afterAll(() => runtimes.close());

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

  beforeAll(async () => {
    runtime = await runtimes.open({ models: [createLiteralReader()] });
  });

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
