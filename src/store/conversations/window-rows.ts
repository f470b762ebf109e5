// Converts the window of a conversation from a row to a record.
import type { MemorySnapshot, ThreadRecord } from "../port/records.ts";
import { compactionOfRow, type CompactionRow } from "./compaction-rows.ts";
import { type MessageRow, messageOfRow } from "./message-rows.ts";

/** The `windowColumns` of a conversation. */
export interface WindowRow {
  readonly window_version: number;
  readonly memory_snapshot: MemorySnapshot | null;
  readonly compactions: readonly CompactionRow[];
  readonly messages: readonly MessageRow[];
}

export function threadOfRow(row: WindowRow): ThreadRecord {
  return {
    messages: row.messages.map(messageOfRow),
    compactions: row.compactions.map(compactionOfRow),
    windowVersion: row.window_version,
    snapshot: row.memory_snapshot,
  };
}
