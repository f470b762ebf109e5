// The notice about a compaction, automatic or requested.
import { countLabel, shrinkLabel } from "../rows/labels.ts";
import type { ViewItem } from "./view-item.ts";

const maxSummaryLength = 300;

export interface CompactionFigures {
  readonly messages: number;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly summary: string;
}

/** Returns the figures, with the beginning of the summary below. */
export function compactionItem({ messages, tokensBefore, tokensAfter, summary }: CompactionFigures): ViewItem {
  const text = `Compacted ${countLabel(messages, "message")}: ${shrinkLabel(tokensBefore, tokensAfter)}. They stay in recall.`;
  const advice = summary.length > maxSummaryLength ? `${summary.slice(0, maxSummaryLength)}…` : summary;
  return advice === "" ? { kind: "notice", level: "note", text } : { kind: "notice", level: "note", text, advice };
}
