// The process that is killed while it consolidates memory, applies the run and undoes it. It first checks what the one before left:
// the run and memory agree, and memory has all effects of the run or none. It writes lines: `state STATUS` or `violation …`, then
// `consolidating`, `applying`, and when the run is undone `consolidated MS MS`: the time before and after `applying`.
import { writeSync } from "node:fs";
import { parseArgs } from "node:util";
import { composeRuntime } from "../../src/runtime/compose/compose.ts";
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import { openStore } from "../../src/store/open-store.ts";
import { answerOf, named, rowsOf } from "../support/consolidation-scene.ts";
import { connectionOf } from "./child-connection.ts";

const { values } = parseArgs({
  options: {
    folder: { type: "string" },
    url: { type: "string" },
    number: { type: "string", default: "0" },
    /** Only checks. */
    last: { type: "boolean", default: false },
    /** Changes memory without the run before it is applied, as a careless change might: to show that the trials find it. */
    halves: { type: "boolean", default: false },
  },
});

const tell = (line: string): void => {
  writeSync(1, `${line}\n`);
};
const [short, long] = ["Dentist appointment on 2026-12-05", "The dentist appointment on 2026-12-05 is at 10:00"];
const [whole, other, line] = [
  "Tea: green and black. Ada sails",
  "Ada sails with tea, green and black",
  "Taxes are done",
];
const untouched = [short, long, whole, other, `human: ${line}`].toSorted();
const tidied = [long, other, "Tea: green and black.", "Ada sails", line, "human: "].toSorted();

const number = Number(values.number);
const store = await openStore({ connection: connectionOf(values) });

const runtimeOf = (trial: number) => {
  const model = createScriptedModel({
    replies: (request) => {
      const rows = rowsOf(request);
      const operations = [
        { kind: "merge", targets: [named(rows, short), named(rows, long)], keep: named(rows, long) },
        { kind: "move-to-archive", targets: [named(rows, line)] },
        { kind: "split", targets: [named(rows, whole)], texts: ["Tea: green and black.", "Ada sails"] },
      ];
      return { text: answerOf(operations) };
    },
  });
  return composeRuntime({ model: "scripted", models: [model], embedder: null, userId: `user-${trial}` }, { store });
};

if (number > 0) await checkBefore(number - 1);
if (!values.last) {
  const runtime = await runtimeOf(number);
  await runtime.agents.create({ name: "tidy", persona: "", human: line });
  for (const text of [short, long, whole, other]) await runtime.archival.add("tidy", text);
  tell("consolidating");
  const begun = performance.now();
  const run = (await runtime.consolidation.run("tidy"))!;
  const applying = performance.now();
  tell("applying");
  if (values.halves) await runtime.memory.set("tidy", "human", "");
  await runtime.consolidation.apply(run.id);
  await runtime.consolidation.undo(run.id);
  tell(`consolidated ${applying - begun} ${performance.now() - applying}`);
  await runtime.close();
}
await store.close();

async function checkBefore(trial: number): Promise<void> {
  const runtime = await runtimeOf(trial);
  const [run] = await runtime.consolidation.list("tidy");
  const status = run?.status ?? "none";
  tell(`state ${status}`);
  const passages = await runtime.archival.list("tidy", { limit: null });
  const current = passages.filter(({ replacedBy }) => replacedBy === undefined).map(({ text }) => text);
  const human = (await runtime.memory.show("tidy")).find(({ label }) => label === "human")?.value ?? "";
  const found = [...current, `human: ${human}`].toSorted();
  const expected = status === "applied" ? tidied : untouched;
  if (JSON.stringify(found) !== JSON.stringify(expected))
    tell(`violation with the status ${status}: ${found.join(" | ")}`);
  await runtime.close();
}
