// What a caller passes to the functions that run turns, and what they return.
// Invariant: types only; every option has a line in src/runtime/compose/arguments/agent-arguments.ts.
import type { FileInput } from "../base/message/file-part.ts";
import type { PrintedOutput } from "../base/message/message.ts";
import type { ApprovalRecord } from "../store/port/approval-store.ts";
import type { JsonParameterSchema } from "../tool/tool.ts";
import type { AgentEvent, TurnEnd } from "./events.ts";

/** A message of an input. */
export interface SentMessage {
  /**
   * Whose words it has. `user`, the default: the user's. `system`: those of the program that runs the agent; the model sees
   * that they are not the user's, and neither recall nor anything else treats them as what the user said.
   */
  readonly role?: "user" | "system";
  /** May be blank if there are files. */
  readonly text: string;
  /** The writer's name, if several people or programs write: 1 to 200 characters. */
  readonly name?: string;
  /** As `SendOptions.files`. */
  readonly files?: readonly FileInput[];
  /** As `SendOptions.idempotencyKey`: if all keys of a call are repeated, it reads the events of the first one's turn. */
  readonly idempotencyKey?: string;
}

/** Messages that are committed together, in their order, and answered in one turn: at least one, at most 100. */
export interface SentMessages {
  readonly messages: readonly SentMessage[];
}

/** Options of a turn that begins with an input. Several messages have their own files and keys. */
export interface SendOptions {
  /** Files to attach to the text. All are stored before anything else is written; one that is refused refuses the call. */
  readonly files?: readonly FileInput[];
  /**
   * A conversation accepts a key once: a repeated call adds no second message, and reads the events of the first one's turn.
   */
  readonly idempotencyKey?: string;
  /** Interrupts the turn: what was received of the reply is kept, and the turn ends as `interrupted`. */
  readonly signal?: AbortSignal;
  /** Maximum wait for another process's turn in the conversation, in milliseconds. Default: the runtime's `wait`. */
  readonly waitMs?: number;
  /** Overrides the agent's `maxTurnTokens` and `maxTurnDollars` for this turn; null removes a limit. */
  readonly budget?: { readonly tokens?: number | null; readonly dollars?: number | null };
  /** Overrides the agent's `maxSteps` for this turn: 1 or more. */
  readonly maxSteps?: number;
  /**
   * The model that answers this turn, in the form of an agent's `model`; the agent keeps its own. Pass it again with the call
   * that continues the turn, except with `resume` of its `turnId`. Throws ConfigError, before anything is written, for one that cannot be used.
   */
  readonly model?: string;
  /** The system prompt of this turn; as `model`. */
  readonly systemPrompt?: string;
  /**
   * Tools that the caller runs, for this turn only; one with the name of an agent's tool replaces it. Their calls wait
   * (`Agent.pendingResults`) until `Agent.answer` gives the results. Pass them again with the call that continues the turn.
   */
  readonly clientTools?: readonly ClientTool[];
  /**
   * What the input does to calls of the last turn that wait. `supersede`, the default: they are not run. `refuse`: the input is
   * refused with RequestError `approval_pending`.
   */
  readonly onWaiting?: "supersede" | "refuse";
}

/** A tool that the caller runs. */
export interface ClientTool {
  /** Letters, digits, `_` and `-`, at most 64. */
  readonly name: string;
  /** What it does and when to use it, for the model. */
  readonly description: string;
  readonly parameters: JsonParameterSchema;
}

/** What a call of a client tool returned. */
export interface CallResult {
  readonly callId: string;
  readonly status: "ok" | "failed";
  /** For the model. */
  readonly text: string;
  /** What the caller's code printed: stored beside the text, at most 10,000 code points of each. The model does not get it. */
  readonly printed?: PrintedOutput;
}

/** A call of a client tool that waits for its result. */
export type PendingResult = Pick<
  ApprovalRecord,
  "conversationId" | "messageId" | "callId" | "toolName" | "arguments" | "requestedAt"
>;

/**
 * The events of a turn, which begins when the first one is read. Awaited instead of read, they resolve with the last one.
 * A reader that leaves, or does not read for a second, does not stop the turn: it goes on in the background. The signal
 * of its options stops it.
 */
export interface TurnEvents<End extends TurnEnd = TurnEnd> extends AsyncGenerator<AgentEvent, void>, PromiseLike<End> {
  /** The pieces of the text alone. A reply that is retried begins again. Afterwards, the turn can be awaited for its end. */
  readonly textStream: AsyncIterable<string>;
}

/** A turn that runs, or will run, in the background. */
export interface StartedTurn {
  readonly id: string;
  /** `Agent.events` of this turn. */
  events(options?: ReadOptions): AsyncGenerator<AgentEvent, void>;
}

export interface ReadOptions {
  /** Reads the events after the one of this number. Default 0: all. */
  readonly after?: number;
  /** Ends the reading, not the turn. */
  readonly signal?: AbortSignal;
}

/** Options of every operation that runs a turn. */
export type TurnOptions = Omit<SendOptions, "idempotencyKey" | "files" | "onWaiting">;
