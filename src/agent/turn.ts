// Defines the dependencies of a turn: the open session, the model, the tools and the numbering of its events. Computes
// the sizes of its models' windows, and limits in counted tokens.
// Invariant: a turn has no other dependencies; it constructs nothing and knows no adapter. The size of a window is in
// reported tokens and is used only for requests, reports and usage; texts are compared with limits in counted tokens.
import type { Clock } from "../base/clock.ts";
import { RequestError } from "../base/errors.ts";
import type { Ids } from "../base/ids.ts";
import type { Model, OutputFormat, ToolSpecification } from "../model/llm/model.ts";
import type { Attachments } from "../memory/attachments/attachments.ts";
import type { ArchivalMemory } from "../memory/archival/archival-memory.ts";
import type { OpenFiles } from "../memory/attached/open-files.ts";
import { isOfUser } from "../memory/trust.ts";
import type { MeaningDeps } from "../memory/vectors/query-meaning.ts";
import type { Message, ModelPrice } from "../base/message/message.ts";
import type { BaseMemory } from "../memory/core/base-memory.ts";
import type { AgentRecord, StoredMessage } from "../store/port/records.ts";
import type { UserStore } from "../store/port/store.ts";
import type { ExpectedOpening } from "../store/port/turn-store.ts";
import { tokensInWindow } from "../context/window/window-turns.ts";
import {
  type Calibration,
  type TokenScale,
  unscaled,
  type WindowLimits,
  windowLimits,
  type WindowSize,
} from "../model/tokens/token-scale.ts";
import { isOwnTool } from "../tool/define-tool.ts";
import type { Tool, ToolSelection } from "../tool/tool.ts";
import type { RunningTurns } from "./lease/running-turns.ts";
import type { ProtocolRules } from "./protocol/protocol.ts";
import type { Session } from "./session/session.ts";
import type { TurnRetrieval, TurnLookup } from "./turn-lookup.ts";
import type { LiveTurns, TurnJournal } from "./turn-journal.ts";
import type { TurnLimits } from "./turn-limits.ts";

/** The models of an agent, and their prices; null: unknown. */
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
  /** The selection with the added tools, which change when an MCP server connects or changes its tools. */
  readonly selection: Pick<ToolSelection, "add">;
}

/** How an agent's window is rendered and counted. */
export interface AgentWindow {
  readonly countTokens: (text: string) => number;
  /** The text that explains state entries to the model. It contains placeholders for their tag and their key. */
  readonly stateNote: string;
  /** Renders a stored message for a request. It is the same function at all times, so that its results can be cached. */
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
  /** The searches for a turn's input; null if the agent searches nothing. */
  readonly lookup: TurnLookup | null;
  /** The files in attached sources that can be opened; null if no source is attached. */
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
  /** `isOn`: whether a server would continue a turn that begins now, if this process ended. */
  readonly serving: { readonly isOn: boolean };
  /** The turns that run in this process, for readers of their events. */
  readonly live: LiveTurns;
  /** Forgettings that wait until a running turn ends. `waits`: whether there are any. */
  readonly deferred: { readonly waits: boolean; afterTurn(): Promise<void> };
  /** Receives failures that are not thrown to a reader, one line each. */
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
  /** Background work between turns; empty in an ephemeral conversation. */
  readonly upkeep: readonly Upkeep[];
  /** For an agent that was kept open since an earlier turn: how to check it and open it again. Absent if just opened. */
  readonly kept?: KeptOpening;
  /** The schema that the answer of this turn must fit. */
  readonly output?: OutputFormat;
  readonly ids: Ids;
  readonly clock: Clock;
}

/** The state that a kept agent was opened in: its next input is committed only if the database has this state. */
export interface KeptOpening extends ExpectedOpening {
  /** Opens the agent again, in the same conversation. Throws the errors of opening. */
  readonly reopen: () => Promise<AgentDeps>;
}

/** Background work between turns. The functions must not throw. */
export interface Upkeep {
  /** Called when a turn has the lease. */
  beforeTurn?: (() => void) | undefined;
  /** Called when a turn has ended, however it ended. */
  afterTurn?(): void;
  /** Returns the lines to report when the next turn begins. Returns each line once. */
  takeNotices?(): readonly string[];
}

/** Remembers, until the next compaction, that an event has warned the model that the window is filling up. */
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
  /** The items retrieved for the turn's input; null if the agent searches nothing. */
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

