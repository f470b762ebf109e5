// Defines sets of cases for evaluations: conversations that an agent remembers and questions about them, or a talk with it.
// The shipped sets are JSON files in `evals/`; loaders convert other formats.
// Invariant: every id that a question names is the id of a message in the set.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import * as z from "zod";
import { packageRoot } from "../../base/package-root.ts";
import { RequestError } from "../../base/errors.ts";
import { groupBy, inTurn } from "../../base/lists.ts";
import { tidyingCaseShape } from "./tidying-cases.ts";

const messageShape = z.strictObject({
  /** The id of the message; required only if a question names it. */
  id: z.string().optional(),
  role: z.enum(["user", "assistant"]),
  speaker: z.string().optional(),
  text: z.string(),
});

const questionShape = z.strictObject({
  category: z.string(),
  question: z.string(),
  answer: z.string(),
  /** A plausible wrong answer, which a correct judge must not accept. */
  wrong: z.string().optional(),
  /** The ids of the messages that contain the answer; empty if the right answer is "unknown". */
  evidence: z.array(z.string()),
  /** The ids of messages that lead to a wrong answer: outdated, retracted, or not from the user. */
  junk: z.array(z.string()).default([]),
  /** The ids of messages that are forgotten before the question is asked. */
  forgotten: z.array(z.string()).default([]),
  /** Statements sent to the agent in a turn before the question, to be kept in core memory. */
  told: z.array(z.string()).default([]),
});

/** The parts of a request or of memory where the talk reader may find its answer. */
const places = ["core", "state", "summary", "view", "archive", "recall"] as const;

/** The expected properties of a reply. In texts, `{today}`, `{yesterday}` and `{tomorrow}` are replaced by dates. */
const expectationShape = z.strictObject({
  category: z.string(),
  /** The right answer, for a judge. */
  answer: z.string(),
  /** Texts that the talk reader's reply must contain; empty if the right answer is "unknown". */
  shows: z.array(z.string()).default([]),
  wrong: z.array(z.string()).default([]),
  from: z.enum(places).optional(),
  /**
   * Whether the text is sent in the open conversation, and stays there. Otherwise the text is sent in a new conversation,
   * which is deleted afterwards.
   */
  here: z.boolean().default(false),
});

/** A step of a talk: what the user does next. */
const stepShape = z.union([
  z.strictObject({ open: z.literal("new") }),
  /** The text of a message that the user forgets, outside of a conversation. */
  z.strictObject({ forget: z.string() }),
  z.strictObject({
    say: z.string(),
    /** Number of meaningless words that follow the text, like a long pasted text. */
    paste: z.int().positive().optional(),
    expect: expectationShape.optional(),
  }),
  /**
   * Imports a conversation of an earlier day, with `fill` messages of small talk around its texts, and passages of that day.
   */
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
  /** The initial text of the module about the user. */
  human: z.string().optional(),
  conversations: z.array(z.strictObject({ at: z.iso.datetime(), messages: z.array(messageShape) })).default([]),
  questions: z.array(questionShape).default([]),
  talk: z.array(stepShape).optional(),
  cases: z.array(tidyingCaseShape).optional(),
});

export type EvalSet = z.infer<typeof setShape>;
export type EvalQuestion = EvalSet["questions"][number];
export type EvalMessage = EvalSet["conversations"][number]["messages"][number];
export type TalkStep = z.infer<typeof stepShape>;
export type Expectation = z.infer<typeof expectationShape>;
export type Place = (typeof places)[number];

/** Returns the sets that ship with the package, sorted by the names of their files. */
export function readShippedSets(): readonly EvalSet[] {
  const folder = path.join(packageRoot(), "evals");
  const files = readdirSync(folder).filter((file) => file.endsWith(".json"));
  return files.toSorted().map((file) => evalSetOf(JSON.parse(readFileSync(path.join(folder, file), "utf8"))));
}

/** Returns a value as a set. Throws RequestError `input_invalid` if it is not a set, or a question names an unknown message. */
export function evalSetOf(value: unknown): EvalSet {
  const parsed = setShape.safeParse(value);
  if (!parsed.success) throw new RequestError("input_invalid", `Expected a set of cases: ${parsed.error.message}`);
  const ids = new Set(parsed.data.conversations.flatMap(({ messages }) => messages.map(({ id }) => id)));
  for (const { question, evidence, junk, forgotten } of parsed.data.questions) {
    const unknown = [...evidence, ...junk, ...forgotten].find((id) => !ids.has(id));
    if (unknown === undefined) continue;
    throw new RequestError("input_invalid", `Expected message ids of this set in "${question}", got "${unknown}".`);
  }
  return parsed.data;
}

/**
 * Returns the sets with at most `limit` questions in total, without their talks and their cases of consolidation. Questions
 * are taken from each set and category in turn, so that the short form has all categories.
 */
export function shortened(sets: readonly EvalSet[], limit: number): readonly EvalSet[] {
  const all = sets.flatMap(({ name, questions }) => questions.map((question) => ({ name, question })));
  const groups = [...groupBy(all, ({ name, question }) => `${name} ${question.category}`).values()];
  const taken = inTurn(groups).slice(0, limit);
  const chosen = new Set(taken.map(({ question }) => question));
  return sets
    .map((set) => ({ ...set, talk: [], cases: [], questions: set.questions.filter((one) => chosen.has(one)) }))
    .filter(({ questions }) => questions.length > 0);
}
