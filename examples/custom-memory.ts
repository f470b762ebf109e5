// Your own memory class: core memory with a queue of tasks, and the tools that edit it. A restart restores its class.
import { strict as assert } from "node:assert";
import { ChatMemory, type ChatMemoryOptions, createRuntime, defineTool, MemoryModule, ToolError } from "palimpsest";
import { z } from "zod";

class TaskMemory extends ChatMemory {
  static override readonly type = "task";

  constructor(options: ChatMemoryOptions = {}) {
    super(options);
    this.add(new MemoryModule({ label: "tasks", description: "What is to be done, oldest first." }));
  }

  override tools() {
    const push = defineTool({
      name: "task_push",
      description: "Add a task to the end of the queue.",
      parameters: z.object({ task: z.string().describe("What is to be done.") }),
      effects: "memory",
      run: ({ task }) => this.edit("tasks", (tasks) => (tasks === "" ? task : `${tasks}\n${task}`)),
    });
    const pop = defineTool({
      name: "task_pop",
      description: "Take the oldest task from the queue and return it.",
      parameters: z.object({}),
      effects: "memory",
      run: () => {
        const [next, ...rest] = this.read("tasks").split("\n");
        if (next === undefined || next === "") throw new ToolError("There is no task in the queue.");
        this.edit("tasks", () => rest.join("\n"));
        return next;
      },
    });
    return [...super.tools(), push, pop];
  }
}

// region open
const open = () => createRuntime({ dataDir: "data", model: "demo", memoryClasses: [TaskMemory] });
// endregion

// region use
const first = await open();
const agent = await first.agents.open("planner", { create: { memoryType: TaskMemory.type } });
for await (const event of agent.send('Call task_push with {"task": "buy a map"}')) {
  if (event.type === "memory-edit") process.stdout.write(`${event.label}: ${event.after}\n`);
}
await first.close();
// endregion

// region restore
const second = await open();
const restored = await second.agents.open("planner");
assert.ok(restored.memory instanceof TaskMemory);
assert.equal(restored.memory.read("tasks"), "buy a map");
await second.close();
// endregion
