// Calls a model to update memory. With the setting `assist`, a call at the end of a turn saves facts that the user stated,
// because a small model that answers and saves in one call often saves nothing, or something that was not said. With the
// setting `scratchpadUpdate`, a call after each step updates the scratchpad.
// Invariant: an update is stored as a revision made by the assistant's last message; a call keeps to the turn's budget; an
// interrupted or failed call changes nothing, and a failure becomes a warning instead of failing the turn.
import { ModelError, ToolError } from "../base/errors.ts";
import type { ModelRequest } from "../model/llm/model.ts";
import type { BaseMemory } from "../memory/core/base-memory.ts";
import { textOf, type Usage, noUsage } from "../base/message/message.ts";
import type { AgentEvent, WarningCode } from "./events.ts";
import { memoryEdit } from "./run-tool-calls.ts";
import type { MemoryEdit } from "./session/session-deps.ts";
import { budgetRefusal } from "./turn-limits.ts";
import { inputsOf, ownToolsOf, summarizerWindow, type Turn } from "./turn.ts";
import { askForFacts, factsRequest } from "../context/extract-facts.ts";
import { factsSection } from "../memory/facts/remember-tool.ts";
import { isKnown, isStated, noteOf, statementsIn } from "../memory/facts/stated-facts.ts";
import type { StoredMessage } from "../store/port/records.ts";
import { trustOfReply, externalSources, memoryTrust, windowTrust } from "../memory/trust.ts";
import { outermostObject, readAnswer } from "../context/read-answer.ts";
import { recentMessages, type ScratchpadDraft, scratchpadRequest } from "../context/redraft-scratchpad.ts";
import { ScratchpadMemory } from "../memory/core/scratchpad-memory.ts";
import type { FinishedStep } from "./end-step.ts";

interface MemoryCall<Answer> extends Omit<MemoryEdit, "memory"> {
  readonly request: ModelRequest;
  readonly ask: (request: ModelRequest, signal: AbortSignal) => Promise<Answer>;
  /** Returns a function that edits a draft of memory and may throw ToolError. */
  readonly editBy: (answer: Answer) => (draft: BaseMemory) => void;
  readonly step: number;
  /** Usage of the turn so far. */
  readonly usage: Usage;
  readonly failure: { readonly code: WarningCode; readonly text: string };
}

/** Asks the model, commits the edit, and returns the usage of the call. Throws only the errors of a commit. */
async function* callForMemory<Answer extends { readonly usage: Usage }>(
  turn: Turn,
  { request, ask, editBy, step, usage, failure, ...sources }: MemoryCall<Answer>,
): AsyncGenerator<AgentEvent, Usage> {
  const warn = (reason: string) =>
    turn.event({ type: "warning", code: failure.code, message: `${failure.text}: ${reason}` });
  const refusal = budgetRefusal(turn.limits, usage, requestTokens(turn, request));
  if (refusal !== null) {
    yield warn(refusal);
    return noUsage;
  }
  let answer: Answer;
  try {
    answer = await ask(request, turn.signal);
  } catch (error) {
    if (turn.signal.aborted) return noUsage;
    if (!(error instanceof ModelError)) throw error;
    yield warn(error.message);
    return noUsage;
  }
  const { session } = turn;
  try {
    const memory = session.memory.draft();
    editBy(answer)(memory);
    const changes = await session.commitMemory({ ...sources, memory });
    yield* changes.map((change) => turn.event(memoryEdit(turn, { change, callId: null, step })));
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    if (error.code === "revision_conflict") await session.refreshMemory();
    yield warn(error.message);
  }
  return answer.usage;
}

/** Returns the tokens of a request as reported tokens (the provider's count), the unit of budgets. */
function requestTokens(turn: Turn, { system, messages }: ModelRequest): number {
  const texts = [system.instructions, ...messages.map(textOf)];
  const counted = texts.reduce((sum, text) => sum + turn.window.countTokens(text), 0);
  return summarizerWindow(turn).scale.reported(counted);
}

export interface EndedTurn {
  readonly step: number;
  /** Usage of the turn so far. */
  readonly usage: Usage;
}

