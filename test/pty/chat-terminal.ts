// A terminal with a separate home folder, in which `palimpsest` is the built program, and the two sizes of all tests.
// Invariant: the program sees no key, configuration or data of the user who runs the tests.
import path from "node:path";
import { createProgramHome, removeProgramHome } from "./program-home.ts";
import { openTerminal, type Terminal, type TerminalSize } from "./terminal.ts";

export const usualSize: TerminalSize = { columns: 80, rows: 24 };
export const largeSize: TerminalSize = { columns: 200, rows: 50 };
export const sizes: readonly (readonly [string, TerminalSize])[] = [
  ["80x24", usualSize],
  ["200x50", largeSize],
];

/** The hint row while the agent waits for input. */
export const readyHint = "Enter send · Alt+Enter";

export interface ChatTerminal extends Terminal {
  /** The shell's home, with the data folder of the program: `data`. */
  readonly home: string;
  /** Types a line and presses Enter. */
  say(line: string): Promise<void>;
  /** Runs a command at the shell's prompt on an empty screen, so that no later wait can end with what was there before. */
  run(command: string): Promise<void>;
  /** Waits until the agent has answered that many times and waits for input. Redrawn answers count again. */
  untilReplies(count: number): Promise<void>;
  /** Waits for the shell's prompt on the last row. Keys typed before it may be lost while the terminal changes owner. */
  untilShell(): Promise<void>;
  /** Waits until a new chat accepts keys, shortly after its first frame. */
  untilReady(): Promise<void>;
}

export interface ChatTerminalOptions {
  /** Default: the usual size. */
  readonly size?: TerminalSize;
  readonly env?: Readonly<Record<string, string>>;
}

/** A terminal at a shell's prompt. */
export async function openChatTerminal(options: ChatTerminalOptions = {}): Promise<ChatTerminal> {
  const home = await createProgramHome();
  try {
    return await openAt(home, options);
  } catch (error) {
    await removeProgramHome(home);
    throw error;
  }
}

/** The program in a terminal, at its prompt. */
export async function openChat(options: ChatTerminalOptions & { readonly args?: string } = {}): Promise<ChatTerminal> {
  const terminal = await openChatTerminal(options);
  try {
    await terminal.say(`palimpsest ${options.args ?? "-m demo"}`);
    await terminal.untilReady();
    return terminal;
  } catch (error) {
    await terminal.close();
    throw error;
  }
}

async function openAt(home: string, { size = usualSize, env }: ChatTerminalOptions): Promise<ChatTerminal> {
  const terminal = await openTerminal({
    size,
    folder: home,
    env: {
      PATH: `${path.join(home, "bin")}:${process.env["PATH"]}`,
      PALIMPSEST_DATA_DIR: path.join(home, "data"),
      ...env,
    },
  });
  await terminal.until("$");
  const say = async (line: string): Promise<void> => {
    await terminal.type(line);
    await terminal.press("Enter");
  };
  return {
    ...terminal,
    home,
    say,
    async run(command) {
      await say("clear");
      await terminal.untilTrue("Never cleared", async () => (await terminal.screen()) === "$");
      await say(`clear; ${command}`);
    },
    async untilReplies(count) {
      const replies = async (): Promise<number> => (await terminal.everything()).match(/^● /gmu)?.length ?? 0;
      await terminal.untilTrue(`Never answered ${count} times`, async () => (await replies()) >= count);
      await terminal.until(readyHint);
    },
    untilShell: () => terminal.untilTrue("Never at the shell", async () => (await terminal.screen()).endsWith("\n$")),
    async untilReady() {
      await terminal.until(readyHint);
      await terminal.untilQuiet();
    },
    async close() {
      await terminal.close();
      await removeProgramHome(home);
    },
  };
}
