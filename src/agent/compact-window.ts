// Takes older messages out of the window and puts a summary in their place.
// Invariant: the compaction is committed before the window changes; when no summary can be had, the messages go without one.
import { planCompaction } from "../context/plan-compaction.ts";
import { summarize } from "../context/summarize.ts";
import { ModelError } from "../errors.ts";
import type { StoredMessage } from "../memory/records.ts";
import type { CompactionResult } from "./agent.ts";
import { type AgentParts, windowTokens } from "./turn.ts";

export interface CompactionOutcome {
  readonly result: CompactionResult;
  /** Why there is no summary; null when there is one. */
  readonly failure: string | null;
}

export interface CompactionWish {
  readonly keepLast: number;
  readonly turnId: string | null;
}

type Parts = AgentParts & { readonly signal?: AbortSignal };

/** Null, with nothing changed, when there are too few messages to take out. */
export async function compactWindow(parts: Parts, wish: CompactionWish): Promise<CompactionOutcome | null> {
  const { session, pressure, summarizer } = parts;
  const plan = planCompaction(session.messages, wish);
  if (plan === null) return null;
  const { text, failure } = await summaryOf(parts, plan.evicted);
  const tokensBefore = sumTokens(session.messages);
  const tokensAfter = sumTokens(plan.kept) + parts.countTokens(text);
  const messages = plan.evicted.length + session.summaries.reduce((sum, summary) => sum + summary.messages, 0);
  const throughId = (plan.evicted.at(-1) as StoredMessage).id;
  const model = failure === null ? summarizer.name : null;
  await session.commitCompaction({ summary: text, throughId, messages, tokensBefore, tokensAfter, model });
  pressure.reset();
  return { result: { messages: plan.evicted.length, tokensBefore, tokensAfter, summary: text }, failure };
}

const noSummary = "(No summary could be made. Search these messages with conversation_search.)";

async function summaryOf(
  parts: Parts,
  evicted: readonly StoredMessage[],
): Promise<{ readonly text: string; readonly failure: string | null }> {
  const { session, summarizer, signal } = parts;
  const previous = session.summaries.at(-1)?.text ?? null;
  const window = Math.min(windowTokens(parts), summarizer.contextWindow);
  try {
    const text = await summarize({
      model: summarizer,
      messages: evicted,
      previous,
      maxOutputTokens: Math.min(1000, Math.floor(window / 8)),
      batchTokens: Math.floor(window / 2),
      ...(signal === undefined ? {} : { signal }),
    });
    if (text !== "") return { text, failure: null };
    return { text: previous ?? noSummary, failure: "the model answered with nothing" };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return { text: previous ?? noSummary, failure: error.message };
  }
}

function sumTokens(messages: readonly StoredMessage[]): number {
  return messages.reduce((sum, message) => sum + message.tokens, 0);
}
