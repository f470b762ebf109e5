// `/remember` and `#`: what they write to core memory, and which lines stay messages.
import { parseCommand } from "../../src/surfaces/terminal/commands/registry.ts";
import { createTestRuntimes, drain } from "../support/runtime.ts";
import { openScene } from "../support/scene.ts";
import { typeLine } from "../support/typed-line.ts";
import { useScene } from "../support/use-scene.ts";

const runtimes = useScene(() => createTestRuntimes());

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
