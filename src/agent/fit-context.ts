// Compiles the window before a model call, and compacts until it fits.
// Invariant: evicted messages stay in recall; a failing summarizer costs the summary, never the turn; in the stable
// layout the prompt keeps its snapshot of core memory until the changes since exceed their share of the window.
import { compileContext, type CompiledContext } from "../context/window/compile-context.ts";
import type { CompactionNeed } from "../context/compaction/plan-compaction.ts";
import type { AgentSettings } from "../memory/records.ts";
import { viewCoreMemory } from "../context/window/state-block.ts";
import type { AgentEvent } from "./events.ts";
import { compactWindow, type CompactionOutcome } from "./compaction/compact-window.ts";
import { type AgentDeps, leaveIfAsked, type Turn } from "./turn.ts";
import { agentLimits, type WindowDeps, windowSize } from "./window-size.ts";

type CompileDeps = WindowDeps &
  Pick<AgentDeps, "session" | "stateNote" | "clock" | "openFiles"> &
  Pick<Turn, "specifications" | "retrieval"> & { readonly turnId: string | null };

/** Compiles the current window. The messages of the turn `turnId` are never left out. */
export function compileWindow(deps: CompileDeps): CompiledContext {
  const { session, agent, countTokens, turnId } = deps;
  const { layout, stateBlock, tiers, recentTurns } = agent.settings;
  return compileContext(
    {
      systemPrompt: agent.systemPrompt,
      stateKey: session.snapshot?.stateKey ?? session.newStateKey,
      stateNote: deps.stateNote,
      stateBlock,
      now: deps.clock.now(),
      timeZone: agent.settings.timeZone,
      layout,
      coreMemory: viewCoreMemory(session.memory, session.snapshot, layout),
      synopsis: session.synopsis,
      summaries: session.summaries,
      messages: session.messages,
      turnId,
      searchable: session.searchable,
      retrieved: deps.retrieval?.items ?? [],
      openFiles: deps.openFiles?.current ?? [],
      tools: deps.specifications,
      render: deps.render,
    },
    {
      ...windowSize(deps),
      scale: deps.calibration.scale,
      tiers,
      recentTurns,
      count: countTokens,
    },
  );
}

/** Share of the window that changes of core memory may take at the end of a request before the snapshot is renewed. */
const changesShare = 1 / 16;

/**
 * Returns the compiled window for a model call. Its report contains an overflow if the window cannot be made to fit. Throws as
 * `leaveIfAsked`.
 */
export async function* fitContext(
  turn: Turn,
  { atLeastOneCompaction = false }: { readonly atLeastOneCompaction?: boolean } = {},
): AsyncGenerator<AgentEvent, CompiledContext> {
  await turn.model.prepare?.(turn.signal);
  leaveIfAsked(turn);
  const { settings } = turn.agent;
  let context = await withSnapshot(turn);
  const { compaction: maxTokens } = agentLimits(turn);
  let mustCompact = atLeastOneCompaction;
  // The first compaction keeps the messages that the settings keep, the second only the running turn.
  for (const keepLast of [settings.keepLast, 0]) {
    // Compaction cannot help if the running turn alone is too long.
    if (context.report.overflow !== null) return context;
    const load = { messages: turn.session.messages.length, tokens: context.demand, maxTokens };
    const overflow = mustCompact ? { cause: "overflow" as const, excess: 0 } : null;
    const need = overflow ?? compactionNeed(load, settings);
    // The limit on the number of messages never evicts those that the settings keep.
    if (need === null || (need.cause === "messages" && keepLast < settings.keepLast)) return context;
    const outcome = await compactWindow(turn, { keepLast, turnId: turn.turnId, need });
    if (outcome === null) continue;
    mustCompact = false;
    yield* report(turn, outcome);
    context = compileWindow(turn);
  }
  return context;
}

async function withSnapshot(turn: Turn): Promise<CompiledContext> {
  const { session, agent } = turn;
  const compile = (): CompiledContext => compileWindow(turn);
  if (agent.settings.layout === "inline") return compile();
  if (session.snapshot !== null) {
    const { changes } = viewCoreMemory(session.memory, session.snapshot, "stable");
    if (changes === null || turn.countTokens(changes) <= changesShare * agentLimits(turn).window) return compile();
  }
  await session.renewSnapshot();
  return compile();
}

function* report(turn: Turn, { result, warnings }: CompactionOutcome): Generator<AgentEvent> {
  for (const warning of warnings) yield turn.event({ type: "warning", ...warning });
  const { warnings: _warnings, ...figures } = result;
  yield turn.event({ type: "compaction", ...figures });
}

export interface WindowLoad {
  /** Messages in the window. */
  readonly messages: number;
  /** Counted tokens of the whole request, and their maximum. */
  readonly tokens: number;
  readonly maxTokens: number;
}

/** Returns null if nothing has to leave. Tokens are checked first: only they can prevent a request. */
export function compactionNeed(
  { messages, tokens, maxTokens }: WindowLoad,
  { compactMessages }: Pick<AgentSettings, "compactMessages">,
): CompactionNeed | null {
  const excess = Math.max(0, tokens - maxTokens);
  if (excess > 0) return { cause: "tokens", excess };
  return compactMessages !== null && messages > compactMessages ? { cause: "messages", excess: 0 } : null;
}
