// Applies the events of a turn to the state of the screen.
// Invariant: pure; text that a retry invalidates is removed or marked as invalid.
import type { AgentEvent, AgentEventType, EventOf } from "../../../agent/events.ts";
import { foldTurn, runningCalls, type TurnCall, type TurnState } from "../../../agent/fold-turn.ts";
import { fileLabel } from "../../../base/message/file-part.ts";
import { addUsage } from "../../../base/message/message.ts";
import { surfaceText } from "../../surface-words.ts";
import { adviceFor, stopNotice } from "../advice.ts";
import { appendReply, appendThought, type LiveBlock, settleBlocks, settleFinished } from "../rows/stream-tail.ts";
import { contentWidth, tailBudget, type ViewState } from "./chat-view.ts";
import { approvalItem, compactionItem, notice, revertedItems } from "./notices.ts";
import type { ViewItem } from "./view-item.ts";
import { progressAfter } from "./work-progress.ts";

/** Facts about the arrival of an event. The state already contains the turn after the event. */
interface Arrival {
  readonly atMs: number | undefined;
  /** The turn before the event. */
  readonly before: TurnState;
  /** The sentence to show if a retry has made finished text invalid; otherwise "". */
  readonly voided: string;
}

type ReduceEvent<Type extends AgentEventType> = (state: ViewState, event: EventOf<Type>, arrival: Arrival) => ViewState;

/** Tools whose calls are not shown, because their effect is shown as text. */
const spoken = new Set(["send_message"]);
/** Results that are not shown, because they only say that the call succeeded. */
const silent = new Set(["None", "", "OK"]);

function editsCore(tool: string): boolean {
  return tool.startsWith("core_memory_") || tool.startsWith("scratchpad_");
}

/** Returns an edit's result without the state of the module, because the edit itself is shown below the result. */
function withoutReport(text: string): string {
  const start = text.search(/^"[\w-]+" (?:is empty now\.$|now has \d)/m);
  return start < 0 ? text : text.slice(0, start);
}

const eventReducers: { readonly [Type in AgentEventType]: ReduceEvent<Type> } = {
  "turn-queued": (state, { holder }) => ({ ...state, activity: `waiting for ${holder ?? "earlier messages"}` }),
  "turn-start": (state) => ({ ...state, activity: "thinking" }),
  "step-start": (state, { window }) => ({
    ...state,
    activity: "thinking",
    hasOverflowed: false,
    status: { ...state.status, window },
  }),
  "text-delta": (state, { text }) => ({ ...withBlocks(state, appendReply(state.blocks, text)), activity: "replying" }),
  "thought-delta": (state, { text }, { atMs }) => {
    const heardMs = state.progress?.heardMs ?? null;
    const milliseconds = heardMs === null || atMs === undefined ? 0 : Math.max(0, atMs - heardMs);
    const thought = { text, milliseconds, isShown: state.hasThoughts };
    return { ...withBlocks(state, appendThought(state.blocks, thought)), activity: "thinking" };
  },
  "tool-call": (state, { name }) => ({
    ...settled(state),
    activity: spoken.has(name) ? "replying" : `running ${name}`,
  }),
  "tool-result": (state, { callId, name, status, text: returned, files = [] }, { before }) => {
    const text = [returned, ...files.map(fileLabel)].join("\n");
    const call = runningCalls(before).find((candidate) => candidate.callId === callId);
    const rest: ViewState = { ...settled(state), activity: "thinking" };
    if (spoken.has(name) && status === "ok") return rest;
    const result = status === "ok" && editsCore(name) ? withoutReport(text) : text;
    const isSilent = status === "ok" && silent.has(result.trim());
    return withItems(rest, [
      ...(call === undefined ? [] : [callItem(call)]),
      ...(isSilent ? [] : [{ kind: "tool-result", status, text: result } as const]),
    ]);
  },
  "approval-requested": (state, { name, arguments: asked, preview, expiresAt }) => {
    const until = expiresAt === null ? null : new Date(expiresAt);
    return withItems(settled(state), [approvalItem({ toolName: name, arguments: asked, preview, expiresAt: until })]);
  },
  "result-requested": (state, { name, arguments: asked }) =>
    withItems(settled(state), [
      notice(
        "warning",
        `${name} waits for its result from the program that offered it: ${asked}`,
        "Your next message supersedes the call.",
      ),
    ]),
  "memory-edit": (state, { label, before, after, limit }) => {
    const isFirst = !state.items.some(({ kind }) => kind === "memory-edit");
    const hint = isFirst ? { hint: `/undo ${label} undoes it` } : {};
    return withItems(settled(state), [{ kind: "memory-edit", label, before, after, limit, ...hint }]);
  },
  "memory-revert": (state, reverted) => withItems(settled(state), revertedItems(reverted, [])),
  compaction: (state, { messages, tokensBefore, tokensAfter, summary }) =>
    withItems(settled(state), [compactionItem({ messages, tokensBefore, tokensAfter, summary })]),
  warning: (state, { message }) => withItems(settled(state), [notice("warning", message)]),
  retry: (state, { attempt, delayMs, reason }, { voided }) => {
    const wait = delayMs >= 1000 ? ` in ${Math.round(delayMs / 1000)} s` : "";
    // The retries of a step usually have the same reason, which is shown once.
    const isSaid = state.items.slice(-attempt).some((item) => item.kind === "notice" && item.text.includes(reason));
    const text = `Retrying${wait} (attempt ${attempt})${isSaid ? "" : `: ${reason}`}.${voided}`.replace("..", ".");
    return withItems({ ...state, activity: "waiting to retry" }, [notice("warning", text)]);
  },
  "step-end": (state, { usage }) => {
    const { status } = state;
    return { ...settled(state), status: { ...status, usage: addUsage(status.usage, usage) } };
  },
  "turn-end": (state, { stopReason, steps, error }, { before, voided }) => {
    const calls = runningCalls(before)
      .filter(({ name }) => !spoken.has(name))
      .map(callItem);
    const isCounted = stopReason !== "interrupted";
    const endedTurns = state.endedTurns + (isCounted ? 1 : 0);
    const ended: ViewState = { ...withItems(settled(state), calls), activity: null, endedTurns };
    const stopped =
      error === undefined
        ? stopNotice(stopReason, steps)
        : notice("failure", `${error.message}${voided}`, adviceFor(error.code));
    return stopped === null ? ended : withItems(ended, [stopped]);
  },
};

