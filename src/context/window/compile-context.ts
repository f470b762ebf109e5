// Builds the request (the system prompt with core memory, summaries, and turns, within the budget) and the report on
// it, in reported tokens (the provider's count).
// Invariant: pure and deterministic; the request exceeds the budget only if the system tier and the running turn alone exceed
// it, which the report states; a call is never sent without its result, and the running turn is complete except for overlong
// results. The parts of the window in the report add up to its total.
import type { Message } from "../../base/message/message.ts";
import type { SystemPrompt, ToolSpecification } from "../../model/llm/model.ts";
import { messageOverhead } from "../../model/tokens/token-counter.ts";
import { type TokenScale, windowLimits, type WindowSize } from "../../model/tokens/token-scale.ts";
import type { OpenFileText } from "../../store/port/attached-file-store.ts";
import type {
  ContextReport,
  LeftOut,
  TierReport,
  TierSettings,
  WindowLayout,
} from "../../store/port/context-report.ts";
import type { FoundTexts, StoredMessage } from "../../store/port/records.ts";
import { type SummaryMessages, summaryMessages, type SummaryState } from "../compaction/summary-text.ts";
import { type FilledWindow, fillWindow, type FixedTokens } from "./fill-window.ts";
import {
  type PlacedFiles,
  type PlacedRetrieval,
  placeOpenFiles,
  placeRetrieved,
  type RetrievedItem,
} from "./place-files-and-hits.ts";
import { stateNote } from "./state-entries.ts";
import type { SearchableInView } from "./state-facts.ts";
import { windowTurns } from "./window-turns.ts";

/** Marks the place of core memory in a system prompt, as in MemGPT 0.3.22; without the marker, memory follows the prompt. */
export const memoryMarker = "{CORE_MEMORY}";

/** Share of the window that all open files together may take. */
export const openFilesShare = 1 / 8;

/** The retrieved items and the open files that a request must contain besides the messages. */
export interface Lookups {
  /** Best first. */
  readonly retrieved: readonly RetrievedItem[];
  /** The open files in the order in which they were opened. `mark`: a hash of a file's shown lines. */
  readonly openFiles: readonly (OpenFileText & { readonly mark: string })[];
}

/** What a request is compiled from. `retrieved` and `openFiles`: only those that no stored message contains yet. */
export interface ContextState extends Lookups {
  readonly systemPrompt: string;
  /** The secret key that identifies the runtime's state entries. It stays the same in a conversation. */
  readonly stateKey: string;
  /** The text that explains state entries to the model: `state-note.md`. */
  readonly stateNote: string;
  readonly layout: WindowLayout;
  /** Core memory as the prompt shows it. */
  readonly coreMemory: string;
  /** The synopsis, which follows core memory; null for none. */
  readonly synopsis: string | null;
  /** Summaries that replace earlier messages, oldest first. */
  readonly summaries: readonly SummaryState[];
  readonly messages: readonly StoredMessage[];
  /** The id of the running turn; null between turns. */
  readonly turnId: string | null;
  readonly tools: readonly ToolSpecification[];
  /** Returns a stored message as the protocol sends it. */
  readonly render: (message: StoredMessage) => Message;
}

export interface ContextBudget extends WindowSize {
  readonly scale: TokenScale;
  readonly tiers: TierSettings;
  /** Number of last turns that have priority over all older content. */
  readonly recentTurns: number;
  readonly count: (text: string) => number;
}

export interface CompiledContext {
  readonly system: SystemPrompt;
  readonly messages: readonly Message[];
  /** The open files and retrieved items that no message contains yet; null if there are none. */
  readonly found: FoundTexts | null;
  /** How many of the messages that searches can find are in the request, and when the first of them was written. */
  readonly inView: SearchableInView;
  /** Number of messages of the conversation that are not in the request. */
  readonly leftOut: number;
  /** Number of messages that no compaction has replaced and that are not in the request. */
  readonly leftOutOfWindow: number;
  /** Counted tokens of a request in which no turn and no summary is left out. */
  readonly demand: number;
  readonly report: ContextReport;
}

