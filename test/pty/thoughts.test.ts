// Ctrl+T: the thoughts of the model, one row each or in full.
import { expectScreens } from "./golden-screen.ts";
import { openHeldChat } from "./held-chat.ts";

test("a thought becomes one row; Ctrl+T shows running and finished thoughts, and hides them", async () => {
  const { terminal, model, close } = await openHeldChat({
    first: { reasoning_content: "The user greets me. I know no name yet, so a question is polite. " },
  });
  try {
    await terminal.say("hello");
    await model.asked();
    model.think("Asking for the name also gives me something to remember.");
    await terminal.press("C-t");
    await terminal.until("something to remember.");
    await terminal.press("C-t");
    await terminal.untilGone("something to remember.");
    model.finish("Hello! What is your name?");
    await terminal.until("● Hello!");
    await terminal.untilGone("replying…");
    await terminal.untilTrue("No row of the thought", async () =>
      /^✻ thought(?: for \d+ s)? · Ctrl\+T$/mu.test(await terminal.screen()),
    );
    await terminal.press("C-t");
    await terminal.until("✻ The user greets me.");
    await terminal.press("C-l");
    await expectScreens(terminal, "thoughts-shown");
    await terminal.press("C-t");
    await terminal.untilGone("✻ The user greets me.");
    await expectScreens(terminal, "thoughts-hidden");
    await terminal.press("C-o");
    await terminal.until("Tool output and thoughts");
    await terminal.until("The user greets me.");
  } finally {
    await close();
  }
});
