// Compiles the window before a model call, and compacts until it fits.
// Invariant: evicted messages stay in recall; if the summarizer fails, the turn continues without a summary; each request
// begins with the content of the previous one, until a compaction or until the state entries exceed their share of the
// window.
import { createHash } from "node:crypto";
import {
  compileContext,
  type CompiledContext,
  type Lookups,
  openFilesShare,
  toolText,
} from "../context/window/compile-context.ts";
import type { OpenFileText } from "../store/port/attached-file-store.ts";
import type { WindowOverflow } from "../store/port/context-report.ts";
import type { CompactionNeed } from "../context/compaction/plan-compaction.ts";
import type { AgentSettings, MemorySnapshot, OfferedTool, StateEntry, StoredMessage } from "../store/port/records.ts";
import { entriesIn, entryDue, isWarned, promptMemory } from "../context/window/state-entries.ts";
import type { StateFacts } from "../context/window/state-facts.ts";
import { messageOverhead } from "../model/tokens/token-counter.ts";
import type { AgentEvent } from "./events.ts";
import { compactWindow, type CompactionOutcome, type CompactionRequest } from "./compaction/compact-window.ts";
import { forbiddenTools } from "./rules/turn-rules.ts";
import { type AgentDeps, agentLimits, throwIfHandedOver, type Turn, type WindowDeps, windowSize } from "./turn.ts";

type CompileDeps = WindowDeps &
  Pick<AgentDeps, "session" | "protocol" | "window" | "memories" | "tools"> &
  Pick<Turn, "retrieval"> & { readonly turnId: string | null };

/** Compiles the current window. The messages of the turn `turnId` are never left out. */
export function compileWindow(deps: CompileDeps): CompiledContext {
  const { messages } = deps.session;
  const lookups = lookupsOf(deps);
  const context = compileWith(deps, notShown(messages, lookups));
  // If messages were left out, compiles again with the retrieved items and open files that only these messages contain.
  if (context.leftOutOfWindow === 0 || context.found !== null) return context;
  return compileWith(deps, notShown(messages.slice(context.leftOutOfWindow), lookups));
}

function compileWith(deps: CompileDeps, lookups: Lookups): CompiledContext {
  const { session, agent, window, turnId } = deps;
  const { layout, tiers, recentTurns } = agent.settings;
  const { core, snapshot } = session;
  return compileContext(
    {
      systemPrompt: agent.systemPrompt,
      stateKey: stateKeyOf(session),
      stateNote: window.stateNote,
      layout,
      coreMemory: promptMemory({ memory: core.shown.memory, snapshot, layout }),
      synopsis: session.synopsis,
      summaries: session.summaries,
      messages: session.messages,
      turnId,
      ...lookups,
      tools: offeredTools(deps),
      render: window.render,
    },
    {
      ...windowSize(deps),
      scale: window.calibration.scale,
      tiers,
      recentTurns,
      count: window.countTokens,
    },
  );
}

function lookupsOf({ retrieval, memories }: Pick<CompileDeps, "retrieval" | "memories">): Lookups {
  const files = memories.openFiles?.current ?? [];
  return { retrieved: retrieval?.items ?? [], openFiles: files.map((file) => ({ ...file, mark: markOf(file) })) };
}

/** Returns a hash of the lines of an open file that a request shows. */
function markOf({ name, from, lines, total }: OpenFileText): string {
  const hash = createHash("sha256").update(JSON.stringify([name, from, lines, total]));
  return hash.digest("hex").slice(0, 16);
}

/** Returns the retrieved items and open files that no message shows. */
function notShown(messages: readonly StoredMessage[], { retrieved, openFiles }: Lookups): Lookups {
  const found = entriesIn(messages).flatMap((entry) => entry.found ?? []);
  const ids = new Set(found.flatMap(({ parts }) => parts.map(({ id }) => id)));
  const marks = new Map(found.flatMap(({ files = {} }) => Object.entries(files)));
  return {
    retrieved: retrieved.filter(({ id }) => !ids.has(id)),
    openFiles: openFiles.filter(({ id, mark }) => marks.get(id) !== mark),
  };
}

/** Returns the key that marks the conversation's state entries. */
export function stateKeyOf({ snapshot, newStateKey }: Pick<AgentDeps["session"], "snapshot" | "newStateKey">): string {
  return snapshot?.stateKey ?? newStateKey;
}

/** Share of the window above which state entries cause a new snapshot. */
const entriesShare = 1 / 16;
/** Share of the window above which outdated retrieved items and outdated lines of files cause a new snapshot. */
const outdatedShare = 1 / 8;

/**
 * Returns the compiled window for a model call. The report contains an overflow if the window cannot be made to fit. If the
 * user stops the turn during a compaction, returns the window from before that compaction. Throws the signal's reason if
 * this process hands the turn over.
 */
