// The finished things of a chat, in the order in which they happened. Each is drawn once, above the live region.
// Invariant: an item is a value and never changes; texts are as they came, and are made safe when they become rows.
import type { Row, Span } from "../rows/row.ts";
import type { LoggedStep, WindowReport } from "../runtime-records.ts";

/** A paragraph of a panel: spans that wrap together, set in by `indent` columns and, after it, the width of `lead`. */
export interface Paragraph {
  readonly indent: number;
  readonly lead?: Row;
  readonly spans: readonly Span[];
}

export type ViewItem =
  | { readonly kind: "user"; readonly text: string; readonly isPast?: boolean }
  /** A reply or a part of one: `continues` when the part before stands directly above. */
  | {
      readonly kind: "reply";
      readonly text: string;
      readonly continues: boolean;
      /** Source in front of the text that is not drawn: the list, fenced block or table that the part goes on with. */
      readonly opening?: string;
      readonly isPast?: boolean;
    }
  | { readonly kind: "thought"; readonly text: string; readonly continues: boolean }
  | { readonly kind: "tool-call"; readonly name: string; readonly arguments: string }
  | { readonly kind: "tool-result"; readonly status: "ok" | "failed"; readonly text: string }
  | {
      readonly kind: "memory-edit";
      readonly label: string;
      readonly before: string;
      readonly after: string;
      readonly limit: number | null;
    }
  | { readonly kind: "notice"; readonly level: NoticeLevel; readonly text: string; readonly advice?: string }
  /** What stands in the window; the calls newest first. */
  | { readonly kind: "window"; readonly report: WindowReport; readonly steps: readonly LoggedStep[] }
  /** What a command shows; each paragraph on rows of its own, cut to the width when `isCut`. */
  | { readonly kind: "panel"; readonly paragraphs: readonly Paragraph[]; readonly isCut?: boolean };

export type NoticeLevel = "note" | "warning" | "failure";
export type ViewItemKind = ViewItem["kind"];