export function compileContext(state: ContextState, budget: ContextBudget): CompiledContext {
  const { count } = budget;
  const { available, result: resultTokens } = windowLimits(budget, budget.scale);
  const { synopsis, stateKey } = state;
  const note = stateNote(state.stateNote, stateKey);
  const memory = [note, state.coreMemory, synopsis].filter((text) => text !== null).join("\n");
  const system = systemPrompt(state.systemPrompt, memory);
  const noteTokens = count(note);
  const synopsisTokens = synopsis === null ? 0 : count(synopsis);
  const isShown = state.openFiles.length > 0;
  const maxTokens = Math.floor(openFilesShare * available);
  const files = isShown ? placeOpenFiles(state.openFiles, { maxTokens, count }) : null;
  const turns = windowTurns(state.messages, { render: state.render, count, stateKey });
  const compacted = state.summaries.at(-1)?.throughPosition ?? 0;
  const fixed = {
    tools: state.tools.reduce((sum, tool) => sum + count(toolText(tool)), 0),
    instructions: count(system.instructions) + noteTokens + (2 * messageOverhead + count(beginning)),
    coreMemory: count(system.memory) - noteTokens - synopsisTokens,
    ...(synopsis === null ? {} : { synopsis: synopsisTokens }),
    ...(files === null ? {} : { openFiles: files.tokens }),
  };
  const { turnId, summaries } = state;
  const filled = fillWindow({ ...budget, available, fixed, turns, turnId, resultTokens, summaries });
  const retrieved = placeRetrievedItems(state.retrieved, { filled, fixed, count, available, tiers: budget.tiers });
  const history = messagesOf(filled.turns);
  const summary = filled.summaries === null ? null : summaryMessages(filled.summaries, summaries);
  const report = reportWindow({ ...budget, layout: state.layout, fixed, filled, retrieved, files, compacted });
  return {
    system,
    messages: [...openingMessages(summary, history[0]), ...history],
    found: foundOf(state.openFiles, files, retrieved),
    inView: searchableIn(filled),
    leftOut: compacted + filled.leftOutMessages,
    leftOutOfWindow: filled.leftOutMessages,
    demand: filled.demand,
    report,
  };
}

function foundOf(
  openFiles: ContextState["openFiles"],
  files: PlacedFiles | null,
  retrieved: PlacedRetrieval | null,
): FoundTexts | null {
  const text = [files?.text ?? "", retrieved?.text ?? ""].filter((part) => part !== "").join("\n");
  if (text === "") return null;
  const parts = [...(files?.parts ?? []), ...(retrieved?.parts ?? [])];
  return {
    text,
    parts,
    ...(files === null ? {} : { files: Object.fromEntries(openFiles.map(({ id, mark }) => [id, mark])) }),
  };
}

// A tool's text is cached, because making the texts takes a third of the time of compiling a window.
const toolTexts = new WeakMap<ToolSpecification, string>();

export function toolText(tool: ToolSpecification): string {
  const text = toolTexts.get(tool) ?? JSON.stringify(tool);
  toolTexts.set(tool, text);
  return text;
}

const noneInView: SearchableInView = { count: 0, firstAt: null };

function searchableIn({ turns }: FilledWindow): SearchableInView {
  let inView = noneInView;
  for (const { searchable } of turns) {
    inView = { count: inView.count + searchable.count, firstAt: inView.firstAt ?? searchable.firstAt };
  }
  return inView;
}

// Uses a loop, because `flatMap` takes eight times as long: most of the time of compiling a thousand messages.
function messagesOf(turns: FilledWindow["turns"]): readonly Message[] {
  const messages: Message[] = [];
  for (const turn of turns) for (const message of turn.messages) messages.push(message);
  return messages;
}

interface Room extends Pick<ContextBudget, "tiers" | "count"> {
  readonly filled: FilledWindow;
  readonly fixed: FixedTokens;
  readonly available: number;
}

/** Returns the retrieved items that fit, as text; null if nothing was retrieved. */
function placeRetrievedItems(
  items: readonly RetrievedItem[],
  { filled, fixed, count, ...limits }: Room,
): PlacedRetrieval | null {
  return items.length === 0 ? null : placeRetrieved(items, { room: roomLeft(filled, fixed, limits), count });
}

