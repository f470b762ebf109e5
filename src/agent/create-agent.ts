// Creates the Agent that front ends hold. It runs turns, and makes changes between turns, one at a time.
// Invariant: turns and changes of one Agent never overlap, even if its caller does not wait.
import { requireShortJson } from "../base/arguments/short-json.ts";
import { every } from "../base/clock.ts";
import { RequestError } from "../base/errors.ts";
import type { StoredMessage } from "../store/port/records.ts";
import { undoEdit, type UndoneRevision, type UndoOptions } from "../memory/core/undo-edit.ts";
import type { Agent, RevertOptions } from "./agent.ts";
import type { RevertedMemory } from "./agent-results.ts";
import type { AgentEvent } from "./events.ts";
import { readEvents } from "./read-events.ts";
import { clearWindow, compactNow, undoCompaction } from "./compaction/compact-now.ts";
import { editReply, requireLast, switchTo } from "./branching/edit-reply.ts";
import { callsAwaiting, isUnfinished } from "./opening/recover.ts";
import { createLeasedWork, type LeasedWork, turnOfKeys } from "./lease/leased-work.ts";
import {
  continueTurn,
  openAnsweredTurn,
  openDecidedTurn,
  reopenTurn,
  repeatTurn,
  openRaisedTurn,
} from "./opening/open-turn.ts";
import { requireLength, inputWithFiles, type SentInput, checkMessages } from "./opening/send-input.ts";
import { type OutputSender, sendForOutput } from "./send-for-output.ts";
import { answerSideQuestion } from "./side-question.ts";
import type { Verdict } from "./approval/answer-calls.ts";
import { toolDescriptions } from "./approval/clear-call.ts";
import { currentUsage, currentWindow, findStep, listSteps } from "./window-view.ts";
import type { OutputSchema } from "../tool/output-schema.ts";
import type { AgentDeps } from "./turn.ts";
import type { SendOptions, SentMessages, TurnEvents, TurnOptions } from "./turn-options.ts";

/** Milliseconds between two requests to stop the turn of a conversation that is being closed. */
const stopAgainMs = 500;
/** Messages that /pop removes by default, as in MemGPT. */
const defaultPop = 3;
/** Default maximum of listed compactions. */
const defaultListing = 50;

/** Returns the agent of an open session. `close` ends an ephemeral conversation; null for a stored one. */
export function createAgent(deps: AgentDeps, close: (() => Promise<void>) | null): Agent {
  const { agent, conversationId, store, session } = deps;
  const leased = createLeasedWork(deps);

  return {
    record: agent,
    userId: store.userId,
    conversationId,
    get messages() {
      return session.messages;
    },
    get memory() {
      return session.memory.draft();
    },
    get window() {
      return currentUsage(deps);
    },
    get tools() {
      return deps.tools.describe().map(({ name }) => name);
    },
    describeTools: () => toolDescriptions(deps),
    price: deps.models.price,
    context: () => currentWindow(deps),
    ask: async (question, { signal } = {}) => {
      // `whenFree` skips the reload while a turn runs, because at its beginning the turn has read what other sessions wrote.
      await leased.whenFree(() => session.reload());
      return answerSideQuestion(deps, question, signal);
    },
    steps: (limit) => listSteps(deps, limit),
    step: (ordinal) => findStep(deps, ordinal),

    stop: () => store.leases.stop(conversationId),
    async close() {
      if (close === null) return;
      const stop = async (): Promise<void> => void (await store.leases.stop(conversationId));
      // The request to stop is repeated, because it has no effect on a turn that was just requested and has no lease yet.
      const endStops = every(stopAgainMs, stop);
      try {
        await stop();
        await leased.inOrder(close);
      } finally {
        endStops();
      }
    },
    get unfinished() {
      return isUnfinished(deps);
    },
    get pendingApprovals() {
      return callsAwaiting(deps, "approval");
    },
    get pendingResults() {
      return callsAwaiting(deps, "result").map(
        ({ awaits: _awaits, expiresAt: _never, decision: _none, ...call }) => call,
      );
    },
    ...turnsOf(deps, leased),
    ...changesOf(deps, leased),
  };
}

