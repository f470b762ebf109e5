// Reads conversations of ChatGPT's data export: a tree of nodes in `mapping`; `current_node` is the last node shown.
// Invariant: pure; every dropped part of a message is counted; content of an unknown type becomes text; placeholders of
// images and attached files are kept, because the export does not contain the files.
import { isObject, type JsonObject } from "../../base/json-values.ts";
import type { ExportForm, MessageDraft, SourceConversation, SourceMessage } from "../export-form.ts";
import { idAt, jsonText, listAt, objectAt, textAt, timeAt } from "../json-fields.ts";
import { quotedName, type Remarks } from "../remarks.ts";

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
      remarks.leaveOut("nodes that are not objects");
      return [];
    }
    // Some exports have lists of children, but no parents.
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

/** Returns a message. Tool calls, their results (not paired in the export) and hidden messages become events. */
function draftOf(message: JsonObject, text: string, remarks: Remarks): MessageDraft {
  const author = objectAt(message, "author");
  const role = textAt(author, "role");
  const name = textAt(author, "name");
  const speaker = name.trim() === "" ? {} : { speaker: name };
  const recipient = textAt(message, "recipient");
  const isHidden = objectAt(message, "metadata")["is_visually_hidden_from_conversation"] === true;
  switch (role) {
    case "user":
      return isHidden ? event(text) : { role: "user", kind: "message", text, ...speaker };
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

/** Returns the visible thoughts of a message of the type `thoughts`; none for other messages. */
function chatgptThoughts(message: JsonObject): readonly string[] {
  const content = objectAt(message, "content");
  if (textAt(content, "content_type") !== "thoughts") return [];
  const thoughts = listAt(content, "thoughts").map((thought) => textsAt(thought, "summary", "content"));
  return thoughts.filter((thought) => thought !== "");
}

/** Returns the text of a message; an empty text if it has no content. */
function chatgptText(message: JsonObject, remarks: Remarks): string {
  const text = contentText(objectAt(message, "content"), remarks);
  const files = attachedFiles(message);
  for (const _file of files) remarks.leaveOut("attached files");
  return joined([text, ...files.map((name) => `[file: ${name}]`)]);
}

function contentText(content: JsonObject, remarks: Remarks): string {
  const type = textAt(content, "content_type");
  const read = texts[type];
  if (read !== undefined) return read(content, remarks);
  if (Object.keys(content).length === 0) return "";
  remarks.note(`content of the unknown type ${quotedName(type)}, kept as text`);
  const text = joined([textsAt(content, "title", "text", "content", "result"), partsText(content, remarks)]);
  return text === "" ? jsonText(content) : text;
}

/** Readers of a message's text, by its content type. Thoughts are not part of the text. */
const texts: Readonly<Record<string, (content: JsonObject, remarks: Remarks) => string>> = {
  text: partsText,
  multimodal_text: partsText,
  code: (content) => textAt(content, "text"),
  execution_output: (content) => textAt(content, "text"),
  citable_code_output: (content) => textAt(content, "output_str"),
  tether_browsing_display: (content) => textsAt(content, "summary", "result"),
  tether_quote: quoteText,
  sonic_webpage: quoteText,
  system_error: (content) => joined([textAt(content, "name"), textAt(content, "text")], ": "),
  user_editable_context: (content) => {
    const text = textsAt(content, "user_profile", "user_instructions");
    return text === "" ? "" : `[Custom instructions] ${text}`;
  },
  model_editable_context: (content) => {
    const text = textAt(content, "model_set_context");
    return text === "" ? "" : `[Memory of ChatGPT] ${text}`;
  },
  computer_output: (_content, remarks) => {
    remarks.leaveOut("images");
    return "";
  },
  // A recap only states how long the model has thought.
  reasoning_recap: () => "",
  thoughts: () => "",
};

function quoteText(content: JsonObject): string {
  const heading = joined([textAt(content, "title"), textAt(content, "url")], " ");
  return joined([heading, textAt(content, "text")]);
}

function partsText(content: JsonObject, remarks: Remarks): string {
  return joined(listAt(content, "parts").map((part) => partText(part, remarks)));
}

function partText(part: unknown, remarks: Remarks): string {
  if (typeof part === "string") return part;
  if (!isObject(part)) return "";
  const type = textAt(part, "content_type");
  if (type === "audio_transcription") return textAt(part, "text");
  if (type.startsWith("image")) {
    remarks.leaveOut("images");
    return "[image]";
  }
  if (type.includes("audio") || type.includes("video")) {
    remarks.leaveOut("recordings");
    return "";
  }
  remarks.note(`parts of the unknown type ${quotedName(type)}, kept as text`);
  return textAt(part, "text") === "" ? jsonText(part) : textAt(part, "text");
}

/** Returns the names of a message's attachments, except images, which are also parts of the content. */
function attachedFiles(message: JsonObject): readonly string[] {
  return listAt(objectAt(message, "metadata"), "attachments").flatMap((attachment) => {
    const mediaType = joined([textAt(attachment, "mime_type"), textAt(attachment, "mimeType")], "");
    const name = textAt(attachment, "name").trim();
    return name === "" || mediaType.startsWith("image/") ? [] : [name];
  });
}

/** Returns the texts in these fields, each on lines of its own. */
function textsAt(value: unknown, ...keys: readonly string[]): string {
  return joined(keys.map((key) => textAt(value, key)));
}

function joined(parts: readonly string[], separator = "\n"): string {
  return parts.filter((part) => part.trim() !== "").join(separator);
}
