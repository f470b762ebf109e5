// Compacts the window by the agent's strategy. For the strategy `ring`, also merges the oldest summaries of the ring (its
// entries) when they are too many or too long.
// Invariant: the compaction is committed before the window changes; if the summarizer fails, the messages leave the window
// without a summary. A merge summarizes the original messages as far as they fit. If it cannot read all messages of an
// entry, it uses the entry's text.
import {
  type CompactionNeed,
  evictionRules,
  type MergePlan,
  planCompaction,
  planMerge,
  type RingEntry,
} from "../../context/compaction/plan-compaction.ts";
import { missingSummary } from "../../context/compaction/summary-text.ts";
import type { NewCompaction } from "../../store/port/compaction-store.ts";
import type { StoredMessage } from "../../store/port/records.ts";
import { trustOfSummary } from "../../memory/trust.ts";
import type { CompactionResult } from "../agent-results.ts";
import {
  type CompactionWarning,
  knownModules,
  noModelCall,
  summarizerBatch,
  type SummaryDeps,
  summaryRoom,
  type SummaryRow,
  writeSummary,
  summaryShare,
} from "./summary-row.ts";
import { agentLimits, messageSizes } from "../turn.ts";
import { appendAll } from "../../base/lists.ts";
import { sumOf } from "../../context/window/window-turns.ts";
import { takeTokens } from "../../context/cut-text.ts";

export interface CompactionOutcome {
  readonly result: CompactionResult;
  readonly warnings: readonly CompactionWarning[];
}

export interface CompactionRequest {
  /** The number of newest messages to keep; fewer are kept if evicting the older ones frees too few tokens. */
  readonly keepLast: number;
  readonly turnId: string | null;
  readonly need: CompactionNeed;
  /** The topic that the summary keeps above all, in the user's words. */
  readonly focus?: string;
}

/**
 * Compacts the window, and returns the result and its warnings. Returns null, with nothing changed, for too few messages.
 * Throws the signal's reason, with nothing changed, if the signal is aborted while the summarizer works.
 */
export async function compactWindow(deps: SummaryDeps, request: CompactionRequest): Promise<CompactionOutcome | null> {
  const { session, window, agent } = deps;
  await deps.models.summarizer.prepare?.(deps.signal);
  const { messages } = session;
  const tokensOf = messageSizes(deps);
  const rules = evictionRules(agent.settings, withRoom(deps, request.need), messages.length);
  const batchTokens = agent.settings.compaction === "truncate" ? Infinity : summarizerBatch(deps);
  const planKeeping = (keepLast: number) =>
    planCompaction(messages, { ...request, keepLast, ...rules, batchTokens, tokensOf });
  const first = planKeeping(request.keepLast);
  if (first === null) return null;
  // If evicting these messages frees too few tokens, everything that can be evicted is summarized at once. This saves a
  // second call of the summarizer.
  const isEnough = sumOf(first.evicted.map(tokensOf)) >= request.need.excess;
  const plan = isEnough ? first : (planKeeping(0) ?? first);
  const { compaction, warnings } = await makeCompaction(deps, plan.evicted, request.focus ?? null);
  const merged = await mergeEntries(deps, compaction);
  const made = merged === null ? [compaction] : [compaction, merged.compaction];
  await session.commitCompactions(
    made.map((row) => inReportedTokens(deps, row)),
    deps.tools.describe(),
  );
  window.pressure.reset();
  const { id, strategy, summary } = compaction;
  const { tokensBefore } = inReportedTokens(deps, compaction);
  const { tokensAfter } = inReportedTokens(deps, made.at(-1) ?? compaction);
  const all = merged === null ? warnings : [...warnings, ...merged.warnings];
  const result = { id, strategy, messages: plan.evicted.length, tokensBefore, tokensAfter, summary };
  return { result: { ...result, warnings: all.map(({ message }) => message) }, warnings: all };
}

/** Room for the state entry that follows a compaction: maximum counted tokens, and maximum share of the window. */
const entryTokens = 200;
const entryShare = 1 / 32;

/** Raises the tokens to evict by those that the summary, and the state entry after it, will add to the window. */
function withRoom(deps: SummaryDeps, { cause, excess }: CompactionNeed): CompactionNeed {
  const { compaction } = deps.agent.settings;
  if (excess === 0) return { cause, excess };
  const entry = Math.min(entryTokens, Math.floor(agentLimits(deps).window * entryShare));
  const summary = compaction === "truncate" ? 0 : summaryRoom(deps, compaction === "ring" ? "entry" : "whole");
  return { cause, excess: excess + entry + summary };
}

