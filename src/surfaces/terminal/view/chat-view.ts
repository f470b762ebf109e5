// Defines the state of the chat's screen.
// Invariant: only types, and functions of the screen's size; `view-state.ts` changes the state.
import type { ApprovalMode } from "../approval-mode.ts";
import type { Listing, ServerOffer } from "../input/completion.ts";
import type { TurnState } from "../../../agent/fold-turn.ts";
import type { ModelPrice, Usage } from "../../../base/message/message.ts";
import type { Dialog } from "../dialogs/dialog.ts";
import type { InputHistory } from "../input/input-history.ts";
import type { Editor } from "../input/line-editor.ts";
import type { Vim } from "../input/vim-keys.ts";
import type { LiveBlock } from "../rows/stream-tail.ts";
import type { ThemeName } from "../rows/theme.ts";
import type { ScreenSize } from "../screen/screen-size.ts";
import type { ViewItem } from "./view-item.ts";
import type { WorkProgress } from "./work-progress.ts";

/** The content of the status line. */
export interface ViewStatus {
  readonly agentName: string;
  readonly model: string;
  readonly conversationId: string;
  readonly window: { readonly tokens: number; readonly limit: number };
  /** The tokens of model calls since the conversation was opened in this chat. */
  readonly usage: Usage;
  /** Null if the price is unknown. */
  readonly price: ModelPrice | null;
  readonly waitsForApproval: boolean;
}

/** An open dialog, with its current work or its last failure. */
export interface ShownDialog {
  readonly dialog: Dialog<unknown>;
  readonly activity: string | null;
  readonly failure: string | null;
}

export interface ViewState {
  /** Finished items, oldest first. Each is drawn once, except for redraws. */
  readonly items: readonly ViewItem[];
  /** Number of requests to redraw the screen. */
  readonly redraws: number;
  readonly blocks: readonly LiveBlock[];
  /** Whether a part of this step's text is already a finished item, so that a retry cannot remove the part. */
  readonly hasOverflowed: boolean;
  /** The running turn, or the last one. */
  readonly turn: TurnState;
  /** The current work, in one or two words; null while the chat waits for the user. */
  readonly activity: string | null;
  readonly progress: WorkProgress | null;
  /** Number of turns that ended in this chat, without those that the user interrupted. */
  readonly endedTurns: number;
  readonly hasBell: boolean;
  /** Whether thoughts are shown; otherwise each takes one row. */
  readonly hasThoughts: boolean;
  /** A text that temporarily replaces the key hints. */
  readonly hint: string | null;
  /** Inputs that wait for the end of the turn. */
  readonly queue: readonly string[];
  /** The dialog that replaces the prompt and receives the keys. */
  readonly dialog: ShownDialog | null;
  readonly editor: Editor;
  /** The state of vim's keys; null if the prompt has the usual keys. */
  readonly vim: Vim | null;
  /** Whether Enter inserts a new line, and Alt+Enter sends. */
  readonly isMultiline: boolean;
  readonly history: InputHistory;
  readonly listing: Listing | null;
  readonly offers: readonly ServerOffer[];
  /** The index of the suggestion selected with the arrow keys. */
  readonly chosen: number | null;
  /** The command that starts Palimpsest, for hints: `palimpsest`, `npm start --`. */
  readonly command: string;
  readonly size: ScreenSize;
  readonly theme: ThemeName;
  readonly approvalMode: ApprovalMode;
  readonly status: ViewStatus;
  /** The text of the status line that the user has configured; null for the usual line. */
  readonly statusLine: string | null;
  /** Whether another program has the terminal: the chat draws nothing meanwhile. */
  readonly isAway: boolean;
  /** The number of items when another program last got the terminal; 0 before. */
  readonly lentAt: number;
  /** Whether the user has left: the next frame is the last. */
  readonly hasLeft: boolean;
}

/** Returns the maximum width of rows. The last column stays free: some terminals wrap a line that fills it. */
export function contentWidth(size: ScreenSize): number {
  return Math.max(10, size.columns - 1);
}

/** Returns the maximum number of rows of live text: half of the screen. */
export function tailBudget(size: ScreenSize): number {
  return Math.max(2, Math.floor(size.rows / 2));
}
