// Reads the core-memory sets of letta-evals: facts in core memory, and a question. In the update set, a new fact contradicts
// one of them before the question is asked.
// Invariant: the file names no message, so only the answers of a model can be scored.
import * as z from "zod";
import type { EvalSet } from "../eval-set.ts";

const fileShape = z.array(
  z.looseObject({
    input: z.string(),
    ground_truth: z.string(),
    agent_args: z.looseObject({
      extra: z.looseObject({ facts: z.array(z.string()), contradicting_fact: z.string().optional() }),
    }),
  }),
);

/** Returns one set for each line. */
export function lettaSets(value: unknown, name: string): readonly EvalSet[] {
  return fileShape.parse(value).map(({ input, ground_truth: answer, agent_args: { extra } }, number) => {
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
