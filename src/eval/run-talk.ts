// Holds a talk with an agent through the loop, and compares the replies with what is expected of them.
// Invariant: an expected reply of the talk reader is right only if the request showed the fact in the named place.
import type { Agent } from "../agent/agent.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { estimateTokens } from "../tokens/estimate-tokens.ts";
import type { EvalSet, Expectation, TalkStep } from "./eval-set.ts";
import { inNewConversation } from "./new-conversation.ts";
import type { QuestionResult } from "./results.ts";
import { smallTalk } from "./small-talk.ts";

export interface TalkOptions {
  readonly model: string;
  readonly run: number;
  /** Null: by the places and words that the case names. */
  readonly judge: ((expected: Expectation, said: string, reply: string) => Promise<Verdicts>) | null;
  readonly signal: AbortSignal;
}

export type Verdicts = Pick<QuestionResult, "isCorrect" | "isWrongAccepted">;

/** Yields the result of each expectation. The store must have no agent of this name. */
export async function* runTalk(
  runtime: Runtime,
  { name, human = "", talk = [] }: EvalSet,
  { model, run, judge, signal }: TalkOptions,
): AsyncGenerator<QuestionResult, void> {
  const agent = run === 0 ? name : `${name} ${run + 1}`;
  await runtime.agents.create({ name: agent, model, human });
  let open: Agent | null = null;
  for (const step of talk) {
    signal.throwIfAborted();
    if ("open" in step) open = null;
    else if ("forget" in step) await forgetMessage(runtime, agent, step.forget);
    else if ("earlier" in step) await importEarlier(runtime, agent, step);
    else {
      const { say, paste = 0, expect: expected } = step;
      const said = paste === 0 ? say : `${say} ${smallTalk(paste)}`;
      const isApart = expected !== undefined && !expected.here;
      if (!isApart) open ??= await runtime.agents.open(agent, { conversation: "new" });
      const { text, usage } =
        isApart || open === null
          ? await inNewConversation(runtime, agent, (apart) => sendTo(apart, said, signal))
          : await sendTo(open, said, signal);
      if (expected === undefined) continue;
      const tokens = judge === null ? estimateTokens(text) : usage.inputTokens + usage.outputTokens;
      const verdicts =
        judge === null
          ? { isCorrect: isExpected(text, expected), isWrongAccepted: null }
          : await judge(expected, say, text);
      const asked = { set: name, category: expected.category, question: say, run };
      yield { ...notMeasured, ...asked, tokens, answer: text, isAnswerable: expected.shows.length > 0, ...verdicts };
    }
  }
}

const notMeasured = {
  recallAt5: null,
  recallAt10: null,
  reciprocalRank: null,
  searchMs: null,
  literal: null,
};

/** Sends a text and approves what the model asks for. */
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

async function importEarlier(runtime: Runtime, agent: string, { earlier, daysAgo, fill }: EarlierStep): Promise<void> {
  const start = Date.now() - daysAgo * dayMs;
  const every = Math.ceil((fill + 1) / earlier.length);
  const texts = earlier.flatMap((text, at) => [
    { role: "user" as const, text },
    ...Array.from({ length: Math.max(0, Math.min(every, fill - at * every)) }, (_, number) => ({
      role: number % 2 === 0 ? ("assistant" as const) : ("user" as const),
      text: smallTalk(8, at * every + number),
    })),
  ]);
  // Within a day, a sitting apart.
  const apart = Math.min(3_600_000, dayMs / texts.length);
  const messages = texts.map((message, at) => ({ ...message, at: new Date(start + at * apart) }));
  await runtime.conversations.import(agent, { messages });
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
