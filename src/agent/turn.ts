// The dependencies of a turn: the open session, the model, the tools, and the numbering of its events.
// Invariant: a turn receives everything it needs here; it constructs nothing and knows no adapter.
import type { Clock } from "../base/clock.ts";
import { RequestError } from "../base/errors.ts";
import { onlyAsks } from "../base/sentences.ts";
import type { Ids } from "../base/ids.ts";
import type { Model, OutputFormat, ToolSpecification } from "../model/llm/model.ts";
import type { Attachments } from "../memory/attachments/attachments.ts";
import type { ArchivalMemory } from "../memory/archival/archival-memory.ts";
import type { OpenFiles } from "../memory/attached/open-files.ts";
import type { MeaningDeps } from "../memory/vectors/query-meaning.ts";
import { rememberName } from "../memory/facts/remember-tool.ts";
import { type Message, type ModelPrice, textOf } from "../base/message/message.ts";
import type { BaseMemory } from "../memory/core/base-memory.ts";
import type { AgentRecord, StoredMessage } from "../store/port/records.ts";
import type { UserStore } from "../store/port/store.ts";
import type { Calibration } from "../model/tokens/calibration.ts";
import { isOwnTool } from "../tool/define-tool.ts";
import type { Tool } from "../tool/tool.ts";
import type { RunningTurns } from "./lease/running-turns.ts";
import type { ProtocolRules } from "./protocol/protocol.ts";
import { forbiddenByRules, toolChoiceByRules } from "./rules/turn-rules.ts";
import type { Session } from "./session/session.ts";
import type { TurnRetrieval, TurnLookup } from "./turn-lookup.ts";
import type { TurnJournal } from "./turn-journal.ts";
import type { TurnBudget } from "./turn-budget.ts";

/** The dependencies that all turns of one open agent share. */
export interface AgentDeps {
  readonly agent: AgentRecord;
  readonly conversationId: string;
  readonly store: UserStore;
  readonly session: Session;
  readonly protocol: ProtocolRules;
  readonly model: Model;
  readonly summarizer: Model;
  /** The price of `summarizer`; null if unknown. */
  readonly summarizerPrice: ModelPrice | null;
  /** The price of `model`; null if unknown. */
  readonly price: ModelPrice | null;
  /** Returns what differs with another model. Throws ConfigError for one that cannot be used. */
  readonly modelsFor: (
    model: string,
  ) => Pick<AgentDeps, "agent" | "model" | "summarizer" | "price" | "summarizerPrice">;
  /** The form of the answer of this turn. */
  readonly output?: OutputFormat;
  readonly archival: ArchivalMemory;
  /** Embeds the queries of recall searches. */
  readonly meaning: MeaningDeps;
  readonly attachments: Attachments;
  /** Returns the agent's tools; the memory tools among them edit the given memory. */
  readonly toolsFor: (memory: BaseMemory) => readonly Tool[];
  /** Returns the agent's tools for the current core memory, as described to the model. */
  readonly describeTools: () => readonly ToolSpecification[];
  readonly countTokens: (text: string) => number;
  /** Explains the state entries to the model; contains placeholders for its tag and its key. */
  readonly stateNote: string;
  /** Renders a stored message for a request. Always the same function, so that its results can be cached. */
  readonly render: (message: StoredMessage) => Message;
  /** Lifetime of a lease in milliseconds, unless it is renewed. */
  readonly leaseMs: number;
  /** Default maximum wait for the lease, in milliseconds. */
  readonly waitMs: number;
  /** Milliseconds for which the events of turns are stored; 0: they are not stored. */
  readonly keepEventsMs: number;
  readonly pressure: PressureGauge;
  /** Converts between counted tokens and the tokens that the model's provider reports. */
  readonly calibration: Calibration;
  /** Background work after each turn; empty if nothing that needs it is enabled. */
  readonly upkeep: readonly Upkeep[];
  /** Ends an ephemeral conversation; null for a stored one. */
  readonly close: (() => Promise<void>) | null;
  /** Null if nothing is looked up. */
  readonly lookup: TurnLookup | null;
  /** The files of attached sources; null if there are none. */
  readonly openFiles: OpenFiles | null;
  /** What turns have asked to forget when they end; `waits`: there is something. */
  readonly deferred: { readonly waits: boolean; afterTurn(): Promise<void> };
  readonly turns: RunningTurns;
  /** Whether servers continue the turns that begin now, if their process ends. */
  readonly isServing: () => boolean;
  /** Receives failures that no reader gets, one line each. */
  readonly log: (line: string) => void;
  readonly ids: Ids;
  readonly clock: Clock;
}

/** Background work after turns. Its functions do not throw. */
export interface Upkeep {
  /** Called when a turn has ended, however it ended. */
  afterTurn(): void;
  /** Returns the lines that the next turn reports when it begins; each line once. */
  takeNotices?(): readonly string[];
}

