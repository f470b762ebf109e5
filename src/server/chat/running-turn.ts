// Finds the turn of a chat whose answer is being given.
// Invariant: a turn that waits, or that someone stopped, is over for a reader; one whose process was killed is not.
import type { UserRuntime } from "../../runtime/runtime.ts";
import { type FollowedTurn, openIn } from "../follow-turn.ts";

interface RunningTurn extends FollowedTurn {
  /** The calls that the user has denied. */
  readonly deniedCalls: readonly string[];
}

interface Chat {
  readonly id: string;
  readonly agentId: string;
}

export async function runningTurn(runtime: UserRuntime, { id, agentId }: Chat): Promise<RunningTurn | null> {
  const turns = await runtime.turns.list({ conversation: id, limit: 20 });
  const [newest] = turns;
  const running = turns.find(({ state }) => state === "running") ?? turns.findLast(({ state }) => state === "queued");
  const turn = running ?? newest;
  if (turn === undefined) return null;
  // An interrupted turn has a reason unless its process was killed.
  const isOver = turn !== running && (turn.state !== "interrupted" || turn.stopReason !== null);
  if (isOver || (turn !== running && !(await isUnfinished(runtime, { id, agentId }, turn.id)))) return null;
  const { messages } = await runtime.conversations.messages(id, { limit: 50 });
  const deniedCalls = messages
    .filter(({ turnId }) => turnId === turn.id)
    .flatMap(({ calls }) => calls.filter(({ request }) => request?.verdict === "denied"))
    .map(({ callId }) => callId);
  return { id: turn.id, agentId, conversationId: id, deniedCalls };
}

async function isUnfinished(runtime: UserRuntime, { id, agentId }: Chat, turnId: string): Promise<boolean> {
  const agent = await openIn(runtime, { agentId, conversationId: id }, { withoutCalls: true });
  return agent.unfinished && agent.messages.at(-1)?.turnId === turnId;
}
