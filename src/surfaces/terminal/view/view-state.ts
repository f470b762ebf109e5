// Applies user actions and agent events to the state of the chat.
// Invariant: pure; `items` only grows at its end, except that Ctrl+T shows or hides the thoughts in it; live text never takes
// more than half of the screen's rows.
import type { AgentEvent } from "../../../agent/events.ts";
import { noTurn } from "../../../agent/fold-turn.ts";
import { modeHints, nextMode } from "../approval-mode.ts";
import type { ShownDialog, ViewState, ViewStatus } from "./chat-view.ts";
import type { Listing } from "../input/completion.ts";
import { type InputHistory, historyOf } from "../input/input-history.ts";
import { type Editor, emptyEditor } from "../input/line-editor.ts";
import type { Vim } from "../input/vim-keys.ts";
import { reduceEvent, withItems } from "./reduce-event.ts";
import type { ScreenSize } from "../screen/screen-size.ts";
import type { ViewItem } from "./view-item.ts";
import { startedProgress } from "./work-progress.ts";

export type ViewAction =
  /** Events of the turn. `atMs`: the time of their arrival by the chat's clock, in milliseconds. */
  | { readonly type: "events"; readonly events: readonly AgentEvent[]; readonly atMs?: number }
  | { readonly type: "show"; readonly items: readonly ViewItem[] }
  | { readonly type: "begin"; readonly activity: string; readonly atMs?: number }
  | ({ readonly type: "finish" } & Pick<ViewStatus, "window" | "waitsForApproval">)
  | { readonly type: "edit"; readonly editor: Editor; readonly history?: InputHistory; readonly vim?: Vim }
  /** Changes fields of the state, and nothing else. */
  | { readonly type: "set"; readonly change: ViewChange }
  | { readonly type: "listing"; readonly listing: Listing }
  | { readonly type: "dialog"; readonly dialog: ShownDialog | null }
  | { readonly type: "approval-mode" }
  | { readonly type: "thoughts" }
  | { readonly type: "open"; readonly status: ViewStatus; readonly history: readonly string[] }
  /** Draws everything again at this size, after a change of size or after another program had the terminal. */
  | { readonly type: "redraw"; readonly size: ScreenSize };

/** The fields that the action `set` can change. A new theme applies only to what is drawn afterwards. */
export type ViewChange = Partial<
  Pick<
    ViewState,
    "statusLine" | "chosen" | "offers" | "hint" | "queue" | "isMultiline" | "hasBell" | "theme" | "isAway" | "hasLeft"
  >
>;

/** Returns the state of a newly opened chat, with defaults for what is absent. */
export function openingState(opening: Pick<ViewState, "status" | "size"> & Partial<ViewState>): ViewState {
  return {
    items: [],
    redraws: 0,
    blocks: [],
    hasOverflowed: false,
    turn: noTurn,
    activity: null,
    progress: null,
    endedTurns: 0,
    hasBell: false,
    hasThoughts: false,
    hint: null,
    queue: [],
    dialog: null,
    editor: emptyEditor,
    vim: null,
    isMultiline: false,
    history: historyOf([]),
    listing: null,
    offers: [],
    chosen: null,
    command: "palimpsest",
    theme: "none",
    approvalMode: "ask",
    statusLine: null,
    isAway: false,
    lentAt: 0,
    hasLeft: false,
    ...opening,
  };
}

type Reducers = {
  readonly [Type in ViewAction["type"]]: (state: ViewState, action: Extract<ViewAction, { type: Type }>) => ViewState;
};

const reducers: Reducers = {
  events: (state, { events, atMs }) => events.reduce((current, event) => reduceEvent(current, event, atMs), state),
  show: (state, { items }) => withItems(state, items),
  begin: (state, { activity, atMs }) => ({
    ...state,
    activity,
    progress: atMs === undefined ? null : startedProgress(atMs),
    hint: null,
  }),
  finish: (state, { window, waitsForApproval }) => ({
    ...state,
    activity: null,
    progress: null,
    status: { ...state.status, window, waitsForApproval },
  }),
  edit: (state, { editor, history, vim }) => ({
    ...state,
    editor,
    vim: vim ?? state.vim,
    history: history ?? state.history,
    chosen: null,
    hint: null,
  }),
  set: (state, { change }) => ({ ...state, ...change, lentAt: change.isAway ? state.items.length : state.lentAt }),
  listing: (state, { listing }) => ({
    ...state,
    listing,
    chosen: listing.folder === state.listing?.folder ? state.chosen : null,
  }),
  dialog: (state, { dialog }) => ({ ...state, dialog, hint: null }),
  "approval-mode": (state) => {
    const approvalMode = nextMode(state.approvalMode);
    return { ...state, approvalMode, hint: modeHints[approvalMode] };
  },
  thoughts: (state) => withThoughts(state, !state.hasThoughts),
  open: (state, { status, history }) => ({
    ...state,
    status,
    history: historyOf(history, state.history.unsent),
    approvalMode: status.conversationId === state.status.conversationId ? state.approvalMode : "ask",
  }),
  redraw: (state, { size }) => ({ ...state, size, redraws: state.redraws + 1 }),
};

/** Returns the state after an action. */
export function reduceView(state: ViewState, action: ViewAction): ViewState {
  const reduce = reducers[action.type] as (state: ViewState, action: ViewAction) => ViewState;
  return reduce(state, action);
}

function withThoughts(state: ViewState, hasThoughts: boolean): ViewState {
  return {
    ...state,
    hasThoughts,
    items: state.items.map((item) => (item.kind === "thought" ? { ...item, isShown: hasThoughts } : item)),
    blocks: state.blocks.map((block) => (block.kind === "thought" ? { ...block, isShown: hasThoughts } : block)),
    hint: hasThoughts ? "Thoughts are shown. Ctrl+T hides them." : "Thoughts are hidden. Ctrl+T shows them.",
  };
}