/** Converts the tokens of a compaction to reported tokens, the unit in which users and programs see window sizes. */
function inReportedTokens({ window: { calibration } }: SummaryDeps, row: NewCompaction): NewCompaction {
  const { reported } = calibration.scale;
  return { ...row, tokensBefore: reported(row.tokensBefore), tokensAfter: reported(row.tokensAfter) };
}

async function makeCompaction(
  deps: SummaryDeps,
  evicted: readonly StoredMessage[],
  focus: string | null,
): Promise<SummaryRow> {
  const { session, agent } = deps;
  const strategy = agent.settings.compaction;
  // A ring entry covers only the evicted messages; other summaries also cover everything before them.
  const isEntry = strategy === "ring";
  const before = isEntry ? [] : session.compactions;
  const range = {
    strategy,
    focus,
    fromPosition: isEntry ? session.cut + 1 : 1,
    throughPosition: session.cut + evicted.length,
    throughId: (evicted.at(-1) as StoredMessage).id,
    threadMessages: session.cut + session.messages.length,
    rangeTokens: sumOf(evicted.map(({ tokens }) => tokens)) + sumOf(before.map(({ rangeTokens }) => rangeTokens)),
  };
  const completeRow = (written: Pick<NewCompaction, "summary" | "model" | "usage" | "dollars">): NewCompaction => {
    const trust = trustOfSummary(written.summary, [...before, ...evicted, ...knownModules(deps)]);
    const row = { id: deps.ids.next(), ...range, ...written, trust, tokensBefore: 0, tokensAfter: 0 };
    return withTokens(deps, row, evicted);
  };
  if (strategy === "truncate") return { compaction: completeRow({ summary: "", ...noModelCall }), warnings: [] };
  const previous = before.map(({ summary }) => summary).filter((text) => text !== "");
  const { written, warnings } = await writeSummary(deps, {
    messages: evicted,
    previous: previous.length === 0 ? null : previous.join("\n"),
    focus,
    kind: isEntry ? "entry" : "whole",
    fallback: previous.length === 0 ? "" : withMissing(previous.join("\n")),
  });
  return { compaction: completeRow(written), warnings };
}

/** Returns a summary with the note that later messages are not in it. The note is added only once. */
function withMissing(summary: string): string {
  return summary.endsWith(missingSummary) ? summary : `${summary}\n${missingSummary}`;
}

/** Fills in the counted tokens of summaries and messages in the window, before and after the compaction. */
function withTokens(deps: SummaryDeps, row: NewCompaction, evicted: readonly StoredMessage[]): NewCompaction {
  const { session, window } = deps;
  const { countTokens } = window;
  const tokensOf = messageSizes(deps);
  const summaries = session.compactions.map((one) => ({ ...one, tokens: countTokens(one.summary) }));
  const tokensBefore = sumOf([...summaries.map(({ tokens }) => tokens), ...session.messages.map(tokensOf)]);
  const replaced = summaries.filter(({ throughPosition }) => throughPosition >= row.fromPosition);
  const gone = sumOf([...replaced.map(({ tokens }) => tokens), ...evicted.map(tokensOf)]);
  return { ...row, tokensBefore, tokensAfter: tokensBefore - gone + countTokens(row.summary) };
}

type Entry = RingEntry & Pick<NewCompaction, "throughId" | "threadMessages" | "tokensAfter" | "trust">;

/** Returns the merge of ring entries that makes room for the new entry; null if the ring is within its limits. */
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
    rangeTokens: sumOf(merged.map(({ rangeTokens }) => rangeTokens)),
    focus: null,
    ...written,
    trust: trustOfSummary(written.summary, [...merged, ...read.messages, ...knownModules(deps)]),
    tokensBefore,
    tokensAfter: tokensBefore - sumOf(merged.map((entry) => entry.summaryTokens)) + countTokens(written.summary),
  };
  return { compaction, warnings };
}

function textsOf(entries: readonly Entry[]): readonly string[] {
  return entries.map(({ summary }) => summary).filter((text) => text !== "");
}

interface RereadMessages {
  readonly messages: readonly StoredMessage[];
  /** The ring entries whose messages were all found. */
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
