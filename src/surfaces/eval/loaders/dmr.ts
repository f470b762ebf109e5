// Reads the deep memory retrieval task of MemGPT: multi-session chats (MSC) with a question about an earlier session.
// Invariant: the file names no evidence, so only the answers of a model can be scored.
import * as z from "zod";
import type { EvalSet } from "../eval-set.ts";

const dialogShape = z.array(z.looseObject({ text: z.string() }));
const fileShape = z.array(
  z.looseObject({
    dialog: dialogShape,
    previous_dialogs: z.array(z.looseObject({ dialog: dialogShape })).default([]),
    self_instruct: z.looseObject({ A: z.string(), B: z.string() }),
  }),
);

/** The date of the first session. The sessions have no dates, and are placed a day apart. */
const firstDay = Date.UTC(2024, 0, 1, 10);

export function dmrSets(value: unknown, name: string): readonly EvalSet[] {
  return fileShape
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
