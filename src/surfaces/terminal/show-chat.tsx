// Shows the chat until it ends or lends the terminal to another program.
// Invariant: the terminal's modes are restored, also after an error and when the process exits; no answer of the terminal is
// left for the program that reads from it next.
import chalk from "chalk";
import { render } from "ink";
import { systemClock } from "../../base/clock.ts";
import type { Chat, ChatSession } from "./chat-session.ts";
import { ChatScreen } from "./components/chat-screen.tsx";
import { backgroundQuestion } from "./keys/background-answer.ts";
import type { Input } from "./keys/input-parser.ts";
import { readInput } from "./keys/read-input.ts";
import { createInkScreen } from "./screen/ink-screen.ts";
import { screenSizeOf } from "./screen/screen-size.ts";
import { followChat } from "./terminal-signals.ts";

const pasteMarksOn = "\u001b[?2004h";
const pasteMarksOff = "\u001b[?2004l";
// The keyboard protocol of kitty, which distinguishes Shift+Enter, and Esc from the beginning of a sequence.
const keyboardQuestion = "\u001b[?u";
const keyboardOn = "\u001b[>1u";
const keyboardOff = "\u001b[<u";
/** 256 colours. The chat's theme decides whether there are colours, and bold and dim are always used. */
const chalkLevel = 2;
/** The chat is drawn at most 30 times a second; a second limit of the same length would delay each frame. */
const maxFps = 120;

export interface Streams {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
}

/** Draws the chat and reads keys until it ends or lends the terminal. Throws the reason of an abort. */
export async function showChat(
  chat: Chat,
  { signal, clock = systemClock, hasTitle = false }: Pick<ChatSession, "signal" | "clock" | "hasTitle">,
  { stdin, stdout }: Streams,
): Promise<void> {
  signal?.throwIfAborted();
  let modesOff = pasteMarksOff;
  const screen = createInkScreen({ terminal: stdout, clock, onResize: () => chat.resize(screenSizeOf(stdout)) });
  const onExit = (): void => void stdout.write(`${screen.leave()}${modesOff}`);
  process.once("exit", onExit);
  // Ink's own input (6.8) has no pastes, and takes answers of the terminal for keys.
  const stopReading = readInput(stdin, clock, (input) => {
    if (input.type === "keyboard" && !modesOff.includes(keyboardOff)) {
      modesOff += keyboardOff;
      screen.write(keyboardOn);
    }
    if (input.type === "status" || input.type === "cursor" || input.type === "size") screen.answered(input);
    else handle(chat, input);
  });
  // Asked when the echo of the terminal, which would show the answers, is off.
  screen.write(pasteMarksOn + (chat.shouldAskBackground() ? backgroundQuestion : "") + keyboardQuestion);
  const endSignals = followChat(chat, { hasTitle: hasTitle && stdout.isTTY, write: screen.write });
  chalk.level = chalkLevel;
  const ink = render(<ChatScreen chat={chat} screen={screen} />, {
    stdin,
    stdout: screen.stdout,
    exitOnCtrlC: false,
    patchConsole: false,
    maxFps,
  });
  const unmount = (): void => ink.unmount();
  signal?.addEventListener("abort", unmount, { once: true });
  try {
    await ink.waitUntilExit();
  } finally {
    signal?.removeEventListener("abort", unmount);
    const { hasLeft, isAway } = chat.getState();
    const ended = screen.end(hasLeft || isAway ? "erase" : "keep");
    endSignals();
    await ended;
    stdout.write(modesOff);
    stopReading();
    process.off("exit", onExit);
  }
  signal?.throwIfAborted();
}

function handle(chat: Chat, input: Input): void {
  if (input.type === "key") chat.handleKey(input.input, input.key);
  else if (input.type === "paste") chat.handlePaste(input.text);
  else if (input.type === "background") chat.showBackground(input.background);
}
