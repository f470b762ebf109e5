// The dependencies of a turn: the open session, the model, the tools, and the numbering of its events.
// Invariant: a turn has no other dependencies; it constructs nothing and knows no adapter.
import type { Clock } from "../base/clock.ts";
import { RequestError } from "../base/errors.ts";
import type { Ids } from "../base/ids.ts";
import type { Model, OutputFormat, ToolSpecification } from "../model/llm/model.ts";
import type { Attachments } from "../memory/attachments/attachments.ts";
import type { ArchivalMemory } from "../memory/archival/archival-memory.ts";
import type { OpenFiles } from "../memory/attached/open-files.ts";
import type { MeaningDeps } from "../memory/vectors/query-meaning.ts";
import type { Message, ModelPrice } from "../base/message/message.ts";
import type { BaseMemory } from "../memory/core/base-memory.ts";
import type { AgentRecord, StoredMessage } from "../store/port/records.ts";
import type { UserStore } from "../store/port/store.ts";
import type { ExpectedOpening } from "../store/port/turn-store.ts";
import type { Calibration } from "../model/tokens/token-scale.ts";
import { isOwnTool } from "../tool/define-tool.ts";
import type { Tool } from "../tool/tool.ts";
import type { RunningTurns } from "./lease/running-turns.ts";
import type { ProtocolRules } from "./protocol/protocol.ts";
import type { Session } from "./session/session.ts";
import type { TurnRetrieval, TurnLookup } from "./turn-lookup.ts";
import type { LiveTurns, TurnJournal } from "./turn-journal.ts";
import type { TurnLimits } from "./turn-limits.ts";

/** The models of an agent, and their prices per token; null: unknown. */
export interface TurnModels {
  readonly answering: Model;
  readonly price: ModelPrice | null;
  readonly summarizer: Model;
  readonly summarizerPrice: ModelPrice | null;
}

export interface AgentTools {
  /** Returns the agent's tools; the memory tools among them edit the given memory. */
  readonly of: (memory: BaseMemory) => readonly Tool[];
  /** Returns the agent's tools for the current core memory, as described to the model. */
  readonly describe: () => readonly ToolSpecification[];
}

/** How an agent's window is rendered and counted. */
export interface AgentWindow {
  readonly countTokens: (text: string) => number;
  /** Explains the state entries to the model; contains placeholders for their tag and their key. */
  readonly stateNote: string;
  /** Renders a stored message for a request. Always the same function, so that its results can be cached. */
  readonly render: (message: StoredMessage) => Message;
  readonly pressure: PressureGauge;
  /** Converts between counted tokens and the tokens that the model's provider reports. */
  readonly calibration: Calibration;
}

/** The memory of an agent outside its window. */
export interface AgentMemories {
  readonly archival: ArchivalMemory;
  /** Embeds the queries of recall searches. */
  readonly meaning: MeaningDeps;
  readonly attachments: Attachments;
  /** The searches for a turn's input; null if nothing is looked up. */
  readonly lookup: TurnLookup | null;
  /** The files of attached sources; null if there are none. */
  readonly openFiles: OpenFiles | null;
}

export interface TurnTimes {
  /** Lifetime of a lease in milliseconds, unless it is renewed. */
  readonly leaseMs: number;
  /** Default maximum wait for the lease, in milliseconds. */
  readonly waitMs: number;
  /** Milliseconds for which the events of turns are stored; 0: they are not stored. */
  readonly keepEventsMs: number;
}

/** What the agents of a process share. */
export interface AgentHost {
  readonly turns: RunningTurns;
  /** Whether servers continue the turns that begin now, if their process ends. */
  readonly isServing: () => boolean;
  /** The turns that run in this process, for readers of their events. */
  readonly live: LiveTurns;
  /** Forgettings that wait for the end of a turn; `waits`: whether there are any. */
  readonly deferred: { readonly waits: boolean; afterTurn(): Promise<void> };
  /** Receives failures that no reader gets, one line each. */
  readonly log: (line: string) => void;
}

