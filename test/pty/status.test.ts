// The status while the agent works: time, tokens and silence above the prompt, the terminal's title, and the bell.
import { readyHint, sizes } from "./chat-terminal.ts";
import { expectScreen } from "./golden-screen.ts";
import { openHeldChat } from "./held-chat.ts";

test.each(sizes)("a streaming reply shows its time and tokens, a silent model is reported (%s)", async (_, size) => {
  const { terminal, model, close } = await openHeldChat({ size });
  try {
    await terminal.untilTrue("No title", async () => (await terminal.title()) === "main");
    await terminal.say("/bell");
    await terminal.until("The bell rings");
    await terminal.say("hello");
    await terminal.until("● Well");
    model.say(", this is the first part of a longer answer");
    await terminal.untilTrue("Never counted", async () =>
      /⠿? ?replying… \d+ s · 12 tokens · Esc$/mu.test(await terminal.screen()),
    );
    await expectScreen(terminal, "replying");
    expect(await terminal.title()).toBe("main: working");
    await terminal.until("no answer for ");
    await expectScreen(terminal, "silent", { silence: true });
    expect(await terminal.hasRung()).toBe(false);
    model.finish();
    await terminal.until(readyHint);
    await terminal.untilTrue("Never rang", () => terminal.hasRung());
    expect(await terminal.title()).toBe("main");
    await terminal.say("/exit");
    await terminal.untilShell();
    expect(await terminal.title()).not.toContain("main");
  } finally {
    await close();
  }
});