/** Whether this process hands the turn over, so that `throwIfHandedOver` would throw. */
export function isHandedOver({ signal: { reason } }: Pick<Turn, "signal">): boolean {
  return reason instanceof RequestError && (reason.code === "runtime_closing" || reason.code === "lease_lost");
}

/** Returns the messages that the user wrote in the turn, oldest first (`isOfUser`). */
export function inputsOf(
  { messages }: { readonly messages: readonly StoredMessage[] },
  turnId: string,
): readonly StoredMessage[] {
  return messages.filter((message) => message.turnId === turnId && isOfUser(message));
}

/** Returns a function that checks whether a name belongs to one of the runtime's own tools. */
export function ownToolsOf({ tools, session }: Pick<AgentDeps, "session" | "tools">): (toolName: string) => boolean {
  const own = tools.of(session.memory).filter(isOwnTool);
  const names = new Set(own.map(({ name }) => name));
  return (toolName) => names.has(toolName);
}

/** Returns values that identify the added tools: a text with a hash for a tool from an MCP server, else the tool itself. */
export function addedTools({ add = [] }: AgentTools["selection"]): readonly unknown[] {
  return add.map((tool) => tool.binding ?? tool);
}

/** Returns whether two results of `addedTools` are equal. */
export function haveSameTools(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((tool, at) => tool === other[at]);
}

interface DescribedTools {
  readonly memory: BaseMemory;
  readonly added: readonly unknown[];
  readonly tools: readonly ToolSpecification[];
}

/**
 * Caches the descriptions of the agent's tools until core memory or the added tools change, because deriving their schemas is
 * slow.
 */
export function createAgentTools(
  { session, protocol }: Pick<AgentDeps, "session" | "protocol">,
  of: AgentTools["of"],
  selection: AgentTools["selection"],
): AgentTools {
  let described: DescribedTools | null = null;
  const describe = () => {
    const { memory } = session;
    const added = addedTools(selection);
    if (described?.memory !== memory || !haveSameTools(described.added, added))
      described = { memory, added, tools: of(memory).map(protocol.describe) };
    return described.tools;
  };
  return { of, describe, selection };
}

/** Creates the `render` of an open agent. Call this once per agent: the cache of rendered turns has `render` as its key. */
export function createRenderer(protocol: ProtocolRules, timeZone: string): AgentWindow["render"] {
  return (message) => protocol.render(message, timeZone);
}

export type WindowDeps = Pick<AgentDeps, "agent" | "models" | "window">;

/** Maximum share of the window that is reserved for the reply. */
const reserveShare = 1 / 8;

/** Returns the size of the window in reported tokens, by the agent's setting or the model. */
export function windowSize({ agent, models }: Pick<AgentDeps, "agent" | "models">): WindowSize {
  const { contextWindow: own, maxOutputTokens } = agent.settings;
  const window = own ?? models.answering.contextWindow;
  const from = own === null ? (models.answering.windowFrom ?? "model") : "setting";
  return { window, from, reserve: Math.min(maxOutputTokens, Math.floor(window * reserveShare)) };
}

/** Limits in counted tokens. */
export interface AgentLimits extends WindowLimits {
  readonly window: number;
  /** Size in counted tokens above which older messages leave the window. */
  readonly compaction: number;
}

export function agentLimits(deps: WindowDeps): AgentLimits {
  const { scale } = deps.window.calibration;
  const { window, reserve } = windowSize(deps);
  return {
    ...windowLimits({ window, reserve }, scale),
    window: scale.counted(window),
    compaction: scale.counted(Math.min(deps.agent.settings.compactAt * window, window - reserve)),
  };
}

/** Returns a function that counts a message's tokens as the window contains it, with long results clipped. */
export function messageSizes(deps: WindowDeps): (message: StoredMessage) => number {
  const { render, countTokens: count } = deps.window;
  const { result: maxTokens } = agentLimits(deps);
  return (message) => tokensInWindow(message, { render, count, maxTokens });
}

export interface SummarizerWindow {
  /** The size in reported tokens. */
  readonly window: number;
  /** Converts between counted tokens and the tokens that the summarizer's provider reports. */
  readonly scale: TokenScale;
}

/** Returns the window of the summarizing model; the agent's window and calibration apply if that is the agent's own model. */
export function summarizerWindow(deps: WindowDeps): SummarizerWindow {
  const { models, agent, window } = deps;
  const own = models.summarizer.contextWindow;
  if (agent.settings.summarizer !== null) return { window: own, scale: unscaled };
  return { window: Math.min(windowSize(deps).window, own), scale: window.calibration.scale };
}