/** An open agent: what all its turns share. */
export interface AgentDeps {
  readonly agent: AgentRecord;
  readonly conversationId: string;
  readonly store: UserStore;
  readonly session: Session;
  readonly protocol: ProtocolRules;
  readonly models: TurnModels;
  /** Returns the dependencies that differ for another model. Throws ConfigError for a model that cannot be used. */
  readonly withModel: (model: string) => Pick<AgentDeps, "agent" | "models">;
  readonly tools: AgentTools;
  readonly window: AgentWindow;
  readonly memories: AgentMemories;
  readonly times: TurnTimes;
  readonly host: AgentHost;
  /** Background work after each turn; empty if nothing that needs it is enabled. */
  readonly upkeep: readonly Upkeep[];
  /** For a kept agent: how it is opened again if it is outdated; absent for an agent that was just opened. */
  readonly kept?: KeptOpening;
  /** The schema that the answer of this turn must fit. */
  readonly output?: OutputFormat;
  readonly ids: Ids;
  readonly clock: Clock;
}

/** The state in which a kept agent was opened: its next input is committed only if the database still has this state. */
export interface KeptOpening extends ExpectedOpening {
  /** Opens the agent again, in the same conversation. Throws the errors of opening. */
  readonly reopen: () => Promise<AgentDeps>;
}

/** Background work after turns; the functions do not throw. */
export interface Upkeep {
  beforeTurn?(): void;
  /** Called when a turn has ended, however it ended. */
  afterTurn(): void;
  /** Returns the lines that the next turn reports when it begins; each line once. */
  takeNotices?(): readonly string[];
}

/** Records that an event has warned the model of a filling window, until a compaction. */
export interface PressureGauge {
  /** Returns true once, when `tokens` first exceeds `threshold`. */
  passes(tokens: number, threshold: number): boolean;
  /** Returns what `passes` would return now, without recording it. */
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

export interface TurnStart {
  readonly turnId: string;
  readonly journal: TurnJournal;
  readonly signal: AbortSignal;
  readonly limits: TurnLimits;
  /** The items retrieved for the turn's input; null if nothing is looked up. */
  readonly retrieval: TurnRetrieval | null;
}

export interface Turn extends AgentDeps, TurnStart {
  /** Records the next event in the journal. */
  readonly event: TurnJournal["record"];
}

export function createTurn(deps: AgentDeps, start: TurnStart): Turn {
  return { ...deps, ...start, event: start.journal.record };
}

/**
 * Throws the signal's reason if this process hands the turn over, because its runtime closes or its lease was lost. No
 * `turn-end` is then emitted. Any other abort stops the turn.
 */
export function throwIfHandedOver({ signal }: Pick<Turn, "signal">): void {
  if (isHandedOver({ signal })) signal.throwIfAborted();
}

/** Whether `throwIfHandedOver` would throw. */
export function isHandedOver({ signal: { reason } }: Pick<Turn, "signal">): boolean {
  return reason instanceof RequestError && (reason.code === "runtime_closing" || reason.code === "lease_lost");
}

/** Returns what the user wrote in the turn, oldest first. */
export function inputsOf(
  { messages }: { readonly messages: readonly StoredMessage[] },
  turnId: string,
): readonly StoredMessage[] {
  return messages.filter(
    (message) => message.turnId === turnId && message.role === "user" && message.kind === "message",
  );
}

/** Returns a function that checks whether a name belongs to one of the runtime's own tools. */
export function ownToolsOf({ tools, session }: Pick<AgentDeps, "session" | "tools">): (toolName: string) => boolean {
  const own = tools.of(session.memory).filter(isOwnTool);
  const names = new Set(own.map(({ name }) => name));
  return (toolName) => names.has(toolName);
}

/** Caches the descriptions of the agent's tools until core memory changes, because deriving their schemas is slow. */
export function createAgentTools(
  { session, protocol }: Pick<AgentDeps, "session" | "protocol">,
  of: AgentTools["of"],
): AgentTools {
  let described: { readonly memory: BaseMemory; readonly tools: readonly ToolSpecification[] } | null = null;
  const describe = () => {
    const { memory } = session;
    if (described?.memory !== memory) described = { memory, tools: of(memory).map(protocol.describe) };
    return described.tools;
  };
  return { of, describe };
}

/** Creates the `render` of an open agent. Call it once per agent: the cache of turns has the function as its key. */
export function createRenderer(protocol: ProtocolRules, timeZone: string): AgentWindow["render"] {
  return (message) => protocol.render(message, timeZone);
}
