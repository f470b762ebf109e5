// Compiles the window before a model call, and compacts until it fits.
// Invariant: what is evicted stays in recall; a failing summarizer costs the summary, never the turn.
import { compileContext, type CompiledContext } from "../context/compile.ts";
import type { AgentEvent } from "./events.ts";
import { compactWindow, type CompactionOutcome } from "./compact-window.ts";
import { type AgentParts, type Turn, windowTokens } from "./turn.ts";

/** The window as it stands. */
export function compileWindow(parts: AgentParts & Pick<Turn, "specifications">): CompiledContext {
  const { session, protocol, agent } = parts;
  return compileContext(
    {
      systemPrompt: agent.systemPrompt,
      coreMemory: session.memory.render(),
      summaries: session.summaries,
      messages: session.messages,
      tools: parts.specifications,
      render: (message) => protocol.render(message, agent.settings.timeZone),
    },
    parts.countTokens,
  );
}

/** Null when the window cannot be made to fit: what is left belongs to the running turn, or to the system prompt. */
export async function* fitContext(
  turn: Turn,
  { atLeastOneCompaction = false }: { readonly atLeastOneCompaction?: boolean } = {},
): AsyncGenerator<AgentEvent, CompiledContext | null> {
  const { compactAt, maxOutputTokens, keepLast } = turn.agent.settings;
  const window = windowTokens(turn);
  let context = compileWindow(turn);
  let mustCompact = atLeastOneCompaction;
  // A first compaction keeps what the settings say, a second one only the running turn.
  for (const keep of [keepLast, 0]) {
    if (!mustCompact && context.report.total <= compactAt * window) return context;
    const outcome = await compactWindow(turn, { keepLast: keep, turnId: turn.turnId });
    if (outcome === null) continue;
    mustCompact = false;
    yield* tell(turn, outcome);
    context = compileWindow(turn);
  }
  return mustCompact || context.report.total + Math.min(maxOutputTokens, window / 4) > window ? null : context;
}

function* tell(turn: Turn, { result, failure }: CompactionOutcome): Generator<AgentEvent> {
  if (failure !== null) {
    const message = `The older messages could not be summarized (${failure}); they left the window without a summary. They can still be found with conversation_search.`;
    yield turn.event({ type: "warning", code: "summary-failed", message });
  }
  yield turn.event({ type: "compaction", ...result });
}
