// Starts or continues a turn from a request: sends messages, or carries out decisions about calls.
// Invariant: a repeated request, with the same `otid`s or about the same calls, returns the first request's turn, and
// neither starts a turn nor decides a call. A decision about a call that does not wait is not carried out.
import type { Agent } from "../../../../agent/agent.ts";
import type { AgentEvent } from "../../../../agent/events.ts";
import type { TurnEvents, TurnOptions } from "../../../../agent/turn-options.ts";
import { RequestError } from "../../../../base/errors.ts";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import type { TurnNotes } from "../../../../runtime/turns/contract.ts";
import { decideCalls, endOfPause } from "../../decide-calls.ts";
import { openIn, type TurnPlace } from "../../follow-turn.ts";
import { type ReadEvent, readTurn, storedEvents } from "../../replay-turn.ts";
import type { Protocol } from "../runtime-records.ts";
import type { NamedConversation } from "./conversation-place.ts";
import type { Pause } from "./encode-turn.ts";
import { messageId } from "../ids.ts";
import { decidedCalls, planDecisions, type WaitingCalls } from "./plan-decisions.ts";
import { keepRunExtension, type RunExtension, withRunExtension } from "./run-extension.ts";
import type { TurnInput } from "./turn-request.ts";
import { approvalPending, conversationBusy, nothingToApprove, otherCallsWait } from "./turn-end.ts";

export interface TurnToStart {
  readonly conversation: NamedConversation;
  /** Whether an input is refused while a turn runs, instead of being queued. */
  readonly isExclusive: boolean;
  readonly input: TurnInput;
  readonly extension: RunExtension;
  /** Metadata of a new turn besides its extension. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly options: TurnOptions;
  /** Whether the turn outlives its process, and is read from its stored events. */
  readonly isBackground: boolean;
  /** Aborted when the client disconnects. This ends the reading, not the turn. */
  readonly signal?: AbortSignal;
}

export interface OpenTurn {
  /** Returned in an object, because events are thenable: a promise of them would resolve only at the turn's end. */
  readonly events: AsyncIterable<ReadEvent>;
  readonly turnId: string;
  /** Set if the events begin after this pause, which a decision has ended; otherwise null. */
  readonly pause: Pause | null;
  /** Messages of events up to this number are not sent to the client. */
  readonly after: number;
  /** Whether the client has received nothing of the turn yet. */
  readonly isNew: boolean;
  /** The protocol of the agent, if it was opened. */
  readonly protocol?: Protocol;
}

/** Starts or continues a turn. Throws RequestError, and WireFault for a conversation with a running or waiting turn. */
export async function startTurn(runtime: UserRuntime, request: TurnToStart): Promise<OpenTurn> {
  const { decisions, messages } = request.input;
  if (decisions.length === 0) return sendMessages(runtime, request);
  const decided = await carryOut(runtime, request);
  if (messages.length === 0) return decided;
  // Waits for the end of the turn with the calls, because the messages start a turn of their own.
  for await (const _event of decided.events);
  return sendMessages(runtime, request);
}

/** Sends the request's messages. If calls wait, `onWaiting` refuses the messages or supersedes the calls. */
async function sendMessages(
  runtime: UserRuntime,
  request: TurnToStart,
  onWaiting: "refuse" | "supersede" = "refuse",
): Promise<OpenTurn> {
  const { conversation, isExclusive, input, options: given, isBackground } = request;
  const joined = await joinSent(runtime, request);
  if (joined !== null) return joined;
  const agent = await runtime.agents.openForTurn(conversation.id, {
    async beforeReading() {
      const { id } = await conversation.find();
      if (isExclusive) await requireFree(runtime, id);
    },
  });
  const { record, conversationId } = agent;
  const place = { agentId: record.id, conversationId };
  const options = { ...given, onWaiting, notes: notesOf(request) };
  const sent = { messages: input.messages };
  try {
    if (!isBackground) {
      const events = agent.send(sent, options);
      // The turn runs up to its first event, so that a refusal is thrown here. A turn emits at least one event, or throws.
      const { value: first } = await events.next();
      return { ...foreground([first as AgentEvent], events, null), protocol: record.protocol };
    }
    const { id } = await agent.start(sent, options);
    return stored(runtime, { ...request, place }, { turnId: id, after: 0, isNew: true });
  } catch (error) {
    const fault = await pendingFault(runtime, place, error);
    // True if the calls wait only for replies of other agents. The message then supersedes these calls.
    const isForReply = fault === error && error instanceof RequestError && error.code === "approval_pending";
    if (!isForReply || onWaiting === "supersede") throw fault;
    return sendMessages(runtime, request, "supersede");
  }
}