/** Returns the tokens that are free for retrieved items: up to the archive tier's maximum, and within the request. */
function roomLeft(
  { tokens }: FilledWindow,
  fixed: FixedTokens,
  { available, tiers }: Pick<ContextBudget, "tiers"> & { readonly available: number },
): number {
  const taken = [...Object.values(fixed), ...Object.values(tokens)].reduce((sum, part) => sum + part, 0);
  const share = Math.floor(tiers.archive.maximum * available) - tokens.summaries - tokens.olderTurns;
  return Math.max(0, Math.min(share, available - taken));
}

// Providers require a user message first: this one precedes a first message of the assistant, as in MemGPT's boot sequence.
const beginning = "[The conversation begins.]";

function openingMessages(summary: SummaryMessages | null, first: Message | undefined): readonly Message[] {
  if (summary !== null) return [textMessage("user", summary.note), textMessage("assistant", summary.text)];
  return first?.role === "assistant" ? [textMessage("user", beginning)] : [];
}

function textMessage(role: "user" | "assistant", text: string): Message {
  return { role, content: [{ type: "text", text }] };
}

function systemPrompt(prompt: string, coreMemory: string): SystemPrompt {
  const at = prompt.indexOf(memoryMarker);
  if (at < 0) return { instructions: prompt, memory: coreMemory };
  // Only the marker is replaced: all other braces in a prompt are literal (MemGPT's `format_map` fails on them).
  const rest = prompt.slice(at + memoryMarker.length);
  return { instructions: prompt.slice(0, at).trimEnd(), memory: `${coreMemory}${rest}` };
}

interface ReportedWindow extends WindowSize {
  readonly layout: WindowLayout;
  readonly scale: TokenScale;
  readonly fixed: FixedTokens;
  readonly filled: FilledWindow;
  /** The retrieved items in the request; null if nothing was retrieved. */
  readonly retrieved: PlacedRetrieval | null;
  /** The open files in the request; null if no file is open. */
  readonly files: PlacedFiles | null;
  /** Number of messages that summaries replace. */
  readonly compacted: number;
}

function reportWindow({ filled, fixed, retrieved, files, compacted, ...window }: ReportedWindow): ContextReport {
  const { layout, scale, reserve } = window;
  const { reported } = scale;
  const retrievedTokens = retrieved?.tokens ?? 0;
  const { turn, recentTurns, summaries, olderTurns } = filled.tokens;
  // Running sums are converted to reported tokens, and a part is the difference of two sums, so the parts add up to the total.
  let counted = 0;
  const grown = (size: number): number => {
    const before = reported(counted);
    counted += size;
    return reported(counted) - before;
  };
  const tier = (granted: number, sizes: TierReport["parts"]): TierReport => {
    const parts = Object.fromEntries(Object.entries(sizes).map(([name, size]) => [name, grown(size)]));
    const tokens = Object.values(parts).reduce((sum, size) => sum + size, 0);
    return { tokens, granted: reported(granted), parts };
  };
  const tiers = {
    system: tier(filled.granted.system, fixed),
    working: tier(filled.granted.working, { turn, recentTurns }),
    archive: tier(filled.granted.archive + retrievedTokens, {
      summaries,
      olderTurns,
      ...(retrievedTokens === 0 ? {} : { retrieved: retrievedTokens }),
    }),
  };
  const shown = filled.turns.flatMap((sent) => sent.found);
  const found = [...shown, ...(files?.parts ?? []), ...(retrieved?.parts ?? [])].map((part) => ({
    ...part,
    tokens: reported(part.tokens),
  }));
  const { overflow } = filled;
  return {
    layout,
    total: reported(counted),
    demand: reported(filled.demand),
    window: window.window,
    windowFrom: window.from,
    reserve,
    counted,
    factor: scale.factor,
    tiers,
    leftOut: [...filled.leftOut, ...(retrieved === null ? [] : leftOutOf(retrieved))].map((entry) => ({
      ...entry,
      tokens: reported(entry.tokens),
    })),
    ...(found.length === 0 ? {} : { retrieved: found }),
    compacted: { messages: compacted, summaries: (filled.summaries ?? []).filter(({ text }) => text !== "").length },
    overflow: overflow && {
      ...overflow,
      tokens: reported(overflow.tokens),
      budget: scale.reportedLimit(overflow.budget),
    },
  };
}

function leftOutOf({ left }: PlacedRetrieval): readonly LeftOut[] {
  if (left.count === 0) return [];
  return [{ part: "retrieved", ...left, reason: "the conversation has left no room for it" }];
}