export async function* fitContext(
  turn: Turn,
  { atLeastOneCompaction = false }: { readonly atLeastOneCompaction?: boolean } = {},
): AsyncGenerator<AgentEvent, CompiledContext> {
  await turn.models.answering.prepare?.(turn.signal);
  throwIfHandedOver(turn);
  const { settings } = turn.agent;
  let context = yield* withEntry(turn);
  let mustCompact = atLeastOneCompaction;
  // The first compaction keeps the newest `settings.keepLast` messages, the second only those of the running turn.
  for (const keepLast of [settings.keepLast, 0]) {
    // Compaction cannot help if the running turn alone is too long.
    if (context.report.overflow !== null) return context;
    const overflow = mustCompact ? { cause: "overflow" as const, excess: 0 } : null;
    const need = overflow ?? needOf(turn, context);
    // If only the maximum number of messages is exceeded, the messages that the setting `keepLast` protects are not evicted.
    if (need === null || (need.cause === "messages" && keepLast < settings.keepLast)) return context;
    const outcome = await compactUnlessStopped(turn, { keepLast, turnId: turn.turnId, need });
    if (outcome === null) continue;
    mustCompact = false;
    yield* report(turn, outcome);
    context = yield* withEntry(turn);
  }
  return context;
}

/** Compacts the window. Returns null, with nothing changed, if there are too few messages or if the user stops the turn. */
async function compactUnlessStopped(turn: Turn, request: CompactionRequest): Promise<CompactionOutcome | null> {
  try {
    turn.signal.throwIfAborted();
    return await compactWindow(turn, request);
  } catch (error) {
    throwIfHandedOver(turn);
    if (!turn.signal.aborted) throw error;
    return null;
  }
}

/** Returns why, and by how many tokens, the window must be compacted before the request; null for no compaction. */
function needOf(deps: CompileDeps, { demand }: Pick<CompiledContext, "demand">): CompactionNeed | null {
  const { session, agent } = deps;
  const load = { messages: session.messages.length, tokens: demand, maxTokens: agentLimits(deps).compaction };
  return compactionNeed(load, agent.settings);
}

/** Renews the snapshot of core memory if it is outdated, adds the state entry that is due, and compiles the window. */
async function* withEntry(turn: Turn): AsyncGenerator<AgentEvent, CompiledContext> {
  const { session, agent } = turn;
  const tools = turn.tools.describe();
  const { snapshot } = session;
  const { window } = agentLimits(turn);
  const isOutdated =
    snapshot === null ||
    outdatedTokens(session.messages, lookupsOf(turn), openFilesShare * window) > outdatedShare * window ||
    (agent.settings.layout === "stable" &&
      (isMissing(tools, toolsOf(snapshot)) || entryTokens(turn) > entriesShare * window));
  if (isOutdated) await session.renewSnapshot(withGone(tools, snapshot));
  const context = compileWindow(turn);
  const entry = dueEntry(turn, context);
  if (entry === null) return context;
  const warned = isWarned(session.messages);
  await session.state(entry);
  if (!warned && isWarned(session.messages)) yield turn.event(fillingWarning);
  return compileWindow(turn);
}

/** The event for readers of a turn when the model is warned that the window is filling up. */
export const fillingWarning = {
  type: "warning",
  code: "memory-pressure",
  message: "The window is filling up: a compaction will soon remove older messages. They stay in recall.",
} as const;

/** Returns the state entry that the model needs before its next call; null for none. */
export function dueEntry(deps: CompileDeps & Pick<AgentDeps, "clock">, context: CompiledContext): StateEntry | null {
  const { session, agent, turnId, clock, protocol } = deps;
  const { layout, stateBlock: content, timeZone, warnAt, assist, toolRules } = agent.settings;
  const { messages, summaries, snapshot, searchable, core } = session;
  const previous = messages.findLast((message) => message.turnId !== turnId && message.kind === "message");
  const previousAt = previous?.at ?? (summaries.length === 0 ? "none" : null);
  const { inView, leftOut, leftOutOfWindow, report } = context;
  const filled = Math.min(100, Math.ceil((100 * report.total) / report.window));
  const shown = leftOutOfWindow === 0 ? messages : messages.slice(leftOutOfWindow);
  const isFilling =
    turnId !== null && protocol.warnsBy === "entry" && report.total > warnAt * report.window && !needOf(deps, context);
  const view = { inView, leftOut, filled, isFilling };
  const facts: StateFacts = { now: clock.now(), timeZone, previousAt, searchable, ...view };
  const isLimited = assist === "on" || toolRules.length > 0;
  const forbidden = turnId === null || !isLimited ? [] : forbiddenTools({ ...deps, turnId });
  const names = offeredTools(deps).map(({ name }) => name);
  const { found } = context;
  return entryDue({
    ...core.shown,
    snapshot,
    layout,
    messages: shown,
    facts,
    content,
    found,
    tools: { names, forbidden },
  });
}

