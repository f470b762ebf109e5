// Finds the cause of a revision: the tool call that made it, and the input of its turn.
// Invariant: read-only; it returns stored data, and null where data was deleted or never stored.
import { RequestError } from "../../base/errors.ts";
import { toolCallsOf } from "../../base/message/message.ts";
import type { RevisionRecord, StoredMessage } from "../../store/port/records.ts";
import type { ConversationStore } from "../../store/port/conversation-store.ts";
import type { ModuleStore } from "../../store/port/agent-store.ts";

export interface RevisionCause {
  readonly revision: RevisionRecord;
  /** The tool call; null if no tool call made the change, or if the conversation was deleted. */
  readonly call: { readonly name: string; readonly arguments: string } | null;
  /** The message or runtime event that started the turn. Null if the call is null. */
  readonly input: Pick<StoredMessage, "id" | "kind" | "text" | "trust" | "at"> | null;
}

/** Maximum number of messages to search for a turn's input; a turn has two messages per step. */
const maxTurnMessages = 400;

export interface CauseQuery {
  readonly agentId: string;
  readonly label: string;
  /** The number of the revision, 1 or more. */
  readonly revision: number;
}

/**
 * Returns the revision with the call and the input that caused it. Throws RequestError `input_invalid` for an invalid
 * number, and `revision_not_found`.
 */
export async function causeOf(
  { modules, conversations }: { readonly modules: ModuleStore; readonly conversations: ConversationStore },
  { agentId, label, revision: number }: CauseQuery,
): Promise<RevisionCause> {
  if (!Number.isInteger(number) || number < 1)
    throw new RequestError("input_invalid", `Expected a revision number, 1 or more, got ${number}.`);
  const [revision] = await modules.revisions(agentId, { label, from: number, through: number, limit: 1 });
  if (revision === undefined)
    throw new RequestError(
      "revision_not_found",
      `There is no revision ${number} of "${label}". \`runtime.memory.revisions()\` lists the revisions.`,
    );
  const { conversationId, messageId, callId } = revision;
  if (conversationId === null || messageId === null) return { revision, call: null, input: null };
  const path = await conversations.path(conversationId, { through: messageId, limit: maxTurnMessages });
  const message = path.at(-1);
  const input = path.find(({ turnId, role }) => turnId === message?.turnId && role === "user");
  const call =
    message === undefined ? undefined : toolCallsOf(message).find((candidate) => candidate.callId === callId);
  return {
    revision,
    call: call === undefined ? null : { name: call.name, arguments: call.arguments },
    input: input ?? null,
  };
}
