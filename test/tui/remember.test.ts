// `/remember`, `#` and `/forget`: what they write to core memory, which lines stay messages, and what is removed after a question.
import { parseCommand } from "../../src/surfaces/terminal/commands/registry.ts";
import { drain, useRuntimes } from "../support/runtime.ts";
import { openScene } from "../support/scene.ts";
import { typeLine } from "../support/typed-line.ts";
import { driveDialog } from "../support/drive-dialog.ts";

const runtimes = useRuntimes();

test("a fact is a revision of the user, which the next turn sees and /undo reverts", async () => {
  const scene = await openScene(runtimes, [{ text: "Hello." }]);
  const { runtime, name, agent, model } = scene;
  const { text } = await typeLine("# Ada sails on Sundays.", scene);
  expect(text).toContain("✎ human 21/4000  + Ada sails on Sundays.");
  expect(text).toContain("/undo human undoes it.");
  expect((await typeLine("/remember I have a cat.", scene)).text).toContain('+ The user said: "I have a cat."');
  expect(await runtime.memory.revisions(name)).toMatchObject([
    { label: "human", revision: 2, after: 'Ada sails on Sundays.\nThe user said: "I have a cat."', origin: "user" },
    { label: "human", revision: 1, before: "", after: "Ada sails on Sundays.", origin: "user" },
  ]);
  await drain(agent.send("Hi"));
  expect(JSON.stringify(model.requests[0])).toContain("Ada sails on Sundays.");
  expect((await typeLine("#Ada sails on Sundays.", scene)).text).toContain("already: Ada sails on Sundays.");
  await typeLine("/undo human", scene);
  await typeLine("/undo human", scene);
  const human = (await runtime.memory.show(name)).find(({ label }) => label === "human");
  expect(human).toMatchObject({ value: "", trust: "user" });
});

test("a refused fact changes nothing and says why", async () => {
  const scene = await openScene(runtimes, []);
  const { runtime, name } = scene;
  expect((await typeLine("/remember", scene)).text).toContain("Missing text");
  await expect(typeLine(`#${"x".repeat(5_000)}`, scene)).rejects.toMatchObject({ code: "module_limit", length: 5_000 });
  expect(await runtime.memory.revisions(name)).toEqual([]);
});

test("facts of two terminals at once are both kept", async () => {
  const { runtime, name } = await openScene(runtimes, []);
  await Promise.all(["Likes tea.", "Likes rain."].map((fact) => runtime.memory.remember(name, fact)));
  const human = (await runtime.memory.show(name)).find(({ label }) => label === "human");
  expect(human?.value.split("\n").sort()).toEqual(["Likes rain.", "Likes tea."]);
});

test.each([
  ["#text", "text"],
  ["# a fact ", "a fact"],
  ["# 3 dogs", "3 dogs"],
])("%j keeps %j", (line, argument) => {
  expect(parseCommand(line)).toEqual({ name: "remember", argument });
});

test.each([" #text", "#", "# ", "## Title", "#1 is wrong", "#!/bin/sh", "# Title\nand a text", "a #text"])(
  "%j stays a message",
  (line) => {
    expect(parseCommand(line)).toBeNull();
  },
);

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
  expect((await typeLine("/forget nothing like it", scene)).text).toContain("That text was not found in any place.");
  expect((await typeLine("/forget", scene)).text).toContain("Missing text: /forget TEXT.");
});
