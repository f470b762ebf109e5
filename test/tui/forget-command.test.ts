// `/forget`: shows what holds a text, asks, and removes it; the chat goes on without it.
import { driveDialog } from "../support/drive-dialog.ts";
import { createTestRuntimes, drain } from "../support/runtime.ts";
import { openScene } from "../support/scene.ts";
import { typeLine } from "../support/typed-line.ts";
import { useScene } from "../support/use-scene.ts";

const runtimes = useScene(() => createTestRuntimes());

test("y removes the text from every place, and the next request does not have it", async () => {
  const scene = await openScene(runtimes, [{ text: "Noted." }, { text: "Which code?" }]);
  await drain(scene.agent.send("My code is 4711-A."));
  const dialogs = driveDialog(["y"], { max: 200, width: 99 });
  const { text, effect } = await typeLine('/forget "4711-a"', { ...scene, dialogs });
  expect(dialogs.screens[0]).toMatch(/What holds the text\n {2}redacted {2}message {2}My code is 4711-A\./u);
  expect(dialogs.screens[0]).toMatch(/Remove it from \d places? for good\?/u);
  expect(text).toMatch(/Removed from \d places?\. It can still be on this screen\./u);
  if (effect?.type !== "open") throw new Error("Expected the chat to go on with the agent that was opened.");
  await drain(effect.agent.send("What is my code?"));
  expect(JSON.stringify(scene.model.requests.at(-1))).not.toContain("4711-A");
});

test.each([["n"], ["escape"], ["enter"]])("%j changes nothing", async (key) => {
  const scene = await openScene(runtimes, [{ text: "Noted." }]);
  await drain(scene.agent.send("My code is 815-B."));
  const { text, effect } = await typeLine("/forget 815-B", { ...scene, dialogs: driveDialog([key]) });
  expect([text, effect]).toEqual(["· Nothing was changed.", undefined]);
  expect((await scene.runtime.forget.preview({ texts: ["815-B"] })).places.length).toBeGreaterThan(0);
});

test("a text that nothing holds is said to be so, and a text is needed", async () => {
  const scene = await openScene(runtimes, []);
  expect((await typeLine("/forget nothing like it", scene)).text).toContain("Nothing holds that text.");
  expect((await typeLine("/forget", scene)).text).toContain("Missing text: /forget TEXT.");
});
