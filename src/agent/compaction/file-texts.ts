// Puts the text of attached files into the messages that a summarizer reads: without it, a summary knows only their names.
// Invariant: only text documents are read, one after the other, and a long one without its middle; the messages stay as they are.
import { cutMiddle } from "../../context/cut-text.ts";
import type { StoredMessage } from "../../store/port/records.ts";
import { type FilePart, isText } from "../../base/message/file-part.ts";
import type { ContentPart } from "../../base/message/message.ts";
import type { AgentDeps } from "../turn.ts";

type FileDeps = Pick<AgentDeps, "memories" | "window">;

/** `maxTokens`: of each file. A file whose content is not stored any more stays a reference. */
export async function withFileTexts(
  deps: FileDeps,
  messages: readonly StoredMessage[],
  maxTokens: number,
): Promise<readonly StoredMessage[]> {
  const all: StoredMessage[] = [];
  for (const message of messages) {
    const content: ContentPart[] = [];
    for (const part of message.content)
      content.push(part.type === "file" && isText(part) ? await readPart(deps, part, maxTokens) : part);
    const isRead = content.some((part, at) => part !== message.content[at]);
    const texts = content.map((part) => (part.type === "text" ? part.text : "")).join("");
    all.push(isRead ? { ...message, content, tokens: deps.window.countTokens(texts) } : message);
  }
  return all;
}

async function readPart(
  { memories, window: { countTokens: count } }: FileDeps,
  file: FilePart,
  maxTokens: number,
): Promise<ContentPart> {
  const data = await memories.attachments.load(file);
  if (data === null) return file;
  const text = new TextDecoder().decode(data);
  const tokens = file.textTokens ?? count(text);
  return { type: "text", text: `[file ${file.name}: ${cutMiddle(text, { tokens, maxTokens, count })}]` };
}