type Turns = Pick<
  Agent,
  "start" | "events" | "send" | "resume" | "raise" | "approve" | "answer" | "deny" | "retry" | "regenerate"
>;

export function turnsOf(deps: AgentDeps, { turnOf }: LeasedWork): Turns {
  const send = ({ keys, options, input, open }: SentInput, isStarted = false): TurnEvents => {
    // Two kinds of inputs wait in this process, not in the store's queue: (1) inputs with files, which are stored when the turn
    // begins; (2) inputs after an earlier message, because the queue would commit them after the newest message.
    const started = isStarted && input !== null && options.afterMessage === undefined ? { started: input } : {};
    return turnOf({ ...options, ...started, keys }, open);
  };
  const sender: OutputSender = {
    send: (input, options, schema) => {
      const sent = sentOf(deps, input, options);
      return send({ ...sent, options: { ...sent.options, output: { name: "answer", schema } } });
    },
    log: deps.host.log,
  };
  const decide = (callId: string, verdict: Verdict, options: TurnOptions): TurnEvents =>
    turnOf(options, (of, request) => openDecidedTurn(of, request, { callId, verdict }));
  return {
    send: ((input: string | SentMessages, given?: SendOptions & { readonly output?: OutputSchema<unknown> }) => {
      const { output: schema, ...options } = given ?? {};
      if (schema === undefined) return send(sentOf(deps, input, options));
      return sendForOutput(sender, { input, options, schema });
    }) as Agent["send"],
    events: (turnId, options = {}) => readEvents(deps, turnId, options),

    async start(input, options = {}) {
      const sent = sentOf(deps, input, { waitMs: Infinity, ...options });
      const known = sent.keys.length === 0 ? null : await turnOfKeys(deps, sent.keys);
      const id = known ?? (await startedTurn(send(sent, true)));
      return { id, events: (reading = {}) => readEvents({ ...deps, isStarted: true }, id, reading) };
    },

    resume: ({ turnId, ...options } = {}) =>
      turnId === undefined
        ? turnOf(options, reopenTurn)
        : turnOf({ ...options, continues: turnId }, (of, request) => continueTurn(of, request, turnId)),

    raise: (event, options = {}) => turnOf(options, (of, request) => openRaisedTurn(of, request, event)),

    approve: (callId, { arguments: edited, ...options } = {}) =>
      decide(callId, { verdict: "approved", ...(edited === undefined ? {} : { arguments: edited }) }, options),

    answer: (results, options = {}) => turnOf(options, (of, request) => openAnsweredTurn(of, request, results)),

    deny: (callId, { reason, ...options } = {}) =>
      decide(callId, { verdict: "denied", ...(reason === undefined ? {} : { reason }) }, options),

    retry: ({ memory = "revert", lastMessageId, ...options } = {}) =>
      turnOf(options, (of, request) => repeatTurn(of, request, { from: "last-input", memory, lastMessageId })),

    regenerate: (messageId, { memory = "revert", lastMessageId, ...options } = {}) =>
      turnOf(options, (of, request) => repeatTurn(of, request, { from: { messageId }, memory, lastMessageId })),
  };
}

/** Returns the checked input. Throws RequestError `input_invalid` and `message_too_long`. */
function sentOf(deps: AgentDeps, given: string | SentMessages, options: SendOptions): SentInput {
  const { metadata } = options.notes ?? {};
  if (metadata !== undefined) requireShortJson({ subject: "A turn", field: "notes.metadata" }, metadata);
  if (typeof given !== "string") return checkMessages(deps, given, options);
  const { files = [], idempotencyKey: key, ...others } = options;
  if (given.trim() === "" && files.length === 0)
    throw new RequestError("input_invalid", "Expected a message with some text in it, got a blank one.");
  requireLength(given);
  const keys = key === undefined ? [] : [key];
  return inputWithFiles([{ idempotencyKey: key ?? deps.ids.next(), text: given, files }], { keys, options: others });
}

