// Reads LoCoMo (Maharana et al., 2024): long conversations of two people, with questions and the turns that answer them.
// Invariant: evidence names existing turns; a question of categories 1 to 4 without evidence is left out.
import * as z from "zod";
import type { EvalSet } from "../eval-set.ts";

const turnShape = z.object({
  speaker: z.string(),
  dia_id: z.string(),
  text: z.string(),
  blip_caption: z.string().optional(),
});
const fileShape = z.looseObject({
  qa: z.array(
    z.looseObject({
      question: z.string(),
      answer: z.union([z.string(), z.number()]).optional(),
      adversarial_answer: z.string().optional(),
      category: z.number(),
      evidence: z.array(z.string()).default([]),
    }),
  ),
});

const categories: Readonly<Record<number, string>> = {
  1: "multi-hop",
  2: "temporal",
  3: "inference",
  4: "single-hop",
  5: "abstention",
};

/** Returns one set for each conversation. `value` is a conversation, or a list of conversations. */
export function locomoSets(value: unknown, name: string): readonly EvalSet[] {
  if (Array.isArray(value)) return value.flatMap((each, index) => locomoSets(each, `${name} ${index + 1}`));
  const holder = z.looseObject({ qa: z.unknown(), conversation: z.unknown().optional() }).parse(value);
  const file = fileShape.parse(value);
  const sessions = sessionsOf((holder.conversation ?? value) as Readonly<Record<string, unknown>>);
  const ids = new Set(sessions.flatMap(({ messages }) => messages.map(({ id }) => id)));
  const questions = file.qa.flatMap(({ question, answer, adversarial_answer: wrong, category, evidence }) => {
    const isUnknown = category === 5;
    const found = isUnknown ? [] : [...new Set(evidence.flatMap((entry) => entry.split(/[;,\s]+/u)))];
    const known = found.filter((id) => ids.has(id));
    if (!isUnknown && known.length === 0) return [];
    return [
      {
        category: categories[category] ?? String(category),
        question,
        answer: isUnknown ? "It was never said." : String(answer ?? ""),
        ...(wrong === undefined ? {} : { wrong }),
        evidence: known,
        junk: [],
        forgotten: [],
        told: [],
      },
    ];
  });
  return [{ name, about: "LoCoMo", conversations: sessions, questions }];
}

function sessionsOf(file: Readonly<Record<string, unknown>>): EvalSet["conversations"] {
  const sessions = Object.entries(file).flatMap(([key, value]) =>
    /^session_\d+$/u.test(key) && Array.isArray(value)
      ? [{ at: timeOf(String(file[`${key}_date_time`])), turns: z.array(turnShape).parse(value) }]
      : [],
  );
  const first = sessions[0]?.turns[0]?.speaker;
  return sessions
    .toSorted((one, other) => one.at.localeCompare(other.at))
    .map(({ at, turns }) => ({
      at,
      messages: turns.map(({ speaker, dia_id: id, text, blip_caption: caption }) => ({
        id,
        role: speaker === first ? ("user" as const) : ("assistant" as const),
        speaker,
        text: caption === undefined ? text : `${text} [${caption}]`,
      })),
    }));
}

/** Converts a time such as "1:56 pm on 8 May, 2023", in UTC, to ISO 8601. */
function timeOf(text: string): string {
  const [, clock, day] = /^(\d+:\d+ [ap]m) on (.+)$/iu.exec(text.trim()) ?? [];
  return new Date(`${day} ${clock} UTC`).toISOString();
}
