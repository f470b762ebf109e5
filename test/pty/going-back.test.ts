// Esc Esc and Ctrl+O: rewinding removes messages and reverts memory; tool output is shown in full.
import { type ChatTerminal, openChat, readyHint } from "./chat-terminal.ts";
import { expectScreens } from "./golden-screen.ts";

describe("rewinding", () => {
  let terminal: ChatTerminal;
  beforeAll(async () => {
    terminal = await openChat();
    await terminal.say("My name is Ada.");
    await terminal.untilReplies(1);
    await terminal.say("I like sailing.");
    await terminal.untilReplies(2);
    await terminal.say("I like chess.");
    await terminal.untilReplies(3);
  });
  afterAll(() => terminal.close());

  test("Ctrl+O shows tool calls and results", async () => {
    await terminal.press("C-o");
    await terminal.until("Tool output");
    await terminal.press("Home", "C-l");
    await expectScreens(terminal, "tool-output");
    await terminal.press("Escape");
    await terminal.untilGone("Tool output");
  });

  test("Esc Esc removes messages, reverts memory and restores the input", async () => {
    await terminal.press("Escape");
    await terminal.until("Press Esc again");
    await terminal.press("Escape");
    await terminal.until("Rewind to before");
    await terminal.press("Up", "C-l");
    await expectScreens(terminal, "rewind");
    await terminal.press("Enter");
    await terminal.until("> I like sailing.");
    await terminal.until("Rewound");
    await terminal.press("C-l");
    await expectScreens(terminal, "rewound");
    await terminal.press("C-c");
    await terminal.say("What do I like?");
    await terminal.until('about "like"');
    await terminal.until(readyHint);
    await terminal.press("C-l");
    await expectScreens(terminal, "forgotten");
  });

  test("two Esc in one chunk count as two presses", async () => {
    await terminal.send("\u001b\u001b");
    await terminal.until("Rewind to before");
    await terminal.press("Escape");
    await terminal.untilGone("Rewind to before");
  });
});
