// The terminal chat: one function that runs until the user leaves.
// Invariant: while the terminal is lent to a shell or an editor, nothing is read from it or drawn on it.
import type { ChatSession } from "./chat-session.ts";
import { clearScreen } from "./rows/clear-screen.ts";
import { createChat } from "./create-chat.ts";
import { screenSizeOf } from "./rows/screen-size.ts";
import { showScreen } from "./show-screen.tsx";
import { followChat } from "./terminal-signals.ts";

// Resets what another program may have left: the alternate screen, a hidden cursor, colours, key and mouse modes.
const plainTerminal =
  "\u001b[?1049l\u001b[?25h\u001b[0m\u001b[?1l\u001b>\u001b[?1000l\u001b[?1002l\u001b[?1003l\u001b[?1006l";

/** Shows the chat until the user leaves. Returns the id of its last conversation. Both streams must be terminals. */
export async function runChat(session: ChatSession): Promise<{ readonly resumeId: string }> {
  const { stdin = process.stdin, stdout = process.stdout, hasTitle = false } = session;
  const chat = createChat(session, screenSizeOf(stdout), { clear: () => stdout.write(clearScreen) });
  for (;;) {
    const endSignals = followChat(chat, {
      hasTitle: hasTitle && stdout.isTTY,
      write: (sequence) => stdout.write(sequence),
    });
    try {
      await showScreen(chat, session, { stdin, stdout });
    } finally {
      endSignals();
    }
    const errand = chat.takeErrand();
    if (errand === null) return { resumeId: chat.conversationId() };
    // Otherwise, Node would keep reading and take keys from the program that has the terminal. Ink stops reading a tick later.
    await new Promise((resolve) => setImmediate(resolve));
    stdin.pause();
    await errand();
    stdout.write(plainTerminal + clearScreen);
    chat.redraw(screenSizeOf(stdout));
  }
}
