// Tests a model as an agent uses it: with the system prompt, core memory and tools of a new agent, and a message that asks for
// a tool call.
// Invariant: the agent belongs to an empty temporary store; nothing of the user's store is read or changed.
import type { Agent } from "../../agent/agent.ts";
import type { Config } from "../../config/settings.ts";
import { ModelError } from "../../base/errors.ts";
import { type Model, withStream } from "../../model/llm/model.ts";
import { type ModelProfile, raiseAdvice } from "../../model/llm/servers/model-profile.ts";
import type { ContextReport } from "../../store/port/context-report.ts";
import type { ModelTrial } from "../setup.ts";
import { openTrial } from "./open-trial.ts";

export interface TriedModel {
  readonly config: Config;
  readonly model: Model;
  /** Asks the model's server for its window again, and returns when the model's window is the one that the server states. */
  readonly askAgain: () => Promise<void>;
  /** Returns what the model's server states; null if it states nothing. */
  readonly profile: () => ModelProfile | null;
  readonly signal: AbortSignal;
}

/** The message states a fact about the user, because the setting `assist` forbids its memory tool after a mere question. */
const question = "My name is Ada. Call a tool now to save that in core memory.";

/** Minimum window, in tokens, for the test call if the server states no window: the prompt fits into it. */
const leastCallWindow = 32_768;

/**
 * Tests the model and returns the result. If the server states a window that has no room for a turn, the model is not
 * called. Otherwise the server is asked for the window after the call, because LM Studio loads the model only then, and
 * Ollama may load it again. Throws ConfigError, ModelError and StoreError.
 */
export async function tryModel({ config, model, askAgain, profile, signal }: TriedModel): Promise<ModelTrial> {
  await model.prepare?.(signal);
  // Records a failure of the model as an error object, because a turn reports it only as text.
  const seen: { failure: ModelError | null } = { failure: null };
  const watched = withStream(model, async function* (...call) {
    try {
      yield* model.stream(...call);
    } catch (error) {
      if (error instanceof ModelError) seen.failure = error;
      throw error;
    }
  });
  const simple = { embedding: "none", mcpServers: {}, toolsFolder: null, telemetry: "off" } as const;
  // The log is dropped, because it is about the temporary store.
  const runtime = await openTrial({ ...config, ...simple, model: model.name }, () => undefined, [watched]);
  try {
    const create = { persona: "", human: "" };
    const measured = await runtime.agents.open("measured", { create });
    const measure = () => verdictOf(measured.context().report, { config, model, profile });
    const before = measure();
    const isStated = before.windowFrom !== "default";
    if (isStated && before.fits === "not") return { ...before, callsTools: false };
    const settings = isStated ? {} : { contextWindow: Math.max(before.window, leastCallWindow) };
    const called = await runtime.agents.open("called", { create: { ...create, settings } });
    const callsTools = await isToolCalled(called, signal);
    signal.throwIfAborted();
    await askAgain();
    const after = measure();
    // A window that is too small explains the failure, so the window is the result.
    const isExplained = after.fits === "not" && after.windowFrom !== "default";
    if (seen.failure !== null && !callsTools && !isExplained) throw seen.failure;
    return { ...after, callsTools };
  } finally {
    await runtime.close();
  }
}

async function isToolCalled(agent: Agent, signal: AbortSignal): Promise<boolean> {
  const called = new AbortController();
  for await (const event of agent.send(question, { maxSteps: 1, signal: AbortSignal.any([signal, called.signal]) })) {
    // The test ends with the first tool call.
    if (event.type === "tool-call") called.abort();
  }
  return called.signal.aborted;
}

/** Returns the window in a new agent's report, whether the agent's prompt fits into it, and advice if it does not. */
function verdictOf(
  report: ContextReport,
  { config, model, profile }: Pick<TriedModel, "config" | "model" | "profile">,
): Omit<ModelTrial, "callsTools"> {
  const needs = needsOf(report, config);
  const { program = null } = profile() ?? {};
  const advice = raiseAdvice(program, model.name.split("/").slice(1).join("/"), roundUp(needs.neededTokens));
  return { window: report.window, windowFrom: report.windowFrom, ...needs, advice };
}

/** Tokens of a short message, its answer and a call with its result. */
const turnTokens = 500;
/** Characters of a token, on average. */
const tokenCharacters = 4;
/** Share of a window that is not reserved for the reply. */
const promptShare = 7 / 8;

/**
 * Returns `promptTokens`, the prompt of a new agent; `neededTokens`, the window for this prompt with full core memory and
 * three turns; and whether they fit: `not` means that the window has no room for a single turn.
 */
function needsOf(
  { total, window, reserve }: ContextReport,
  { coreMemoryLimit }: Config,
): Pick<ModelTrial, "promptTokens" | "neededTokens" | "fits"> {
  const fullMemory = (2 * coreMemoryLimit) / tokenCharacters;
  const neededTokens = Math.ceil((total + fullMemory + 3 * turnTokens) / promptShare);
  const hasRoom = total + turnTokens <= window - reserve;
  const fits = window >= neededTokens ? "well" : hasRoom ? "barely" : "not";
  return { promptTokens: total, neededTokens, fits };
}

/** Rounds up to a power of two, because most windows are a power of two. */
function roundUp(tokens: number): number {
  return 2 ** Math.ceil(Math.log2(tokens));
}
