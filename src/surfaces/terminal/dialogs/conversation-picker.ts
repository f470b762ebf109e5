// The picker of `/resume` and `-r`: the agent's conversations, with a filter and a preview.
// Invariant: it only reads.
import { countLabel, whenLabel } from "../rows/labels.ts";
import { type Row, span } from "../rows/row.ts";
import type { ConversationSummary } from "../runtime-records.ts";
import { screenText, wrapText } from "../rows/wrap.ts";
import { type Choices, choiceList } from "./choice-list.ts";
import type { Dialog } from "./dialog.ts";

export interface PickableConversations {
  readonly agentName: string;
  /** Most recently used first. */
  readonly conversations: readonly ConversationSummary[];
  /** The current conversation of the chat. */
  readonly currentId: string;
  /** The last messages of a conversation, oldest first. */
  ending(id: string): Promise<readonly { readonly role: "user" | "assistant"; readonly text: string }[]>;
}

/** Maximum length of a message in the preview, in UTF-16 units. */
const maxMessageLength = 300;

/** The result is the chosen conversation. */
export function conversationPicker(pickable: PickableConversations): Dialog<ConversationSummary> {
  const { agentName, conversations, currentId } = pickable;
  const choices: Choices<ConversationSummary> = {
    title: `Conversations of ${agentName}`,
    items: conversations,
    verb: "resume",
    textOf: ({ id, title, preview }) => `${id} ${title ?? ""} ${preview}`,
    rowOf: (conversation, { isChosen, now }) => {
      const { id, messages, updatedAt } = conversation;
      const facts = `${countLabel(messages, "message")}, ${whenLabel(updatedAt, now)}${id === currentId ? ", this one" : ""}`;
      return [span(openingLine(conversation), isChosen ? "strong" : "plain"), span(`  ${facts}`, "faint")];
    },
    preview: async ({ id }) => {
      const messages = await pickable.ending(id);
      if (messages.length === 0) return [[span("  No messages.", "faint")]];
      return messages.flatMap(({ role, text }) => messageRows(role === "user" ? "you" : agentName, text));
    },
  };
  return choiceList(choices);
}

/** Returns the title of a conversation, or its first message. */
function openingLine({ title, preview }: ConversationSummary): string {
  const line = screenText(title ?? preview)
    .replaceAll(/\s+/g, " ")
    .trim();
  return line.length > 60 ? `${line.slice(0, 60)}…` : line || "(empty)";
}

function messageRows(name: string, text: string): readonly Row[] {
  const line = screenText(text).replaceAll(/\s+/g, " ").trim();
  const shown = line.length > maxMessageLength ? `${line.slice(0, maxMessageLength)}…` : line;
  return wrapText(shown, "faint", { width: previewWidth, lead: [span(`  ${name}: `, "accent")] });
}

/** Columns of the preview; a narrower screen cuts its rows. */
const previewWidth = 76;
