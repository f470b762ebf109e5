// Reads conversations of Claude's data export: messages with blocks, or with only a text in older exports. If messages
// have a `parent_message_uuid`, they are a tree.
// Invariant: pure; every dropped part of a message is counted; tool calls and their results become events between the
// texts; a block of an unknown type becomes text.
import { isObject, type JsonObject } from "../../base/json-values.ts";
import type { ExportForm, MessageDraft, SourceConversation, SourceMessage } from "../export-form.ts";
import { idAt, jsonText, listAt, textAt, timeAt } from "../json-fields.ts";
import { quotedName, type Remarks } from "../remarks.ts";

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
    if (!isObject(message)) remarks.leaveOut("messages that are not objects");
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

/** The parent id of a conversation's first message. */
const root = "00000000-0000-4000-8000-000000000000";

function parentOf(message: JsonObject): string | null {
  const parent = idAt(message, "parent_message_uuid");
  return parent === root ? null : parent;
}

type Parts = Pick<SourceMessage, "drafts" | "thoughts">;

function claudeParts(message: JsonObject, remarks: Remarks): Parts {
  const sender = textAt(message, "sender");
  const role = sender === "assistant" ? "assistant" : "user";
  if (role === "user" && sender !== "human" && sender !== "user")
    remarks.note(`messages of the unknown sender ${quotedName(sender)}, kept as the user's`);
  const blocks = listAt(message, "content").map((block) => readBlock(block, remarks));
  const thoughts = blocks.flatMap((block) => (block.kind === "thought" ? [block.text] : []));
  const given = blocks.some(({ kind, text }) => kind === "text" && text.trim() !== "")
    ? blocks
    : // Older exports have no blocks, and some exports have blocks without text.
      [...blocks, { kind: "text" as const, text: textAt(message, "text") }];
  const names = fileNames(message);
  for (const _name of names) remarks.leaveOut("attached files");
  const texts = [
    ...attachedTexts(message),
    ...given,
    ...names.map((name): Block => ({ kind: "text", text: `[file: ${name}]` })),
  ];
  return { thoughts, drafts: draftsOf(texts, role) };
}

interface Block {
  readonly kind: "text" | "event" | "thought";
  readonly text: string;
}

const nothing: Block = { kind: "text", text: "" };

/** Returns the messages of the blocks; adjacent texts become one message. */
function draftsOf(blocks: readonly Block[], role: MessageDraft["role"]): readonly MessageDraft[] {
  const drafts: MessageDraft[] = [];
  for (const { kind, text } of blocks) {
    if (kind === "thought" || text.trim() === "") continue;
    const last = drafts.at(-1);
    if (kind === "event") drafts.push({ role: "user", kind: "event", text });
    else if (last?.kind === "message") drafts.splice(-1, 1, { ...last, text: `${last.text}\n\n${text}` });
    else drafts.push({ role, kind: "message", text });
  }
  return drafts;
}

function readBlock(block: unknown, remarks: Remarks): Block {
  if (typeof block === "string") return { kind: "text", text: block };
  if (!isObject(block)) return nothing;
  const type = textAt(block, "type");
  const read = blocks[type];
  if (read !== undefined) return read(block, remarks);
  remarks.note(`blocks of the unknown type ${quotedName(type)}, kept as text`);
  const text = textAt(block, "text");
  return { kind: "text", text: text === "" ? jsonText(block) : text };
}

const blocks: Readonly<Record<string, (block: JsonObject, remarks: Remarks) => Block>> = {
  text: (block) => ({ kind: "text", text: textAt(block, "text") }),
  voice_note: (block) => ({ kind: "text", text: textAt(block, "text") }),
  thinking: (block) => ({ kind: "thought", text: textAt(block, "thinking") }),
  redacted_thinking: (_block, remarks) => leftOut("hidden thoughts", remarks),
  tool_use: (block) => {
    const name = textAt(block, "name");
    return { kind: "event", text: `[Call of ${name === "" ? "a tool" : name}] ${inputText(block["input"])}`.trim() };
  },
  tool_result: (block, remarks) => {
    const name = textAt(block, "name");
    const text = resultText(block, remarks);
    return text === "" ? nothing : { kind: "event", text: `[Result of ${name === "" ? "a tool" : name}] ${text}` };
  },
  image: (_block, remarks) => ({ ...leftOut("images", remarks), text: "[image]" }),
  // A block of the type `token_budget` has no content.
  token_budget: () => nothing,
  flag: (_block, remarks) => leftOut("flags on messages", remarks),
};

function leftOut(what: string, remarks: Remarks): Block {
  remarks.leaveOut(what);
  return nothing;
}

function inputText(input: unknown): string {
  if (typeof input === "string") return input;
  return input === undefined || input === null ? "" : jsonText(input);
}

function resultText(block: JsonObject, remarks: Remarks): string {
  const whole = textAt(block, "content");
  if (whole !== "") return whole;
  const parts = listAt(block, "content").map((part) => {
    if (textAt(part, "type") === "image") {
      remarks.leaveOut("images");
      return "[image]";
    }
    const texts = [textAt(part, "title"), textAt(part, "url"), textAt(part, "text")];
    return texts.filter((text) => text !== "").join("\n");
  });
  return parts.filter((text) => text !== "").join("\n");
}

/** Returns the texts of the attachments that the user sent with the message. */
function attachedTexts(message: JsonObject): readonly Block[] {
  return listAt(message, "attachments").flatMap((attachment) => {
    const text = textAt(attachment, "extracted_content");
    if (text.trim() === "") return [];
    return [{ kind: "text", text: `[file: ${nameOf(attachment)}]\n${text}` }];
  });
}

/** Returns the names of the message's files whose content is not in the export. */
function fileNames(message: JsonObject): readonly string[] {
  const withoutText = listAt(message, "attachments").filter((one) => textAt(one, "extracted_content").trim() === "");
  const names = [...withoutText, ...listAt(message, "files"), ...listAt(message, "files_v2")].map(nameOf);
  return [...new Set(names)];
}

function nameOf(file: unknown): string {
  const name = textAt(file, "file_name").trim();
  return name === "" ? "without a name" : name;
}