/** Returns the turn's id once its input is stored. The turn then runs without a reader. */
async function startedTurn(events: TurnEvents): Promise<string> {
  const { value: first } = await events.next();
  await events.return();
  // The cast is sound: a turn emits at least one event or throws.
  return (first as AgentEvent).turnId;
}

type Changes = Pick<
  Agent,
  | "branches"
  | "switchTo"
  | "pop"
  | "rewrite"
  | "rethink"
  | "compact"
  | "clearWindow"
  | "undoCompaction"
  | "compactions"
  | "undoEdit"
>;

function changesOf(deps: AgentDeps, { change, inOrder }: LeasedWork): Changes {
  const { conversationId, store } = deps;
  return {
    branches: () => store.conversations.branches(conversationId),

    switchTo: (messageId) => change(() => switchTo(deps, messageId)),

    pop: (count = defaultPop, options = {}) => change(() => popMessages(deps, count, options)),

    rewrite: (text, options) => change(() => editReply(deps, { part: "words", text, ...options })),

    rethink: (text, options) => change(() => editReply(deps, { part: "thought", text, ...options })),

    compact: ({ focus, signal } = {}) =>
      change(() => compactNow(signal === undefined ? deps : { ...deps, signal }, focus)),

    clearWindow: () => change(() => clearWindow(deps)),

    undoCompaction: () => change(() => undoCompaction(deps)),

    compactions: (limit = defaultListing) => store.compactions.list(conversationId, limit),

    undoEdit: (label, options = {}) =>
      inOrder(() => undoNow(deps, { ...(label === undefined ? {} : { label }), ...options })),
  };
}

async function undoNow(
  { agent, store, session }: Pick<AgentDeps, "agent" | "store" | "session">,
  request: UndoOptions & { readonly label?: string },
): Promise<UndoneRevision | null> {
  const undone = await undoEdit(store.modules, { agentId: agent.id, ...request });
  await session.refreshMemory();
  return undone;
}

async function popMessages(
  { session, protocol }: Pick<AgentDeps, "session" | "protocol">,
  count: number,
  { memory = "revert", lastMessageId }: RevertOptions,
): Promise<RevertedMemory> {
  requireLast(session, lastMessageId);
  const visible = session.messages.length + 1;
  const max = visible - protocol.minMessages;
  if (!Number.isInteger(count) || count < 1) {
    throw new RequestError("pop_refused", `Expected a number of messages to pop, 1 or more, got ${count}.`);
  }
  if (max < 1) throw new RequestError("pop_refused", `Agent only has ${visible} messages in stack, none left to pop.`);
  if (count > max)
    throw new RequestError("pop_refused", `Agent only has ${visible} messages in stack, cannot pop more than ${max}.`);
  const kept = extendToCalls(session.messages, session.messages.length - count);
  if (kept + 1 < protocol.minMessages) {
    throw new RequestError(
      "pop_refused",
      `A tool result is popped together with its call, so popping ${count} messages would remove ${visible - 1 - kept}. At most ${max} can be popped.`,
    );
  }
  const messages = session.messages.slice(kept);
  const leftBehind = messages.map(({ id }) => id);
  const reverted = await session.move({ to: messages[0]?.parentId ?? null, leftBehind, memory });
  return { messages, ...reverted };
}

// Returns how many messages to keep: if the messages to remove begin with tool results, the message with their calls is
// removed, too, because a call without a result would run again. Calls in event messages never run, so they may stay.
function extendToCalls(messages: readonly StoredMessage[], kept: number): number {
  let cut = kept;
  while (cut > 0 && messages[cut]?.role === "tool" && messages[cut]?.kind === "message") cut -= 1;
  return cut;
}
