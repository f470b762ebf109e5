// Runs an evaluation: imports each set into an agent of its own, searches for the evidence of every question, and has a model
// or the literal reader answer the question in a new conversation. A talk is held by a model or the talk reader.
// Invariant: the conversation with an answer is deleted before the next question; a question with a stored result is not asked
// again.
import { performance } from "node:perf_hooks";
import type { Runtime } from "../../runtime/runtime.ts";
import { estimateTokens } from "../../model/tokens/token-counter.ts";
import type { EvalQuestion, EvalSet } from "./eval-set.ts";
import { judgeOf } from "./judge.ts";
import { literalReaderName } from "./literal-reader.ts";
import { inNewConversation } from "./new-conversation.ts";
import { messageTime, readLiterally } from "./read-literally.ts";
import type { QuestionResult } from "./results.ts";
import { runTalk } from "./run-talk.ts";
import { runTidying } from "./run-tidying.ts";
import { talkReaderName } from "./talk-reader.ts";

export interface EvalOptions {
  /** The models that answer and judge. If null, the literal reader and the talk reader answer. */
  readonly models: { readonly answers: string; readonly judges: string } | null;
  readonly runs: number;
  /** The results of an interrupted evaluation. Questions with a result are not asked again. */
  readonly known: readonly QuestionResult[];
  readonly onResult: (result: QuestionResult) => void;
  /** Receives lines about facts that are not results of a question, such as the size of memory. */
  readonly note?: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Runs the evaluation, and returns the known and the new results. The store must not contain the agents of the sets. */
export async function runEval(
  runtime: Runtime,
  sets: readonly EvalSet[],
  options: EvalOptions,
): Promise<readonly QuestionResult[]> {
  const results = [...options.known];
  const done = new Set(options.known.map(keyOf));
  const add = (result: QuestionResult): void => {
    results.push(result);
    options.onResult(result);
  };
  for (const set of sets) {
    for await (const result of talksOf(runtime, set, options, done)) add(result);
    for await (const result of tidyingOf(runtime, set, options, done)) add(result);
    const open = Array.from({ length: options.runs }, (_, run) => run).flatMap((run) =>
      set.questions.flatMap((question) =>
        done.has(keyOf({ set: set.name, question: question.question, run })) ? [] : [{ question, run }],
      ),
    );
    if (open.length === 0) continue;
    const kept = await keepSet(runtime, set, options.models?.answers ?? literalReaderName);
    for (const { question, run } of open) {
      options.signal.throwIfAborted();
      add(await ask(runtime, { kept, question, run, options }));
    }
  }
  return results;
}

function keyOf({ set, question, run }: Pick<QuestionResult, "set" | "question" | "run">): string {
  return JSON.stringify([set, question, run]);
}

/** Holds each talk with a missing result from its beginning, and yields the missing results. */
async function* talksOf(
  runtime: Runtime,
  set: EvalSet,
  { models, runs, signal }: EvalOptions,
  done: ReadonlySet<string>,
): AsyncGenerator<QuestionResult, void> {
  const expected = (set.talk ?? []).flatMap((step) => ("say" in step && step.expect !== undefined ? [step.say] : []));
  for (let run = 0; run < runs; run += 1) {
    const isOpen = (question: string): boolean => !done.has(keyOf({ set: set.name, question, run }));
    if (!expected.some(isOpen)) continue;
    const options = { model: models?.answers ?? talkReaderName, run, judge: judgeOf(runtime, models), signal };
    for await (const result of runTalk(runtime, set, options)) if (isOpen(result.question)) yield result;
  }
}

/** Runs the cases of consolidation from their beginning if a result is missing, and yields the missing results. */
async function* tidyingOf(
  runtime: Runtime,
  set: EvalSet,
  { models, runs, signal, note = () => undefined }: EvalOptions,
  done: ReadonlySet<string>,
): AsyncGenerator<QuestionResult, void> {
  if (set.cases === undefined || set.cases.length === 0) return;
  const options = { model: models?.answers ?? null, judge: judgeOf(runtime, models), note, signal };
  for (let run = 0; run < runs; run += 1) {
    const isOpen = (name: string, question: string): boolean => !done.has(keyOf({ set: name, question, run }));
    yield* runTidying(runtime, set, { ...options, run, isOpen });
  }
}

interface KeptSet {
  readonly set: EvalSet;
  readonly agent: string;
  /** The ids of messages in the set, by their ids in the store. */
  readonly idOf: ReadonlyMap<string, string>;
}

async function keepSet(runtime: Runtime, set: EvalSet, model: string): Promise<KeptSet> {
  const agent = set.name.replaceAll("/", " ");
  await runtime.agents.create({ name: agent, model, human: set.human ?? "" });
  const named = new Map<string, string>();
  for (const [number, { at, messages }] of set.conversations.entries()) {
    await runtime.conversations.import(agent, {
      title: `Conversation ${number + 1}`,
      messages: messages.map(({ role, speaker, text }, minute) => ({
        role,
        text,
        at: messageTime(at, minute),
        ...(speaker === undefined ? {} : { speaker }),
      })),
    });
    for (const [minute, { id, text }] of messages.entries()) {
      if (id !== undefined) named.set(`${messageTime(at, minute).toISOString()} ${text}`, id);
    }
  }
  await runtime.idle();
  const days = set.conversations.map(({ at }) => at.slice(0, 10)).toSorted();
  const span = { start: days[0] ?? "2000-01-01", end: "2999-12-31" };
  const pageSize = Math.max(
    1,
    set.conversations.reduce((sum, { messages }) => sum + messages.length, 0),
  );
  const { hits } = await runtime.recall.searchDate(agent, span, { pageSize });
  const pairs = hits.flatMap(({ id, at, text }) => {
    const name = named.get(`${at.toISOString()} ${text}`);
    return name === undefined ? [] : [[id, name] as const];
  });
  await forget(runtime, set, pairs);
  return { set, agent, idOf: new Map(pairs) };
}

async function forget(
  runtime: Runtime,
  { questions }: EvalSet,
  pairs: readonly (readonly [string, string])[],
): Promise<void> {
  const forgotten = new Set(questions.flatMap((question) => question.forgotten));
  const messages = pairs.flatMap(([id, name]) => (forgotten.has(name) ? [id] : []));
  if (messages.length > 0) await runtime.forget.apply({ messages });
}

interface Asked {
  readonly kept: KeptSet;
  readonly question: EvalQuestion;
  readonly run: number;
  readonly options: EvalOptions;
}

const depth = 10;

async function ask(runtime: Runtime, { kept, question, run, options }: Asked): Promise<QuestionResult> {
  const judge = judgeOf(runtime, options.models);
  const started = performance.now();
  const page = await runtime.recall.search(kept.agent, question.question, { pageSize: depth });
  const searchMs = performance.now() - started;
  const found = page.hits.map(({ id }) => kept.idOf.get(id) ?? id);
  const reply = await answer(runtime, kept.agent, { question, signal: options.signal });
  return {
    set: kept.set.name,
    category: question.category,
    question: question.question,
    run,
    ...ranksOf(question, found),
    searchMs,
    tokens: judge === null ? estimateTokens(reply.text) : reply.tokens,
    literal:
      judge === null && question.junk.length + question.forgotten.length > 0
        ? readLiterally(reply.text, question, kept.set)
        : null,
    answer: judge === null ? null : reply.text,
    ...((await judge?.(question, reply.text)) ?? { isCorrect: null, isWrongAccepted: null }),
    isAnswerable: question.evidence.length > 0 || question.told.length > 0 || question.category === "dmr",
  };
}

function ranksOf({ evidence }: EvalQuestion, found: readonly string[]) {
  if (evidence.length === 0) return { recallAt5: null, recallAt10: null, reciprocalRank: null };
  const recall = (count: number): number =>
    evidence.filter((id) => found.slice(0, count).includes(id)).length / evidence.length;
  const first = found.findIndex((id) => evidence.includes(id));
  return { recallAt5: recall(5), recallAt10: recall(depth), reciprocalRank: first === -1 ? 0 : 1 / (first + 1) };
}

/** Asks a question in a new conversation, which is deleted afterwards, and returns the reply. */
async function answer(
  runtime: Runtime,
  name: string,
  { question, signal }: { readonly question: EvalQuestion; readonly signal: AbortSignal },
) {
  for (const told of question.told) {
    await inNewConversation(runtime, name, async (agent) => void (await agent.send(told, { signal })));
  }
  return inNewConversation(runtime, name, async (agent) => {
    const { text, usage } = await agent.send(question.question, { signal });
    return { text, tokens: usage.inputTokens + usage.outputTokens };
  });
}
