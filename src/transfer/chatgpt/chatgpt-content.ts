// Reads the content of a message of ChatGPT: its text, and what stands for files, which the export does not contain.
// Invariant: pure; content of an unknown type becomes text, and is counted.
import { isObject, type JsonObject, jsonText, listAt, objectAt, textAt } from "../json-fields.ts";
import { quotedName, type Remarks } from "../remarks.ts";

/** Returns the visible thoughts in a message that consists of them. */
export function chatgptThoughts(message: JsonObject): readonly string[] {
  const content = objectAt(message, "content");
  if (textAt(content, "content_type") !== "thoughts") return [];
  const thoughts = listAt(content, "thoughts").map((thought) =>
    joined("\n", [textAt(thought, "summary"), textAt(thought, "content")]),
  );
  return thoughts.filter((thought) => thought !== "");
}

/** Returns an empty text for a message without content. */
export function chatgptText(message: JsonObject, remarks: Remarks): string {
  const text = contentText(objectAt(message, "content"), remarks);
  const files = attachedFiles(message);
  for (const _file of files) remarks.leaveOut("attached files");
  return joined("\n", [text, ...files.map((name) => `[file: ${name}]`)]);
}

function contentText(content: JsonObject, remarks: Remarks): string {
  const type = textAt(content, "content_type");
  const read = texts[type];
  if (read !== undefined) return read(content, remarks);
  if (Object.keys(content).length === 0) return "";
  remarks.note(`content of the unknown type ${quotedName(type)}, kept as text`);
  const known = joined(
    "\n",
    ["title", "text", "content", "result"].map((key) => textAt(content, key)),
  );
  const parts = partsText(content, remarks);
  return joined("\n", [known, parts]) === "" ? jsonText(content) : joined("\n", [known, parts]);
}

/** By the content type of a message. Thoughts are not among them: they are no text of the message. */
const texts: Readonly<Record<string, (content: JsonObject, remarks: Remarks) => string>> = {
  text: partsText,
  multimodal_text: partsText,
  code: (content) => textAt(content, "text"),
  execution_output: (content) => textAt(content, "text"),
  citable_code_output: (content) => textAt(content, "output_str"),
  tether_browsing_display: (content) => joined("\n", [textAt(content, "summary"), textAt(content, "result")]),
  tether_quote: quoteText,
  sonic_webpage: quoteText,
  system_error: (content) => joined(": ", [textAt(content, "name"), textAt(content, "text")]),
  user_editable_context: (content) => {
    const text = joined("\n", [textAt(content, "user_profile"), textAt(content, "user_instructions")]);
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
  // How long the model has thought.
  reasoning_recap: () => "",
  thoughts: () => "",
};

function quoteText(content: JsonObject): string {
  const heading = joined(" ", [textAt(content, "title"), textAt(content, "url")]);
  return joined("\n", [heading, textAt(content, "text")]);
}

function partsText(content: JsonObject, remarks: Remarks): string {
  return joined(
    "\n",
    listAt(content, "parts").map((part) => partText(part, remarks)),
  );
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

/** Names of attachments; images are parts of the content as well. */
function attachedFiles(message: JsonObject): readonly string[] {
  return listAt(objectAt(message, "metadata"), "attachments").flatMap((attachment) => {
    const mediaType = joined("", [textAt(attachment, "mime_type"), textAt(attachment, "mimeType")]);
    const name = textAt(attachment, "name").trim();
    return name === "" || mediaType.startsWith("image/") ? [] : [name];
  });
}

function joined(separator: string, parts: readonly string[]): string {
  return parts.filter((part) => part.trim() !== "").join(separator);
}
