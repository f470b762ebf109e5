// Tests a model as an agent uses it: with the system prompt, core memory and tools of a new agent, and a message that asks for
// a tool call.
// Invariant: the agent belongs to an empty temporary store; nothing of the user's store is read or changed.
import type { Config } from "../../config/settings.ts";
import { ModelError } from "../../base/errors.ts";
import type { Model } from "../../model/llm/model.ts";
import type { ModelProfile } from "../../model/llm/servers/model-profile.ts";
import { raiseAdvice } from "../../model/llm/servers/raise-advice.ts";
import { withStream } from "../../model/llm/with-stream.ts";
import type { ContextReport } from "../../store/port/context-report.ts";
import type { ModelTrial } from "../setup.ts";
import { openTrial } from "./open-trial.ts";

export interface TriedModel {
  readonly config: Config;
  readonly model: Model;
  /** Returns what the model's server states; null if it states nothing. */
  readonly profile: () => ModelProfile | null;
  readonly signal: AbortSignal;
}

/** The message states a fact about the user, so that models with `assist` are offered their memory tool too. */
const question = "My name is Ada. Call a tool now to save that in core memory.";

/** Tests the model and returns the result. Throws ConfigError, ModelError and StoreError. */
export async function tryModel({ config, model, profile, signal }: TriedModel): Promise<ModelTrial> {
  await model.prepare?.(signal);
  // The failure is recorded here, because a turn reports it only as text.
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
    const agent = await runtime.agents.open("trial", { create: { persona: "", human: "" } });
    const { report } = agent.context();
    const needs = needsOf(report, config);
    const found = { window: report.window, windowFrom: report.windowFrom, ...needs };
    const { program = null } = profile() ?? {};
    const advice = raiseAdvice(program, model.name.split("/").slice(1).join("/"), roundUp(needs.neededTokens));
    if (found.fits === "not") return { ...found, advice, callsTools: false };
    const called = new AbortController();
    let callsTools = false;
    for await (const event of agent.send(question, { maxSteps: 1, signal: AbortSignal.any([signal, called.signal]) })) {
      callsTools ||= event.type === "tool-call";
      // The rest of the turn is not part of the test.
      if (callsTools) called.abort();
    }
    signal.throwIfAborted();
    if (seen.failure !== null && !callsTools) throw seen.failure;
    return { ...found, advice, callsTools };
  } finally {
    await runtime.close();
  }
}

/** Tokens of a short message, its answer and a call with its result. */
const turnTokens = 500;
/** Characters of a token, on average. */
const tokenCharacters = 4;
/** Share of a window that is not reserved for the reply. */
const promptShare = 7 / 8;

/**
 * Returns the tokens that the prompt needs, and whether they fit. `promptTokens`: the prompt of a new agent. `neededTokens`:
 * the window for this prompt with full core memory and three turns. `not`: not even a single turn fits.
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

/** Rounds up to a power of two, because most windows have such a size. */
function roundUp(tokens: number): number {
  return 2 ** Math.ceil(Math.log2(tokens));
}
