// Reads conversations of ChatGPT's data export: a tree of nodes in `mapping`, whose last shown node is `current_node`.
// Invariant: pure; nothing of a message is dropped without being counted.
import type { ExportForm, MessageDraft, SourceConversation, SourceMessage } from "../export-form.ts";
import { idAt, isObject, type JsonObject, listAt, objectAt, textAt, timeAt } from "../json-fields.ts";
import { quotedName, type Remarks } from "../remarks.ts";
import { chatgptText, chatgptThoughts } from "./chatgpt-content.ts";

export const chatgptExport: ExportForm = {
  program: "ChatGPT",
  holds: "conversations",
  files: /^conversations(?:-\d+)?\.json$/iu,
  fileName: "conversations.json",
  holders: ["conversations"],
  recognizes: (item) => isObject(item["mapping"]),
  read(item, remarks) {
    const key = idAt(item, "conversation_id") ?? idAt(item, "id");
    if (key === null) return { leftOut: "conversations without an id" };
    return { conversation: conversationOf(item, key, remarks) };
  },
};

function conversationOf(item: JsonObject, key: string, remarks: Remarks): SourceConversation {
  const mapping = Object.entries(objectAt(item, "mapping"));
  const parents = parentsByChild(mapping);
  const messages = mapping.flatMap(([id, node]): readonly SourceMessage[] => {
    if (!isObject(node)) {
      remarks.leaveOut("nodes that are no objects");
      return [];
    }
    // Some exports have only the lists of children.
    const parentKey = idAt(node, "parent") ?? parents.get(id) ?? null;
    return [{ key: id, parentKey, ...partsOf(node, remarks) }];
  });
  return {
    key,
    title: textAt(item, "title"),
    createdAt: timeAt(item, "create_time"),
    updatedAt: timeAt(item, "update_time"),
    currentKey: idAt(item, "current_node"),
    messages,
  };
}

function parentsByChild(mapping: readonly (readonly [string, unknown])[]): ReadonlyMap<string, string> {
  const parents = new Map<string, string>();
  for (const [id, node] of mapping) {
    for (const child of listAt(node, "children")) if (typeof child === "string") parents.set(child, id);
  }
  return parents;
}

function partsOf(node: JsonObject, remarks: Remarks): Omit<SourceMessage, "key" | "parentKey"> {
  const message = objectAt(node, "message");
  const at = timeAt(message, "create_time") ?? timeAt(message, "update_time");
  const thoughts = chatgptThoughts(message);
  if (thoughts.length > 0) return { at, thoughts, drafts: [] };
  const text = chatgptText(message, remarks);
  return { at, thoughts: [], drafts: text.trim() === "" ? [] : [draftOf(message, text, remarks)] };
}

/** Calls of tools, their results and hidden messages are events: the export has no pairs of calls and results. */
function draftOf(message: JsonObject, text: string, remarks: Remarks): MessageDraft {
  const author = objectAt(message, "author");
  const role = textAt(author, "role");
  const name = textAt(author, "name");
  const recipient = textAt(message, "recipient");
  const isHidden = objectAt(message, "metadata")["is_visually_hidden_from_conversation"] === true;
  switch (role) {
    case "user":
      return isHidden ? event(text) : { role: "user", kind: "message", text, ...speakerOf(name) };
    case "assistant":
      if (recipient !== "" && recipient !== "all") return event(`[Call of ${recipient}] ${text}`);
      return isHidden ? event(text) : { role: "assistant", kind: "message", text };
    case "tool":
      return event(`[Result of ${name === "" ? "a tool" : name}] ${text}`);
    case "system":
      return event(`[System] ${text}`);
    default:
      remarks.note(`messages of the unknown role ${quotedName(role)}, kept as events`);
      return event(`[${role}] ${text}`);
  }
}

function event(text: string): MessageDraft {
  return { role: "user", kind: "event", text };
}

function speakerOf(name: string): Pick<MessageDraft, "speaker"> {
  return name.trim() === "" ? {} : { speaker: name };
}
