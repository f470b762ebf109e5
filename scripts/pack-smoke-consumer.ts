// A first program of a user: a memory class, a tool and a loop over events, importing only the package by its name.
// scripts/pack-smoke.sh compiles it against the packed types and runs it.
import { type Agent, type AgentEvent, ChatMemory, defineTool, MemoryModule } from "palimpsest";
import * as testing from "palimpsest/testing";
import { z } from "zod";

class TaskMemory extends ChatMemory {
  static override readonly type = "task";

  override tools(): ReturnType<ChatMemory["tools"]> {
    const done = defineTool({
      name: "task_done",
      description: "Marks a task as done.",
      parameters: z.object({ task: z.string().describe("The task, word for word.") }),
      run: ({ task }) => `${task} is done`,
    });
    return [...super.tools(), done];
  }
}

/** Only compiled: the smoke test has no model. */
export async function replyOf(agent: Agent, text: string): Promise<readonly AgentEvent["type"][]> {
  const types: AgentEvent["type"][] = [];
  for await (const event of agent.send(text)) types.push(event.type);
  return types;
}

const memory = new TaskMemory({ persona: "Terse.", human: "Ann." });
const names = memory.tools().map((tool) => tool.name);
const module = new MemoryModule({ label: "tasks", value: "", limit: 100 });
if (!names.includes("task_done") || names.length < 3) throw new Error(`the memory's tools are ${names.join(", ")}`);
if (module.limit !== 100) throw new Error("the module lost its limit");
if (Object.keys(testing).length === 0) throw new Error("palimpsest/testing exports nothing");
process.stdout.write(`consumer: ${names.join(", ")}\n`);
