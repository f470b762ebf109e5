// Summarizes older messages of a conversation at a client's request.
// Invariant: a window that is too short to be summarized stays as it is, and is no error.
import { RequestError } from "../../../../base/errors.ts";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import { openIn } from "../../follow-turn.ts";
import type { ConversationRecord } from "./runtime-records.ts";

export interface ShownCompaction {
  readonly summary: string;
  /** The prompt counts as a message. */
  readonly num_messages_before: number;
  readonly num_messages_after: number;
}

export async function compactConversation(
  runtime: UserRuntime,
  { id, agentId }: Pick<ConversationRecord, "id" | "agentId">,
): Promise<ShownCompaction> {
  const agent = await openIn(runtime, { agentId, conversationId: id });
  const before = agent.messages.length + 1;
  try {
    const { summary, messages } = await agent.compact();
    // The summary takes the place of the messages.
    return { summary, num_messages_before: before, num_messages_after: before - messages + 1 };
  } catch (error) {
    if (!(error instanceof RequestError) || error.code !== "summary_refused") throw error;
    const [last] = await agent.compactions(1);
    const summary = last?.summary ?? "No messages were summarized: there are too few.";
    return { summary, num_messages_before: before, num_messages_after: before };
  }
}
