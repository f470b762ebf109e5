// Compacts the window at the user's request, and undoes the newest compaction.
// Invariant: a compaction and its undo run under the lease, and afterwards the session matches the store.
import { codePointLength } from "../../base/code-points.ts";
import { findOpenCalls, isInput } from "../approval/open-calls.ts";
import { RequestError } from "../../base/errors.ts";
import { isUnfinished } from "../opening/recover.ts";
import type { CompactionResult, UndoneCompaction } from "../agent-results.ts";
import { compactWindow, type CompactionRequest } from "./compact-window.ts";
import type { SummaryDeps } from "./summary-row.ts";
import { type AgentDeps, messageSizes, type WindowDeps } from "../turn.ts";

type UndoDeps = WindowDeps & Pick<AgentDeps, "session">;

type CompactDeps = SummaryDeps & Parameters<typeof isUnfinished>[0];

/** Maximum length of a focus, in code points. */
const maxFocusLength = 1000;

export async function compactNow(deps: CompactDeps, focus: string | undefined): Promise<CompactionResult> {
  const { session, agent } = deps;
  const { keepLast } = agent.settings;
  const wanted = focusOf(focus);
  const outcome = await compactWindow(deps, { keepLast, ...askedBy(deps), ...wanted });
  if (outcome === null) throw nothingToSummarize(session.messages.length, keepLast);
  return outcome.result;
}

/**
 * Removes all messages from the window without a summary, except the messages of a waiting or unfinished turn. Returns null,
 * with nothing changed, if there are no messages to remove.
 */
export async function clearWindow(deps: CompactDeps): Promise<CompactionResult | null> {
  const { agent } = deps;
  const settings = { ...agent.settings, compaction: "truncate" as const };
  const outcome = await compactWindow({ ...deps, agent: { ...agent, settings } }, { keepLast: 0, ...askedBy(deps) });
  return outcome?.result ?? null;
}

/** Returns a request that keeps all messages of a waiting or unfinished turn, because its calls or input need an answer. */
function askedBy(deps: CompactDeps): Pick<CompactionRequest, "turnId" | "need"> {
  const { messages } = deps.session;
  const isOpen = findOpenCalls(messages) !== null || isUnfinished(deps);
  // Events at the end are skipped, because later turns may have appended them after the input.
  const last = isOpen ? messages.findLast((message) => message.role !== "user" || isInput(message)) : undefined;
  return { turnId: last?.turnId ?? null, need: { cause: "asked", excess: 0 } };
}

export async function undoCompaction(deps: UndoDeps): Promise<UndoneCompaction> {
  const tokensBefore = windowTokens(deps);
  const undone = await deps.session.undoCompaction();
  return { ...undone, tokensBefore, tokensAfter: windowTokens(deps) };
}

/** Returns the reported tokens of the summaries and messages in the window. */
function windowTokens(deps: UndoDeps): number {
  const { session, window } = deps;
  const { countTokens, calibration } = window;
  const sizes = [
    ...session.summaries.map(({ text }) => countTokens(text)),
    ...session.messages.map(messageSizes(deps)),
  ];
  return calibration.scale.reported(sizes.reduce((sum, size) => sum + size, 0));
}

function focusOf(focus: string | undefined): { readonly focus?: string } {
  const trimmed = focus?.trim() ?? "";
  const length = codePointLength(trimmed);
  if (length > maxFocusLength) {
    throw new RequestError(
      "input_invalid",
      `Expected a focus of at most ${maxFocusLength} characters for the summary, got ${length}. Nothing was changed: shorten it.`,
    );
  }
  return trimmed === "" ? {} : { focus: trimmed };
}

function nothingToSummarize(messages: number, keepLast: number): RequestError {
  return new RequestError(
    "summary_refused",
    `A compaction keeps the last ${keepLast} of the ${messages} messages in the window (tool results count), and no whole turn is older. Nothing was changed: lower the agent's keepLast to keep fewer messages.`,
  );
}
