// Everything that the chat's screen shows, as one value.
// Invariant: types and sizes only; `view-state.ts` is what changes it.
import type { Listing } from "../input/completion.ts";
import type { ModelPrice, Usage } from "../../message/message.ts";
import type { Dialog } from "../dialogs/dialog.ts";
import type { InputHistory } from "../input/input-history.ts";
import type { Editor } from "../input/line-editor.ts";
import type { LiveBlock } from "../rows/stream-tail.ts";
import type { ThemeName } from "../rows/theme.ts";
import type { ViewItem } from "./view-item.ts";

export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

/** What the status line says. */
export interface ViewStatus {
  readonly agentName: string;
  readonly model: string;
  readonly conversationId: string;
  readonly window: { readonly tokens: number; readonly limit: number };
  /** What the model calls took since the conversation was opened here. */
  readonly usage: Usage;
  /** Of the model; null when it is not known. */
  readonly price: ModelPrice | null;
}

/** A tool call that has no result yet. */
export interface PendingCall {
  readonly callId: string;
  readonly name: string;
  readonly arguments: string;
}

/** A dialog that is open, and what it is doing or could not do. */
export interface ShownDialog {
  readonly dialog: Dialog<unknown>;
  readonly activity: string | null;
  readonly failure: string | null;
}

export interface ViewState {
  /** Finished, oldest first: drawn once, never again. */
  readonly items: readonly ViewItem[];
  /** The first item that is drawn, and how often all were drawn anew: after a change of width only what fits the screen is. */
  readonly drawing: { readonly from: number; readonly count: number };
  readonly blocks: readonly LiveBlock[];
  /** Part of this step's text is among the items already, so a retry cannot take it back. */
  readonly hasOverflowed: boolean;
  readonly calls: readonly PendingCall[];
  /** What is being done, in a word or two; null when it is the user's turn. */
  readonly activity: string | null;
  /** Says something for a moment in place of the key hints. */
  readonly hint: string | null;
  /** Inputs that wait for the end of the turn. */
  readonly queue: readonly string[];
  /** Stands in place of the prompt and takes the keys. */
  readonly dialog: ShownDialog | null;
  readonly editor: Editor;
  /** Enter begins a new line, and what begins one otherwise sends. */
  readonly isMultiline: boolean;
  readonly history: InputHistory;
  /** The folder that was looked into last, for the names that are offered. */
  readonly listing: Listing | null;
  /** Which of what is offered was chosen with the arrows. */
  readonly chosen: number | null;
  readonly size: ScreenSize;
  readonly theme: ThemeName;
  readonly status: ViewStatus;
  /** The terminal is lent: nothing is drawn until it is back. */
  readonly isAway: boolean;
  /** The last frame before the terminal is given back. */
  readonly hasLeft: boolean;
}

/** Columns that rows may take. The last column stays free: some terminals break the line when it is written. */
export function contentWidth(size: ScreenSize): number {
  return Math.max(10, size.columns - 1);
}

/** Rows that live text may take: half of the screen. */
export function tailBudget(size: ScreenSize): number {
  return Math.max(2, Math.floor(size.rows / 2));
}