/**
 * Returns whether one of `tools` is missing from `offered`, or has another description there. Tools that the agent no longer
 * has stay in the list of offered tools; their calls fail.
 */
function isMissing(tools: readonly OfferedTool[], offered: readonly OfferedTool[]): boolean {
  const known = new Set(offered.map(toolText));
  return tools.some((tool) => !known.has(toolText(tool)));
}

/**
 * Returns the tools, followed by the snapshot's tools that the agent no longer has. Thus the list need not change when a
 * program passes other tools with each turn.
 */
function withGone(tools: readonly OfferedTool[], snapshot: MemorySnapshot | null): readonly OfferedTool[] {
  if (snapshot === null) return tools;
  const names = new Set(tools.map(({ name }) => name));
  return [...tools, ...toolsOf(snapshot).filter(({ name }) => !names.has(name))];
}

/** Returns the tools as requests describe them. In the stable layout, the list changes only when the snapshot is renewed. */
export function offeredTools({ agent, session, tools }: OfferDeps): readonly OfferedTool[] {
  const known = agent.settings.layout === "stable" && session.snapshot !== null ? toolsOf(session.snapshot) : [];
  return known.length === 0 ? tools.describe() : known;
}

const knownTools = new WeakMap<MemorySnapshot, readonly OfferedTool[]>();

/** Returns the tools of a snapshot: the same objects at each call, so that their tokens are counted only once. */
function toolsOf(snapshot: MemorySnapshot): readonly OfferedTool[] {
  const tools = knownTools.get(snapshot) ?? (JSON.parse(snapshot.tools ?? "[]") as readonly OfferedTool[]);
  knownTools.set(snapshot, tools);
  return tools;
}

type OfferDeps = Pick<AgentDeps, "agent" | "session" | "tools">;

function entryTokens({ session, window }: Turn): number {
  const texts = entriesIn(session.messages).flatMap(({ text }) => text ?? []);
  return texts.reduce((sum, text) => sum + messageOverhead + window.countTokens(text), 0);
}

/**
 * Returns the counted tokens of outdated texts in messages: items retrieved for earlier turns, lines of files that are
 * no longer open, and what exceeds `maxFiles` in the lines of open files.
 */
function outdatedTokens(
  messages: readonly StoredMessage[],
  { retrieved, openFiles }: Lookups,
  maxFiles: number,
): number {
  const ids = new Set(retrieved.map(({ id }) => id));
  const marks = new Map(openFiles.map(({ id, mark }) => [id, mark]));
  let [outdated, open] = [0, 0];
  for (const { found } of entriesIn(messages))
    for (const { id, tokens } of found?.parts ?? []) {
      const mark = found?.files?.[id];
      if (mark === undefined ? !ids.has(id) : marks.get(id) !== mark) outdated += tokens;
      else if (mark !== undefined) open += tokens;
    }
  return outdated + Math.max(0, open - maxFiles);
}

function* report(turn: Turn, { result, warnings }: CompactionOutcome): Generator<AgentEvent> {
  for (const warning of warnings) yield turn.event({ type: "warning", ...warning });
  const { warnings: _warnings, ...figures } = result;
  yield turn.event({ type: "compaction", ...figures });
}

export interface WindowLoad {
  /** Number of messages in the window. */
  readonly messages: number;
  /** Counted tokens of the whole request, and their maximum. */
  readonly tokens: number;
  readonly maxTokens: number;
}

/** Returns why, and by how many tokens, to compact; null if no limit is exceeded. `tokens` has precedence over `messages`. */
export function compactionNeed(
  { messages, tokens, maxTokens }: WindowLoad,
  { compactMessages }: Pick<AgentSettings, "compactMessages">,
): CompactionNeed | null {
  const excess = Math.max(0, tokens - maxTokens);
  if (excess > 0) return { cause: "tokens", excess };
  return compactMessages !== null && messages > compactMessages ? { cause: "messages", excess: 0 } : null;
}

const advice: Readonly<Record<WindowOverflow["part"], readonly [name: string, advice: string]>> = {
  turn: ["This turn alone", "Remove the long message with `agent.pop()`"],
  coreMemory: ["Core memory", "Shorten its modules (`runtime.memory.set()`)"],
  synopsis: ["The synopsis", "Turn it off with the setting `synopsis`"],
  openFiles: ["The open files", "Open fewer lines"],
  instructions: ["The system prompt", "Shorten it"],
  tools: ["The list of tools", "Give the agent fewer tools"],
};

/** Returns the error message for a part of the request that exceeds its limit. */
export function overflowMessage({ part, tokens, budget }: WindowOverflow): string {
  const [name, remedy] = advice[part];
  return `${name} takes ${tokens} tokens, and the context window has room for ${budget}. ${remedy}, or give the agent a larger window.`;
}
