// Panels, pickers and questions of commands. One chat, whose terminal is resized between the sizes.
import { type ChatTerminal, openChat, readyHint } from "./chat-terminal.ts";
import { expectScreens } from "./golden-screen.ts";

describe("panels", () => {
  let terminal: ChatTerminal;
  beforeAll(async () => {
    // Without vectors, which are made in the background and change the order of a search.
    terminal = await openChat({ env: { PALIMPSEST_EMBEDDING: "none" } });
    await terminal.say("My name is Ada and I live in Lisbon.");
    await terminal.untilReplies(1);
    await terminal.say("I like sailing.");
    await terminal.untilReplies(2);
  });
  afterAll(() => terminal.close());

  /** Starts a new conversation, so that a screen shows only its own content. */
  const startConversation = async (): Promise<void> => {
    await terminal.say("/new");
    await terminal.until("A new conversation.");
    await terminal.untilQuiet();
  };

  test("a reply shows its memory edits", async () => {
    await expectScreens(terminal, "memory-edited");
  });

  test("/search shows matches", async () => {
    await terminal.say("/search sailing");
    await terminal.until("What was said");
    await terminal.until(readyHint);
    await expectScreens(terminal, "search");
  });

  test("/memory shows edits, why each was made, and undoes one on request", async () => {
    await terminal.say("/memory human");
    await terminal.until("u undo");
    await terminal.press("Down");
    await expectScreens(terminal, "memory-panel");
    await terminal.press("Enter");
    await terminal.until("Esc back");
    await expectScreens(terminal, "memory-why");
    await terminal.press("Escape");
    await terminal.until("u undo");
    await terminal.press("Up", "u");
    await terminal.until("y undo");
    await expectScreens(terminal, "memory-question");
    await terminal.press("y");
    await terminal.until("reverts r3");
    await expectScreens(terminal, "memory-undone");
    await terminal.press("Escape");
    await terminal.until(readyHint);
    await expectScreens(terminal, "memory-closed");
  });

  test("/context shows the content of the window", async () => {
    await terminal.say("/context");
    await terminal.until("archive");
    await terminal.until(readyHint);
    await expectScreens(terminal, "context");
  });

  test("/usage shows the usage", async () => {
    await terminal.say("/usage");
    await terminal.until("model calls");
    await terminal.until(readyHint);
    await expectScreens(terminal, "usage");
  });

  test("/btw answers outside of the conversation", async () => {
    await terminal.say("/btw What is my name?");
    await terminal.until("Outside the conversation");
    await terminal.until(readyHint);
    await expectScreens(terminal, "btw");
  });

  test("/systemswap shows both prompts and asks", async () => {
    await terminal.say("/systemswap Answer in one sentence.");
    await terminal.until("Swap the system prompt");
    await expectScreens(terminal, "systemswap");
    await terminal.press("n");
    await terminal.until("Nothing was changed.");
  });

  test("a call that waits for approval shows the request", async () => {
    await startConversation();
    await terminal.say("/tools ask core_memory_append");
    await terminal.until("From now on");
    await terminal.say("I work as a cartographer.");
    await terminal.until("waits for your approval");
    await terminal.untilQuiet();
    // As high as the screen, regardless of its earlier content.
    await terminal.press("C-l");
    await expectScreens(terminal, "approval");
    await terminal.say("n");
    await terminal.until("that is not kept");
    await terminal.say("/tools free core_memory_append");
    await terminal.until("are run at once");
  });

  test("// makes Enter begin a new line", async () => {
    await startConversation();
    await terminal.say("//");
    await terminal.until("Alt+Enter send");
    await terminal.type("one");
    await terminal.until("> one");
    await terminal.press("Enter");
    await terminal.type("two");
    await terminal.until("two");
    await expectScreens(terminal, "multiline");
    await terminal.press("C-c");
    await terminal.untilGone("two");
    await terminal.type("//");
    await terminal.press("M-Enter");
    await terminal.until(readyHint);
  });

  test("/resume and -r list the conversations", async () => {
    await terminal.say("/resume");
    await terminal.until("Enter resume");
    await expectScreens(terminal, "picker");
    await terminal.type("ada");
    await terminal.until("1 of ");
    await expectScreens(terminal, "picker-filtered");
    await terminal.press("Escape");
    await terminal.until(readyHint);
    await terminal.say("/exit");
    await terminal.untilShell();
    await terminal.run("palimpsest -m demo -r");
    await terminal.until("Enter resume");
    await terminal.type("ada");
    await terminal.until("1 of ");
    await expectScreens(terminal, "picker-at-start");
    await terminal.press("Enter");
    await terminal.until("Resumed conversation");
    await terminal.until(readyHint);
    await expectScreens(terminal, "resumed");
  });

  test("/theme light colours later output for a light background", async () => {
    await terminal.say("/theme light");
    await terminal.until("The theme is light");
    await terminal.until(readyHint);
    // Rows drawn before keep their colours until then.
    await terminal.press("C-l");
    await expectScreens(terminal, "theme-light-coloured", { coloured: true });
  });
});
