// Builds the messages of a model call from a system prompt, the state of a task and a conversation, within a token limit, for
// programs that call a model themselves. Modelled on "The Three-Buffer Architecture for Agent Memory" (V. Kesler, 2025).
// Invariant: turns are kept whole and without a gap, newest first; the prompt, the state and the last turn are never left out.
import { firstThatFits, sumOf } from "../window/window-turns.ts";
import {
  callback,
  checkThat,
  isPlainObject,
  list,
  nullable,
  optional,
  options as optionsOf,
  text,
  whole,
} from "../../base/arguments/argument-checks.ts";
import { RequestError } from "../../base/errors.ts";
import { type BufferRole, bufferRoles } from "./buffered-message.ts";
import type { FormattedMessage } from "./message-buffer.ts";

/** A message with a text: from `conversations.history` or `conversations.export`, from a `MessageBuffer`, or your own. */
export interface SpokenMessage {
  readonly role: BufferRole;
  readonly text: string;
}

export interface AgentContextOptions {
  readonly systemPrompt: string;
  /** The state of the task, such as `scratchpad.render()` of a `ScratchpadMemory`; null, the default: none. */
  readonly scratchpad?: string | null;
  /** The messages, oldest first. A turn begins with a user message that follows a message of another role. */
  readonly messages: readonly SpokenMessage[];
  /** Maximum tokens of the whole context; default 16,000. */
  readonly maxTokens?: number;
  /** Number of last turns that have priority over all older messages; default 4. */
  readonly recentTurns?: number;
  readonly countTokens: (text: string) => number;
  /** Summarizes the older messages if they do not fit; without it, the oldest turns are left out. */
  readonly summarizer?: (messages: readonly SpokenMessage[]) => Promise<string>;
}

export interface AgentContext {
  /** The prompt, the state, the older messages or their summary, and the last turns. */
  readonly messages: readonly FormattedMessage[];
  /** Tokens of the prompt and state (`system`), the last turns (`working`), and older turns or their summary (`archive`). */
  readonly tokens: Readonly<Record<"system" | "working" | "archive", number>>;
  /** The summary that replaces the older messages; null if they fit, if there is no summarizer, or if it does not fit. */
  readonly summary: string | null;
  /** Number of messages that are neither in the context nor in the summary. */
  readonly leftOut: number;
}

// Only `role` and `text` are checked, because messages that other operations return have more fields.
const spokenMessage = checkThat(
  `an object with a \`role\` (${bufferRoles.join(", ")}) and a \`text\``,
  (value) =>
    isPlainObject(value) && bufferRoles.some((role) => role === value["role"]) && typeof value["text"] === "string",
);

const checkOptions = optionsOf<AgentContextOptions>({
  systemPrompt: text,
  scratchpad: optional(nullable(text)),
  messages: list(spokenMessage),
  maxTokens: optional(whole(1, Number.MAX_SAFE_INTEGER)),
  recentTurns: optional(whole(1, Number.MAX_SAFE_INTEGER)),
  countTokens: callback,
  summarizer: optional(callback),
});

type Turn = readonly SpokenMessage[];

/**
 * Returns the messages for a model call. Last turns that do not fit are treated as older turns. Throws RequestError
 * `input_invalid` for invalid options, and if the prompt, the state and the last turn alone exceed `maxTokens`.
 */
export async function buildAgentContext(options: AgentContextOptions): Promise<AgentContext> {
  checkOptions(options, { of: "request", call: "buildAgentContext", field: "options", isArgument: true });
  const { systemPrompt, scratchpad = null, messages, maxTokens = 16_000, recentTurns = 4, countTokens } = options;
  const prompts = scratchpad === null ? [systemPrompt] : [systemPrompt, scratchpad];
  const system = prompts.reduce((sum, prompt) => sum + countTokens(prompt), 0);
  const turns = turnsOf(messages);
  const costs = turns.map((turn) => turn.reduce((sum, message) => sum + countTokens(message.text), 0));
  const last = system + (costs.at(-1) ?? 0);
  if (last > maxTokens) throw tooSmall(last, maxTokens);
  const end = turns.length;
  const recent = { from: Math.max(0, end - recentTurns), to: end, room: maxTokens - system };
  const firstRecent = firstThatFits((turn) => costs[turn]!, recent);
  const working = sumOf(costs.slice(firstRecent));
  const room = maxTokens - system - working;
  const archive = await archiveOf(turns.slice(0, firstRecent), { ...options, costs, room });
  return {
    messages: [
      ...prompts.map((content) => ({ role: "system" as const, content })),
      ...archive.shown,
      ...turns.slice(firstRecent).flat().map(formatted),
    ],
    tokens: { system, working, archive: archive.tokens },
    summary: archive.summary,
    leftOut: archive.leftOut,
  };
}

interface Archive extends Pick<AgentContext, "summary" | "leftOut"> {
  readonly shown: readonly FormattedMessage[];
  readonly tokens: number;
}

interface ArchiveRoom extends Pick<AgentContextOptions, "countTokens" | "summarizer"> {
  readonly costs: readonly number[];
  readonly room: number;
}

/** Returns (1) the older turns if they all fit, or (2) their summary if it fits, or (3) the newest of these turns that fit. */
async function archiveOf(
  older: readonly Turn[],
  { costs, room, countTokens, summarizer }: ArchiveRoom,
): Promise<Archive> {
  const first = firstThatFits((turn) => costs[turn]!, { from: 0, to: older.length, room });
  if (first > 0 && summarizer !== undefined) {
    const summary = await summarizer(older.flat());
    const content = `Summary of the earlier conversation:\n${summary}`;
    const tokens = countTokens(content);
    if (tokens <= room) return { shown: [{ role: "system", content }], tokens, summary, leftOut: 0 };
  }
  return {
    shown: older.slice(first).flat().map(formatted),
    tokens: sumOf(costs.slice(first, older.length)),
    summary: null,
    leftOut: older.slice(0, first).flat().length,
  };
}

function turnsOf(messages: readonly SpokenMessage[]): readonly Turn[] {
  const turns: SpokenMessage[][] = [];
  for (const [index, message] of messages.entries()) {
    const isFirst = index === 0 || (message.role === "user" && messages[index - 1]!.role !== "user");
    if (isFirst) turns.push([message]);
    else turns.at(-1)!.push(message);
  }
  return turns;
}

function formatted({ role, text: content }: SpokenMessage): FormattedMessage {
  return { role, content };
}

function tooSmall(needed: number, maxTokens: number): RequestError {
  return new RequestError(
    "input_invalid",
    `Expected \`maxTokens\` to be at least ${needed}, for the prompt, the state and the last turn; got ${maxTokens}. Shorten these texts, or pass a larger \`maxTokens\`.`,
    { field: "maxTokens" },
  );
}
