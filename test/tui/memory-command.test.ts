// `/memory`: core memory and its history on the screen.
import { createFakeRuntime, revision } from "../support/fake-agent.ts";
import { runCommand, shownText } from "../support/run-command.ts";

test("/memory shows every module with its use, value and last revisions", async () => {
  expect(shownText(await runCommand("/memory"))).toBe(
    [
      "",
      "persona 9/2000",
      "  I am Sam.",
      "",
      "human 9/2000",
      "  Name: Ada",
      "  r1  core_memory_append, 2 h ago",
      "    + Name: Ada",
    ].join("\n"),
  );
});
test("/memory of one module, and of one that does not exist", async () => {
  expect(shownText(await runCommand("/memory persona"))).not.toContain("human");
  expect(shownText(await runCommand("/memory nobody"))).toContain("It has: persona, human.");
});

test("/memory history shows who changed what, and what an undo took back", async () => {
  const runtime = createFakeRuntime({
    revisions: [
      revision({ revision: 2, before: "Name: Ada", after: "", origin: "user", toolName: null, undoes: 1 }),
      revision(),
    ],
  });
  const text = shownText(await runCommand("/memory history", { runtime }));
  expect(text).toContain("human r2  takes back r1, 2 h ago\n    - Name: Ada");
  expect(text).toContain("human r1  core_memory_append");
});