/** Saves facts that the user stated, and returns the usage of the call. Throws only the errors of a commit. */
export async function* keepFacts(turn: Turn, { step, usage }: EndedTurn): AsyncGenerator<AgentEvent, Usage> {
  const reply = turn.session.messages.findLast(({ role, turnId }) => role === "assistant" && turnId === turn.turnId);
  const inputs = inputsOf(turn.session, turn.turnId);
  const said = statementsIn(inputs.map(textOf).join("\n"));
  const { memory } = turn.session;
  if (reply === undefined || said === "" || turn.signal.aborted || !memory.labels().includes(factsSection)) {
    return noUsage;
  }
  return yield* callForMemory(turn, {
    request: factsRequest(turn.models.summarizer, said),
    ask: (request, signal) => askForFacts(turn.models.summarizer, request, signal),
    editBy: ({ facts, isCut }) => {
      if (isCut) throw new ToolError("the model's answer ended at its maximum of tokens before a fact was complete.");
      return (draft) => {
        // The module is read again for each fact, because the draft may now contain earlier facts of the same answer.
        for (const fact of facts.filter((one) => isStated(one, said)))
          if (!isKnown(fact, draft.read(factsSection))) draft.append(factsSection, noteOf(fact));
      };
    },
    messageId: reply.id,
    ...sourcesOfFacts(inputs),
    step,
    usage,
    failure: { code: "facts-not-kept", text: "The facts in this message were not saved" },
  });
}

/** Returns the trust and the external sources of the facts, from the inputs only: the model saw nothing else. */
function sourcesOfFacts(inputs: readonly StoredMessage[]): Pick<MemoryEdit, "trust" | "external"> {
  const window = inputs.map(({ trust }) => trust);
  const external = inputs
    .filter((input) => input.trust === "external")
    .map(({ id }) => ({ kind: "message", id }) as const);
  return { trust: trustOfReply({ modules: [], window }), external };
}

export interface ScratchpadStep extends Pick<FinishedStep, "message" | "interrupted" | "waits"> {
  readonly step: number;
  /** Usage of the turn so far. */
  readonly usage: Usage;
}

/** Updates the scratchpad, and returns the usage of the call. Throws only the errors of a commit. */
export async function* updateScratchpad(turn: Turn, finished: ScratchpadStep): AsyncGenerator<AgentEvent, Usage> {
  const memory = scratchpadOf(turn, finished);
  if (memory === null) return noUsage;
  const shown = recentMessages(turn.session.messages, { fromId: finished.message.id, tokens: messageTokens(turn) });
  return yield* callForMemory(turn, {
    request: scratchpadRequest(draftOf(turn, memory, shown)),
    ask: (request, signal) => readAnswer(turn.models.summarizer, request, signal),
    editBy: (answer) => (draft) => {
      if (draft instanceof ScratchpadMemory) draft.updateFromJson(outermostObject(answer.text));
    },
    messageId: finished.message.id,
    ...sourcesOf(turn, shown),
    step: finished.step,
    usage: finished.usage,
    failure: { code: "scratchpad-failed", text: "The scratchpad was not updated" },
  });
}

/** Returns the trust and the external sources of an update, whose model saw only these messages and the scratchpad. */
function sourcesOf(turn: Turn, messages: readonly StoredMessage[]): Pick<MemoryEdit, "trust" | "external"> {
  const content = { ...turn.session.window, messages, summaries: [] };
  const trust = trustOfReply({ modules: memoryTrust(content), window: windowTrust(content) });
  return { trust, external: trust === "external" ? externalSources(content, ownToolsOf(turn)) : [] };
}

/** Returns the scratchpad to update; null if the memory has none, or if the step was interrupted or a call waits. */
function scratchpadOf(turn: Turn, { interrupted, waits }: ScratchpadStep): ScratchpadMemory | null {
  if (interrupted || waits !== null || turn.signal.aborted) return null;
  const { memory } = turn.session;
  return memory instanceof ScratchpadMemory ? memory : null;
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

/** Maximum counted tokens of the messages in a request to update the scratchpad. */
function messageTokens(turn: Turn): number {
  const { window, scale } = summarizerWindow(turn);
  return scale.counted(window / 2);
}
