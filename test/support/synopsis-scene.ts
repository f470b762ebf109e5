// An agent with a synopsis, whose model has a script of its own for synopses and says "ok" to everything else.
import type { RuntimeOptions } from "../../src/runtime/compose/compose.ts";
import type { Model, ModelRequest } from "../../src/model/llm/model.ts";
import { createScriptedModel, type ScriptedReply } from "../../src/model/llm/scripted/scripted-model.ts";
import type { AgentSettings } from "../../src/store/port/records.ts";
import { textOf } from "../../src/base/message/message.ts";
import { createManualClock, type ManualClock } from "./manual-clock.ts";
import { drain, type TestRuntimes } from "./runtime.ts";

export const identity = { name: "Ada", preferences: ["tea"], traits: ["sails"] };
export const context = { recentTopics: ["a boat"], currentGoals: ["to cross the bay"] };
export const both: ScriptedReply = { text: JSON.stringify({ identity, context }) };

export const isSynopsisRequest = (request: ModelRequest): boolean =>
  request.system.instructions.startsWith("You write the synopsis");

export interface SynopsisSceneOptions {
  /** Synopses, in order; the last one again and again. */
  readonly replies: readonly ScriptedReply[];
  readonly settings?: Partial<AgentSettings>;
  readonly memories?: readonly string[];
  readonly clock?: ManualClock;
  /** An agent that there is already. */
  readonly name?: string;
  readonly runtime?: RuntimeOptions;
}

let agents = 0;

export async function openSynopsisScene(runtimes: TestRuntimes, options: SynopsisSceneOptions) {
  const { replies, settings = {}, memories = ["The user likes tea."], clock = createManualClock() } = options;
  agents += 1;
  const name = options.name ?? `remembering-${agents}`;
  const lines: string[] = [];
  let asked = 0;
  let gate: Promise<void> | null = null;
  let tellHeld = (): void => undefined;
  const script = createScriptedModel({
    replies: (request) => (isSynopsisRequest(request) ? (replies[asked++] ?? replies.at(-1)) : { text: "ok" }),
  });
  const model: Model = {
    ...script,
    async *stream(request, streaming) {
      if (isSynopsisRequest(request) && gate !== null) {
        tellHeld();
        await gate;
      }
      yield* script.stream(request, streaming);
    },
  };
  const log = (line: string) => void lines.push(line);
  const runtime = await runtimes.open({ model: "scripted", models: [model], clock, log, ...options.runtime });
  const create = { settings: { synopsis: "on", keepLast: 0, ...settings } } as const;
  const agent = await runtime.agents.open(name, { create });
  for (const memory of memories) await runtime.archival.add(name, memory);
  const requests = (wanted: boolean) => script.requests.filter((request) => isSynopsisRequest(request) === wanted);
  return {
    runtime,
    agent,
    name,
    clock,
    lines,
    /** What the model was asked for synopses with. */
    questions: () => requests(true).map(({ messages }) => messages.map(textOf).join("")),
    /** What the system prompts of turns have of memory; a summarizer has no tools. */
    prompts: () =>
      requests(false)
        .filter(({ tools }) => tools.length > 0)
        .map(({ system }) => system.memory),
    show: () => runtime.synopsis.show(name),
    /** A turn, and what goes on after it. */
    async turn(text = "hello") {
      await drain(agent.send(text));
      await runtime.idle();
    },
    /** Resolves when a model that is held back is asked for a synopsis: before, nothing is claimed for certain. */
    held: () =>
      new Promise<void>((resolve) => {
        tellHeld = resolve;
      }),
    /** Holds the model back while it writes a synopsis, until the function that is returned is called. */
    hold(): () => void {
      let open = (): void => undefined;
      gate = new Promise((resolve) => {
        open = resolve;
      });
      return () => {
        gate = null;
        open();
      };
    },
  };
}
