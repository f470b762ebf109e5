// Merges the oldest entries of a ring into one when the entries are too many or too long.
// Invariant: messages are read again as far as they fit; an entry's text is merged if its messages cannot all be read.
import { appendAll } from "../../base/append-all.ts";
import { takeTokens } from "../../context/cut-text.ts";
import { type MergePlan, planMerge, type RingEntry } from "../../context/compaction/plan-merge.ts";
import type { NewCompaction } from "../../store/port/compaction-store.ts";
import type { StoredMessage } from "../../store/port/records.ts";
import { trustOfSummary } from "../../memory/trust.ts";
import {
  knownModules,
  summarizerBatch,
  type SummaryDeps,
  type SummaryRow,
  summaryShare,
  writeSummary,
} from "./summary-row.ts";

type Entry = RingEntry & Pick<NewCompaction, "throughId" | "threadMessages" | "tokensAfter" | "trust">;

/**
 * Returns the merge that a compaction requires, before either is committed; null if the ring has room for the new
 * entry.
 */
export async function mergeEntries(deps: SummaryDeps, added: NewCompaction): Promise<SummaryRow | null> {
  const { session, agent, window } = deps;
  if (added.strategy !== "ring") return null;
  const entries: readonly Entry[] = [...session.compactions, added].map((entry) => ({
    ...entry,
    summaryTokens: window.countTokens(entry.summary),
  }));
  const maxTokens = summaryShare(deps);
  const rules = { maxEntries: agent.settings.ringEntries, maxTokens, batchTokens: summarizerBatch(deps, maxTokens) };
  const plan = planMerge(entries, rules);
  return plan === null ? null : merge(deps, plan, added);
}

async function merge(
  deps: SummaryDeps,
  { merged, reread }: MergePlan<Entry>,
  { tokensAfter: tokensBefore, threadMessages }: NewCompaction,
): Promise<SummaryRow> {
  const { ids, window } = deps;
  const { countTokens } = window;
  const first = merged[0] as Entry;
  const last = merged.at(-1) as Entry;
  const read = await rereadMessages(deps, reread);
  const texts = textsOf(merged.filter((entry) => !read.whole.has(entry)));
  const { written, warnings } = await writeSummary(deps, {
    messages: read.messages,
    previous: texts.length === 0 ? null : texts.join("\n"),
    focus: null,
    kind: "merge",
    fallback: takeTokens(textsOf(merged).join("\n"), Math.floor(summaryShare(deps) / 2), countTokens),
  });
  const compaction: NewCompaction = {
    id: ids.next(),
    strategy: "ring",
    fromPosition: first.fromPosition,
    throughPosition: last.throughPosition,
    throughId: last.throughId,
    threadMessages,
    rangeTokens: merged.reduce((sum, { rangeTokens }) => sum + rangeTokens, 0),
    focus: null,
    ...written,
    trust: trustOfSummary(written.summary, [...merged, ...read.messages, ...knownModules(deps)]),
    tokensBefore,
    tokensAfter:
      tokensBefore - merged.reduce((sum, entry) => sum + entry.summaryTokens, 0) + countTokens(written.summary),
  };
  return { compaction, warnings };
}

function textsOf(entries: readonly Entry[]): readonly string[] {
  return entries.map(({ summary }) => summary).filter((text) => text !== "");
}

interface RereadMessages {
  readonly messages: readonly StoredMessage[];
  /** Entries whose messages were all found. */
  readonly whole: ReadonlySet<Entry>;
}

/** Reads the messages of these entries, except those that retention has deleted. */
async function rereadMessages(
  { store, conversationId }: SummaryDeps,
  reread: readonly Entry[],
): Promise<RereadMessages> {
  const whole = new Set<Entry>();
  const messages: StoredMessage[] = [];
  for (const entry of reread) {
    const found = await store.compactions.messages(conversationId, entry);
    appendAll(messages, found);
    if (found.length === entry.throughPosition - entry.fromPosition + 1) whole.add(entry);
  }
  return { messages, whole };
}
