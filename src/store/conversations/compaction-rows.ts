// Converts compactions between rows and records.
import { storableJson, storableText } from "../../base/code-points.ts";
import type { NewCompaction } from "../port/compaction-store.ts";
import type { CompactionRecord } from "../port/records.ts";
import { timeOf } from "../stored-times.ts";

export interface CompactionRow {
  readonly id: string;
  readonly window_version: number;
  readonly strategy: CompactionRecord["strategy"];
  readonly from_position: number;
  readonly through_id: string;
  readonly through_position: number;
  readonly summary: string;
  readonly thread_messages: number;
  readonly range_tokens: number;
  readonly tokens_before: number;
  readonly tokens_after: number;
  readonly model: string | null;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cached_input_tokens: number;
  readonly dollars: number | null;
  readonly focus: string | null;
  readonly trust: CompactionRecord["trust"];
  readonly undone_at: string | null;
  readonly created_at: string;
}

/** Returns a row as a compaction. */
export function compactionOfRow(row: CompactionRow): CompactionRecord {
  return {
    id: row.id,
    strategy: row.strategy,
    fromPosition: row.from_position,
    throughPosition: row.through_position,
    throughId: row.through_id,
    summary: row.summary,
    threadMessages: row.thread_messages,
    rangeTokens: row.range_tokens,
    tokensBefore: row.tokens_before,
    tokensAfter: row.tokens_after,
    model: row.model,
    usage: {
      inputTokens: row.input_tokens,
      outputTokens: row.output_tokens,
      cachedInputTokens: row.cached_input_tokens,
    },
    dollars: row.dollars,
    focus: row.focus,
    trust: row.trust,
    undoneAt: row.undone_at === null ? null : timeOf(row.undone_at),
    at: timeOf(row.created_at),
  };
}

/** Returns compactions in the form that `addCompactions` takes. */
export function compactionsAsJson(compactions: readonly NewCompaction[]): string {
  return storableJson(
    compactions.map((compaction) => ({
      id: compaction.id,
      strategy: compaction.strategy,
      from_position: compaction.fromPosition,
      through_id: compaction.throughId,
      through_position: compaction.throughPosition,
      summary: storableText(compaction.summary),
      thread_messages: compaction.threadMessages,
      range_tokens: compaction.rangeTokens,
      tokens_before: compaction.tokensBefore,
      tokens_after: compaction.tokensAfter,
      model: compaction.model,
      input_tokens: compaction.usage.inputTokens,
      output_tokens: compaction.usage.outputTokens,
      cached_input_tokens: compaction.usage.cachedInputTokens,
      dollars: compaction.dollars,
      focus: compaction.focus === null ? null : storableText(compaction.focus),
      trust: compaction.trust,
    })),
  );
}
