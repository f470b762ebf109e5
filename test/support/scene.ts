// An agent of its own on a shared database, with a scripted model: what most tests of turns begin with.
import type { Agent } from "../../src/agent/agent.ts";
import type { RuntimeOptions } from "../../src/runtime/compose/compose.ts";
import {
  createScriptedModel,
  type ScriptedModel,
  type ScriptedReplies,
} from "../../src/model/llm/scripted/scripted-model.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import type { TestRuntimes } from "./runtime.ts";

export interface Scene {
  readonly model: ScriptedModel;
  readonly runtime: Runtime;
  readonly agent: Agent;
  readonly name: string;
}

let scenes = 0;

/** Opens a runtime and a new agent in it, whose modules are empty. */
export async function openScene(
  runtimes: TestRuntimes,
  replies: ScriptedReplies,
  options: RuntimeOptions = {},
): Promise<Scene> {
  scenes += 1;
  const name = `agent-${scenes}`;
  const model = createScriptedModel({ replies });
  const runtime = await runtimes.open({ model: "scripted", models: [model], ...options });
  return { model, runtime, agent: await runtime.agents.open(name, { create: {} }), name };
}

/** A call of core_memory_append on the human module. */
export function append(content: string, more: Readonly<Record<string, unknown>> = {}) {
  return { name: "core_memory_append", arguments: { name: "human", content, ...more } };
}
