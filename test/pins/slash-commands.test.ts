// The slash commands of the chat. docs/cli.md lists their names, and a gate compares them.
import { commands } from "../../src/surfaces/terminal/commands/registry.ts";

test("each slash command has a unique name, with which its usage begins", () => {
  expect(new Set(commands.map(({ name }) => name)).size).toBe(commands.length);
  for (const { name, usage } of commands) expect(usage.split(" ")[0]).toBe(`/${name}`);
});

test.each(commands.map(({ name, summary }) => [name, summary]))(
  "/%s has a summary of at most 60 characters",
  (_name, summary) => {
    expect(summary.length).toBeLessThanOrEqual(60);
  },
);
