// Operations on turns as records: their states, messages and model calls, in any conversation and process.
// Invariant: types only; each operation acts for the runtime's user only.
import type { StopReason } from "../agent/events.ts";
import type { StoredMessage } from "../store/port/records.ts";
import type { StepQuery, TurnQuery, TurnRecord, TurnStep } from "../store/port/turn-record-store.ts";

/** `agent`: a name or an id. `order`: default `newest`. `limit`: 1 to 1,000, default 100. */
export interface TurnListOptions extends Partial<Omit<TurnQuery, "agentId" | "conversationId" | "stopReason">> {
  readonly agent?: string;
  readonly conversation?: string;
  readonly stopReason?: StopReason;
}

/** As `TurnListOptions`, but the default order is `oldest`. */
export type StepListOptions = Partial<Omit<StepQuery, "agentId" | "turnId">>;

/** What the caller of a turn keeps with it. */
export interface TurnNotes {
  /** Whether it runs in the background. */
  readonly isBackground?: boolean;
  /** A JSON object of the caller's own, at most 100,000 code points. Replaces the former one. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** Functions with the id of a turn or a step throw RequestError `turn_not_found` or `step_not_found`. */
export interface TurnOperations {
  /** Returns one page; the next one is `after` the id of the last turn. Throws RequestError `input_invalid`. */
  list(options?: TurnListOptions): Promise<readonly TurnRecord[]>;
  /** A turn has a record from when its input is stored; one without an input from when it ends. */
  find(turnId: string): Promise<TurnRecord>;
  /** Returns the turn of the input with this idempotency key; null if the conversation has had no such input. */
  findByKey(conversationId: string, idempotencyKey: string): Promise<TurnRecord | null>;
  /** Replaces what is given. Throws RequestError `turn_not_found` also for a turn that is queued. */
  annotate(turnId: string, notes: TurnNotes): Promise<TurnRecord>;
  /** Returns the messages of a turn, oldest first, also those that were left behind. */
  messages(turnId: string): Promise<readonly StoredMessage[]>;
  /** Returns the model calls of a turn, with their usage. */
  steps(turnId: string, options?: StepListOptions): Promise<readonly TurnStep[]>;
  /** Returns the model calls of an agent, or of all agents for null, in all conversations. */
  stepsOfAgent(agent: string | null, options?: StepListOptions): Promise<readonly TurnStep[]>;
  /** Returns a model call. */
  findStep(stepId: string): Promise<TurnStep>;
}
