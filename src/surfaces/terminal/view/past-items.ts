// Converts the last messages of a conversation to items and inputs.
// Invariant: only texts of the user and the agent are included; events and tool results are omitted.
import { shortened } from "../rows/labels.ts";
import type { Agent, StoredMessage } from "../runtime-records.ts";
import type { ViewItem } from "./view-item.ts";

const maxMessages = 6;
const maxLength = 600;

/** Returns the messages with texts of the user or the agent. */
export function visibleMessages(messages: readonly StoredMessage[]): readonly StoredMessage[] {
  return messages.filter(
    (message) =>
      (message.kind === "message" || isOfAgent(message)) && message.role !== "tool" && message.text.trim() !== "",
  );
}

/** Returns the option that refuses a change if the window no longer ends with the last message read by this chat. */
export function ifUnchanged({ messages }: Pick<Agent, "messages">): { readonly lastMessageId: string | null } {
  return { lastMessageId: messages.at(-1)?.id ?? null };
}

/** Returns the last six texts as dimmed items. Long texts are cut, except a reply at the end: users read it again. */
export function pastItems(messages: readonly StoredMessage[]): readonly ViewItem[] {
  const shown = visibleMessages(messages).slice(-maxMessages);
  return shown.map((message) => pastItem(message, message.role === "assistant" && message === shown.at(-1)));
}

/** Returns the items of a conversation that is opened again: the last texts, and a notice if the last one has no reply. */
export function reopenedItems({ messages, pendingApprovals }: Agent): readonly ViewItem[] {
  const last = visibleMessages(messages).at(-1);
  if (last?.role !== "user" || last.kind !== "message" || pendingApprovals.length > 0) return pastItems(messages);
  return [
    ...pastItems(messages),
    { kind: "notice", level: "note", text: "No reply yet.", advice: "/retry asks again." },
  ];
}

/** Returns the user's inputs among these messages, oldest first. */
export function pastInputs(messages: readonly StoredMessage[]): readonly string[] {
  return visibleMessages(messages)
    .filter((message) => message.role === "user" && message.kind === "message")
    .map((message) => message.text);
}

/** Whether another agent, or a program that gave its name, wrote the message. */
function isOfAgent({ kind, speaker }: StoredMessage): boolean {
  return kind === "system" && speaker !== undefined;
}

function pastItem(message: StoredMessage, isWhole: boolean): ViewItem {
  const { role, text, status } = message;
  const clipped = isWhole ? text : shortened(text, maxLength);
  if (isOfAgent(message)) return { kind: "notice", level: "note", text: clipped };
  if (role === "user") return { kind: "user", text: clipped, isPast: true };
  const marked = status === "interrupted" ? `${clipped} (interrupted)` : clipped;
  return { kind: "reply", text: marked, continues: false, isPast: true };
}
