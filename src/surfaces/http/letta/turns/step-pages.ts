// Model calls as Letta's steps, found by their ids and listed by Letta's cursors.
// Invariant: a step is named by the reply that it made; the rows of steps have ids of their own, by which they sort.
import { RequestError } from "../../../../base/errors.ts";
import type { StepListOptions } from "../../../../runtime/turns.ts";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import type { TurnStep } from "./runtime-records.ts";

/** Throws RequestError `step_not_found`. */
export async function findStep({ conversations, turns }: UserRuntime, replyId: string): Promise<TurnStep> {
  const missing = new RequestError("step_not_found", `There is no step step-${replyId}.`);
  try {
    const { turnId } = await conversations.message(replyId);
    const found = (await turns.steps(turnId, { limit: 1000 })).find(({ messageId }) => messageId === replyId);
    if (found !== undefined) return found;
  } catch (error) {
    if (!(error instanceof RequestError) || !/^(?:message|turn)_not_found$/u.test(error.code)) throw error;
  }
  throw missing;
}

export interface StepQuery {
  readonly order?: "asc" | "desc" | undefined;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  readonly limit?: number | undefined;
}

/** Returns the range of a list of steps, with the ids of their rows. Throws RequestError `step_not_found`. */
export async function stepRange(
  runtime: UserRuntime,
  query: StepQuery,
  defaultLimit: number,
): Promise<StepListOptions> {
  const { order = "desc", before, after, limit = defaultLimit } = query;
  const idOf = async (replyId: string): Promise<string> => (await findStep(runtime, replyId)).id;
  return {
    order: order === "asc" ? "oldest" : "newest",
    limit: Math.max(1, limit),
    ...(before === undefined ? {} : { before: await idOf(before) }),
    ...(after === undefined ? {} : { after: await idOf(after) }),
  };
}
