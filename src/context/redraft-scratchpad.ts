// Builds the request that asks a model to update a scratchpad from the latest messages.
// Invariant: pure. The answer is only text; the scratchpad checks whether the text fits its schema.
import { codePointLength, takeCodePoints } from "../base/code-points.ts";
import type { ModelRequest } from "../model/llm/model.ts";
import type { StoredMessage } from "../store/port/records.ts";
import { loadPrompt } from "./prompts/load-prompt.ts";
import { transcriptLine } from "./compaction/transcript.ts";

/** Minimum number of messages in a request. If fewer messages are new, older ones are added. */
const minMessages = 10;

export interface RecentRequest {
  /** The id of the first new message: all messages from it on are included, and earlier ones only up to `minMessages`. */
  readonly fromId: string;
  /** Maximum tokens of all included messages; the newest message is always included. */
  readonly tokens: number;
}

/** Returns the newest messages, in order; event messages of the runtime are left out. */
export function recentMessages(
  messages: readonly StoredMessage[],
  { fromId, tokens }: RecentRequest,
): readonly StoredMessage[] {
  const from = messages.findIndex(({ id }) => id === fromId);
  const min = Math.max(0, messages.length - minMessages);
  const recent = messages.slice(from === -1 ? min : Math.min(from, min)).filter(({ kind }) => kind === "message");
  let first = recent.length - 1;
  let sum = recent[first]?.tokens ?? 0;
  for (let next = first - 1; next >= 0; next -= 1) {
    sum += recent[next]?.tokens ?? 0;
    if (sum > tokens) break;
    first = next;
  }
  return recent.slice(first);
}

export interface ScratchpadDraft {
  readonly text: string;
  /** JSON Schema of each field, by name. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Maximum code points of the scratchpad. */
  readonly limit: number;
  readonly messages: readonly StoredMessage[];
  /** Maximum tokens of one message; only the beginning of a longer one is included. */
  readonly tokens: number;
  readonly maxOutputTokens: number;
}

export function scratchpadRequest(draft: ScratchpadDraft): ModelRequest {
  const { text, fields, limit, messages, tokens, maxOutputTokens } = draft;
  const transcript = messages.map((message) => cutTo(tokens, message)).filter((line) => line !== "");
  const question = [
    `Fields, as JSON schema: ${JSON.stringify(fields)}`,
    `At most ${limit} characters.`,
    `Scratchpad:\n${text}`,
    `Latest messages:\n${transcript.join("\n")}`,
  ].join("\n\n");
  return {
    system: { instructions: loadPrompt("update-scratchpad"), memory: "" },
    messages: [{ role: "user", content: [{ type: "text", text: question }] }],
    tools: [],
    output: { name: "scratchpad", schema: { type: "object", properties: fields, required: Object.keys(fields) } },
    maxOutputTokens,
  };
}

function cutTo(tokens: number, message: StoredMessage): string {
  const line = transcriptLine(message);
  if (message.tokens <= tokens) return line;
  return `${takeCodePoints(line, Math.floor((codePointLength(line) * tokens) / message.tokens))} [cut]`;
}
