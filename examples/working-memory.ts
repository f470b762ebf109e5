// Working memory for many users, and one query over it and your own archive, without an agent.
import { strict as assert } from "node:assert";
import { QueryPlanner } from "palimpsest/query-planner";
import { WorkingMemory } from "palimpsest/working-memory";

// In production, pass an embedder: texts are then found by meaning as soon as their vectors are computed.
const working = new WorkingMemory({ embedder: null, maxMemoryMb: 10, fifoIntervalMin: 5 });
working.add({ text: "The ferry to Cacilhas leaves at nine.", source: "timetable", user: "ada" });
working.add({ text: "I get seasick.", source: "user", user: "ada", trust: "user" });
working.add({ text: "The ferry is late.", source: "timetable", user: "bob" });

const { hits } = await working.search("When does the ferry leave?", { user: "ada" });
assert.deepEqual(
  hits.map(({ text, source }) => [text, source]),
  [["The ferry to Cacilhas leaves at nine.", "timetable"]],
);

const archive = ["Ada has lived in Lisbon since May.", "The ferry to Cacilhas leaves at nine!"];
const planner = new QueryPlanner({
  countTokens: (text) => Math.ceil(text.length / 4),
  sources: {
    working: async (query, { user, k }) => working.search(query, { user, k }),
    archival: async () => ({
      hits: archive.map((text, place) => ({ id: `passage ${place}`, text })),
    }),
    files: async () => {
      throw new TypeError("the disk is full");
    },
  },
  synopsis: async () => "Ada, a sailor, lives in Lisbon.",
});
const context = await planner.getContext("When does the ferry leave?", "ada", { maxTokens: 4000 });
assert.deepEqual(context.warnings, ["files was left out: the disk is full"]);
assert.equal(context.found.length, 2);
process.stdout.write(
  `${context.explanation.map(({ source, rank, outcome, reason }) => `${source} ${rank}: ${outcome}, ${reason}`).join("\n")}\n`,
);
await working.close();
