// A first conversation with the demo model, as a new user has it.
import { openChatTerminal, readyHint } from "./chat-terminal.ts";
import { expectScreen } from "./golden-screen.ts";
import { pause } from "./terminal.ts";
import { useScene } from "../support/use-scene.ts";

// The screens of docs/getting-started.md, in its order: `npm run docs:snippets` copies them there.
describe("a first conversation with the demo model", () => {
  const terminal = useScene(() => openChatTerminal());

  test("opens after Enter, and keeps what is said", async () => {
    await terminal.run("palimpsest");
    await terminal.until("Your choice (Enter: 1):");
    await terminal.press("Enter");
    await terminal.untilReady();
    await terminal.say("My name is Ada and I live in Utrecht.");
    await terminal.untilReplies(1);
    await expectScreen(terminal, "walk-kept");
  });

  test("lists the commands that begin with what is typed, and undoes an edit", async () => {
    await terminal.type("/un");
    await expectScreen(terminal, "walk-commands");
    await terminal.say("do");
    await terminal.until("Reverted");
    await expectScreen(terminal, "walk-undone");
  });

  test("finds what was said, shows where it is, and forgets it", async () => {
    // Without the vectors of the messages, which are computed in the background, the hits have another order.
    await pause(2_000);
    await terminal.say("/search Utrecht");
    await terminal.until("What was said");
    await expectScreen(terminal, "walk-found");
    await terminal.say("/forget Utrecht");
    await terminal.until("for good? (y/n)");
    await expectScreen(terminal, "walk-forget-question");
    await terminal.type("y");
    await terminal.until("Removed from");
    await expectScreen(terminal, "walk-forgotten");
    // Without the vectors of the messages, which are computed in the background, the hits have another order.
    await pause(2_000);
    await terminal.say("/search Utrecht");
    await terminal.until('No message and no passage matches "Utrecht"');
  });

  test("remembers the rest after a new start", async () => {
    await terminal.say("/exit");
    await terminal.untilShell();
    await terminal.run("palimpsest");
    await terminal.untilReady();
    await terminal.say("What is my name?");
    await terminal.until("Your name is Ada");
    await terminal.until(readyHint);
    await expectScreen(terminal, "walk-started-again");
    await terminal.say("/exit");
    await terminal.untilShell();
  });
});
