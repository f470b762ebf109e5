// Defines the finished items of a chat, which are drawn in order above the live region.
// Invariant: an item is immutable (Ctrl+T replaces thoughts). The texts of an item are unmodified; control sequences
// are removed when the texts become rows.
import type { Row, Span } from "../rows/row.ts";
import type { LoggedStep, WindowReport } from "../runtime-records.ts";

/** A paragraph of a panel: wrapped spans, indented by `indent` columns plus the width of `lead`. */
export interface Paragraph {
  readonly indent: number;
  readonly lead?: Row;
  readonly spans: readonly Span[];
}

export type ViewItem =
  | { readonly kind: "user"; readonly text: string; readonly isPast?: boolean }
  /** A reply or a part of a reply. `continues`: whether the previous part is directly above. */
  | {
      readonly kind: "reply";
      readonly text: string;
      readonly continues: boolean;
      /** Source to parse before the text, but not to draw: the list, fenced block or table that the part continues. */
      readonly opening?: string;
      readonly isPast?: boolean;
    }
  /** A thought of the model and its duration. It takes one row unless thoughts are shown. */
  | { readonly kind: "thought"; readonly text: string; readonly milliseconds: number; readonly isShown: boolean }
  | { readonly kind: "tool-call"; readonly name: string; readonly arguments: string }
  | { readonly kind: "tool-result"; readonly status: "ok" | "failed"; readonly text: string }
  /** The output of the user's shell command. `problem`: why the command failed, such as `exit code 2`; null on success. */
  | { readonly kind: "shell-output"; readonly text: string; readonly problem: string | null }
  | {
      readonly kind: "memory-edit";
      readonly label: string;
      readonly before: string;
      readonly after: string;
      readonly limit: number | null;
      /** Advice on how to undo the edit, for the first edit of a chat. */
      readonly hint?: string;
    }
  /** The question whether a call runs. `preview`: its effects as text; for an edit of memory, the changed lines. */
  | {
      readonly kind: "approval";
      readonly toolName: string;
      readonly arguments: string;
      readonly preview: string | null;
      readonly expiresAt: Date | null;
    }
  | { readonly kind: "notice"; readonly level: NoticeLevel; readonly text: string; readonly advice?: string }
  /** The report of the window. `steps`: the last model calls, newest first. */
  | { readonly kind: "window"; readonly report: WindowReport; readonly steps: readonly LoggedStep[] }
  /** The output of a command. Paragraphs start on new rows; `isCut` cuts them at the width instead of wrapping. */
  | { readonly kind: "panel"; readonly paragraphs: readonly Paragraph[]; readonly isCut?: boolean };

export type NoticeLevel = "note" | "warning" | "failure";
export type ViewItemKind = ViewItem["kind"];
