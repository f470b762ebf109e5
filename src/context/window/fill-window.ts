// Decides which parts of the conversation are in the window: the running turn, the last turns, summaries, older turns.
// Invariant: turns are kept whole and without a gap, newest first; the running turn is never left out.
import {
  defaultTiers,
  type LeftOut,
  type TierLimits,
  type TierName,
  type TierSettings,
  type WindowOverflow,
} from "../../store/port/context-report.ts";
import {
  type ClippedTurn,
  clipTurn,
  clipTurns,
  firstThatFits,
  sumOf,
  type WindowTurn,
  type WindowTurns,
} from "./window-turns.ts";
import { summaryMessages, type SummaryState, summaryTokens } from "../compaction/summary-text.ts";

/** Tokens of the parts that are always sent. */
export type FixedTokens = Readonly<Record<"tools" | "instructions" | "coreMemory", number>> & {
  /** Absent if the agent has no synopsis. */
  readonly synopsis?: number;
  /** Absent if no file is open. */
  readonly openFiles?: number;
};

export interface WindowContents {
  /** Maximum counted tokens of a request. */
  readonly available: number;
  readonly fixed: FixedTokens;
  readonly turns: WindowTurns;
  readonly turnId: string | null;
  /** Maximum tokens of one tool result; a longer one is clipped. */
  readonly resultTokens: number;
  readonly recentTurns: number;
  readonly summaries: readonly SummaryState[];
  readonly tiers: TierSettings;
  readonly count: (text: string) => number;
}

export interface FilledWindow {
  /** The turns that are sent, oldest first. */
  readonly turns: readonly ClippedTurn[];
  /** The summaries that fit, oldest first; null if the conversation has none. */
  readonly summaries: readonly SummaryState[] | null;
  readonly tokens: Readonly<Record<"turn" | "recentTurns" | "summaries" | "olderTurns", number>>;
  readonly granted: Readonly<Record<"system" | "working" | "archive", number>>;
  /** Tokens of a request in which nothing is left out, and only long results are clipped. */
  readonly demand: number;
  readonly leftOut: readonly LeftOut[];
  readonly leftOutMessages: number;
  readonly overflow: WindowOverflow | null;
}

export function fillWindow(contents: WindowContents): FilledWindow {
  const { available, fixed, summaries, count, tiers, resultTokens, recentTurns } = contents;
  const turns = clipTurns(contents.turns, { maxTokens: resultTokens, count });
  const running = runningTurn(contents);
  const end = turns.list.length - (running === null ? 0 : 1);
  const cut = Math.max(0, end - recentTurns);
  const system = sumOf(Object.values(fixed));
  const turn = running === null ? null : fitRunning(running, available - system, contents);
  const turnTokens = turn?.tokens ?? 0;
  const working = turnTokens + tokensIn(turns, cut, end);
  const archive = tokensOf(summaries, summaries, count) + tokensIn(turns, 0, cut);
  const granted = grants(contents, { system, turn: turnTokens, working, archive });
  const shown = newestSummaries(summaries, granted.archive, count);
  const summaryTokens = shown === null ? 0 : tokensOf(shown, summaries, count);
  const tokensAt = (index: number): number => tokensIn(turns, index, index + 1);
  const firstRecent = firstThatFits(tokensAt, { from: cut, to: end, room: granted.working - turnTokens });
  const isCut = firstRecent > cut;
  const first = isCut
    ? firstRecent
    : firstThatFits(tokensAt, { from: 0, to: cut, room: granted.archive - summaryTokens });
  const kept = [...turns.list.slice(first, end), ...(turn === null ? [] : [turn])];
  return {
    turns: kept,
    summaries: shown,
    tokens: {
      turn: turnTokens,
      recentTurns: tokensIn(turns, firstRecent, end),
      summaries: summaryTokens,
      olderTurns: isCut ? 0 : tokensIn(turns, first, cut),
    },
    granted: { ...granted, system: Math.min(system, Math.floor(tiers.system.maximum * available)) },
    demand: system + working + archive,
    leftOut: leftOutOf({ left: first, leftTokens: tokensIn(turns, 0, first), summaries, shown, kept }, count),
    leftOutMessages: turns.stored[first] ?? 0,
    overflow: overflowOf(contents, turn),
  };
}

/** Returns the running turn; null if no turn of the window is running. */
function runningTurn({ turns, turnId }: WindowContents): WindowTurn | null {
  const last = turns.list.at(-1);
  return last !== undefined && last.turnId === turnId ? last : null;
}

/** Returns the tokens of the turns from the index `from` (included) to the index `to` (excluded). */
function tokensIn({ tokens }: WindowTurns, from: number, to: number): number {
  return (tokens[to] ?? 0) - (tokens[from] ?? 0);
}

interface Demands {
  readonly system: number;
  /** The tokens of the running turn, which are also part of `working`. */
  readonly turn: number;
  readonly working: number;
  readonly archive: number;
}

/**
 * Returns the tokens that each tier gets. The claims are in the order of the tiers' priorities, but the older turns' claim
 * is the last: because turns have no gaps, older ones are shown only together with all recent turns.
 */
