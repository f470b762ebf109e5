// The Agent that front ends hold: starts turns one after the other, and carries out what is asked between them.
// Invariant: turns and changes of one Agent never overlap, also when its caller does not wait.
import { RequestError } from "../errors.ts";
import type { StoredMessage } from "../memory/records.ts";
import { undoEdit, type UndoneRevision, type UndoOptions } from "../memory/core/undo-edit.ts";
import type { Agent, MemoryChoice, TakenBack } from "./agent.ts";
import { compactNow, undoCompaction } from "./compaction/compact-now.ts";
import { switchTo } from "./branching/switch-to.ts";
import { pendingApprovals } from "./approval/decide-call.ts";
import { editReply } from "./branching/edit-reply.ts";
import { createLeasedWork, type LeasedWork } from "./lease/leased-work.ts";
import { openDecidedTurn, reopenTurn, repeatTurn } from "./opening/open-turn.ts";
import { openRaisedTurn } from "./opening/raise-event.ts";
import { sendWithFiles } from "./opening/send-with-files.ts";
import { isUnfinished } from "./opening/recover.ts";
import { askBeside } from "./side-question.ts";
import { toolDescriptions } from "./tool-descriptions.ts";
import { type AgentParts, describeTools } from "./turn.ts";
import { findStep, listSteps, windowNow, windowUse } from "./window-view.ts";

/** Messages that /pop takes when no number is given, as in MemGPT. */
const defaultPop = 3;
/** Compactions in a listing that asks for no number. */
const defaultListing = 50;

export function createAgent(parts: AgentParts): Agent {
  const { agent, conversationId, store, session } = parts;
  const leased = createLeasedWork(parts);

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
      return windowUse(parts);
    },
    get tools() {
      return describeTools(parts).map(({ name }) => name);
    },
    describeTools: () => toolDescriptions(parts),
    price: parts.price,
    context: () => windowNow(parts),
    ask: (question, { signal } = {}) => askBeside(parts, question, signal),
    steps: (limit) => listSteps(parts, limit),
    step: (ordinal) => findStep(parts, ordinal),

    get unfinished() {
      return isUnfinished(parts);
    },
    get pendingApprovals() {
      return pendingApprovals(parts);
    },
    ...turnsOf(parts, leased),
    ...changesOf(parts, leased),
  };
}

type Turns = Pick<Agent, "send" | "resume" | "raise" | "approve" | "deny" | "retry" | "regenerate">;

function turnsOf(parts: AgentParts, { turnOf }: LeasedWork): Turns {
  return {
    send(text, options = {}) {
      const { files = [], idempotencyKey = parts.ids.next() } = options;
      if (text.trim() === "" && files.length === 0)
        throw new RequestError("input_invalid", "Expected a message with some text in it, got a blank one.");
      return turnOf(options, (wish) => sendWithFiles(parts, wish, { text, files, idempotencyKey }));
    },

    resume: (options = {}) => turnOf(options, (wish) => reopenTurn(parts, wish)),

    raise: (event, options = {}) => turnOf(options, (wish) => openRaisedTurn(parts, wish, event)),

    approve: (callId, { arguments: edited, ...options } = {}) =>
      turnOf(options, (wish) =>
        openDecidedTurn(parts, wish, {
          callId,
          verdict: { verdict: "approved", ...(edited === undefined ? {} : { arguments: edited }) },
        }),
      ),

    deny: (callId, { reason, ...options } = {}) =>
      turnOf(options, (wish) =>
        openDecidedTurn(parts, wish, {
          callId,
          verdict: { verdict: "denied", ...(reason === undefined ? {} : { reason }) },
        }),
      ),

    retry: ({ memory = "take-back", ...options } = {}) =>
      turnOf(options, (wish) => repeatTurn(parts, wish, { from: "last-input", memory })),

    regenerate: (messageId, { memory = "take-back", ...options } = {}) =>
      turnOf(options, (wish) => repeatTurn(parts, wish, { from: { messageId }, memory })),
  };
}

type Changes = Pick<
  Agent,
  "branches" | "switchTo" | "pop" | "rewrite" | "rethink" | "compact" | "undoCompaction" | "compactions" | "undoEdit"
>;

function changesOf(parts: AgentParts, { change, inOrder }: LeasedWork): Changes {
  const { conversationId, store } = parts;
  return {
    branches: () => store.conversations.branches(conversationId),

    switchTo: (messageId) => change(() => switchTo(parts, messageId)),

    pop: (count = defaultPop, { memory = "take-back" } = {}) => change(() => popMessages(parts, count, memory)),

    rewrite: (text) => change(() => editReply(parts, { part: "words", text })),

    rethink: (text) => change(() => editReply(parts, { part: "thought", text })),

    compact: ({ focus, signal } = {}) =>
      change(() => compactNow(signal === undefined ? parts : { ...parts, signal }, focus)),

    undoCompaction: () => change(() => undoCompaction(parts)),

    compactions: (limit = defaultListing) => store.compactions.list(conversationId, limit),

    undoEdit: (label, options = {}) =>
      inOrder(() => undoNow(parts, { ...(label === undefined ? {} : { label }), ...options })),
  };
}

async function undoNow(
  { agent, store, session }: AgentParts,
  wish: UndoOptions & { readonly label?: string },
): Promise<UndoneRevision | null> {
  const undone = await undoEdit(store.modules, { agentId: agent.id, ...wish });
  await session.refreshMemory();
  return undone;
}

async function popMessages({ session, protocol }: AgentParts, count: number, memory: MemoryChoice): Promise<TakenBack> {
  const visible = session.messages.length + 1;
  const most = visible - protocol.leastMessages;
  if (!Number.isInteger(count) || count < 1) {
    throw new RequestError("pop_refused", `Expected a number of messages to pop, 1 or more, got ${count}.`);
  }
  if (most < 1) throw new RequestError("pop_refused", `Agent only has ${visible} messages in stack, none left to pop.`);
  if (count > most)
    throw new RequestError("pop_refused", `Agent only has ${visible} messages in stack, cannot pop more than ${most}.`);
  const kept = beforeCalls(session.messages, session.messages.length - count);
  if (kept + 1 < protocol.leastMessages) {
    throw new RequestError(
      "pop_refused",
      `The last ${count} messages begin with the result of a tool call, which leaves together with its call: that would be ${visible - 1 - kept} messages, and no more than ${most} can be popped.`,
    );
  }
  const messages = session.messages.slice(kept);
  const leftBehind = messages.map(({ id }) => id);
  const takenBack = await session.move({ to: messages[0]?.parentId ?? null, leftBehind, memory });
  return { messages, ...takenBack };
}

// A call that lost its result would be open again, and the next message would run it again. The runtime's own are never run.
function beforeCalls(messages: readonly StoredMessage[], kept: number): number {
  let cut = kept;
  while (cut > 0 && messages[cut]?.role === "tool" && messages[cut]?.kind === "message") cut -= 1;
  return cut;
}
