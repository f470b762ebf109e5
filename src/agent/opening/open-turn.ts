// Brings a conversation to where a turn can begin: the lease held, what was left undone done, the input committed.
// Invariant: the input is committed once, behind whatever came before it, and before any model is called.
import { findOpenCalls, isInput } from "../../context/window/unfinished-turn.ts";
import { RequestError } from "../../errors.ts";
import type { StoredMessage } from "../../memory/records.ts";
import type { QueuedInput } from "../../memory/turn-store.ts";
import type { RevertMode } from "../agent.ts";
import { awaitLease, type LeaseRequest } from "../lease/await-lease.ts";
import { decideCall, type Verdict } from "../approval/decide-call.ts";
import type { AgentEvent } from "../events.ts";
import { findRepeatable } from "../branching/find-repeatable.ts";
import { settleOpenCalls, takeUpTurn } from "./recover.ts";
import type { TurnOpening } from "../run-turn.ts";
import type { AgentDeps } from "../turn.ts";

type Opening = AsyncGenerator<AgentEvent, TurnOpening>;

/** For a new input. When nobody is in the way, the lease comes with its commit. */
export async function* openTurn(deps: AgentDeps, request: LeaseRequest & { readonly input: QueuedInput }): Opening {
  const { session, store, conversationId } = deps;
  const { turnId, input } = request;
  if (findOpenCalls(session.messages) === null) {
    const begun = await session.begin({ turnId, inputs: [input] });
    if (begun !== null) return { input: begun };
  }
  yield* awaitLease(deps, request);
  try {
    return await beginBehind(deps, request, [input]);
  } catch (error) {
    // The caller sends the message again after the error, so it must not stay in the queue. The error itself is reported.
    await store.inputs.withdraw(conversationId, input.idempotencyKey).catch(() => false);
    throw error;
  }
}

/** Opens an unfinished turn again, or a turn for inputs that are still in the queue. */
export async function* reopenTurn(deps: AgentDeps, request: LeaseRequest): Opening {
  yield* awaitLease(deps, request);
  const waiting = await deps.store.inputs.abandoned(deps.conversationId);
  if (waiting.length > 0) return beginBehind(deps, request, []);
  return takeUpTurn(deps);
}

/** For a turn that waits for the user's word on a call. */
export async function* openDecidedTurn(
  deps: AgentDeps,
  request: LeaseRequest,
  { callId, verdict }: { readonly callId: string; readonly verdict: Verdict },
): Opening {
  yield* awaitLease(deps, request);
  return decideCall(deps, callId, verdict);
}

/** What is answered again: the last input of the window, or what is above a reply, or an input. */
export interface Repetition {
  readonly from: "last-input" | { readonly messageId: string };
  /** What becomes of what was done to memory since. */
  readonly memory: RevertMode;
}

/** For an answer once more: takes back what came after the place where it begins. */
export async function* repeatTurn(
  deps: Pick<AgentDeps, "agent" | "conversationId" | "store" | "session">,
  request: LeaseRequest,
  { from, memory }: Repetition,
): Opening {
  yield* awaitLease(deps, request);
  const { session } = deps;
  await session.refreshMemory();
  const messageId = from === "last-input" ? session.messages.findLast(isInput)?.id : from.messageId;
  if (messageId === undefined)
    throw new RequestError("message_not_found", "There is no message of yours in the window to answer again.");
  const { input, to, leftBehind } = await findRepeatable(deps, messageId);
  const reverted = await session.move({ to, leftBehind, memory });
  return { input, reverted };
}

/** Commits the inputs behind those whose senders have gone, and behind the results of calls that have none. */
async function beginBehind(
  deps: AgentDeps,
  { turnId, signal }: LeaseRequest,
  own: readonly QueuedInput[],
): Promise<TurnOpening> {
  const { session, store, conversationId } = deps;
  const settled = await settleOpenCalls(deps, signal);
  const keys = own.map(({ idempotencyKey }) => idempotencyKey);
  const abandoned = (await store.inputs.abandoned(conversationId)).filter(
    ({ idempotencyKey }) => !keys.includes(idempotencyKey),
  );
  const input = await session.begin({ turnId, inputs: [...abandoned, ...own] });
  // Under a lease that is held, whatever keeps it from beginning is an error.
  return { input: input as StoredMessage, settled: { ...settled, recoveredInputs: abandoned.length } };
}
