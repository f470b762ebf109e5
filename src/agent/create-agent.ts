// The Agent that front ends hold: starts turns one after the other, and carries out what is asked between them.
// Invariant: turns and changes of one Agent never overlap, also when its caller does not wait.
import { createQueue } from "../base/queue.ts";
import { isInput } from "../context/unfinished-turn.ts";
import { RequestError } from "../errors.ts";
import type { RevisionRecord, StoredMessage } from "../memory/records.ts";
import { undoLastEdit } from "../memory/core/undo-edit.ts";
import type { Agent, CompactionResult, SendOptions } from "./agent.ts";
import { compactWindow } from "./compact-window.ts";
import type { AgentEvent } from "./events.ts";
import { compileWindow } from "./fit-context.ts";
import { runTurn } from "./run-turn.ts";
import { isUnfinished, settleOpenCalls, takeUpTurn } from "./recover.ts";
import type { Session, TurnInput } from "./session.ts";
import { type AgentParts, createTurn, describeTools, windowTokens } from "./turn.ts";

/** Messages that /pop takes when no number is given, as in MemGPT. */
const defaultPop = 3;

export function createAgent(parts: AgentParts): Agent {
  const { agent, conversationId, store, session } = parts;
  const queue = createQueue();

  async function* turnOf(
    options: SendOptions,
    start: (signal: AbortSignal) => Promise<TurnOpening>,
  ): AsyncGenerator<AgentEvent, void> {
    const release = await queue.enter();
    const abandoned = new AbortController();
    const signal =
      options.signal === undefined ? abandoned.signal : AbortSignal.any([options.signal, abandoned.signal]);
    try {
      const { input, recoveredCalls } = await start(signal);
      yield* runTurn(createTurn(parts, { turnId: input.turnId, signal, recoveredCalls }), input);
    } finally {
      abandoned.abort();
      release();
    }
  }

  return {
    record: agent,
    userId: store.userId,
    conversationId,
    get messages() {
      return session.messages;
    },
    get memory() {
      return session.memory;
    },
    get window() {
      const specifications = describeTools(parts);
      return { tokens: compileWindow({ ...parts, specifications }).report.total, limit: windowTokens(parts) };
    },

    send(text, options = {}) {
      if (text.trim() === "")
        throw new RequestError("input_invalid", "Expected a message with some text in it, got a blank one.");
      const turnId = parts.ids.next();
      const drafts = [{ role: "user" as const, content: [{ type: "text" as const, text }] }];
      const idempotencyKey = options.idempotencyKey ?? turnId;
      return turnOf(options, (signal) => openTurn(parts, { turnId, drafts, idempotencyKey }, signal));
    },

    resume: (options = {}) =>
      turnOf(options, async (signal) => ({ input: await takeUpTurn(parts, signal), recoveredCalls: 0 })),

    get unfinished() {
      return isUnfinished(parts);
    },

    retry: (options = {}) => turnOf(options, async () => ({ input: await takeBackReply(session), recoveredCalls: 0 })),

    pop: (count = defaultPop) => queue.run(() => popMessages(parts, count)),

    compact: ({ signal } = {}) => queue.run(() => compactNow(signal === undefined ? parts : { ...parts, signal })),

    undoEdit: (label) =>
      queue.run(async (): Promise<RevisionRecord | null> => {
        const undone = await undoLastEdit(store.modules, agent.id, label);
        await session.refreshMemory();
        return undone;
      }),
  };
}

interface TurnOpening {
  readonly input: StoredMessage;
  readonly recoveredCalls: number;
}

/** Commits the input behind whatever the turn before left undone. */
async function openTurn(parts: AgentParts, input: TurnInput, signal: AbortSignal): Promise<TurnOpening> {
  for (let recoveredCalls = 0; ; ) {
    recoveredCalls += await settleOpenCalls(parts, signal);
    const message = await parts.session.begin(input);
    if (message !== null) return { input: message, recoveredCalls };
  }
}

/** Leaves the last message of the user's at the end of the thread, so that it can be answered again. */
async function takeBackReply(session: Session): Promise<StoredMessage> {
  await session.refreshMemory();
  const at = session.messages.findLastIndex(isInput);
  const input = session.messages[at];
  if (input === undefined)
    throw new RequestError("message_not_found", "There is no message of yours in the window to answer again.");
  await session.truncate(at + 1);
  return input;
}

async function compactNow(parts: AgentParts & { readonly signal?: AbortSignal }): Promise<CompactionResult> {
  const { session, agent } = parts;
  const { keepLast } = agent.settings;
  const outcome = await compactWindow(parts, { keepLast, turnId: null });
  if (outcome === null) throw tooFewToSummarize(session.messages.length, keepLast);
  return outcome.result;
}

async function popMessages({ session, protocol }: AgentParts, count: number): Promise<readonly StoredMessage[]> {
  const visible = session.messages.length + 1;
  const most = visible - protocol.leastMessages;
  if (!Number.isInteger(count) || count < 1) {
    throw new RequestError("pop_refused", `Expected a number of messages to pop, 1 or more, got ${count}.`);
  }
  if (most < 1) throw new RequestError("pop_refused", `Agent only has ${visible} messages in stack, none left to pop.`);
  if (count > most)
    throw new RequestError("pop_refused", `Agent only has ${visible} messages in stack, cannot pop more than ${most}.`);
  return session.truncate(session.messages.length - count);
}

function tooFewToSummarize(messages: number, keepLast: number): RequestError {
  return new RequestError(
    "summary_refused",
    `Summarize error: couldn't find enough messages to compress (${messages} messages in the window, the last ${keepLast} are kept).`,
  );
}