function grants(contents: WindowContents, demands: Demands): FilledWindow["granted"] {
  const { available, tiers, summaries, count } = contents;
  const { system, turn, working, archive } = demands;
  /** Returns the tier's minimum and maximum, less the tokens that another claim of the same tier already has. */
  const limitsWithout = (claimed: number, { minimum, maximum }: TierLimits): Omit<Claim, "demand"> => ({
    minimum: Math.max(0, Math.floor(minimum * available) - claimed),
    maximum: Math.max(0, Math.floor(maximum * available) - claimed),
  });
  const summaryTokens = tokensOf(summaries, summaries, count);
  const recentClaim = { tier: "working", demand: working - turn, ...limitsWithout(turn, tiers.working) };
  const summaryClaim = { tier: "archive", demand: summaryTokens, ...limitsWithout(0, tiers.archive) };
  const claims = [
    { tier: "system", demand: system, minimum: system, maximum: available },
    { tier: "working", demand: turn, minimum: turn, maximum: turn },
    ...(archiveOutranks(tiers) ? [summaryClaim, recentClaim] : [recentClaim, summaryClaim]),
    { tier: "archive", demand: archive - summaryTokens, ...limitsWithout(summaryTokens, tiers.archive) },
  ];
  const granted = allot(available, claims);
  const grantedTo = (name: TierName): number => sumOf(granted.filter((_, at) => claims[at]?.tier === name));
  return { system: grantedTo("system"), working: grantedTo("working"), archive: grantedTo("archive") };
}

interface Claim {
  readonly demand: number;
  /** Tokens that are granted before any claim gets more than its minimum. */
  readonly minimum: number;
  readonly maximum: number;
}

/**
 * Divides a budget among the claims in their order, so that the last claim is cut first. The grants never exceed the budget,
 * every minimum is granted before any other demand, and no claim gets more than it demands.
 */
function allot(budget: number, claims: readonly Claim[]): readonly number[] {
  let rest = Math.max(0, budget);
  const take = (request: number): number => {
    const granted = Math.max(0, Math.min(request, rest));
    rest -= granted;
    return granted;
  };
  const min = claims.map(({ demand, minimum, maximum }) => take(Math.min(demand, minimum, maximum)));
  return claims.map(({ demand, maximum }, at) => {
    const granted = min[at] ?? 0;
    return granted + take(Math.min(demand, maximum) - granted);
  });
}

/** Whether the archive tier has precedence over the working tier. */
function archiveOutranks({ working, archive }: TierSettings): boolean {
  const ofWorking = working.priority ?? defaultTiers.working.priority;
  return (archive.priority ?? defaultTiers.archive.priority) < ofWorking;
}

/** Minimum tokens to which a result is clipped: a shorter result is useless. */
const minResultTokens = 64;

/** Returns the running turn with its results clipped until the turn fits, or to their minimum. */
function fitRunning(running: WindowTurn, room: number, { resultTokens, count }: WindowContents): ClippedTurn {
  let maxTokens = resultTokens;
  let turn = clipTurn(running, { maxTokens, count });
  while (turn.tokens > room && maxTokens > minResultTokens) {
    maxTokens = Math.max(minResultTokens, Math.floor(maxTokens / 2));
    turn = clipTurn(running, { maxTokens, count });
  }
  return turn;
}

/** Returns the newest summaries that fit; null if the conversation has none. */
function newestSummaries(
  summaries: readonly SummaryState[],
  room: number,
  count: (text: string) => number,
): readonly SummaryState[] | null {
  if (summaries.length === 0) return null;
  for (let from = 0; from <= summaries.length; from += 1) {
    const shown = summaries.slice(from);
    if (tokensOf(shown, summaries, count) <= room) return shown;
  }
  return null;
}

function tokensOf(
  shown: readonly SummaryState[],
  all: readonly SummaryState[],
  count: (text: string) => number,
): number {
  return all.length === 0 ? 0 : summaryTokens(summaryMessages(shown, all), count);
}

interface Selection {
  /** Number of turns that are left out, and their tokens. */
  readonly left: number;
  readonly leftTokens: number;
  readonly summaries: readonly SummaryState[];
  readonly shown: readonly SummaryState[] | null;
  readonly kept: readonly ClippedTurn[];
}

function leftOutOf(
  { left, leftTokens, summaries, shown, kept }: Selection,
  count: (text: string) => number,
): readonly LeftOut[] {
  const hidden = summaries.slice(0, summaries.length - (shown?.length ?? 0));
  const cutResults = kept.flatMap(({ clipped = [] }) => clipped);
  const entry = (part: LeftOut["part"], number: number, tokens: number, reason: string): readonly LeftOut[] =>
    number === 0 ? [] : [{ part, count: number, tokens, reason }];
  return [
    ...entry("turns", left, leftTokens, "older than the budget allows"),
    ...entry("summaries", hidden.length, sumOf(hidden.map(({ text }) => count(text))), "the archive's share is full"),
    ...cutResults.flatMap(({ toolName, tokens }) =>
      entry("result", 1, tokens, `the result of ${toolName} is longer than its share`),
    ),
  ];
}

function overflowOf({ available, fixed }: WindowContents, turn: ClippedTurn | null): WindowOverflow | null {
  const system = sumOf(Object.values(fixed));
  const needed = system + (turn?.tokens ?? 0);
  if (needed <= available) return null;
  const parts = { synopsis: 0, openFiles: 0, ...fixed, turn: turn?.tokens ?? 0 };
  const names = Object.keys(parts) as (keyof typeof parts)[];
  const part = names.reduce((largest, name) => (parts[name] > parts[largest] ? name : largest));
  return { part, tokens: parts[part], budget: Math.max(0, available - (needed - parts[part])) };
}
