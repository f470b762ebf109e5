// Files of other benchmarks as sets of cases.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { evalSetOf, readShippedSets, shortened } from "../../../src/surfaces/eval/eval-set.ts";
import { type EvalFormat, loadSets } from "../../../src/surfaces/eval/loaders/load-sets.ts";
import { words } from "../../support/words.ts";
import { useFolderOfTest } from "../../support/folders.ts";

const folder = useFolderOfTest();

function load(format: EvalFormat, value: unknown, name = "file.json") {
  const file = path.join(folder(), name);
  writeFileSync(file, typeof value === "string" ? value : JSON.stringify(value));
  return loadSets(file, format);
}

describe("the shipped cases", () => {
  it("are at least 120, in every category", () => {
    const questions = readShippedSets().flatMap((set) => set.questions);
    expect(questions.length).toBeGreaterThanOrEqual(120);
    expect([...new Set(questions.map(({ category }) => category))].toSorted()).toEqual(
      words("abstention contradictions facts forgetting identifiers poisoning scripts time updates"),
    );
  });

  it("keep every category in a short form", () => {
    const short = shortened(readShippedSets(), 40).flatMap((set) => set.questions);
    expect(short).toHaveLength(40);
    expect(new Set(short.map(({ category }) => category)).size).toBe(9);
    expect(shortened(readShippedSets(), 1)).toHaveLength(1);
  });
});

describe("a set of cases", () => {
  const question = { category: "facts", question: "Where?", answer: "Here.", evidence: ["here"] };
  const conversations = [{ at: "2026-01-01T10:00:00Z", messages: [{ id: "here", role: "user", text: "Here." }] }];

  it("is refused if a question names an unknown message, or a field is unknown", () => {
    expect(evalSetOf({ name: "one", conversations, questions: [question] }).questions[0]!.junk).toEqual([]);
    const wrong = { name: "one", conversations, questions: [{ ...question, junk: ["there"] }] };
    expect(() => evalSetOf(wrong)).toThrow('got "there"');
    expect(() => evalSetOf({ name: "one", conversations, questions: [{ ...question, extra: 1 }] })).toThrow("extra");
  });
});

describe("a file in the format", () => {
  it("locomo has sessions with their time, evidence of existing turns, and abstention", () => {
    const session = [
      { speaker: "Ada", dia_id: "D1:1", text: "I sail." },
      { speaker: "Ben", dia_id: "D1:2", text: "Where?", blip_caption: "a boat" },
    ];
    const qa = [
      { question: "What does Ada do?", answer: "She sails.", category: 4, evidence: ["D1:1; D9:9"] },
      { question: "Lost?", answer: "?", category: 1, evidence: ["D9:9"] },
      { question: "What does Ben sail?", adversarial_answer: "A boat", category: 5, evidence: ["D1:2"] },
    ];
    const [set] = load("locomo", { qa, session_1: session, session_1_date_time: "1:56 pm on 8 May, 2023" });
    expect(set!.conversations).toEqual([
      {
        at: "2023-05-08T13:56:00.000Z",
        messages: [
          { id: "D1:1", role: "user", speaker: "Ada", text: "I sail." },
          { id: "D1:2", role: "assistant", speaker: "Ben", text: "Where? [a boat]" },
        ],
      },
    ]);
    expect(set!.questions.map(({ category, evidence, wrong }) => [category, evidence, wrong])).toEqual([
      ["single-hop", ["D1:1"], undefined],
      ["abstention", [], "A boat"],
    ]);
  });

  it("longmemeval has one set for each question, with the turns that contain its answer", () => {
    const item = {
      question_id: "q1",
      question_type: "knowledge-update",
      question: "Where do I live?",
      answer: "In Porto.",
      haystack_dates: ["2023/05/20 (Sat) 02:21"],
      haystack_sessions: [[{ role: "user", content: "I moved to Porto.", has_answer: true }]],
    };
    const sets = load("longmemeval", [item, { ...item, question_id: "q2_abs" }]);
    expect(sets.map(({ questions: [one] }) => [one!.category, one!.evidence])).toEqual([
      ["knowledge-update", ["0.0"]],
      ["abstention", []],
    ]);
    expect(sets[0]!.conversations[0]!.at).toBe("2023-05-20T02:21:00.000Z");
  });

  it("dmr has the earlier sessions and the question about them", () => {
    const line = {
      dialog: [{ text: "Hello again" }],
      previous_dialogs: [{ dialog: [{ text: "I sail." }, { text: "Nice." }] }],
      self_instruct: { B: "What did I say I do?", A: "You sail." },
    };
    const [set] = load("dmr", `${JSON.stringify(line)}\n`, "file.jsonl");
    expect(set!.conversations.map(({ messages }) => messages.map(({ role }) => role))).toEqual([
      ["user", "assistant"],
      ["user"],
    ]);
    expect(set!.questions[0]).toMatchObject({ question: "What did I say I do?", answer: "You sail." });
  });

  it("letta has facts in core memory, and a change that is said before the question", () => {
    const extra = { facts: ["Ada sails."], contradicting_fact: "Ada rows." };
    const line = (more: object) => ({ input: "What does Ada do?", ground_truth: "?", agent_args: { extra: more } });
    const sets = load("letta", [line({ facts: extra.facts }), line(extra)]);
    expect(sets.map(({ human, questions: [one] }) => [human, one!.category, one!.told])).toEqual([
      ["Ada sails.", "core-memory-read", []],
      ["Ada sails.", "core-memory-update", ["Remember this change: Ada rows."]],
    ]);
  });

  it.each(["palimpsest", "locomo", "longmemeval", "dmr", "letta"] as const)("%s refuses another one", (format) => {
    expect(() => load(format, { some: "thing" })).toThrow(`in the format ${format}`);
    expect(() => load(format, "no json")).toThrow(`in the format ${format}`);
    expect(() => loadSets(path.join(folder(), "missing.json"), format)).toThrow("missing.json");
  });
});
