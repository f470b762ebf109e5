// Which consolidation a command without an id is about, on the command line and in the chat.
import { consolidation, fakeConsolidations } from "../../support/fake-consolidations.ts";
import { createFakeRuntime } from "../../support/fake-agent.ts";
import { runInWorld } from "../../support/fake-world.ts";
import { runCommand, shownText } from "../../support/run-command.ts";
import { stubRuntime } from "../../support/stub-runtime.ts";

const [operation] = consolidation.operations;

const runOf = (id: string, status: "proposed" | "applied" | "undone" | "failed") => ({
  ...consolidation,
  id,
  status,
  operations: status === "failed" ? [] : [{ ...operation!, status }],
});

const waiting = [
  runOf("failed", "failed"),
  runOf("undone", "undone"),
  runOf("applied", "applied"),
  runOf("waits", "proposed"),
  runOf("old", "applied"),
];
const reviewed = [runOf("failed", "failed"), runOf("undone", "undone")];

it.each([
  ["show", waiting, "waits"],
  ["apply", waiting, "waits"],
  ["reject", waiting, "waits"],
  ["undo", waiting, "applied"],
  ["show", reviewed, "failed"],
  ["apply", reviewed, "failed"],
  ["undo", reviewed, "failed"],
] as const)("consolidate %s finds its run behind later ones", async (verb, runs, id) => {
  const [called, typed]: [string, ...unknown[]][][] = [[], []];
  await runInWorld(["consolidate", verb], {
    runtime: stubRuntime({ consolidation: fakeConsolidations(called!, runs) }),
  });
  expect(called!.at(-1)?.slice(0, 2)).toEqual([`consolidation.${verb === "show" ? "find" : verb}`, id]);
  if (verb === "show") return;
  const runtime = { ...createFakeRuntime(), consolidation: fakeConsolidations(typed!, runs) };
  await runCommand(`/consolidate ${verb}`, { runtime });
  expect(typed!.at(-1)?.slice(0, 2)).toEqual([`consolidation.${verb}`, id]);
});

it("/consolidate shows a run that waits behind later ones, and begins a run if none waits", async () => {
  const calls: [string, ...unknown[]][] = [];
  const runtime = createFakeRuntime();
  const shown = await runCommand("/consolidate", {
    runtime: { ...runtime, consolidation: fakeConsolidations(calls, waiting) },
  });
  expect(shownText(shown)).toContain("waits  proposed");
  expect(calls).toEqual([]);
  await runCommand("/consolidate", { runtime: { ...runtime, consolidation: fakeConsolidations(calls, reviewed) } });
  expect(calls.map(([name]) => name)).toEqual(["consolidation.run"]);
});
