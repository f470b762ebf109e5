// The acceptance conversation: facts are stated, stored, shown, and known after a restart.
import { openChat, readyHint, sizes } from "./chat-terminal.ts";
import { expectScreen } from "./golden-screen.ts";
import { useScene } from "../support/use-scene.ts";

describe.each(sizes)("a conversation at %s", (_name, size) => {
  const terminal = useScene(() => openChat({ size }));

  test("begins with a welcome", async () => {
    await expectScreen(terminal, "welcome");
  });

  test("continues over three turns, and shows their memory edits", async () => {
    await terminal.say("My name is Ada and I live in Lisbon.");
    await terminal.untilReplies(1);
    await terminal.say("I like sailing.");
    await terminal.untilReplies(2);
    await terminal.say("What is the tallest mountain?");
    await terminal.untilReplies(3);
    await expectScreen(terminal, "three-turns");
    await expectScreen(terminal, "three-turns-coloured", { coloured: true });
  });

  test("is resumed after a new start", async () => {
    await terminal.say("/exit");
    await terminal.untilShell();
    await terminal.run("palimpsest -m demo");
    await terminal.untilReady();
    await terminal.say("what is my name?");
    await terminal.until("Your name is Ada");
    await terminal.until(readyHint);
    await expectScreen(terminal, "started-again");
    await terminal.say("/exit");
    await expectScreen(terminal, "left");
  });
});
