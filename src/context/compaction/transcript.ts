// Formats messages as a transcript for a summarizer, in batches that fit into a request.
// Invariant: tool calls and results are included, and a note replaces the omitted part of a long message. Every line that is
// not indented begins a message, so that no content can pose as another message.
import type { StoredMessage } from "../../store/port/records.ts";
import { fileNote } from "../../base/message/file-part.ts";
import type { ContentPart } from "../../base/message/message.ts";
import { cutMiddle } from "../cut-text.ts";

export interface TranscriptMessage extends Pick<StoredMessage, "content" | "tokens"> {
  readonly role: string;
}

/** Minimum tokens that are kept of a long message, unless the batches are small. */
const minMessageTokens = 2000;

/**
 * Returns the transcript in texts of at most about `batchTokens` each, oldest first. If possible, it is a single text, in
 * which the middle of the longest messages is omitted. Thoughts are left out, because the user never saw them.
 */
export function transcriptBatches(
  messages: readonly TranscriptMessage[],
  batchTokens: number,
  count: (text: string) => number,
): readonly string[] {
  const lines = messages.map((message) => lineOf(message, count)).filter(({ text }) => text !== "");
  const fitting = tokensWithin(
    lines.map((line) => line.tokens),
    batchTokens,
  );
  const maxTokens = Math.max(fitting, Math.min(minMessageTokens, Math.floor(batchTokens / 4)));
  const all: string[][] = [];
  let left = 0;
  for (const line of lines) {
    const tokens = Math.min(line.tokens, maxTokens);
    if (all.length === 0 || tokens > left) {
      all.push([]);
      left = batchTokens;
    }
    left -= tokens;
    all.at(-1)?.push(cutMiddle(line.text, { tokens: line.tokens, maxTokens, count }));
  }
  return all.map((batch) => batch.join("\n"));
}

/** Returns the maximum tokens per text with which all texts together have at most `total` tokens. */
function tokensWithin(sizes: readonly number[], total: number): number {
  let left = total;
  const ascending = sizes.toSorted((one, other) => one - other);
  for (const [at, size] of ascending.entries()) {
    const others = ascending.length - at;
    if (size * others > left) return Math.floor(left / others);
    left -= size;
  }
  return Infinity;
}

interface Line {
  readonly text: string;
  readonly tokens: number;
}

/** Returns a message of the transcript with its tokens, counted again if the stored count includes files or thoughts. */
function lineOf(message: TranscriptMessage, count: (text: string) => number): Line {
  const text = transcriptLine(message);
  const isText = message.content.every(({ type }) => type !== "file" && type !== "thought");
  return { text, tokens: isText ? message.tokens : count(text) };
}

/** Returns a message as text whose lines after the first are indented; "" if it has no text. */
export function transcriptLine(message: TranscriptMessage): string {
  const text = message.content
    .map(partText)
    .filter((part) => part !== "")
    .join(" ")
    .replaceAll(lineBreak, "$&  ");
  return text === "" ? "" : `${message.role}: ${text}`;
}

// All line terminators of Unicode (UAX #14), because a model may read each of them as the end of a line.
const lineBreak = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/gu;

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
