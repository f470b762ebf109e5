// The port to token counting, and the tokens of one message as it is sent to a model.
// Invariant: everything that is sent is counted: names, arguments, call ids, thoughts and their signatures.
import type { FilePart } from "../../base/message/file-part.ts";
import type { ContentPart, Message } from "../../base/message/message.ts";

export interface TokenCounter {
  /** Returns the tokens of the text alone, without a message's overhead. */
  count(text: string): number;
  /**
   * Loads what counting needs. This blocks the event loop for a second or more, so call it when nothing waits for this
   * process; otherwise the first count does it.
   */
  prepare(): void;
  /** Whether this is the model's own tokenizer; otherwise it is an overestimate. */
  readonly exact: boolean;
  /** Returns the tokens of a file as it is sent to the model, or of the note that replaces it. */
  countFile(file: FilePart): number;
}

type Counts = Pick<TokenCounter, "count" | "countFile">;

/**
 * Overhead of each message: `<|start|>role<|message|>…<|end|>`, 3 tokens and the role (OpenAI cookbook, "How to count
 * tokens with tiktoken": tokens_per_message = 3). Other providers do not publish theirs.
 */
export const messageOverhead = 4;

/** Overhead of each tool call and result (type, keys, braces): 8, our own high estimate. */
export const toolPartOverhead = 8;

/** Returns the message's tokens: its parts, 4 for the message, 8 more for each tool call and each tool result. */
export function countMessage(counter: Counts, message: Message): number {
  return message.content.reduce((sum, part) => sum + countPart(counter, part), messageOverhead);
}

function countPart(counter: Counts, part: ContentPart): number {
  switch (part.type) {
    case "text":
    case "state":
      return counter.count(part.text);
    case "thought":
      return counter.count(part.text) + counter.count(part.signature ?? "");
    case "tool-call":
      return toolPartOverhead + countAll(counter, part.callId, part.name, part.arguments);
    case "tool-result":
      return toolPartOverhead + countAll(counter, part.callId, part.name, part.text) + countFiles(counter, part.files);
    case "file":
      return counter.countFile(part);
  }
}

function countFiles(counter: Counts, files: readonly FilePart[] = []): number {
  return files.reduce((sum, file) => sum + counter.countFile(file), 0);
}

function countAll(counter: Counts, ...texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + counter.count(text), 0);
}

/** Caches the counts of 100 texts: the system prompt, tools and core memory are counted before every call. */
export function cachedCount(count: (text: string) => number): (text: string) => number {
  const known = new Map<string, number>();
  return (text) => {
    const cached = known.get(text);
    if (cached !== undefined) return cached;
    if (known.size >= 100) known.clear();
    const tokens = count(text);
    known.set(text, tokens);
    return tokens;
  };
}
