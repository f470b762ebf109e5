// Finds the turn of a chat whose answer is being generated.
// Invariant: a turn that waits, or that a user stopped, is over for a reader; an unfinished turn is not.
import type { UserRuntime } from "../../../runtime/runtime.ts";
import { type FollowedTurn, openIn } from "../follow-turn.ts";

interface RunningTurn extends FollowedTurn {
  /** The calls that the user has denied. */
  readonly deniedCalls: readonly string[];
}

interface Chat {
  readonly id: string;
  readonly agentId: string;
}

/**
 * Returns the turn of a chat that runs, is queued or is unfinished; null if there is none. `leftOut`: the id of a turn whose
 * answer the page does not have; this turn counts as running even if it is over.
 */
export async function runningTurn(
  runtime: UserRuntime,
  { id, agentId }: Chat,
  leftOut: string | null = null,
): Promise<RunningTurn | null> {
  const turns = await runtime.turns.list({ conversation: id, limit: 20 });
  const [newest] = turns;
  const running = turns.find(({ state }) => state === "running") ?? turns.findLast(({ state }) => state === "queued");
  const turn = running ?? newest;
  if (turn === undefined) return null;
  if (turn !== running && turn.id !== leftOut && !(await isUnfinished(runtime, { id, agentId }, turn))) return null;
  const { messages } = await runtime.conversations.messages(id, { limit: 50 });
  const deniedCalls = messages
    .filter(({ turnId }) => turnId === turn.id)
    .flatMap(({ calls }) => calls.filter(({ request }) => request?.verdict === "denied"))
    .map(({ callId }) => callId);
  return { id: turn.id, agentId, conversationId: id, deniedCalls };
}

type TurnRecord = Awaited<ReturnType<UserRuntime["turns"]["find"]>>;

async function isUnfinished(
  runtime: UserRuntime,
  { id, agentId }: Chat,
  { id: turnId, state, stopReason }: TurnRecord,
): Promise<boolean> {
  // An interrupted turn without a stop reason is unfinished.
  if (state !== "interrupted" || stopReason !== null) return false;
  const agent = await openIn(runtime, { agentId, conversationId: id }, { withoutCalls: true });
  return agent.unfinished && agent.messages.at(-1)?.turnId === turnId;
}
