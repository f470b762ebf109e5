// The slash commands of the chat: their names are what people type, and docs/cli.md lists each of them.
// The expected names are spelled out.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { commands } from "../../src/tui/commands/registry.ts";

const document = readFileSync(fileURLToPath(new URL("../../docs/cli.md", import.meta.url)), "utf8");

/** The first cells of the table of the section on slash commands, as they are typed. */
function documented(): readonly string[] {
  const section = document.split("\n## ").find((part) => part.startsWith("Slash commands\n")) ?? "";
  return [...section.matchAll(/^\| `(\/[^`]{1,60})` +\|/gmu)].map(([, usage = ""]) => usage.replaceAll("\\|", "|"));
}

test("these are the slash commands, in the order of /help", () => {
  expect(commands.map(({ name }) => name)).toEqual([
    "help",
    "memory",
    "undo",
    "search",
    "archival",
    "attach",
    "detach",
    "file",
    "tools",
    "approve",
    "deny",
    "retry",
    "rewrite",
    "rethink",
    "btw",
    "branch",
    "pop",
    "context",
    "usage",
    "dump",
    "model",
    "persona",
    "systemswap",
    "compact",
    "summarize",
    "heartbeat",
    "memorywarning",
    "new",
    "fork",
    "resume",
    "export",
    "import",
    "copy",
    "/",
    "theme",
    "save",
    "exit",
  ]);
});

test("docs/cli.md lists each slash command as /help does, and no other", () => {
  expect([...documented()].sort()).toEqual(commands.map(({ usage }) => usage).sort());
});

test.each(commands.map(({ name, summary }) => [name, summary]))(
  "/%s has a summary of at most 60 characters",
  (_name, summary) => {
    expect(summary.length).toBeLessThanOrEqual(60);
  },
);
