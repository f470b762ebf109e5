// A model call of the runtime's own that updates memory after a step, and the commit of the update.
// Invariant: it keeps to the turn's budget, and an interruption or a failure changes nothing; a failure becomes a warning.
import { ModelError, ToolError } from "../base/errors.ts";
import type { ModelRequest } from "../model/llm/model.ts";
import type { BaseMemory } from "../memory/core/base-memory.ts";
import { textOf, type Usage } from "../base/message/message.ts";
import type { AgentEvent } from "./events.ts";
import { memoryEdit } from "./run-tool-calls.ts";
import type { MemoryEdit } from "./session/session-deps.ts";
import { budgetRefusal } from "./turn-limits.ts";
import type { Turn } from "./turn.ts";
import { summarizerWindow } from "./window-size.ts";

export interface MemoryCall<Answer> {
  readonly request: ModelRequest;
  readonly ask: (request: ModelRequest, signal: AbortSignal) => Promise<Answer>;
  /** Usage of the turn so far. */
  readonly usage: Usage;
  /** Returns the warning about a failure. */
  readonly warn: (reason: string) => AgentEvent;
}

/** Returns null if the call was not made or failed. */
export async function* callForMemory<Answer>(
  turn: Turn,
  { request, ask, usage, warn }: MemoryCall<Answer>,
): AsyncGenerator<AgentEvent, Answer | null> {
  const { limits, signal } = turn;
  const refusal = budgetRefusal(limits, usage, requestTokens(turn, request));
  if (refusal !== null) {
    yield warn(refusal);
    return null;
  }
  try {
    return await ask(request, signal);
  } catch (error) {
    if (signal.aborted) return null;
    if (!(error instanceof ModelError)) throw error;
    yield warn(error.message);
    return null;
  }
}

export interface MemoryUpdate extends Omit<MemoryEdit, "memory"> {
  /** Edits a draft of memory. May throw ToolError. */
  readonly edit: (draft: BaseMemory) => void;
  readonly step: number;
  readonly warn: MemoryCall<unknown>["warn"];
}

/** Commits an update of memory and emits its changes. Throws only what a commit of the turn throws. */
export async function* commitUpdate(
  turn: Turn,
  { edit, step, warn, ...update }: MemoryUpdate,
): AsyncGenerator<AgentEvent, void> {
  const { session } = turn;
  try {
    const memory = session.memory.draft();
    edit(memory);
    const changes = await session.commitMemory({ ...update, memory });
    yield* changes.map((change) => turn.event(memoryEdit(turn, { change, callId: null, step })));
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    if (error.code === "revision_conflict") await session.refreshMemory();
    yield warn(error.message);
  }
}

/** Returns the reported tokens of the request, the unit of a budget. */
function requestTokens(turn: Turn, { system, messages }: ModelRequest): number {
  const texts = [system.instructions, ...messages.map(textOf)];
  const counted = texts.reduce((sum, text) => sum + turn.window.countTokens(text), 0);
  return summarizerWindow(turn).scale.reported(counted);
}