/** Records that an event has warned the model of a filling window, until a compaction. */
export interface PressureGauge {
  /** Returns true once, when `tokens` first exceeds `threshold`. */
  passes(tokens: number, threshold: number): boolean;
  /** Returns what `passes` would return. */
  wouldPass(tokens: number, threshold: number): boolean;
  reset(): void;
}

export function createPressureGauge(): PressureGauge {
  let warned = false;
  const wouldPass = (tokens: number, threshold: number): boolean => !warned && tokens > threshold;
  return {
    passes(tokens, threshold) {
      const passed = wouldPass(tokens, threshold);
      warned ||= passed;
      return passed;
    },
    wouldPass,
    reset() {
      warned = false;
    },
  };
}

export interface Turn extends AgentDeps {
  readonly turnId: string;
  /** Names of the tools that may not be called now. */
  readonly forbidden: readonly string[];
  readonly toolChoice: ProtocolRules["toolChoice"];
  /** The items retrieved for the turn's input; null if nothing is looked up. */
  readonly retrieval: TurnRetrieval | null;
  readonly signal: AbortSignal;
  /** Null: no limit. */
  readonly budget: TurnBudget | null;
  /** Maximum model calls in the turn. */
  readonly maxSteps: number;
  readonly journal: TurnJournal;
  /** Records the next event in the journal. */
  readonly event: TurnJournal["record"];
}

export interface TurnStart {
  readonly turnId: string;
  readonly journal: TurnJournal;
  readonly signal: AbortSignal;
  /** Default: nothing. */
  readonly retrieval?: TurnRetrieval | null;
  /** Default: no limit. */
  readonly budget?: TurnBudget | null;
  /** Default: the agent's setting. */
  readonly maxSteps?: number;
}

export function createTurn(
  deps: AgentDeps,
  { retrieval = null, budget = null, maxSteps = deps.agent.settings.maxSteps, journal, ...start }: TurnStart,
): Turn {
  const isRuled = deps.agent.settings.toolRules.length > 0;
  return {
    ...deps,
    ...start,
    retrieval,
    budget,
    maxSteps,
    get forbidden() {
      return [...unasked(deps, start.turnId), ...(isRuled ? forbiddenByRules(deps, start.turnId) : [])];
    },
    get toolChoice() {
      return isRuled ? toolChoiceByRules(deps, start.turnId) : deps.protocol.toolChoice;
    },
    journal,
    event: journal.record,
  };
}

/** Returns `remember` for a small model that is only asked something: it calls the tool nevertheless, and answers with its result. The tool itself saves nothing that was not said. */
function unasked(deps: Pick<AgentDeps, "agent" | "session">, turnId: string): readonly string[] {
  if (deps.agent.settings.assist !== "on") return [];
  const inputs = inputsOf({ session: deps.session, turnId }).map(textOf);
  return inputs.length > 0 && inputs.every(onlyAsks) ? [rememberName] : [];
}

/**
 * Throws the signal's reason if this process must leave the turn to the next one: its runtime closes, or its lease was lost. A
 * turn that is left has no end; everything else that aborts it stops it.
 */
export function leaveIfAsked({ signal }: Pick<Turn, "signal">): void {
  if (mustLeave({ signal })) signal.throwIfAborted();
}

/** Whether `leaveIfAsked` would throw. */
export function mustLeave({ signal: { reason } }: Pick<Turn, "signal">): boolean {
  return reason instanceof RequestError && (reason.code === "runtime_closing" || reason.code === "lease_lost");
}

/** Returns what the user wrote in the turn, oldest first. */
export function inputsOf({ session, turnId }: Pick<Turn, "session" | "turnId">): readonly StoredMessage[] {
  return session.messages.filter(
    (message) => message.turnId === turnId && message.role === "user" && message.kind === "message",
  );
}

/** Returns a predicate for the names of the agent's tools that are the runtime's own. */
export function ownToolsOf({
  toolsFor,
  session,
}: Pick<AgentDeps, "session" | "toolsFor">): (toolName: string) => boolean {
  const names = new Set(
    toolsFor(session.memory)
      .filter(isOwnTool)
      .map(({ name }) => name),
  );
  return (toolName) => names.has(toolName);
}

/** Caches the descriptions of the agent's tools until core memory changes, because deriving their schemas is slow. */
export function createToolDescriber({
  toolsFor,
  session,
  protocol,
}: Pick<AgentDeps, "toolsFor" | "session" | "protocol">): AgentDeps["describeTools"] {
  let described: { readonly memory: BaseMemory; readonly tools: readonly ToolSpecification[] } | null = null;
  return () => {
    const { memory } = session;
    if (described?.memory !== memory) described = { memory, tools: toolsFor(memory).map(protocol.describe) };
    return described.tools;
  };
}

/** Creates the `render` of an open agent. Called once, because its results are cached by function. */
export function createRenderer(protocol: ProtocolRules, timeZone: string): AgentDeps["render"] {
  return (message) => protocol.render(message, timeZone);
}
