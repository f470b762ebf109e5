// Your own tool: a zod schema, a function, and the memory in its context.
import { strict as assert } from "node:assert";
import { createRuntime, defineTool } from "palimpsest";
import { z } from "zod";

const roll = defineTool({
  name: "roll_dice",
  description: "Roll dice, and remember the result.",
  parameters: z.object({ sides: z.number().int().min(2).describe("Sides of the die.") }),
  run: async ({ sides }, { core, archival }) => {
    const result = Math.ceil(Math.random() * sides);
    core.append("human", `Last roll: ${result} of ${sides}`);
    await archival.insert(`Rolled ${result} with a die of ${sides} sides.`, { tags: ["dice"] });
    return { result };
  },
});

const runtime = await createRuntime({ dataDir: "data", model: "demo", tools: { add: [roll] } });
const agent = await runtime.agents.open("gambler", { create: { human: "" } });
for await (const event of agent.send('Call roll_dice with {"sides": 6}')) {
  if (event.type === "tool-result") process.stdout.write(`${event.name} -> ${event.text}\n`);
}
assert.match(agent.memory.read("human"), /Last roll: [1-6] of 6/);
assert.equal((await runtime.archival.search("gambler", "die of 6 sides")).total, 1);
await runtime.close();
