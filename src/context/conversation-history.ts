// Cuts the history of a conversation to a maximum of messages and tokens, for use in another prompt, and inserts the question
// into a template.
// Invariant: the newest messages are kept, without a gap, and never more than the limits allow; no more messages are
// read than necessary.
import { form, type OptionsOf, type RecordOf } from "../base/arguments/forms.ts";
import { requireCount } from "../base/arguments/argument-checks.ts";
import { RequestError } from "../base/errors.ts";
import type { FilePart } from "../base/message/file-part.ts";
import type { TextPart } from "../base/message/message.ts";
import type { StoredMessage } from "../store/port/records.ts";

export const historyLimitFields = {
  /** Maximum tokens of the whole history; default 2,000. */
  maxTokens: form.number,
  /** Maximum messages; default 500. */
  messageLimit: form.number,
  /** If `enabled` is true, at most `size` messages are returned, even if `messageLimit` is larger. */
  window: form.options({ enabled: form.flag, size: form.number }, { required: ["enabled", "size"] }),
};

export interface HistoryLimits extends OptionsOf<typeof historyLimitFields> {}

export const rolePrefix = form.options({ user: form.text, assistant: form.text }, { required: ["user", "assistant"] });

export interface RolePrefix extends OptionsOf<typeof rolePrefix.fields, "user" | "assistant"> {}

const historyMessageFields = {
  id: form.id,
  role: form.choice("user", "assistant"),
  /** The visible text. Files are shown as their names in brackets. */
  text: form.text,
  /** The content for a model: the text, and the complete files. */
  content: form.objects<TextPart | FilePart>(),
  /** Tokens of the content as a message, counted for the agent's model. With role prefixes, tokens of the line in `text`. */
  tokens: form.number,
  at: form.moment,
};

export interface HistoryMessage extends RecordOf<typeof historyMessageFields> {}

export const historyFields = {
  /** Oldest first. */
  messages: form.records(historyMessageFields),
  tokens: form.number,
  /** The messages as lines, `Human: …`; null unless role prefixes were given. */
  text: form.nullable(form.text),
  /** The template with the question inserted; null if no question was given. */
  query: form.nullable(form.text),
  /** True if no older message was left out. */
  isComplete: form.flag,
};

export interface ConversationHistory extends RecordOf<typeof historyFields> {}

/** Returns the maximum messages and tokens, with defaults for absent limits. Throws RequestError `input_invalid`. */
export function readLimits(limits: HistoryLimits): { readonly messages: number; readonly tokens: number } {
  const { maxTokens = 2000, messageLimit = 500, window = { enabled: false, size: 1 } } = limits;
  requireCount("maxTokens", maxTokens, 0);
  requireCount("messageLimit", messageLimit, 1);
  requireCount("window.size", window.size, 1);
  return { messages: window.enabled ? Math.min(messageLimit, window.size) : messageLimit, tokens: maxTokens };
}

/** Whether a message has visible text: text that the user or the agent wrote to the other. */
export function hasVisibleText({ role, kind, text }: StoredMessage): boolean {
  return kind === "message" && role !== "tool" && text.trim() !== "";
}

/** Returns a message's content for a model: the visible text, in either protocol, and the files of a user's message. */
export function visibleContent({ role, content, text }: StoredMessage): readonly (TextPart | FilePart)[] {
  const hasFiles = role === "user" && content.some(({ type }) => type === "file");
  if (!hasFiles) return [{ type: "text", text }];
  return content.filter((part) => part.type === "text" || part.type === "file");
}

export function historyLine({ role, text }: Pick<HistoryMessage, "role" | "text">, prefix: RolePrefix): string {
  return `${prefix[role]}: ${text}`;
}

/** The maximum messages and tokens, as `readLimits` returns them. */
interface CutLimits {
  readonly messages: number;
  readonly tokens: number;
}

interface CutHistory<HistoryMessage> {
  /** Oldest first. */
  readonly messages: readonly (HistoryMessage & { readonly tokens: number })[];
  readonly tokens: number;
  /** True if no older message was left out. */
  readonly isComplete: boolean;
}

/** Returns the newest messages within the limits, oldest first. Omits user messages at the end, which are not answered yet. */
export async function cutHistory<HistoryMessage extends { readonly role: "user" | "assistant" }>(
  newestFirst: AsyncIterable<HistoryMessage> | Iterable<HistoryMessage>,
  limits: CutLimits,
  countTokens: (message: HistoryMessage) => number,
): Promise<CutHistory<HistoryMessage>> {
  const kept: (HistoryMessage & { readonly tokens: number })[] = [];
  let tokens = 0;
  for await (const message of newestFirst) {
    // The newest user message without an answer is the question itself, not a part of its history.
    if (kept.length === 0 && message.role === "user") continue;
    const cost = countTokens(message);
    if (kept.length === limits.messages || tokens + cost > limits.tokens) {
      return { messages: kept.reverse(), tokens, isComplete: false };
    }
    kept.push({ ...message, tokens: cost });
    tokens += cost;
  }
  return { messages: kept.reverse(), tokens, isComplete: true };
}

/** The only placeholder that a query template may contain. */
const placeholder = "{{#sys.query#}}";

/** Returns the template with the query. Throws RequestError `input_invalid` if it has another placeholder, or none. */
export function fillQueryTemplate(template: string, query: string): string {
  const found = template.match(/\{\{#[^{}#]*#\}\}/gu) ?? [];
  const other = found.find((one) => one !== placeholder);
  if (other !== undefined || found.length === 0) {
    const got = other ?? "a template without a placeholder";
    throw new RequestError(
      "input_invalid",
      `Expected a query template with ${placeholder} and no other placeholder, got ${got}.`,
    );
  }
  return template.split(placeholder).join(query);
}
