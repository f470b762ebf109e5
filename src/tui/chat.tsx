// The terminal chat: one function that runs until the user leaves.
// Invariant: the terminal is given back as it was found, also when something fails.
import { render } from "ink";
import type { ChatSession } from "./chat-session.ts";
import { ChatScreen } from "./components/chat-screen.tsx";
import { createChat } from "./create-chat.ts";
import { createKeyStream } from "./key-stream.ts";
import { screenSizeOf } from "./screen-size.ts";

const pasteMarksOn = "\u001b[?2004h";
const pasteMarksOff = "\u001b[?2004l";

/** Shows the chat until the user leaves. Returns the id of the conversation that it was in last. Both streams must be terminals. */
export async function runChat(session: ChatSession): Promise<{ readonly resumeId: string }> {
  const { stdin = process.stdin, stdout = process.stdout } = session;
  const chat = createChat(session, screenSizeOf(stdout));
  stdout.write(pasteMarksOn);
  try {
    const screen = render(<ChatScreen chat={chat} />, {
      stdin: createKeyStream(stdin),
      stdout,
      exitOnCtrlC: false,
      // Ink 6.8 leaves rows of the last frame behind when it draws incrementally and shows the cursor.
      incrementalRendering: false,
      // The chat itself draws at most 30 times a second; a second limit of the same length would delay each drawing.
      maxFps: 120,
      kittyKeyboard: { mode: "auto" },
    });
    const leave = (): void => screen.unmount();
    session.signal?.addEventListener("abort", leave, { once: true });
    try {
      await screen.waitUntilExit();
    } finally {
      session.signal?.removeEventListener("abort", leave);
    }
    session.signal?.throwIfAborted();
  } finally {
    stdout.write(pasteMarksOff);
  }
  return { resumeId: chat.conversationId() };
}
