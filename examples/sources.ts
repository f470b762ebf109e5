// Files that agents search: from a folder, and from what a program received; hits say where their text is.
import { strict as assert } from "node:assert";
import { mkdir, writeFile } from "node:fs/promises";
import { createRuntime } from "palimpsest";

await mkdir("handbook", { recursive: true });
await writeFile(
  "handbook/leave.md",
  "# Leave\n\nEveryone has thirty days of leave.\n\n## Parents\n\nParents have ten more.\n",
);

const runtime = await createRuntime({ dataDir: "data", model: "demo" });

const fromDisk = await runtime.sources.load("work", ["handbook"]);
process.stdout.write(`${fromDisk.added} file, ${fromDisk.passages} passages\n`);

// An upload, the body of a response or a buffer is loaded under a name.
const upload = new File(["The office in Lisbon opens at nine."], "offices.txt");
const { body } = new Response("Invoices are paid on Fridays.");
const received = await runtime.sources.load("work", [
  { name: "uploads/offices.txt", data: upload },
  { name: "uploads/invoices.txt", data: body! },
]);
assert.equal(received.added, 2);

// The same content is not read again, and a bad file does not stop the others.
const again = await runtime.sources.load("work", ["handbook", "missing.md"]);
assert.equal(again.unchanged, 1);
assert.deepEqual(again.failed, [{ name: "missing.md", reason: "there is no such file" }]);

await runtime.agents.create({ name: "clerk", persona: "I answer from the handbook.", human: "" });
await runtime.sources.attach("clerk", "work");
const { hits } = await runtime.archival.search("clerk", "How many days of leave do parents have?");
for (const { text, source } of hits) {
  const place = [source?.file, source?.heading, `lines ${source?.lineFrom} to ${source?.lineTo}`];
  process.stdout.write(`${place.filter((part) => part !== undefined).join(", ")}: ${text.replaceAll("\n", " ")}\n`);
}
assert.ok(hits.some(({ source }) => source?.heading === "Leave > Parents"));

// The agent finds the same passages with its tool.
const agent = await runtime.agents.open("clerk");
for await (const event of agent.send('Call archival_memory_search with {"query": "office in Lisbon"}')) {
  if (event.type === "tool-result") process.stdout.write(`${event.name} -> ${event.text}\n`);
}
await runtime.close();
