// Draws the chat until it ends or lends the terminal to another program.
// Invariant: the terminal's modes are restored, also after an error.
import { render } from "ink";
import type { Chat, ChatSession } from "./chat-session.ts";
import { ChatScreen } from "./components/chat-screen.tsx";
import { createKeyStream } from "./keys/key-stream.ts";

const pasteMarksOn = "\u001b[?2004h";
const pasteMarksOff = "\u001b[?2004l";

export interface Streams {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
}

/** Draws the chat and reads keys until it ends or lends the terminal. Throws the reason of an abort. */
export async function showScreen(
  chat: Chat,
  { signal }: Pick<ChatSession, "signal">,
  { stdin, stdout }: Streams,
): Promise<void> {
  signal?.throwIfAborted();
  stdout.write(pasteMarksOn);
  try {
    const screen = render(<ChatScreen chat={chat} />, {
      stdin: createKeyStream(stdin, chat.showBackground),
      stdout,
      exitOnCtrlC: false,
      // Ink 6.8 leaves rows of the last frame behind when it draws incrementally and shows the cursor.
      incrementalRendering: false,
      // The chat itself draws at most 30 times a second; a second limit of the same length would delay each drawing.
      maxFps: 120,
      kittyKeyboard: { mode: "auto" },
    });
    const leave = (): void => screen.unmount();
    signal?.addEventListener("abort", leave, { once: true });
    try {
      await screen.waitUntilExit();
    } finally {
      signal?.removeEventListener("abort", leave);
    }
    signal?.throwIfAborted();
  } finally {
    stdout.write(pasteMarksOff);
  }
}
