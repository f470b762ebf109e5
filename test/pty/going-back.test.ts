// Esc Esc and Ctrl+O: what was said is taken back with what it did to memory; what tools said is shown whole.
import { type ChatTerminal, openChat, readyHint } from "./chat-terminal.ts";
import { expectScreens } from "./golden-screen.ts";

describe("going back", () => {
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

  test("Ctrl+O shows what tools were asked and said", async () => {
    await terminal.press("C-o");
    await terminal.until("Tool output");
    await terminal.press("Home", "C-l");
    await expectScreens(terminal, "tool-output");
    await terminal.press("Escape");
    await terminal.untilGone("Tool output");
  });

  test("Esc Esc takes back messages and memory, and puts the text back", async () => {
    await terminal.press("Escape");
    await terminal.until("Press Esc again");
    await terminal.press("Escape");
    await terminal.until("Go back to before");
    await terminal.press("Up", "C-l");
    await expectScreens(terminal, "rewind");
    await terminal.press("Enter");
    await terminal.until("> I like sailing.");
    await terminal.until("Went back");
    await terminal.press("C-l");
    await expectScreens(terminal, "rewound");
    await terminal.press("C-c");
    await terminal.say("What do I like?");
    await terminal.until('about "like"');
    await terminal.until(readyHint);
    await terminal.press("C-l");
    await expectScreens(terminal, "forgotten");
  });

  test("two Esc that come at once are two", async () => {
    await terminal.send("\u001b\u001b");
    await terminal.until("Go back to before");
    await terminal.press("Escape");
    await terminal.untilGone("Go back to before");
  });
});
