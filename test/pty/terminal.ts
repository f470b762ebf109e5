// A real terminal of a given size (tmux) with a shell: receives keys as from a keyboard, and returns screens.
// Invariant: each terminal has its own server, which ends with it; no wait exceeds its time limit.
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { promisify } from "node:util";

const run = promisify(execFile);
const pollMs = 40;
const quietMs = 250;
const longestMs = 120_000;
// The prompt is set here, because the shell in which tmux runs commands may reset it.
const shell = ["env", "PS1=$ ", "bash", "--norc", "--noprofile", "-i"];

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

export interface TerminalOptions {
  readonly size: TerminalSize;
  /** The shell's initial folder. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface Terminal {
  /** The size at opening or at the last resize. */
  size(): TerminalSize;
  /** Resizes the window, as dragging its edge does. */
  resize(size: TerminalSize): Promise<void>;
  /** Sets the background colour that the terminal has and reports to programs: `#ffffff`. */
  setBackground(colour: string): Promise<void>;
  /** Types a text letter by letter. */
  type(text: string): Promise<void>;
  /** Presses keys by tmux's names: `Enter`, `Escape`, `C-c`, `M-Enter`, `Up`, `Tab`. */
  press(...keys: readonly string[]): Promise<void>;
  /** Sends raw bytes, for keys without a name in tmux. */
  send(bytes: string): Promise<void>;
  /** Pastes, with the marks of a bracketed paste if the program has enabled them. */
  paste(text: string): Promise<void>;
  /** The screen without colours: one line per row, without trailing spaces. */
  screen(): Promise<string>;
  /** The screen with its colours, as escape sequences. */
  colouredScreen(): Promise<string>;
  /** The scrollback and the screen. */
  everything(): Promise<string>;
  /** Column and row of the cursor, from 0; null while it is hidden. */
  cursor(): Promise<{ readonly x: number; readonly y: number } | null>;
  /** The terminal's title. */
  title(): Promise<string>;
  /** Writes to a file what the program sends from now on. */
  record(file: string): Promise<void>;
  /** Whether the bell has rung. */
  hasRung(): Promise<boolean>;
  /** Waits until a text is on the screen. Throws with the screen after a minute. */
  until(text: string): Promise<void>;
  /** Waits until a text is no longer on the screen. */
  untilGone(text: string): Promise<void>;
  /** Waits until a condition holds. `what` describes it in the error. */
  untilTrue(what: string, holds: () => Promise<boolean>): Promise<void>;
  /** Waits until the screen has not changed for a quarter of a second. */
  untilQuiet(): Promise<void>;
  close(): Promise<void>;
}

/** Opens a terminal with `bash` and only the given environment. Throws without tmux. */
export async function openTerminal({ size, folder, env }: TerminalOptions): Promise<Terminal> {
  const socket = `palimpsest-${randomUUID()}`;
  const tmux = async (...args: readonly string[]): Promise<string> => {
    const { stdout } = await run("tmux", ["-u", "-L", socket, "-f", "/dev/null", ...args], {
      env: {
        PATH: process.env["PATH"],
        NODE_OPTIONS: process.env["NODE_OPTIONS"],
        HOME: folder,
        LC_ALL: "C.UTF-8",
        TERM: "xterm-256color",
        ...env,
      },
    }).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT")
        throw new Error("tmux is not installed: `apt-get install tmux`, or your system's way");
      throw error;
    });
    return stdout;
  };
  const place = ["-x", String(size.columns), "-y", String(size.rows), "-c", folder];
  await tmux("new-session", "-d", "-s", "chat", ...place, ...shell);

  const capture = (...flags: readonly string[]): Promise<string> => tmux("capture-pane", "-t", "chat", "-p", ...flags);
  const screen = async (): Promise<string> => trimmed(await capture());
  const untilTrue = async (what: string, holds: () => Promise<boolean>): Promise<void> => {
    const began = performance.now();
    while (!(await holds())) {
      if (performance.now() - began > longestMs) throw new Error(`${what}. The screen:\n${await screen()}`);
      await pause(pollMs);
    }
  };
  let current = size;
  return {
    size: () => current,
    resize: async (wanted) => {
      current = wanted;
      await tmux("resize-window", "-t", "chat", "-x", String(wanted.columns), "-y", String(wanted.rows));
    },
    setBackground: async (colour) =>
      void (await tmux("set-option", "-p", "-t", "chat", "window-style", `bg=${colour}`)),
    type: async (text) => void (await tmux("send-keys", "-t", "chat", "-l", "--", text)),
    press: async (...keys) => void (await tmux("send-keys", "-t", "chat", ...keys)),
    send: async (bytes) => {
      const codes = [...Buffer.from(bytes)].map((byte) => byte.toString(16).padStart(2, "0"));
      await tmux("send-keys", "-t", "chat", "-H", ...codes);
    },
    paste: async (text) => {
      await tmux("set-buffer", "-b", "pasted", "--", text);
      await tmux("paste-buffer", "-p", "-d", "-b", "pasted", "-t", "chat");
    },
    screen,
    colouredScreen: async () => trimmed(await capture("-e")),
    everything: async () => trimmed(await capture("-S", "-")),
    cursor: async () => {
      const shown = await tmux("display-message", "-t", "chat", "-p", "#{cursor_flag} #{cursor_x} #{cursor_y}");
      const [flag, x = Number.NaN, y = Number.NaN] = shown.trim().split(" ").map(Number);
      return flag === 1 ? { x, y } : null;
    },
    title: async () => (await tmux("display-message", "-t", "chat", "-p", "#{pane_title}")).trim(),
    record: async (file) => void (await tmux("pipe-pane", "-t", "chat", `cat > '${file}'`)),
    hasRung: async () => (await tmux("display-message", "-t", "chat", "-p", "#{window_bell_flag}")).trim() === "1",
    until: (text) => untilTrue(`Never shown: ${text}`, async () => (await screen()).includes(text)),
    untilGone: (text) => untilTrue(`Never gone: ${text}`, async () => !(await screen()).includes(text)),
    untilTrue,
    untilQuiet: async () => {
      let last = "";
      let since = performance.now();
      await untilTrue("Never quiet", async () => {
        // A turning spinner does not count as a change.
        const now = (await screen()).replaceAll(/[\u2800-\u28ff]/gu, "");
        if (now !== last) since = performance.now();
        last = now;
        return performance.now() - since >= quietMs;
      });
    },
    close: async () => void (await tmux("kill-server")),
  };
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, milliseconds));
}

function trimmed(screen: string): string {
  return screen
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")
    .trimEnd();
}
