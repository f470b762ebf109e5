// An agent with working memory, a tool that brings something in, and an embedder that a test can reckon with.
import { z } from "zod";
import type { RuntimeOptions } from "../../src/runtime/compose/compose.ts";
import { createScriptedModel, type ScriptedReplies } from "../../src/model/llm/scripted/scripted-model.ts";
import { defineTool } from "../../src/tool/define-tool.ts";
import type { TestRuntimes } from "./runtime.ts";
import { createSharedWordsEmbedder } from "./shared-words-embedder.ts";

export const timetable = defineTool({
  name: "timetable",
  description: "Says when the ferry leaves.",
  parameters: z.object({}),
  run: () => "The ferry to Cacilhas leaves at nine from pier two.",
});

export const asksTimetable = { toolCalls: [{ name: "timetable", arguments: {} }] };

export type WorkingSceneOptions = readonly [replies: ScriptedReplies, options?: RuntimeOptions];

let scenes = 0;

/** An agent in whose window only the last turn stays, so that what was said before must be looked up. */
export async function openWorkingScene(runtimes: TestRuntimes, ...[replies, options = {}]: WorkingSceneOptions) {
  scenes += 1;
  const [userId, name] = [`user ${scenes}`, `agent-${scenes}`];
  const embedder = createSharedWordsEmbedder();
  const model = createScriptedModel({ replies });
  const tools = { add: [timetable] };
  const runtime = await runtimes.open({
    userId,
    embedder,
    tools,
    model: "scripted",
    models: [model],
    workingMemory: "process",
    ...options,
  });
  const agent = await runtime.agents.open(name, { create: { settings: { keepLast: 0, compaction: "truncate" } } });
  return { runtime, agent, model, embedder, userId, name };
}
