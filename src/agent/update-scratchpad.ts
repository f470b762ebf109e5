// Updates the scratchpad after a step with a separate model call, for agents with the setting `scratchpadUpdate`.
// Invariant: a committed state matches the schema and is a revision of the step's message; a failure becomes a warning,
// changes nothing and never fails the turn. After an interruption, or while a call waits, no model is called.
import {
  askForScratchpad,
  recentMessages,
  type ScratchpadDraft,
  scratchpadRequest,
} from "../context/redraft-scratchpad.ts";
import { ScratchpadMemory } from "../memory/core/scratchpad-memory.ts";
import type { StoredMessage } from "../store/port/records.ts";
import { externalSources, memoryTrust, trustOfReply, windowTrust } from "../memory/trust.ts";
import { noUsage, type Usage } from "../base/message/message.ts";
import type { FinishedStep } from "./end-step.ts";
import type { AgentEvent } from "./events.ts";
import { callForMemory, commitUpdate } from "./memory-call.ts";
import type { MemoryEdit } from "./session/session-deps.ts";
import { ownToolsOf, type Turn } from "./turn.ts";
import { summarizerWindow } from "./window-size.ts";

export interface ScratchpadStep extends Pick<FinishedStep, "message" | "interrupted" | "waits"> {
  readonly step: number;
  /** Usage of the turn so far. */
  readonly usage: Usage;
}

/** Returns the usage of the update. Throws only what a commit of the turn throws. */
export async function* updateScratchpad(turn: Turn, finished: ScratchpadStep): AsyncGenerator<AgentEvent, Usage> {
  const memory = scratchpadOf(turn, finished);
  if (memory === null) return noUsage;
  const warn = (reason: string): AgentEvent => failed(turn, reason);
  const shown = shownMessages(turn, finished.message);
  const answer = yield* callForMemory(turn, {
    request: scratchpadRequest(draftOf(turn, memory, shown)),
    ask: (request, signal) => askForScratchpad(turn.models.summarizer, request, signal),
    usage: finished.usage,
    warn,
  });
  if (answer === null) return noUsage;
  yield* commitUpdate(turn, {
    messageId: finished.message.id,
    edit: (draft) => {
      if (draft instanceof ScratchpadMemory) draft.updateFromJson(answer.text);
    },
    ...sourcesOf(turn, shown),
    step: finished.step,
    warn,
  });
  return answer.usage;
}

/** Returns the trust and the external sources of the update: the model saw only these messages and the scratchpad. */
function sourcesOf(turn: Turn, messages: readonly StoredMessage[]): Pick<MemoryEdit, "trust" | "external"> {
  const content = { ...turn.session.window, messages, summaries: [] };
  const trust = trustOfReply({ modules: memoryTrust(content), window: windowTrust(content) });
  return { trust, external: trust === "external" ? externalSources(content, ownToolsOf(turn)) : [] };
}

/** Returns the scratchpad to update; null if there is none, or if the step was interrupted or waits. */
function scratchpadOf(turn: Turn, { interrupted, waits }: ScratchpadStep): ScratchpadMemory | null {
  if (interrupted || waits !== null || turn.signal.aborted) return null;
  const { memory } = turn.session;
  return memory instanceof ScratchpadMemory ? memory : null;
}

function shownMessages(turn: Turn, { id: fromId }: StoredMessage): readonly StoredMessage[] {
  return recentMessages(turn.session.messages, { fromId, tokens: messageTokens(turn) });
}

function draftOf(turn: Turn, memory: ScratchpadMemory, messages: readonly StoredMessage[]): ScratchpadDraft {
  const { value: text, limit } = memory.module("scratchpad");
  const { maxOutputTokens } = turn.agent.settings;
  return {
    text,
    fields: memory.fields,
    limit,
    messages,
    tokens: messageTokens(turn),
    maxOutputTokens: Math.min(maxOutputTokens, Math.floor(summarizerWindow(turn).window / 4)),
  };
}

/** Maximum counted tokens of the messages in the request. */
function messageTokens(turn: Turn): number {
  const { window, scale } = summarizerWindow(turn);
  return scale.counted(window / 2);
}

function failed(turn: Turn, reason: string): AgentEvent {
  const message = `The scratchpad was not updated: ${reason}`;
  return turn.event({ type: "warning", code: "scratchpad-failed", message });
}
