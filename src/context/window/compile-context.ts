// What the model sees: the system prompt with core memory, summaries, and turns, as far as the budget goes.
// Invariant: pure, and the same for the same input; over the budget only when system and running turn alone are, which the
// report then says; a call is never without its result, and the running turn is always whole but for overlong results.
import type { SystemPrompt, ToolSpecification } from "../../llm/model.ts";
import type { ContextReport, TierSettings, WindowLayout } from "../../memory/context-report.ts";
import type { StoredMessage } from "../../memory/records.ts";
import type { Message } from "../../message/message.ts";
import { messageOverhead } from "../../tokens/count-message.ts";
import { type TokenScale, windowLimits, type WindowSize } from "../../tokens/token-scale.ts";
import { type CoreMemoryView, type PassageCount, stateBlock, stateNote } from "./core-memory-view.ts";
import { type FilledWindow, fillWindow, type FixedTokens } from "./fill-window.ts";
import { type PlacedRetrieval, placeRetrieved, type RetrievedItem } from "./place-retrieved.ts";
import { reportWindow } from "./report-window.ts";
import { type SummaryState, summaryText } from "../compaction/summary-text.ts";
import { windowTurns } from "./window-turns.ts";

/** Where core memory stands in a system prompt; without it, memory follows the prompt. After MemGPT 0.3.22. */
export const memoryMarker = "{CORE_MEMORY}";

export interface ContextState {
  readonly systemPrompt: string;
  /** Marks the state block as the runtime's: no content knows it, and it stays the same for the conversation. */
  readonly stateKey: string;
  /** Explains the state block to the model: the text of `state-note.md`. */
  readonly stateNote: string;
  readonly layout: WindowLayout;
  readonly coreMemory: CoreMemoryView;
  /** Stands after core memory; null for none. */
  readonly synopsis: string | null;
  /** What stands for the messages before, oldest first. */
  readonly summaries: readonly SummaryState[];
  readonly messages: readonly StoredMessage[];
  /** The running turn; null between turns. */
  readonly turnId: string | null;
  readonly passages: PassageCount;
  /** What was looked up for the running turn, best first. */
  readonly retrieved: readonly RetrievedItem[];
  readonly tools: readonly ToolSpecification[];
  /** How a stored message stands in the prompt: the protocol's. */
  readonly render: (message: StoredMessage) => Message;
}

export interface ContextBudget extends WindowSize {
  readonly scale: TokenScale;
  readonly tiers: TierSettings;
  /** Turns before the running one that are kept before anything older. */
  readonly recentTurns: number;
  readonly count: (text: string) => number;
}

export interface CompiledContext {
  readonly system: SystemPrompt;
  readonly messages: readonly Message[];
  /** What was looked up for the last message; follows the history without being part of it. "" for nothing. */
  readonly retrieved: string;
  /** The runtime's state block, which ends the request. */
  readonly state: string;
  /** Counted tokens of everything, if no turn and no summary were left out. */
  readonly demand: number;
  readonly report: ContextReport;
}

export function compileContext(state: ContextState, budget: ContextBudget): CompiledContext {
  const { count } = budget;
  const { available, result: resultTokens } = windowLimits(budget, budget.scale);
  const { synopsis, stateKey } = state;
  const note = stateNote(state.stateNote, stateKey);
  const memory = [note, state.coreMemory.prompt, synopsis].filter((text) => text !== null).join("\n");
  const system = systemPrompt(state.systemPrompt, memory);
  const noteTokens = count(note);
  const synopsisTokens = synopsis === null ? 0 : count(synopsis);
  const turns = windowTurns(state.messages, { render: state.render, count });
  const compacted = state.summaries.at(-1)?.throughPosition ?? 0;
  const stateText = (leftOut: number): string =>
    stateBlock(stateKey, state.coreMemory.changes, { messages: compacted + leftOut, passages: state.passages });
  const fixed = {
    tools: state.tools.reduce((sum, tool) => sum + count(JSON.stringify(tool)), 0),
    instructions: count(system.instructions) + noteTokens,
    coreMemory: count(system.memory) - noteTokens - synopsisTokens,
    ...(synopsis === null ? {} : { synopsis: synopsisTokens }),
    // How much will be left out is not known yet: no number of messages is longer than that of all of them.
    changes: count(stateText(state.messages.length)) + openingTokens(count),
  };
  const { turnId, summaries } = state;
  const filled = fillWindow({ ...budget, available, fixed, turns, turnId, resultTokens, summaries });
  const retrieved = placeLookedUp(state.retrieved, { filled, fixed, count, available, tiers: budget.tiers });
  const summary = filled.summaries === null ? null : summaryText(filled.summaries, summaries);
  const history = filled.turns.flatMap(({ messages }) => messages);
  const opening = summary ?? (history[0]?.role === "assistant" ? beginning : null);
  return {
    system,
    messages: opening === null ? history : [userText(opening), ...history],
    retrieved: retrieved?.text ?? "",
    state: stateText(filled.leftOutMessages),
    demand: filled.demand,
    report: reportWindow({ ...budget, layout: state.layout, fixed, filled, retrieved, compacted }),
  };
}

interface Room extends Pick<ContextBudget, "tiers" | "count"> {
  readonly filled: FilledWindow;
  readonly fixed: FixedTokens;
  readonly available: number;
}

/** Null when nothing was looked up. */
function placeLookedUp(
  items: readonly RetrievedItem[],
  { filled, fixed, count, ...limits }: Room,
): PlacedRetrieval | null {
  return items.length === 0 ? null : placeRetrieved(items, { room: roomLeft(filled, fixed, limits), count });
}

/** Tokens that neither the conversation nor what is always sent has taken, as far as the archive's most allows. */
function roomLeft(
  { tokens }: FilledWindow,
  fixed: FixedTokens,
  { available, tiers }: Pick<ContextBudget, "tiers"> & { readonly available: number },
): number {
  const taken = [...Object.values(fixed), ...Object.values(tokens)].reduce((sum, part) => sum + part, 0);
  const share = Math.floor(tiers.archive.maximum * available) - tokens.summaries - tokens.olderTurns;
  return Math.max(0, Math.min(share, available - taken));
}

// Providers want a user's message first; MemGPT's boot sequence begins with the assistant's.
const beginning = "[The conversation begins.]";

function openingTokens(count: (text: string) => number): number {
  return 2 * messageOverhead + count(beginning);
}

function userText(text: string): Message {
  return { role: "user", content: [{ type: "text", text }] };
}

function systemPrompt(prompt: string, coreMemory: string): SystemPrompt {
  const at = prompt.indexOf(memoryMarker);
  if (at < 0) return { instructions: prompt, memory: coreMemory };
  // Only the marker is replaced: other braces in a prompt are its own (MemGPT's format_map failed on them).
  const rest = prompt.slice(at + memoryMarker.length);
  return { instructions: prompt.slice(0, at).trimEnd(), memory: `${coreMemory}${rest}` };
}
