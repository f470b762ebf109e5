// Replaces the content of a message in the window: the old message and the messages after it become a branch.
// Invariant: nothing is lost, because copies of the later messages follow the new message. No call runs again, and the
// memory edits of the old message's calls are assigned to the new message.
import type { ContentPart } from "../../base/message/message.ts";
import type { StoredMessage } from "../../store/port/records.ts";
import type { MessageReplacement } from "../../store/port/conversation-store.ts";
import type { CommitDeps } from "../session/session-commits.ts";
import { toMessage } from "../session/thread.ts";

/** Replaces the content of a message and returns the new message. Requires the lease. */
export async function replaceMessage(
  deps: CommitDeps,
  message: StoredMessage,
  content: readonly ContentPart[],
): Promise<StoredMessage> {
  const { lease, store, thread } = deps;
  const from = thread.messages.findIndex(({ id }) => id === message.id);
  const replaced = thread.messages.slice(from);
  const replacements = replaced.reduce<readonly MessageReplacement[]>((made, old) => {
    const parentId = made.at(-1)?.message.id ?? old.parentId;
    return [
      ...made,
      { replaces: old.id, message: copyMessage(deps, { old, parentId, content: old === message ? content : null }) },
    ];
  }, []);
  const move = { from: thread.leafId, to: message.parentId, replacements };
  await store.conversations.moveLeaf(lease.current, move);
  await deps.load();
  deps.onLeftBehind(replaced.map(({ id }) => id));
  return (replacements[0] as MessageReplacement).message;
}

interface MessageCopy {
  readonly old: StoredMessage;
  readonly parentId: string | null;
  /** The content of the copy; null: the content of the old message. */
  readonly content: readonly ContentPart[] | null;
}

function copyMessage(deps: CommitDeps, { old, parentId, content }: MessageCopy): StoredMessage {
  if (content === null) return { ...old, id: deps.ids.next(), parentId };
  const { role, kind, trust, turnId, at, stated } = old;
  const copy = { ...toMessage(deps, { role, kind, content, trust }, { turnId, parentId }), at };
  return stated === undefined ? copy : { ...copy, stated };
}
