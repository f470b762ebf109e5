// An agent whose model answers requests for consolidations with operations that a function makes of the rows, and "ok" to
// everything else.
import type { RuntimeOptions } from "../../src/runtime/compose/compose.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import type { Model, ModelRequest } from "../../src/model/llm/model.ts";
import { createScriptedModel, type ScriptedReply } from "../../src/model/llm/scripted/scripted-model.ts";
import type { AgentSettings } from "../../src/store/port/records.ts";
import { textOf } from "../../src/base/message/message.ts";
import { createManualClock } from "./manual-clock.ts";
import { drain, type TestRuntimes } from "./runtime.ts";

/** A row as the model reads it. */
export interface ShownRow {
  readonly name: string;
  readonly text: string;
}

/** An operation as a model writes it; what is left out is empty. */
export interface WrittenOperation {
  readonly kind: string;
  readonly targets?: readonly string[];
  readonly texts?: readonly string[];
  readonly keep?: string;
  readonly module?: string;
  readonly reason?: string;
  readonly evidence?: readonly { readonly row: string; readonly quote: string }[];
}

/** `correction`: what a second request of a run says about operations that were dropped; undefined in a first one. */
export type Consolidator = (
  rows: readonly ShownRow[],
  correction?: string,
) => readonly WrittenOperation[] | Error | string;

export const isConsolidationRequest = (request: ModelRequest): boolean =>
  request.system.instructions.startsWith("You tidy the memory");

/** The rows of a request. */
export function rowsOf(request: ModelRequest): readonly ShownRow[] {
  const lines = textOf(request.messages[0]!).split("\n");
  return lines.slice(lines.indexOf("Rows:") + 1).map((line) => ({
    name: line.split(" ")[0]!,
    text: JSON.parse(line.slice(line.indexOf('"'))) as string,
  }));
}

/** The name of the row with this text. */
export function named(rows: readonly ShownRow[], text: string): string {
  const found = rows.find((row) => row.text === text);
  if (found === undefined) throw new Error(`No row says ${text}: ${rows.map((row) => row.text).join(" | ")}`);
  return found.name;
}

export function answerOf(operations: readonly WrittenOperation[]): string {
  const whole = operations.map((one) => ({
    reason: "It is tidier.",
    targets: [],
    texts: [],
    keep: null,
    module: null,
    evidence: [],
    ...one,
  }));
  return JSON.stringify({ operations: whole });
}

export interface ConsolidationSceneOptions {
  readonly consolidator: Consolidator;
  readonly settings?: Partial<AgentSettings>;
  /** The reply to another request; without one, "ok". */
  readonly reply?: (request: ModelRequest) => ScriptedReply | undefined;
  readonly runtime?: RuntimeOptions;
}

/** What each call for a consolidation uses. */
const usage = { inputTokens: 100, outputTokens: 10, cachedInputTokens: 0 };

let agents = 0;

export async function openConsolidationScene(runtimes: TestRuntimes, options: ConsolidationSceneOptions) {
  agents += 1;
  const name = `tidy-${agents}`;
  // Later than the times of revisions, which are the database's.
  const clock = createManualClock(Date.UTC(2050, 0, 1));
  const script = createScriptedModel({
    replies: (request) => {
      if (!isConsolidationRequest(request)) return options.reply?.(request) ?? { text: "ok" };
      const [, , correction] = request.messages;
      const made = options.consolidator(rowsOf(request), correction && textOf(correction));
      if (made instanceof Error) return { error: made };
      return { text: typeof made === "string" ? made : answerOf(made), usage };
    },
  });
  let gate: Promise<void> | null = null;
  let held = 0;
  const model: Model = {
    ...script,
    async *stream(request, streaming) {
      if (gate !== null) {
        held += 1;
        await Promise.race([gate, abortOf(streaming.signal)]);
      }
      yield* script.stream(request, streaming);
    },
  };
  const given = { model: "scripted", models: [model], clock, ...options.runtime };
  const runtime = await runtimes.open(given);
  const agent = await runtime.agents.open(name, { create: { settings: options.settings ?? {} } });
  return {
    runtime,
    agent,
    name,
    clock,
    given,
    asked: () => script.requests.filter(isConsolidationRequest).length,
    /** The messages of each request for a consolidation. */
    requests: () => script.requests.filter(isConsolidationRequest).map(({ messages }) => messages),
    say: async (text: string) => {
      await clock.advance(60_000);
      await drain(agent.send(text));
    },
    add: async (text: string) => {
      await clock.advance(60_000);
      return runtime.archival.add(name, text);
    },
    /** Holds every model call until the returned function is called. */
    hold: () => {
      let release = (): void => undefined;
      gate = new Promise((resolve) => (release = resolve));
      return () => {
        gate = null;
        release();
      };
    },
    /** The number of model calls that were held. */
    held: () => held,
    memory: () => memoryOf(runtime, name),
  };
}

/** Resolves when the signal aborts. */
async function abortOf(signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve) => signal?.addEventListener("abort", () => resolve(), { once: true }));
}

export type ConsolidationScene = Awaited<ReturnType<typeof openConsolidationScene>>;

/** All that memory holds, without the number of revisions. */
export async function memoryOf(runtime: Runtime, name: string) {
  const modules = await runtime.memory.show(name);
  const passages = await runtime.archival.list(name, { limit: null });
  return {
    modules: modules.map(({ label, value, trust, lineTrust }) => ({ label, value, trust, lineTrust })),
    passages: passages.toSorted((one, other) => one.id.localeCompare(other.id)),
  };
}
