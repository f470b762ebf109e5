// Formats messages as a transcript for a summarizer, in batches that fit into a request.
// Invariant: tool calls and results are included, and a message longer than a batch is split. Every line that is not
// indented begins a message, so that no content can pose as another message.
import type { StoredMessage } from "../../memory/records.ts";
import { fileNote } from "../../message/file-part.ts";
import type { ContentPart } from "../../message/message.ts";
import { splitByTokens } from "../cut-text.ts";

/** The fields of a message that a transcript shows. */
export interface TranscriptMessage extends Pick<StoredMessage, "content" | "tokens"> {
  readonly role: string;
}

/**
 * Returns texts of at most about `batchTokens` each, oldest first. Thoughts, which the user never saw, are left out.
 */
export function transcriptBatches(
  messages: readonly TranscriptMessage[],
  batchTokens: number,
  count: (text: string) => number,
): readonly string[] {
  const all: string[] = [];
  let lines: string[] = [];
  let tokens = 0;
  const close = (): void => {
    if (lines.length > 0) all.push(lines.join("\n"));
    lines = [];
    tokens = 0;
  };
  for (const piece of messages.flatMap((message) => piecesOf(message, batchTokens, count))) {
    if (tokens + piece.tokens > batchTokens) close();
    lines.push(piece.text);
    tokens += piece.tokens;
  }
  close();
  return all;
}

interface Piece {
  readonly text: string;
  readonly tokens: number;
}

/** Returns a message as one line; blank if it has no text. */
export function transcriptLine(message: TranscriptMessage): string {
  const text = reportedOf(message);
  return text === "" ? "" : `${message.role}: ${text}`;
}

function reportedOf({ content }: TranscriptMessage): string {
  return content
    .map(partText)
    .filter((part) => part !== "")
    .join(" ")
    .replaceAll(lineBreak, "$&  ");
}

// Every line terminator of Unicode (UAX #14): a model may read any of them as the end of a line.
const lineBreak = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/gu;

function piecesOf(message: TranscriptMessage, batchTokens: number, count: (text: string) => number): readonly Piece[] {
  const text = reportedOf(message);
  if (text === "") return [];
  if (message.tokens <= batchTokens) return [{ text: `${message.role}: ${text}`, tokens: message.tokens }];
  const parts = splitByTokens(text, batchTokens, count);
  return parts.map((part, at) => ({
    text: `${message.role} (part ${at + 1} of ${parts.length}): ${part}`,
    tokens: count(part),
  }));
}

function partText(part: ContentPart): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "tool-call":
      return `[called ${part.name} ${part.arguments}]`;
    case "tool-result":
      return [`[${part.name} returned: ${part.text}]`, ...(part.files ?? []).map((file) => fileNote(file))].join(" ");
    case "file":
      return fileNote(part);
    case "thought":
    case "state":
      return "";
  }
}
