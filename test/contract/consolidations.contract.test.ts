// A consolidation is applied as a whole or not at all: each statement of its transaction fails in turn. On the engine at hand.
import { composeRuntime } from "../../src/runtime/compose/compose.ts";
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import { answerOf, memoryOf, named, rowsOf } from "../support/consolidation-scene.ts";
import { useStore } from "../support/database.ts";

const { test } = useStore({ isOwn: true });

const [short, long] = ["Dentist appointment on 2026-12-05", "The dentist appointment on 2026-12-05 is at 10:00"];
const line = "Taxes of 2020-12-31 are done";
const whole = "Tea: green and black. Ada sails";

/** A proposed run that merges and splits passages, and moves a line. */
async function openProposal(userId: string) {
  const model = createScriptedModel({
    replies: (request) => {
      const rows = rowsOf(request);
      return {
        text: answerOf([
          { kind: "merge", targets: [named(rows, short), named(rows, long)], keep: named(rows, long) },
          { kind: "move-to-archive", targets: [named(rows, line)] },
          { kind: "split", targets: [named(rows, whole)], texts: ["Tea: green and black.", "Ada sails"] },
        ]),
      };
    },
  });
  const options = { model: "scripted", models: [model], embedder: null, userId };
  const runtime = await composeRuntime(options, { store: test.store });
  await runtime.agents.create({ name: "tidy", persona: "", human: line });
  for (const text of [short, long, whole, "Ada sails with tea, green and black"])
    await runtime.archival.add("tidy", text);
  const run = await runtime.consolidation.run("tidy");
  if (run === null) throw new Error("Expected a run, got none.");
  return { runtime, id: run.id };
}

const fail = `create function fail() returns trigger language plpgsql as $$ begin raise exception 'failed on purpose'; end $$`;

const writes = [
  "update on consolidations",
  "update on modules",
  "insert on revisions",
  "insert on passages",
  "update on passages",
];

it.each([...writes, "delete on passages"])("changes nothing if the %s fails", async (write) => {
  const { runtime, id } = await openProposal(`user-${write.replaceAll(" ", "-")}`);
  const isUndo = write.startsWith("delete");
  if (isUndo) await runtime.consolidation.apply(id);
  const run = await runtime.consolidation.find(id);
  const before = await memoryOf(runtime, "tidy");
  await test.ownerRows(fail);
  await test.ownerRows(`create trigger failing before ${write} for each row execute function fail()`);
  const act = () => (isUndo ? runtime.consolidation.undo(id) : runtime.consolidation.apply(id));
  try {
    await expect(act()).rejects.toMatchObject({ code: "store_failed" });
  } finally {
    await test.ownerRows("drop function fail() cascade");
  }
  expect(await runtime.consolidation.find(id)).toEqual(run);
  expect(await memoryOf(runtime, "tidy")).toEqual(before);
  const done = await act();
  expect(done.operations.map(({ status }) => status)).toEqual(
    Array.from({ length: 3 }, () => (isUndo ? "undone" : "applied")),
  );
  await runtime.close();
});
