// Sends a turn's events to the screen in batches.
// Invariant: all events arrive, in order, in at most 25 batches per second; streamed text contains no control sequences.
import type { AgentEvent, StopReason } from "../../agent/events.ts";
import { RequestError } from "../../base/errors.ts";
import type { Clock } from "../../base/clock.ts";
import { createControlStripper } from "../../base/terminal-text.ts";
import { type ApprovalMode, approves, modeLabels } from "./approval-mode.ts";
import type { ChatStore } from "./chat-store.ts";
import type { BeginTurn } from "./commands/command.ts";
import type { Agent } from "./runtime-records.ts";
import { approvalItem, notice } from "./view/notices.ts";
import { pastItems, visibleMessages } from "./view/past-items.ts";
import type { ViewItem } from "./view/view-item.ts";

const batchMs = 40;

/** Shows the turn until it ends. Returns its stop reason; null if it has none. Rethrows the turn's errors. */
export async function watchTurn(
  turn: AsyncGenerator<AgentEvent, void>,
  { clock, dispatch }: Pick<ChatStore, "dispatch"> & { readonly clock: Clock },
): Promise<StopReason | null> {
  let pending: AgentEvent[] = [];
  let isScheduled = false;
  let stopReason: StopReason | null = null;
  const strip = createEventStripper();
  const flush = (): void => {
    isScheduled = false;
    if (pending.length > 0) dispatch({ type: "events", events: pending, atMs: clock.now().getTime() });
    pending = [];
  };
  try {
    for await (const event of turn) {
      if (event.type === "turn-end") stopReason = event.stopReason;
      addEvent(pending, strip(event));
      if (isScheduled) continue;
      isScheduled = true;
      void clock.sleep(batchMs).then(flush);
    }
  } finally {
    flush();
  }
  return stopReason;
}

// Consecutive deltas are merged, because the screen shows them together.
function addEvent(events: AgentEvent[], event: AgentEvent): void {
  const last = events.at(-1);
  const isDelta = event.type === "text-delta" || event.type === "thought-delta";
  if (!isDelta || last?.type !== event.type || last.step !== event.step) events.push(event);
  else events[events.length - 1] = { ...event, text: last.text + event.text };
}

// A control sequence may be split between deltas, so each stream of text has a stateful stripper. Other texts are complete
// and are stripped when they become rows.
function createEventStripper(): (event: AgentEvent) => AgentEvent {
  let strippers = { "text-delta": createControlStripper(), "thought-delta": createControlStripper() };
  return (event) => {
    if (event.type === "step-start" || event.type === "retry") {
      strippers = { "text-delta": createControlStripper(), "thought-delta": createControlStripper() };
    }
    if (event.type !== "text-delta" && event.type !== "thought-delta") return event;
    return { ...event, text: strippers[event.type].push(event.text) };
  };
}

/** Returns a function that returns items for the messages that others add after this call, except those of a given turn. */
export function missedSince(agent: Agent): (turnId?: string) => readonly ViewItem[] {
  const known = new Set(agent.messages.map(({ id }) => id));
  return (own) => {
    const missed = visibleMessages(agent.messages).filter(({ id, turnId }) => !known.has(id) && turnId !== own);
    return missed.length === 0 ? [] : [notice("note", "Meanwhile in this conversation:"), ...pastItems(missed)];
  };
}

/**
 * Yields the events. At the start of a turn, or if it is refused, calls `show` with the last messages that other programs
 * have added since the previous turn. Each message is shown once.
 */
export async function* reportingMissed(
  turn: AsyncGenerator<AgentEvent, void>,
  agent: Agent,
  show: (items: readonly ViewItem[]) => void,
): AsyncGenerator<AgentEvent, void> {
  const missed = missedSince(agent);
  try {
    for await (const event of turn) {
      yield event;
      if (event.type === "turn-start") show(missed(event.turnId));
    }
  } catch (error) {
    if (error instanceof RequestError && error.code === "agent_busy") show(missed());
    throw error;
  }
}

/**
 * Approves the waiting call of one turn if the mode of approvals at the end of the turn allows it, and shows a notice.
 * Otherwise the user is asked.
 */
export function approvalByMode(agent: Agent, mode: () => ApprovalMode, show: (items: readonly ViewItem[]) => void) {
  let isHidden = false;
  const isApproved = (name: string): boolean => {
    const tool = agent.describeTools().find((candidate) => candidate.name === name);
    return tool !== undefined && approves(mode(), tool);
  };
  return {
    /** Yields the events without the question about a call that the mode approves. */
    async *withoutQuestion(turn: AsyncGenerator<AgentEvent, void>): AsyncGenerator<AgentEvent, void> {
      for await (const event of turn) {
        const isQuestion = event.type === "approval-requested" && isApproved(event.name);
        isHidden ||= isQuestion;
        if (!isQuestion) yield event;
      }
    },
    /** Returns the function that runs the waiting call; null if no call waits or the user has to decide. */
    approve(): BeginTurn | null {
      const [waiting] = agent.pendingApprovals;
      if (waiting === undefined) return null;
      if (!isApproved(waiting.toolName)) {
        if (isHidden) show([approvalItem(waiting)]);
        return null;
      }
      show([notice("note", `Approved ${waiting.toolName}: this chat ${modeLabels[mode()]}.`)]);
      return ({ signal }) => agent.approve(waiting.callId, { signal });
    },
  };
}