/** Returns what is stored with a new turn. */
function notesOf({ isBackground, extension, metadata = {} }: TurnToStart): TurnNotes {
  return { isBackground, metadata: isBackground ? { ...metadata, ...withRunExtension(extension) } : metadata };
}

/** Returns the turn of these messages; null if they were not sent before. */
async function joinSent(runtime: UserRuntime, request: TurnToStart): Promise<OpenTurn | null> {
  const key = request.input.messages.find(({ idempotencyKey }) => idempotencyKey !== undefined)?.idempotencyKey;
  if (key === undefined) return null;
  const place = await placeOf(request);
  const turn = await runtime.turns.findByKey(place.conversationId, key);
  if (turn === null) return null;
  // A queued turn keeps the notes of the request that began it.
  const isKept = turn.isBackground || turn.state === "queued";
  if (request.isBackground && !isKept) await keepRunExtension(runtime, turn.id, request.extension);
  return stored(runtime, { ...request, place }, { turnId: turn.id, after: 0, isNew: false });
}

async function placeOf({ conversation }: Pick<TurnToStart, "conversation">): Promise<TurnPlace> {
  const { id: conversationId, agentId } = await conversation.find();
  return { agentId, conversationId };
}

async function requireFree(runtime: UserRuntime, conversationId: string): Promise<void> {
  const [active] = await runtime.turns.list({ conversation: conversationId, states: ["queued", "running"], limit: 1 });
  if (active !== undefined) throw conversationBusy(active.id);
}

/** Returns the error for a refused input. If calls wait for the client, the error names the message with these calls. */
async function pendingFault(runtime: UserRuntime, place: TurnPlace, error: unknown): Promise<unknown> {
  if (!(error instanceof RequestError) || error.code !== "approval_pending") return error;
  const { pendingApprovals, pendingResults } = await openIn(runtime, place, { withoutCalls: true });
  const [first] = [...pendingApprovals, ...pendingResults];
  return first === undefined ? error : approvalPending(messageId(first.messageId), error);
}

/** Maximum attempts to carry out decisions that other requests carry out at the same time. */
const maxAttempts = 5;

/** Error codes for a decision about a call, and for a result of a call, if the call no longer waits. */
const decidedCodes: ReadonlySet<string> = new Set(["approval_not_found", "result_not_awaited"]);

async function carryOut(runtime: UserRuntime, request: TurnToStart): Promise<OpenTurn> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await decideOrJoin(runtime, request);
    } catch (error) {
      // Another request has decided a call meanwhile. The next attempt decides the other calls, or joins the turn.
      const isDecided = error instanceof RequestError && decidedCodes.has(error.code);
      if (!isDecided || attempt === maxAttempts) throw error;
    }
  }
}

async function decideOrJoin(runtime: UserRuntime, given: TurnToStart): Promise<OpenTurn> {
  const { extension, options, isBackground, input } = given;
  const { decisions } = input;
  const place = await placeOf(given);
  const request = { ...given, place };
  const agent = await openIn(runtime, place);
  const pending = { approvals: agent.pendingApprovals, results: agent.pendingResults };
  const waiting = { ...pending, decided: await decidedCalls(runtime, place, { decisions, ...pending }) };
  const plan = planDecisions(decisions, waiting);
  const [first] = [...waiting.approvals, ...waiting.results];
  if (first === undefined || plan.verdicts.length + plan.results.length === 0) {
    const joined = await joinDecided(runtime, request, { agent, calls: plan.others });
    if (joined !== null) return joined;
  }
  if (first === undefined) throw nothingToApprove();
  const refused = await withoutDecided(runtime, first.messageId, plan.others);
  if (refused.length > 0) {
    const ids = [...waiting.approvals, ...waiting.results].map(({ callId }) => callId);
    throw otherCallsWait(ids, refused);
  }
  const { earlier: all, last } = await decideCalls(agent, plan, options);
  // Leaves out `turn-queued` events: a waiting decision emits them, and they contain no id of a turn.
  const earlier = all.filter(({ type }) => type !== "turn-queued");
  const events = last();
  const next = await continued(events);
  if (!isBackground) return foreground([...earlier, next], events, pauseOf(waiting, first.messageId));
  await events.return();
  const { turnId, sequence } = earlier[0] ?? next;
  await keepRunExtension(runtime, turnId, extension);
  return stored(runtime, request, { turnId, after: sequence - 1, isNew: false });
}

