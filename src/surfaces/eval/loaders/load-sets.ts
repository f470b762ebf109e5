// Reads files of other benchmarks as sets of cases. The user provides the files; none ships with the package.
// Invariant: a file is read as a whole, and only as data.
import { readFileSync } from "node:fs";
import path from "node:path";
import { RequestError } from "../../../base/errors.ts";
import { type EvalSet, evalSetOf } from "../eval-set.ts";
import { locomoSets } from "./locomo.ts";
import { readTidyingCases } from "../tidying-cases.ts";
import { longMemEvalSets } from "./longmemeval.ts";
import * as z from "zod";

/** The names of the formats: the project's own, and those of published benchmarks. */
export const evalFormats = ["palimpsest", "locomo", "longmemeval", "dmr", "letta", "consolidation"] as const;

export type EvalFormat = (typeof evalFormats)[number];

const loaders: Readonly<Record<EvalFormat, (value: unknown, name: string) => readonly EvalSet[]>> = {
  palimpsest: (value) => [evalSetOf(value)],
  locomo: locomoSets,
  longmemeval: longMemEvalSets,
  dmr: dmrSets,
  letta: lettaSets,
  consolidation: (value, name) => [evalSetOf({ name, cases: readTidyingCases(String(value)) })],
};

/** Returns the sets in a file. Throws RequestError `input_invalid` for a file that cannot be read or is not in the format. */
export function loadSets(file: string, format: EvalFormat): readonly EvalSet[] {
  const name = path.basename(file).replace(/\.(?:jsonl?|txt)$/u, "");
  try {
    return loaders[format](parseFile(readFileSync(file, "utf8"), file), name);
  } catch (cause) {
    throw new RequestError("input_invalid", `Expected a file in the format ${format}, got ${path.basename(file)}.`, {
      cause,
    });
  }
}

function parseFile(text: string, file: string): unknown {
  if (file.endsWith(".txt")) return text;
  if (!file.endsWith(".jsonl")) return JSON.parse(text);
  return text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [JSON.parse(line) as unknown]));
}

const lettaShape = z.array(
  z.looseObject({
    input: z.string(),
    ground_truth: z.string(),
    agent_args: z.looseObject({
      extra: z.looseObject({ facts: z.array(z.string()), contradicting_fact: z.string().optional() }),
    }),
  }),
);

/**
 * Returns one set for each line of a core-memory set of letta-evals: facts in core memory, and a question. In the
 * update set, a new fact contradicts an old one. The file names no evidence, so only a model's answers can be scored.
 */
function lettaSets(value: unknown, name: string): readonly EvalSet[] {
  return lettaShape.parse(value).map(({ input, ground_truth: answer, agent_args: { extra } }, number) => {
    const { facts, contradicting_fact: change } = extra;
    const told = change === undefined ? [] : [`Remember this change: ${change}`];
    const category = change === undefined ? "core-memory-read" : "core-memory-update";
    const question = { category, question: input, answer, evidence: [], junk: [], forgotten: [], told };
    return {
      name: `${name} ${number + 1}`,
      about: "letta-evals",
      human: facts.join("\n"),
      conversations: [],
      questions: [question],
    };
  });
}

const dialogShape = z.array(z.looseObject({ text: z.string() }));
const dmrShape = z.array(
  z.looseObject({
    dialog: dialogShape,
    previous_dialogs: z.array(z.looseObject({ dialog: dialogShape })).default([]),
    self_instruct: z.looseObject({ A: z.string(), B: z.string() }),
  }),
);

/** The time of the first session in milliseconds. The sessions have no dates, so they are placed a day apart. */
const firstDay = Date.UTC(2024, 0, 1, 10);

/**
 * Returns the sets of MemGPT's deep memory retrieval: multi-session chats (MSC) with a question about an earlier session. The
 * file names no evidence, so only the answers of a model can be scored.
 */
function dmrSets(value: unknown, name: string): readonly EvalSet[] {
  return dmrShape
    .parse(value)
    .map(({ dialog, previous_dialogs: previous, self_instruct: { A: answer, B: question } }, number) => ({
      name: `${name} ${number + 1}`,
      about: "DMR",
      conversations: [...previous.map((one) => one.dialog), dialog].map((turns, day) => ({
        at: new Date(firstDay + day * 86_400_000).toISOString(),
        messages: turns.map(({ text }, place) => ({
          role: place % 2 === 0 ? ("user" as const) : ("assistant" as const),
          text,
        })),
      })),
      questions: [{ category: "dmr", question, answer, evidence: [], junk: [], forgotten: [], told: [] }],
    }));
}
