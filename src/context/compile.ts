// What the model sees: the system prompt with core memory, the summary, and the messages since.
// Invariant: pure, and every tool call in the result is followed by its result, whatever the stored thread lacks.
import type { Message } from "../message.ts";
import type { SystemPrompt, ToolSpecification } from "../llm/model.ts";
import type { StoredMessage } from "../memory/records.ts";
import { completeToolCalls } from "./complete-tool-calls.ts";

/** Where core memory stands in a system prompt; without it, memory follows the prompt. After MemGPT 0.3.22. */
export const memoryMarker = "{CORE_MEMORY}";

export interface ContextState {
  readonly systemPrompt: string;
  /** Core memory as it is rendered. */
  readonly coreMemory: string;
  /** What stands for the messages before, oldest first. */
  readonly summaries: readonly SummaryState[];
  readonly messages: readonly StoredMessage[];
  readonly tools: readonly ToolSpecification[];
  /** How a stored message stands in the prompt: the protocol's. */
  readonly render: (message: StoredMessage) => Message;
}

export interface SummaryState {
  readonly text: string;
  /** How many messages it stands for. */
  readonly messages: number;
}

export interface CompiledContext {
  readonly system: SystemPrompt;
  readonly messages: readonly Message[];
  readonly report: ContextReport;
}

/** Tokens by part, as counted before the call. */
export interface ContextReport {
  readonly tools: number;
  readonly instructions: number;
  readonly coreMemory: number;
  readonly summary: number;
  readonly messages: number;
  readonly total: number;
}

export function compileContext(state: ContextState, count: (text: string) => number): CompiledContext {
  const system = systemPrompt(state.systemPrompt, state.coreMemory);
  const summary = state.summaries.length === 0 ? null : summaryText(state.summaries);
  // A reply that was interrupted before its first word holds nothing, and providers refuse empty messages.
  const history = completeToolCalls(
    state.messages
      .map(state.render)
      .map(withoutBlankText)
      .filter(({ content }) => content.length > 0),
  );
  const opening = summary ?? (history[0]?.role === "assistant" ? beginning : null);
  const messages = opening === null ? history : [userText(opening), ...history];
  return { system, messages, report: reportTokens(state, { system, summary }, count) };
}

function withoutBlankText(message: Message): Message {
  const content = message.content.filter((part) => part.type !== "text" || part.text.trim() !== "");
  return content.length === message.content.length ? message : { ...message, content };
}

// Providers want a user's message first; MemGPT's boot sequence begins with the assistant's.
const beginning = "[The conversation begins.]";

function userText(text: string): Message {
  return { role: "user", content: [{ type: "text", text }] };
}

/**
 * How much is hidden, and the summaries in its place. MemGPT's words, but for the count of messages that are in view: that
 * would change with every message, and with it all that a provider has in its cache from here on.
 */
export function summaryText(summaries: readonly SummaryState[]): string {
  const hidden = summaries.reduce((sum, { messages }) => sum + messages, 0);
  const texts = summaries.map(({ text }) => text).filter((text) => text !== "");
  return (
    `Note: prior messages (${hidden}) have been hidden from view due to conversation memory constraints.\n` +
    `The following is a summary of the previous ${hidden} messages:\n ${texts.join("\n")}`
  );
}

function systemPrompt(prompt: string, coreMemory: string): SystemPrompt {
  const at = prompt.indexOf(memoryMarker);
  if (at < 0) return { instructions: prompt, memory: coreMemory };
  // Only the marker is replaced: other braces in a prompt are its own (MemGPT's format_map failed on them).
  const rest = prompt.slice(at + memoryMarker.length);
  return { instructions: prompt.slice(0, at).trimEnd(), memory: `${coreMemory}${rest}` };
}

interface CompiledTexts {
  readonly system: SystemPrompt;
  readonly summary: string | null;
}

function reportTokens(
  state: ContextState,
  { system, summary }: CompiledTexts,
  count: (text: string) => number,
): ContextReport {
  const parts = {
    tools: state.tools.reduce((sum, tool) => sum + count(JSON.stringify(tool)), 0),
    instructions: count(system.instructions),
    coreMemory: count(system.memory),
    summary: summary === null ? 0 : count(summary),
    messages: state.messages.reduce((sum, message) => sum + message.tokens, 0),
  };
  return { ...parts, total: parts.tools + parts.instructions + parts.coreMemory + parts.summary + parts.messages };
}
