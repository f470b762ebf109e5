// Compiles the window before a model call, and compacts until it fits.
// Invariant: what is evicted stays in recall; a failing summarizer costs the summary, never the turn; in the stable layout
// the prompt keeps core memory as it was, until too much has changed since.
import { compileContext, type CompiledContext } from "../context/compile.ts";
import { viewCoreMemory } from "../context/core-memory-view.ts";
import type { AgentEvent } from "./events.ts";
import { compactWindow, type CompactionOutcome } from "./compact-window.ts";
import { type AgentParts, type Turn, windowTokens } from "./turn.ts";

type Parts = AgentParts & Pick<Turn, "specifications"> & { readonly turnId: string | null };

/** The window as it stands; with the id of the running turn, which is never left out. */
export function compileWindow(parts: Parts): CompiledContext {
  const { session, protocol, agent, countTokens, turnId } = parts;
  const { layout, tiers, recentTurns, timeZone } = agent.settings;
  return compileContext(
    {
      systemPrompt: agent.systemPrompt,
      layout,
      coreMemory: viewCoreMemory(session.memory, session.snapshot, layout),
      summaries: session.summaries,
      messages: session.messages,
      turnId,
      passages: session.passages,
      tools: parts.specifications,
      render: (message) => protocol.render(message, timeZone),
    },
    {
      window: windowTokens(parts),
      reserve: replyReserve(parts),
      factor: parts.calibration.factor,
      tiers,
      recentTurns,
      count: countTokens,
    },
  );
}

/** Share of the window that is kept free for the reply, unless it may not be that long. */
const reserveShare = 1 / 8;

function replyReserve(parts: AgentParts): number {
  return Math.min(parts.agent.settings.maxOutputTokens, Math.floor(windowTokens(parts) * reserveShare));
}

/** Share of the window that changes of core memory may take at the end of a request before the prompt is written anew. */
const changesShare = 1 / 16;

/** The report of what is returned has an overflow when the window cannot be made to fit. */
export async function* fitContext(
  turn: Turn,
  { atLeastOneCompaction = false }: { readonly atLeastOneCompaction?: boolean } = {},
): AsyncGenerator<AgentEvent, CompiledContext> {
  const { compactAt, keepLast } = turn.agent.settings;
  let context = await withSnapshot(turn);
  const most = Math.min(compactAt * context.report.window, context.report.window - context.report.reserve);
  let mustCompact = atLeastOneCompaction;
  // A first compaction keeps what the settings say, a second one only the running turn.
  for (const keep of [keepLast, 0]) {
    if (!mustCompact && context.report.demand <= most) return context;
    const outcome = await compactWindow(turn, { keepLast: keep, turnId: turn.turnId });
    if (outcome === null) continue;
    mustCompact = false;
    yield* tell(turn, outcome);
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
    if (changes === null || turn.countTokens(changes) <= changesShare * windowTokens(turn)) return compile();
  }
  await session.renewSnapshot();
  return compile();
}

function* tell(turn: Turn, { result, failure }: CompactionOutcome): Generator<AgentEvent> {
  if (failure !== null) {
    const message = `The older messages could not be summarized (${failure}); they left the window without a summary. They can still be found with conversation_search.`;
    yield turn.event({ type: "warning", code: "summary-failed", message });
  }
  yield turn.event({ type: "compaction", ...result });
}
