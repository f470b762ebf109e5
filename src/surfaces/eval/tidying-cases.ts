// Reads the cases of an evaluation of consolidation: what memory contains, what a good consolidation does with it, and a
// question with an answer that must stay as easy to find as before. The cases are text with a line for each row.
// Invariant: pure; an invalid line is an error.
import * as z from "zod";
import { RequestError } from "../../base/errors.ts";

const texts = z.array(z.string()).default([]);

export const tidyingCaseShape = z.strictObject({
  /** What the case is about, such as a corrected number. */
  kind: z.string(),
  /** Lines of core memory, passages that the user added, and passages from outside. */
  core: texts,
  archive: texts,
  mail: texts,
  /** Messages that the user sends after `core`, `archive` and `mail` were stored. */
  said: texts,
  /** Texts that are forgotten after the messages of `said`. */
  forget: texts,
  /** Lines of core memory that the user removes after the model has proposed operations. */
  remove: texts,
  /** Operations of a good consolidation: a kind, rows such as `c1`, `a2`, `m1` or `s1`, and what is kept or written. */
  do: texts,
  ask: z.string(),
  /** A text in the right answer; empty if the right answer is "unknown". */
  answer: z.string().default(""),
  /** A text in a wrong answer, which is outdated or forgotten. */
  wrong: z.string().optional(),
});

export type TidyingCase = z.infer<typeof tidyingCaseShape>;

/** Returns the cases in a text: a line `case KIND`, lines such as `said TEXT`, and `ask QUESTION | ANSWER | WRONG`. */
export function readTidyingCases(text: string): readonly TidyingCase[] {
  const blocks = text.split(/^case /mu).slice(1);
  return blocks.map((block) => {
    const [kind = "", ...lines] = block.trim().split("\n");
    const read: Record<string, string[]> = {};
    for (const line of lines) {
      const [, word = "", rest = ""] = /^(\w+) (.+)$/u.exec(line) ?? [];
      (read[word] ??= []).push(rest);
    }
    const { ask: [asked = ""] = [], ...rows } = read;
    const [ask, answer, wrong] = asked.split(" | ");
    const parsed = tidyingCaseShape.safeParse({ kind, ask, answer, wrong, ...rows });
    if (parsed.success) return parsed.data;
    throw new RequestError("input_invalid", `Expected a case of consolidation, got "${kind}": ${parsed.error.message}`);
  });
}

const places = { c: "core", a: "archive", m: "mail", s: "said" } as const;

/** Returns the text of a row such as `a2`; null if the case has no such row. */
export function rowText(one: TidyingCase, name: string): string | null {
  const [, place, number] = /^([cams])(\d+)$/u.exec(name) ?? [];
  return place === undefined ? null : (one[places[place as keyof typeof places]][Number(number) - 1] ?? null);
}
