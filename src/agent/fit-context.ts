// Compiles the window before a model call, and compacts until it fits.
// Invariant: what is evicted stays in recall; a failing summarizer costs the summary, never the turn; in the stable layout
// the prompt keeps core memory as it was, until too much has changed since.
import { compileContext, type CompiledContext } from "../context/window/compile-context.ts";
import { compactionNeed } from "../context/compaction/compaction-need.ts";
import { viewCoreMemory } from "../context/window/core-memory-view.ts";
import type { AgentEvent } from "./events.ts";
import { compactWindow, type CompactionOutcome } from "./compaction/compact-window.ts";
import type { AgentDeps, Turn } from "./turn.ts";
import { agentLimits, type WindowDeps, windowSize } from "./window-size.ts";

type CompileDeps = WindowDeps &
  Pick<AgentDeps, "session" | "stateNote"> &
  Pick<Turn, "specifications" | "lookedUp"> & { readonly turnId: string | null };

/** The window as it stands; with the id of the running turn, which is never left out. */
export function compileWindow(deps: CompileDeps): CompiledContext {
  const { session, agent, countTokens, turnId } = deps;
  const { layout, tiers, recentTurns } = agent.settings;
  return compileContext(
    {
      systemPrompt: agent.systemPrompt,
      stateKey: session.snapshot?.stateKey ?? session.newStateKey,
      stateNote: deps.stateNote,
      layout,
      coreMemory: viewCoreMemory(session.memory, session.snapshot, layout),
      synopsis: session.synopsis,
      summaries: session.summaries,
      messages: session.messages,
      turnId,
      passages: session.passages,
      retrieved: deps.lookedUp?.items ?? [],
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

/** Share of the window that changes of core memory may take at the end of a request before the prompt is written anew. */
const changesShare = 1 / 16;

/** The report of what is returned has an overflow when the window cannot be made to fit. */
export async function* fitContext(
  turn: Turn,
  { atLeastOneCompaction = false }: { readonly atLeastOneCompaction?: boolean } = {},
): AsyncGenerator<AgentEvent, CompiledContext> {
  const { settings } = turn.agent;
  let context = await withSnapshot(turn);
  const { compaction: maxTokens } = agentLimits(turn);
  let mustCompact = atLeastOneCompaction;
  // A first compaction keeps what the settings say, a second one only the running turn.
  for (const keepLast of [settings.keepLast, 0]) {
    // No compaction makes room for a running turn that is too long by itself.
    if (context.report.overflow !== null) return context;
    const load = { messages: turn.session.messages.length, tokens: context.demand, maxTokens };
    const overflow = mustCompact ? { cause: "overflow" as const, excess: 0 } : null;
    const need = overflow ?? compactionNeed(load, settings);
    // Too many messages are no reason to give up those that are to be kept.
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
  const { warnings: _told, ...figures } = result;
  yield turn.event({ type: "compaction", ...figures });
}
