// Default tools can be changed: this example removes one, and replaces one by a stricter version.
import { strict as assert } from "node:assert";
import { createRuntime, defineTool, ToolError } from "palimpsest";
import { z } from "zod";

const archivalMemoryInsert = defineTool({
  name: "archival_memory_insert",
  description: "Add to archival memory. Numbers of cards and accounts are refused.",
  parameters: z.object({ content: z.string().describe("What to store.") }),
  effects: "memory",
  run: ({ content }, { archival }) => {
    if (/\d{12,}/.test(content))
      throw new ToolError("Not stored: it holds a long number. Leave the number out and try again.");
    return archival.insert(content);
  },
});

const runtime = await createRuntime({ dataDir: "data", model: "demo" });
const agent = await runtime.agents.open("keeper", {
  create: { human: "" },
  tools: { remove: ["core_memory_replace"], replace: { archival_memory_insert: archivalMemoryInsert } },
});
const outcomes: string[] = [];
for (const text of ["Remember that my card is 4111111111111111.", "Remember that the spare key is under the fern."]) {
  for await (const event of agent.send(text)) {
    if (event.type === "tool-result") outcomes.push(`${event.name}: ${event.status}`);
  }
}
process.stdout.write(`${outcomes.join("\n")}\n`);
const stored = (await runtime.archival.list("keeper")).map((passage) => passage.text);
assert.equal(stored.length, 1);
assert.match(stored[0] ?? "", /fern/);
assert.ok(outcomes.includes("archival_memory_insert: failed"));
await runtime.close();
