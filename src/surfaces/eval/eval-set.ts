// A set of cases for an evaluation: conversations that an agent remembers and questions about them, or a talk with it. The shipped
// sets are JSON files in `evals/`; loaders convert other formats.
// Invariant: every id that a question names is the id of a message in the set.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import * as z from "zod";
import { packageRoot } from "../../base/package-root.ts";
import { RequestError } from "../../base/errors.ts";

const messageShape = z.strictObject({
  /** Only messages that a question names need one. */
  id: z.string().optional(),
  role: z.enum(["user", "assistant"]),
  speaker: z.string().optional(),
  text: z.string(),
});

const questionShape = z.strictObject({
  category: z.string(),
  question: z.string(),
  answer: z.string(),
  /** A plausible answer that is wrong; checks the judge. */
  wrong: z.string().optional(),
  /** The messages that contain the answer; none: the right answer is that it is unknown. */
  evidence: z.array(z.string()),
  /** Messages that lead to a wrong answer: outdated, retracted, or not from the user. */
  junk: z.array(z.string()).default([]),
  /** Messages that are forgotten before the question is asked. */
  forgotten: z.array(z.string()).default([]),
  /** Statements sent to the agent in a turn before the question, to be kept in core memory. */
  told: z.array(z.string()).default([]),
});

/** Where the talk reader finds what it answers with. */
const places = ["core", "state", "summary", "view", "archive", "recall"] as const;

/** What a reply must be like. `{today}`, `{yesterday}` and `{tomorrow}` are the days of the evaluation. */
const expectationShape = z.strictObject({
  category: z.string(),
  /** The right answer, for a judge. */
  answer: z.string(),
  /** What the talk reader's reply contains; nothing: that it knows nothing of it. */
  shows: z.array(z.string()).default([]),
  wrong: z.array(z.string()).default([]),
  from: z.enum(places).optional(),
  /** Whether it is said in the open conversation, and stays in it. Otherwise in a new one, which is deleted afterwards. */
  here: z.boolean().default(false),
});

/** What the user does next. */
const stepShape = z.union([
  z.strictObject({ open: z.literal("new") }),
  /** The user forgets the message with this text, outside of a conversation. */
  z.strictObject({ forget: z.string() }),
  z.strictObject({
    say: z.string(),
    /** Words without content that follow. */
    paste: z.int().positive().optional(),
    expect: expectationShape.optional(),
  }),
  /** A conversation of another day, with as many messages of small talk around its texts, and what was archived then. */
  z.strictObject({
    earlier: z.array(z.string()).min(1),
    daysAgo: z.int().positive(),
    fill: z.int().min(0).default(0),
    archived: z.array(z.string()).default([]),
  }),
]);

const setShape = z.strictObject({
  name: z.string(),
  about: z.string().default(""),
  /** The module of core memory about the user. */
  human: z.string().optional(),
  conversations: z.array(z.strictObject({ at: z.iso.datetime(), messages: z.array(messageShape) })).default([]),
  questions: z.array(questionShape).default([]),
  talk: z.array(stepShape).optional(),
});

export type EvalSet = z.infer<typeof setShape>;
export type EvalQuestion = EvalSet["questions"][number];
export type EvalMessage = EvalSet["conversations"][number]["messages"][number];
export type TalkStep = z.infer<typeof stepShape>;
export type Expectation = z.infer<typeof expectationShape>;
export type Place = (typeof places)[number];

/** Reads the sets that ship with the package, in the order of their names. */
export function readShippedSets(): readonly EvalSet[] {
  const folder = path.join(packageRoot(), "evals");
  const files = readdirSync(folder).filter((file) => file.endsWith(".json"));
  return files.toSorted().map((file) => evalSetOf(JSON.parse(readFileSync(path.join(folder, file), "utf8"))));
}

/** Throws RequestError `input_invalid` if the value is not a set, or a question names an unknown message. */
export function evalSetOf(value: unknown): EvalSet {
  const parsed = setShape.safeParse(value);
  if (!parsed.success) throw new RequestError("input_invalid", `Expected a set of cases: ${parsed.error.message}`);
  const ids = new Set(parsed.data.conversations.flatMap(({ messages }) => messages.map(({ id }) => id)));
  for (const { question, evidence, junk, forgotten } of parsed.data.questions) {
    const unknown = [...evidence, ...junk, ...forgotten].find((id) => !ids.has(id));
    if (unknown === undefined) continue;
    throw new RequestError("input_invalid", `Expected the id of a message in "${question}", got "${unknown}".`);
  }
  return parsed.data;
}

/** The sets with at most `limit` questions, of each set and category in turn, so that a short form has all categories; no talks. */
export function shortened(sets: readonly EvalSet[], limit: number): readonly EvalSet[] {
  const groups = new Map<string, EvalQuestion[]>();
  for (const { name, questions } of sets) {
    for (const question of questions) {
      const key = `${name} ${question.category}`;
      groups.set(key, [...(groups.get(key) ?? []), question]);
    }
  }
  const chosen = new Set<EvalQuestion>();
  for (let round = 0; chosen.size < limit && [...groups.values()].some((group) => group.length > round); round += 1) {
    for (const group of groups.values()) {
      const question = group[round];
      if (question !== undefined && chosen.size < limit) chosen.add(question);
    }
  }
  return sets
    .map((set) => ({ ...set, talk: [], questions: set.questions.filter((question) => chosen.has(question)) }))
    .filter(({ questions }) => questions.length > 0);
}
