// What a turn works with: the open session, the model, the tools, and the events it tells.
// Invariant: everything that a turn needs is handed to it here; it constructs nothing and knows no adapter.
import type { Clock } from "../base/clock.ts";
import type { Ids } from "../base/ids.ts";
import type { Model, ToolSpecification } from "../llm/model.ts";
import type { Attachments } from "../memory/attachments/attachments.ts";
import type { ArchivalMemory } from "../memory/archival/archival-memory.ts";
import type { MeaningDeps } from "../memory/vectors/query-meaning.ts";
import type { Message, ModelPrice } from "../message/message.ts";
import type { BaseMemory } from "../memory/core/base-memory.ts";
import type { AgentRecord, StoredMessage } from "../memory/records.ts";
import type { UserStore } from "../memory/store.ts";
import type { Calibration } from "../tokens/calibration.ts";
import { isOwnTool } from "../tool/define-tool.ts";
import type { Tool } from "../tool/tool.ts";
import type { AgentEvent, EventBody } from "./events.ts";
import type { ProtocolRules } from "./protocol/protocol.ts";
import type { Session } from "./session/session.ts";
import type { LookedUp, TurnLookup } from "./turn-lookup.ts";
import type { TurnBudget } from "./turn-budget.ts";

/** What stays the same from turn to turn of one open agent. */
export interface AgentDeps {
  readonly agent: AgentRecord;
  readonly conversationId: string;
  readonly store: UserStore;
  readonly session: Session;
  readonly protocol: ProtocolRules;
  readonly model: Model;
  readonly summarizer: Model;
  /** Of `summarizer`; null when it is not known. */
  readonly summarizerPrice: ModelPrice | null;
  /** Of `model`; null when it is not known. */
  readonly price: ModelPrice | null;
  readonly archival: ArchivalMemory;
  /** What recall makes vectors of queries with. */
  readonly meaning: MeaningDeps;
  readonly attachments: Attachments;
  /** The agent's tools; those of its memory edit the memory given here. */
  readonly toolsFor: (memory: BaseMemory) => readonly Tool[];
  /** The tools of core memory as it is now, as the model is shown them. */
  readonly describeTools: () => readonly ToolSpecification[];
  readonly countTokens: (text: string) => number;
  /** Explains the state block to the model; has places for its tag and its key. */
  readonly stateNote: string;
  /** How a stored message stands in a request: always the same function, so that what it made is remembered. */
  readonly render: (message: StoredMessage) => Message;
  /** Milliseconds that a lease holds unless it is renewed, and how long to wait for one unless a call says otherwise. */
  readonly leaseMs: number;
  readonly waitMs: number;
  readonly pressure: PressureGauge;
  /** How counted tokens relate to those that the model's provider reports. */
  readonly calibration: Calibration;
  /** What is done after each turn; empty where nothing is enabled that needs it. */
  readonly upkeep: readonly Upkeep[];
  /** Null where nothing is looked up. */
  readonly lookup: TurnLookup | null;
  readonly ids: Ids;
  readonly clock: Clock;
}

/** One thing that is done in the background after turns. Nothing of it throws. */
export interface Upkeep {
  /** Called when a turn has ended, however. */
  afterTurn(): void;
  /** Returns what the next turn reports of it when it begins; each line once. */
  takeNotices?(): readonly string[];
}

/** Remembers that the model was warned, until a compaction. */
export interface PressureGauge {
  /** True once, when the share is first passed. */
  passes(tokens: number, threshold: number): boolean;
  reset(): void;
}

export function createPressureGauge(): PressureGauge {
  let warned = false;
  return {
    passes(tokens, threshold) {
      if (warned || tokens <= threshold) return false;
      warned = true;
      return true;
    },
    reset() {
      warned = false;
    },
  };
}

export interface Turn extends AgentDeps {
  readonly turnId: string;
  readonly specifications: readonly ToolSpecification[];
  /** For its input; null where nothing is looked up. */
  readonly lookedUp: LookedUp | null;
  readonly signal: AbortSignal;
  /** Null: no limit. */
  readonly budget: TurnBudget | null;
  /** Model calls that it may make. */
  readonly maxSteps: number;
  /** Puts the header on an event. */
  readonly event: (body: EventBody) => AgentEvent;
}

export interface TurnStart {
  readonly turnId: string;
  readonly signal: AbortSignal;
  /** Default: nothing. */
  readonly lookedUp?: LookedUp | null;
  /** Default: no limit. */
  readonly budget?: TurnBudget | null;
  /** Default: the agent's. */
  readonly maxSteps?: number;
}

/** A turn of an agent, with its events numbered from 0. */
export function createTurn(
  deps: AgentDeps,
  { lookedUp = null, budget = null, maxSteps = deps.agent.settings.maxSteps, ...start }: TurnStart,
): Turn {
  let sequence = 0;
  const header = { agentId: deps.agent.id, conversationId: deps.conversationId, turnId: start.turnId };
  const event = (body: EventBody): AgentEvent => {
    const numbered = { ...header, sequence, ...body };
    sequence += 1;
    return numbered;
  };
  return { ...deps, ...start, lookedUp, budget, maxSteps, specifications: deps.describeTools(), event };
}

/** Returns whether the agent has a tool of that name that is one of the runtime's own. */
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

/** Describes the agent's tools, and again only when core memory is another: deriving their schemas takes long. */
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

/** How a stored message stands in a request: always the same function, so that what it made is remembered. */
export function createRenderer(protocol: ProtocolRules, timeZone: string): AgentDeps["render"] {
  return (message) => protocol.render(message, timeZone);
}
