// Reads conversations of Claude's data export: messages with their blocks, as a tree where `parent_message_uuid` is present.
// Invariant: pure; nothing of a message is dropped without being counted.
import type { ExportForm, SourceConversation, SourceMessage } from "../export-form.ts";
import { idAt, isObject, type JsonObject, listAt, textAt, timeAt } from "../json-fields.ts";
import type { Remarks } from "../remarks.ts";
import { claudeParts } from "./claude-content.ts";

export const claudeExport: ExportForm = {
  program: "Claude",
  holds: "conversations",
  files: /^conversations(?:-\d+)?\.json$/iu,
  fileName: "conversations.json",
  holders: ["conversations"],
  recognizes: (item) => Array.isArray(item["chat_messages"]),
  read(item, remarks) {
    const key = idAt(item, "uuid");
    if (key === null) return { leftOut: "conversations without an id" };
    if (textAt(item, "summary").trim() !== "") remarks.leaveOut("summaries of conversations");
    return { conversation: conversationOf(item, key, remarks) };
  },
};

function conversationOf(item: JsonObject, key: string, remarks: Remarks): SourceConversation {
  const given = listAt(item, "chat_messages").filter((message): message is JsonObject => {
    if (!isObject(message)) remarks.leaveOut("messages that are no objects");
    return isObject(message);
  });
  const isTree = given.some((message) => idAt(message, "parent_message_uuid") !== null);
  const messages: SourceMessage[] = [];
  for (const [index, message] of given.entries()) {
    const before = messages.at(-1)?.key ?? null;
    messages.push({
      key: idAt(message, "uuid") ?? `message ${index}`,
      parentKey: isTree ? parentOf(message) : before,
      at: timeAt(message, "created_at") ?? timeAt(message, "updated_at"),
      ...claudeParts(message, remarks),
    });
  }
  return {
    key,
    title: textAt(item, "name"),
    createdAt: timeAt(item, "created_at"),
    updatedAt: timeAt(item, "updated_at"),
    currentKey: idAt(item, "current_leaf_message_uuid"),
    messages,
  };
}

/** The parent of first messages. */
const root = "00000000-0000-4000-8000-000000000000";

function parentOf(message: JsonObject): string | null {
  const parent = idAt(message, "parent_message_uuid");
  return parent === root ? null : parent;
}
