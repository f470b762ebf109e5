// `!command` and `/output`: what runs, what the user sees, and what the model gets.
import { pressed, typed } from "../../src/surfaces/terminal/keys/key-codes.ts";
import type { ChatHost, ShellEnd } from "../../src/surfaces/terminal/chat-host.ts";
import { parseCommand } from "../../src/surfaces/terminal/commands/registry.ts";
import { createChat } from "../../src/surfaces/terminal/create-chat.ts";
import { runCommand, shownText } from "../support/run-command.ts";
import { useRuntimes } from "../support/runtime.ts";
import { openScene } from "../support/scene.ts";
import { silentHost } from "../support/silent-host.ts";

const runtimes = useRuntimes();

const ended = (text: string, problem: string | null = null): ShellEnd => ({ text, problem, isInterrupted: false });

const hostWith = (runShell: NonNullable<ChatHost["runShell"]>): ChatHost => ({ ...silentHost, runShell });

async function openShellChat(runShell: NonNullable<ChatHost["runShell"]>) {
  const scene = await openScene(runtimes, [{ text: "Two files." }, { text: "And again." }]);
  const { runtime, agent } = scene;
  const chat = createChat(
    { runtime, agent, version: "0", color: false, host: hostWith(runShell) },
    { columns: 100, rows: 30 },
  );
  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  return {
    ...scene,
    chat,
    until,
    type(line: string) {
      chat.handleKey(typed(line));
      chat.handleKey(pressed("enter"));
    },
    shown: () => shownText(chat.getState(), 100),
    isIdle: () => chat.getState().activity === null,
  };
}

test.each([
  ["!ls", "ls"],
  ["! git log -3 ", "git log -3"],
])("%j runs %j", (line, argument) => {
  expect(parseCommand(line)).toEqual({ name: "shell", argument });
});

test.each(["!", "! ", "!!", "!!! wow", " !ls", "no!", "!ls\nand more"])("%j stays a message", (line) => {
  expect(parseCommand(line)).toBeNull();
});

test("without the setting nothing runs, and the refusal says how to allow it", async () => {
  const outcome = await runCommand("!ls");
  expect(shownText(outcome)).toContain("✗ Shell commands are off in this chat, and nothing was run.");
  expect(shownText(outcome).replaceAll(/\s+/gu, " ")).toContain("PALIMPSEST_SHELL_COMMANDS=on");
  expect(outcome.effect).toBeUndefined();
});

test("the output stays with the user until /output sends it, as external text", async () => {
  const asked: string[] = [];
  const { type, shown, until, isIdle, model, runtime, agent } = await openShellChat(async (command) => {
    asked.push(command);
    return ended("a.txt\nb.txt\n", "exit code 2");
  });
  type("!ls");
  await until(() => shown().includes("Only you see this."));
  await until(isIdle);
  expect(asked).toEqual(["ls"]);
  expect(shown()).toContain("  ⎿ a.txt\n    b.txt\n    exit code 2");
  expect(model.requests).toHaveLength(0);
  type("/output How many?");
  await until(() => shown().includes("Two files."));
  const request = JSON.stringify(model.requests[0]);
  expect(request).toContain("How many?");
  expect(request).toContain("output.txt");
  const { messages } = await runtime.conversations.messages(agent.conversationId);
  expect(messages[0]).toMatchObject({ role: "user", trust: "external" });
});

test("/output without a question attaches the output to the next message, and no other", async () => {
  const { type, shown, until, isIdle, model } = await openShellChat(async () => ended("ok\n"));
  type("!true");
  await until(() => shown().includes("Only you see this."));
  await until(isIdle);
  type("/output");
  await until(() => shown().includes("goes with your next message."));
  await until(isIdle);
  type("see this");
  await until(() => shown().includes("Two files."));
  await until(isIdle);
  type("thanks");
  await until(() => shown().includes("And again."));
  const sent = (at: number): string => JSON.stringify(model.requests[at]?.messages.at(-1));
  expect(sent(0)).toContain("output.txt");
  expect(sent(1)).toContain("thanks");
  expect(sent(1)).not.toContain("output.txt");
});

test("Ctrl+C interrupts the command, and a waiting input returns to the prompt", async () => {
  const { type, shown, until, chat, model } = await openShellChat(
    (_command, signal) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => resolve({ text: "half", problem: "interrupted", isInterrupted: true }));
      }),
  );
  type("!sleep 600");
  await until(() => chat.getState().activity === "/shell");
  type("later");
  chat.handleKey(pressed("ctrl+c"));
  await until(() => chat.getState().editor.text === "later\n");
  expect(shown()).toContain("  ⎿ half\n    interrupted");
  expect(model.requests).toHaveLength(0);
});

test("a long output is shortened in the middle, and Ctrl+O shows all of it", async () => {
  const lines = Array.from({ length: 100 }, (_, index) => `line ${index}`).join("\n");
  const { type, shown, until, isIdle, chat } = await openShellChat(async () => ended(lines));
  type("!seq");
  await until(() => shown().includes("Only you see this."));
  await until(isIdle);
  expect(shown()).toContain("line 9\n    … 80 more rows · Ctrl+O\n    line 90");
  expect(shown()).not.toContain("line 50");
  chat.handleKey(pressed("ctrl+o"));
  const drawn = chat.getState().dialog?.dialog.draw({ width: 80, max: 200, now: new Date() }).rows ?? [];
  expect(drawn.flat().map(({ text }) => text)).toContain("line 50");
});

test("control sequences in an output do not reach the screen", async () => {
  const { type, shown, until } = await openShellChat(async () => ended("\u001b[2J\u001b]0;title\u0007red\r\nnext"));
  type("!x");
  await until(() => shown().includes("Only you see this."));
  expect(shown()).toContain("  ⎿ red\n    next");
  expect(shown()).not.toContain("\u001b");
});
