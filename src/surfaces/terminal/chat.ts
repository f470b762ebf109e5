// Runs the terminal chat until the user leaves.
// Invariant: while a shell or an editor has the terminal, the chat reads nothing from it and draws nothing on it.
import type { ChatSession } from "./chat-session.ts";
import { createChat } from "./create-chat.ts";
import { screenSizeOf } from "./screen/screen-size.ts";
import { showChat } from "./show-chat.tsx";

// Resets what another program may have left: the alternate screen, a hidden cursor, colours, key and mouse modes.
const plainTerminal =
  "\u001b[?1049l\u001b[?25h\u001b[0m\u001b[?1l\u001b>\u001b[?1000l\u001b[?1002l\u001b[?1003l\u001b[?1006l";
// Erases the whole screen, so that terminals such as tmux move the output of the program that ran before to their scrollback.
const clearScreen = "\u001b[2J\u001b[H";

/** Shows the chat until the user leaves. Returns the id of its last conversation. Both streams must be terminals. */
export async function runChat(session: ChatSession): Promise<{ readonly resumeId: string }> {
  const { stdin = process.stdin, stdout = process.stdout } = session;
  const chat = createChat(session, screenSizeOf(stdout));
  for (;;) {
    await showChat(chat, session, { stdin, stdout });
    const errand = chat.takeErrand();
    if (errand === null) return { resumeId: chat.conversationId() };
    await errand();
    stdout.write(plainTerminal + clearScreen);
    chat.redraw(screenSizeOf(stdout));
  }
}
