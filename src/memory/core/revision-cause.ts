// Why a module changed: the tool call that a revision came from, and the request that the call was part of the answer to.
// Invariant: only reads; it says what is stored, and nothing where that was deleted or never was.
import { RequestError } from "../../errors.ts";
import { toolCallsOf } from "../../message/message.ts";
import type { RevisionRecord, StoredMessage } from "../records.ts";
import type { ConversationStore, ModuleStore } from "../store.ts";

export interface RevisionCause {
  readonly revision: RevisionRecord;
  /** Null for a change that no tool call made, and when its conversation was deleted. */
  readonly call: { readonly name: string; readonly arguments: string } | null;
  /** What the turn began with: a message, or an event of the runtime's. Null as the call is. */
  readonly request: Pick<StoredMessage, "id" | "kind" | "text" | "trust" | "at"> | null;
}

/** Messages of a turn among which its request is looked for; a turn has two for each step. */
const longestTurn = 400;

export interface CauseQuery {
  readonly agentId: string;
  readonly label: string;
  /** 1 or more. */
  readonly revision: number;
}

/** Throws RequestError `input_invalid` for what counts no change, and `revision_not_found`. */
export async function causeOf(
  { modules, conversations }: { readonly modules: ModuleStore; readonly conversations: ConversationStore },
  { agentId, label, revision: number }: CauseQuery,
): Promise<RevisionCause> {
  if (!Number.isInteger(number) || number < 1)
    throw new RequestError("input_invalid", `Expected the number of a change, 1 or more, got ${number}.`);
  const [revision] = await modules.revisions(agentId, { label, from: number, through: number, limit: 1 });
  if (revision === undefined)
    throw new RequestError(
      "revision_not_found",
      `There is no revision ${number} of "${label}". The history shows those there are.`,
    );
  const { conversationId, messageId, callId } = revision;
  if (conversationId === null || messageId === null) return { revision, call: null, request: null };
  const path = await conversations.path(conversationId, { through: messageId, limit: longestTurn });
  const message = path.at(-1);
  const request = path.find(({ turnId, role }) => turnId === message?.turnId && role === "user");
  const call =
    message === undefined ? undefined : toolCallsOf(message).find((candidate) => candidate.callId === callId);
  return {
    revision,
    call: call === undefined ? null : { name: call.name, arguments: call.arguments },
    request: request ?? null,
  };
}
