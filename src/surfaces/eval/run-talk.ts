// Holds a talk with an agent in real turns, and compares the replies with the expectations.
// Invariant: a reply of the talk reader is right only if the fact was in the expected place of the request.
import type { Agent } from "../../agent/agent.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { estimateTokens } from "../../model/tokens/token-counter.ts";
import type { EvalSet, Expectation, TalkStep } from "./eval-set.ts";
import type { Judge } from "./judge.ts";
import { inNewConversation } from "./new-conversation.ts";
import { notMeasured, type QuestionResult } from "./results.ts";

export interface TalkOptions {
  readonly model: string;
  readonly run: number;
  /** If null, replies are compared with the place and the texts that the expectation names. */
  readonly judge: Judge | null;
  readonly signal: AbortSignal;
}

/** Holds a talk, and yields a result for each expectation. The store must not contain the talk's agent. */
export async function* runTalk(
  runtime: Runtime,
  { name: set, human = "", talk = [] }: EvalSet,
  { model, run, judge, signal }: TalkOptions,
): AsyncGenerator<QuestionResult, void> {
  const name = run === 0 ? set : `${set} ${run + 1}`;
  await runtime.agents.create({ name, model, human });
  const talker: Talker = { runtime, name, signal, open: null };
  for (const step of talk) {
    signal.throwIfAborted();
    const end = await takeStep(talker, step);
    if (end === null || !("say" in step) || step.expect === undefined) continue;
    const { say: question, expect: expected } = step;
    const { text: answer, usage } = end;
    const isAnswerable = expected.shows.length > 0;
    const asked = { ...notMeasured, set, category: expected.category, question, run, answer, isAnswerable };
    const verdicts = (await judge?.({ question, answer: expected.answer, wrong: expected.wrong[0] }, answer)) ?? {
      isCorrect: isExpected(answer, expected),
      isWrongAccepted: null,
    };
    const tokens = judge === null ? estimateTokens(answer) : usage.inputTokens + usage.outputTokens;
    yield { ...asked, ...verdicts, tokens };
  }
}

interface Talker {
  readonly runtime: Runtime;
  readonly name: string;
  readonly signal: AbortSignal;
  /** The open conversation; null if the next text starts a new one. */
  open: Agent | null;
}

/** Carries out a step, and returns the end of its turn; null for a step without a turn. */
async function takeStep(talker: Talker, step: TalkStep) {
  const { runtime, name, signal } = talker;
  if ("open" in step) talker.open = null;
  if ("forget" in step) await forgetMessage(runtime, name, step.forget);
  if ("earlier" in step) await importEarlier(runtime, name, step);
  if (!("say" in step)) return null;
  const { say, paste = 0, expect: expected = { here: true } } = step;
  const said = paste === 0 ? say : `${say} ${smallTalk(paste)}`;
  if (!expected.here) return inNewConversation(runtime, name, (apart) => sendTo(apart, said, signal));
  talker.open ??= await runtime.agents.open(name, { conversation: "new" });
  return sendTo(talker.open, said, signal);
}

/** Sends a text, approves every call that waits, and returns the end of the turn. */
async function sendTo(agent: Agent, text: string, signal: AbortSignal) {
  let end = await agent.send(text, { signal });
  for (let [call] = agent.pendingApprovals; call !== undefined; [call] = agent.pendingApprovals)
    end = await agent.approve(call.callId, { signal });
  return end;
}

async function forgetMessage(runtime: Runtime, agent: string, text: string): Promise<void> {
  const { hits } = await runtime.recall.search(agent, `"${text}"`);
  if (hits.length > 0) await runtime.forget.apply({ messages: hits.map(({ id }) => id) });
}

type EarlierStep = Extract<TalkStep, { readonly earlier: unknown }>;

async function importEarlier(runtime: Runtime, agent: string, step: EarlierStep): Promise<void> {
  const { earlier, daysAgo, fill, archived } = step;
  const start = Date.now() - daysAgo * dayMs;
  const every = Math.ceil((fill + 1) / earlier.length);
  const texts = earlier.flatMap((text, at) => [
    { role: "user" as const, text },
    ...Array.from({ length: Math.max(0, Math.min(every, fill - at * every)) }, (_, number) => ({
      role: number % 2 === 0 ? ("assistant" as const) : ("user" as const),
      text: smallTalk(8, at * every + number),
    })),
  ]);
  // All messages are within a day, and at most an hour apart.
  const apart = Math.min(3_600_000, dayMs / texts.length);
  const messages = texts.map((message, at) => ({ ...message, at: new Date(start + at * apart) }));
  await runtime.conversations.import(agent, { messages });
  if (archived.length > 0)
    await runtime.archival.import(
      agent,
      archived.map((text) => ({ text, at: new Date(start) })),
    );
  await runtime.idle();
}

const dayMs = 86_400_000;

function isExpected(reply: string, { shows, wrong, from }: Expectation): boolean {
  const withDays = (text: string): string =>
    text.replace(/\{(yesterday|today|tomorrow)\}/gu, (_, day: keyof typeof dayOffsets) =>
      new Date(Date.now() + dayOffsets[day] * dayMs).toISOString().slice(0, 10),
    );
  return (
    shows.every((text) => reply.includes(withDays(text))) &&
    !wrong.some((text) => reply.includes(withDays(text))) &&
    (from === undefined || reply.startsWith(`[${from}] `))
  );
}

const dayOffsets = { yesterday: -1, today: 0, tomorrow: 1 } as const;

const words =
  "well yes quite nice then maybe later rather slowly warm rain and tea with bread some more walking along under grey clouds".split(
    " ",
  );

/**
 * Returns `count` words without names, numbers and facts. `seed`: 0 or more. Texts of one length repeat after 40 seeds,
 * so that an embedder has to embed few different texts.
 */
function smallTalk(count: number, seed = 0): string {
  return Array.from({ length: count }, (_, at) => words[((seed % 40) * 7 + at * (3 + (seed % 5))) % words.length]).join(
    " ",
  );
}
