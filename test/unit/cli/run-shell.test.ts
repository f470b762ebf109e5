// Shell commands of the chat: what is kept of their output, and how they end.
import { readFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { runShell } from "../../../src/surfaces/cli/chat/run-shell.ts";
import { useFolder } from "../../support/folders.ts";

const folder = useFolder();

const never = new AbortController().signal;
const run = (command: string, signal = never) => runShell("/bin/sh", command, { signal });

test.each([
  ["echo one; echo two >&2", { text: "one\ntwo\n", problem: null }],
  ["echo kept; exit 3", { text: "kept\n", problem: "exit code 3" }],
  ["kill -9 $$", { text: "", problem: "ended by SIGKILL" }],
  ["cat", { text: "", problem: null }],
  ["test -t 0 || test -t 1 || echo no terminal", { text: "no terminal\n", problem: null }],
  ["printf 'caf\\303\\251 \\360\\237\\230\\200'", { text: "café 😀", problem: null }],
])("%j ends with %j", async (command, expected) => {
  expect(await run(command)).toEqual({ ...expected, isInterrupted: false });
});

test("a shell that does not exist is reported", async () => {
  const { problem } = await runShell("/nowhere/sh", "echo", { signal: never });
  expect(problem).toContain("not started: ");
});

test("a long output keeps its beginning and its end, and says how much is left out", async () => {
  const { text } = await run("echo first; yes 0123456789 | head -c 1000000; echo; echo last");
  expect(text.length).toBeLessThan(65_000);
  expect(text).toMatch(/^first\n[\s\S]+\n… 936,012 bytes left out …\n[\s\S]+\nlast\n$/u);
});

test("a command that takes too long is stopped, and its output kept", async () => {
  const end = await runShell("/bin/sh", "echo begun; sleep 600", { signal: never, maxMs: 500 });
  expect(end).toEqual({ text: "begun\n", problem: "stopped after 1 s", isInterrupted: false });
});

test("an interruption ends all processes of a command, also those that ignore the request", async () => {
  const abort = new AbortController();
  const file = path.join(folder, "pids");
  const command = `sh -c 'trap "" TERM; echo $$ >> ${file}; sleep 600 & echo $! >> ${file}; wait; wait'`;
  const running = run(command, abort.signal);
  const pids = async (): Promise<readonly number[]> => {
    const text = await readFile(file, "utf8").catch(() => "");
    return text.split("\n").filter(Boolean).map(Number);
  };
  while ((await pids()).length < 2) await sleep(10);
  abort.abort();
  expect(await running).toEqual({ text: "", problem: "interrupted", isInterrupted: true });
  for (const pid of await pids()) {
    // A killed process may be seen until its parent has asked for its end.
    while (await isRunning(pid)) await sleep(10);
  }
});

test("a process in the background does not hold the command open", async () => {
  const { text, problem } = await run("sleep 30 & echo $!");
  expect(problem).toBeNull();
  process.kill(Number(text), "SIGKILL");
});

async function isRunning(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return stat !== "" && !/\) Z /u.test(stat);
}
