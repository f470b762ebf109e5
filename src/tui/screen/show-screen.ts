// Shows the chat until it ends or lends the terminal to another program.
// Invariant: the terminal's modes are restored, also after an error and when the process exits; no answer of the terminal is
// left for the program that reads from it next.
import { systemClock } from "../../base/clock.ts";
import type { Chat, ChatSession } from "../chat-session.ts";
import { backgroundQuestion } from "../keys/background-answer.ts";
import type { Input } from "../keys/input-parser.ts";
import { readInput } from "../keys/read-input.ts";
import { followChat } from "../terminal-signals.ts";
import { type Drawing, drawChat } from "./draw-chat.ts";
import { createPacedOutput } from "./paced-output.ts";

const pasteMarksOn = "\u001b[?2004h";
const pasteMarksOff = "\u001b[?2004l";
// The keyboard protocol of kitty, which distinguishes Shift+Enter, and Esc from the beginning of a sequence.
const keyboardQuestion = "\u001b[?u";
const keyboardOn = "\u001b[>1u";
const keyboardOff = "\u001b[<u";

export interface Streams {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
}

/** Draws the chat and reads keys until it ends or lends the terminal. Throws the reason of an abort. */
export async function showScreen(
  chat: Chat,
  { signal, clock = systemClock, hasTitle = false }: Pick<ChatSession, "signal" | "clock" | "hasTitle">,
  { stdin, stdout }: Streams,
): Promise<void> {
  signal?.throwIfAborted();
  let modesOff = pasteMarksOff;
  let drawing: Drawing | null = null;
  const output = createPacedOutput(stdout, clock, () => drawing?.draw());
  const onExit = (): void => void stdout.write(`${drawing?.leave() ?? ""}${modesOff}`);
  process.once("exit", onExit);
  const stopReading = readInput(stdin, clock, (input) => {
    if (input.type === "keyboard" && !modesOff.includes(keyboardOff)) {
      modesOff += keyboardOff;
      output.write(keyboardOn);
    }
    if (input.type === "status") output.answered();
    if (input.type === "cursor" || input.type === "size") drawing?.reportPlace(input);
    handle(chat, input);
  });
  // Asked when the echo of the terminal, which would show the answers, is off.
  output.write(pasteMarksOn + (chat.shouldAskBackground() ? backgroundQuestion : "") + keyboardQuestion);
  const endSignals = followChat(chat, { hasTitle: hasTitle && stdout.isTTY, write: output.write });
  try {
    await new Promise<void>((resolve) => {
      signal?.addEventListener("abort", () => resolve(), { once: true });
      drawing = drawChat(chat, { stdout, output, clock, onGone: resolve });
    });
  } finally {
    (drawing as Drawing | null)?.end();
    endSignals();
    await output.settle();
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
