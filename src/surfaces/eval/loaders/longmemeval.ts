// Reads LongMemEval (Wu et al., 2024): each question has its own history of sessions.
// Invariant: a question with an id that ends in `_abs` has no answer in its history.
import * as z from "zod";
import type { EvalSet } from "../eval-set.ts";

const fileShape = z.array(
  z.looseObject({
    question_id: z.string(),
    question_type: z.string(),
    question: z.string(),
    answer: z.union([z.string(), z.number()]),
    haystack_dates: z.array(z.string()),
    haystack_sessions: z.array(
      z.array(
        z.looseObject({
          role: z.enum(["user", "assistant"]),
          content: z.string(),
          has_answer: z.boolean().optional(),
        }),
      ),
    ),
  }),
);

export function longMemEvalSets(value: unknown, name: string): readonly EvalSet[] {
  return fileShape.parse(value).map((item) => {
    const isUnknown = item.question_id.endsWith("_abs");
    const conversations = item.haystack_sessions.map((session, number) => ({
      at: timeOf(item.haystack_dates[number] ?? ""),
      messages: session.map(({ role, content }, place) => ({ id: `${number}.${place}`, role, text: content })),
    }));
    const evidence = item.haystack_sessions.flatMap((session, number) =>
      session.flatMap(({ has_answer: has }, place) => (has === true ? [`${number}.${place}`] : [])),
    );
    const question = {
      category: isUnknown ? "abstention" : item.question_type,
      question: item.question,
      answer: isUnknown ? "It was never said." : String(item.answer),
      evidence: isUnknown ? [] : evidence,
      junk: [],
      forgotten: [],
      told: [],
    };
    return { name: `${name} ${item.question_id}`, about: "LongMemEval", conversations, questions: [question] };
  });
}

/** Converts a time such as "2023/05/20 (Sat) 02:21", in UTC, to ISO 8601. */
function timeOf(text: string): string {
  const [, year, month, day, clock] = /^(\d{4})\/(\d\d)\/(\d\d)\D+(\d\d:\d\d)/u.exec(text) ?? [];
  return new Date(`${year}-${month}-${day}T${clock}:00Z`).toISOString();
}