/** Returns the state after an event of a turn. The progress is updated only if the time of the event is known. */
export function reduceEvent(state: ViewState, event: AgentEvent, atMs?: number): ViewState {
  const { turn, voided } = foldTurn(state.turn, event);
  const note = voided !== null && state.hasOverflowed ? " Ignore the text of this step above." : "";
  const counting = voided === null ? state : { ...state, blocks: [], hasOverflowed: false };
  const reduce = eventReducers[event.type] as ReduceEvent<AgentEventType>;
  const reduced = reduce({ ...counting, turn }, event, { atMs, before: state.turn, voided: note });
  const { progress } = reduced;
  return progress === null || atMs === undefined
    ? reduced
    : { ...reduced, progress: progressAfter(progress, event, { turn, nowMs: atMs }) };
}

function withBlocks(state: ViewState, appended: readonly LiveBlock[]): ViewState {
  const { settled: overflow, blocks } = settleFinished(appended, {
    width: contentWidth(state.size),
    budget: tailBudget(state.size),
  });
  return { ...withItems(state, overflow), blocks, hasOverflowed: state.hasOverflowed || overflow.length > 0 };
}

function settled(state: ViewState): ViewState {
  return { ...withItems(state, settleBlocks(state.blocks)), blocks: [] };
}

function callItem(call: TurnCall): ViewItem {
  return { kind: "tool-call", name: call.name, arguments: call.arguments };
}

/**
 * Returns the state with finished items appended. In notices, names of the library are replaced by those of the chat, and the
 * name `palimpsest` by the command that started Palimpsest.
 */
export function withItems(state: ViewState, items: readonly ViewItem[]): ViewState {
  if (items.length === 0) return state;
  return { ...state, items: [...state.items, ...items.map((item) => named(item, state.command))] };
}

function named(item: ViewItem, command: string): ViewItem {
  if (item.kind !== "notice") return item;
  const text = surfaceText(item.text, "chat", command);
  if (item.advice === undefined) return { ...item, text };
  return { ...item, text, advice: surfaceText(item.advice, "chat", command) };
}
