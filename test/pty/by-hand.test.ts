// What the user does without a turn: keeps facts, changes modes, opens panels by commands and keys.
import { openChat } from "./chat-terminal.ts";
import { expectScreens } from "./golden-screen.ts";
import { useScene } from "../support/use-scene.ts";

const terminal = useScene(() => openChat());

test("# and /remember keep a fact, which /undo reverts", async () => {
  await terminal.say("# Ada sails on Sundays.");
  await terminal.until("remembers this");
  await terminal.untilReady();
  await terminal.say("/remember I have a cat.");
  await terminal.untilTrue("Never kept", async () => (await terminal.screen()).split("remembers this").length === 3);
  await terminal.untilReady();
  await terminal.say("/undo human");
  await terminal.until("Reverted");
  await terminal.untilReady();
  await expectScreens(terminal, "remembered");
});

test("Shift+Tab approves memory edits, as is shown under the prompt, until it is pressed again twice", async () => {
  await terminal.say("/new");
  await terminal.until("A new conversation.");
  await terminal.say("/tools ask core_memory_append");
  await terminal.until("From now on");
  await terminal.untilReady();
  await terminal.press("BTab");
  await terminal.until("approves calls that edit only memory");
  await terminal.say("I like oak trees.");
  await terminal.until("Approved core_memory_append");
  await terminal.until("● ");
  await terminal.until("approves memory edits (Shift+Tab)");
  await expectScreens(terminal, "approved-by-mode");
  await terminal.press("BTab", "BTab");
  await terminal.until("wait for your approval again");
  await terminal.say("My name is Ada.");
  await terminal.until("waits for your approval");
  await terminal.say("n");
  await terminal.untilReady();
});