/** Returns the first event after the `turn-queued` events. Rejects if a decision is refused after its wait in the queue. */
async function continued(events: TurnEvents): Promise<AgentEvent> {
  for (;;) {
    const { value } = await events.next();
    // The cast is sound: a turn emits at least one event besides `turn-queued`, or throws.
    const event = value as AgentEvent;
    if (event.type !== "turn-queued") return event;
  }
}

/** Leaves out the calls of this message that have a decision, because a repeated request names them again. */
async function withoutDecided(
  { conversations }: UserRuntime,
  messageId: string,
  calls: readonly string[],
): Promise<readonly string[]> {
  if (calls.length === 0) return [];
  const { calls: asked } = await conversations.message(messageId);
  const decided = asked.filter(
    ({ request, result }) => request !== null && (request.verdict !== null || result !== null),
  );
  return calls.filter((callId) => !decided.some((call) => call.callId === callId));
}

function pauseOf({ approvals, results }: WaitingCalls, replyId: string): Pause {
  const calls = new Map([
    ...approvals.map(({ callId }) => [callId, "approval"] as const),
    ...results.map(({ callId }) => [callId, "result"] as const),
  ]);
  return { replyId, calls };
}

/** Returns the newest turn if it has paused for these calls before; otherwise null. */
async function joinDecided(
  runtime: UserRuntime,
  request: PlacedTurn,
  { agent, calls }: { readonly agent: Agent; readonly calls: readonly string[] },
): Promise<OpenTurn | null> {
  const asked = agent.messages.findLast(({ role, content }) => {
    return role === "assistant" && content.some((part) => part.type === "tool-call" && calls.includes(part.callId));
  });
  if (asked === undefined || asked.turnId !== agent.messages.at(-1)?.turnId) return null;
  const { calls: stored_ } = await runtime.conversations.message(asked.id);
  const wereAsked = calls.every((callId) => stored_.some((call) => call.callId === callId && call.request !== null));
  if (!wereAsked) return null;
  const after = endOfPause(await storedEvents(agent, asked.turnId), calls);
  return stored(runtime, request, { turnId: asked.turnId, after, isNew: false });
}

interface PlacedTurn extends Pick<TurnToStart, "signal"> {
  readonly place: TurnPlace;
}

function stored(
  runtime: UserRuntime,
  { place, signal }: PlacedTurn,
  { turnId, after, isNew }: { readonly turnId: string; readonly after: number; readonly isNew: boolean },
): OpenTurn {
  const { agentId, conversationId } = place;
  const events = readTurn(runtime, { id: turnId, agentId, conversationId }, signal === undefined ? {} : { signal });
  return { events, turnId, pause: null, after, isNew };
}

/** Returns a turn with its events as they are emitted. `earlier`: the events that were already read, at least one. */
function foreground(
  earlier: readonly AgentEvent[],
  rest: AsyncGenerator<AgentEvent, void>,
  pause: Pause | null,
): OpenTurn {
  const turnId = earlier[0]?.turnId ?? "";
  return { events: resumed(earlier, rest), turnId, pause, after: 0, isNew: true };
}

async function* resumed(
  earlier: readonly AgentEvent[],
  rest: AsyncGenerator<AgentEvent, void>,
): AsyncGenerator<ReadEvent, void> {
  for (const event of earlier) yield { event, counts: true };
  for await (const event of rest) yield { event, counts: true };
}
