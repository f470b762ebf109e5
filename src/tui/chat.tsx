// The terminal chat: one function that runs until the user leaves.
// Invariant: while the terminal is lent to a shell or an editor, nothing is read from it or drawn on it.
import type { ChatSession } from "./chat-session.ts";
import { clearScreen } from "./rows/clear-screen.ts";
import { createChat } from "./create-chat.ts";
import { screenSizeOf } from "./rows/screen-size.ts";
import { showScreen } from "./show-screen.tsx";

// What a program may have left behind: the other screen, a hidden cursor, colours, keys and mouse of its own.
const plainTerminal =
  "\u001b[?1049l\u001b[?25h\u001b[0m\u001b[?1l\u001b>\u001b[?1000l\u001b[?1002l\u001b[?1003l\u001b[?1006l";

/** Shows the chat until the user leaves. Returns the id of the conversation that it was in last. Both streams must be terminals. */
export async function runChat(session: ChatSession): Promise<{ readonly resumeId: string }> {
  const { stdin = process.stdin, stdout = process.stdout } = session;
  const chat = createChat(session, screenSizeOf(stdout), { clear: () => stdout.write(clearScreen) });
  for (;;) {
    await showScreen(chat, session, { stdin, stdout });
    const errand = chat.takeErrand();
    if (errand === null) return { resumeId: chat.conversationId() };
    // Or Node would go on reading, and take keys from whoever has the terminal now. Ink's own reading ends a tick later.
    await new Promise((resolve) => setImmediate(resolve));
    stdin.pause();
    await errand();
    stdout.write(plainTerminal + clearScreen);
    chat.redraw(screenSizeOf(stdout));
  }
}
