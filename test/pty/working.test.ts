// Keys during a turn: queue, steer, interrupt, suspend and resume.
import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { packageRoot } from "../../src/base/package-root.ts";
import { readyHint } from "./chat-terminal.ts";
import { expectScreens } from "./golden-screen.ts";
import { openHeldChat } from "./held-chat.ts";
import { useScene } from "../support/use-scene.ts";

describe("keys while the agent works", () => {
  const chat = useScene(() => openHeldChat());

  test("Enter queues an input, Ctrl+S interrupts and sends at once", async () => {
    const { terminal, model } = chat;
    await terminal.say("first");
    await terminal.until("● Well");
    await terminal.say("this waits");
    await terminal.until("next: this waits");
    await terminal.type("this is urgent");
    await terminal.press("C-l");
    await expectScreens(terminal, "input-waits");
    await terminal.press("C-s");
    await terminal.until("> this is urgent");
    await terminal.until("Interrupted.");
    await terminal.untilTrue("Never answered", async () => /> this is urgent\s+● Well/u.test(await terminal.screen()));
    model.finish();
    // Only on the screen: the content before Ctrl+L is in the scrollback.
    await terminal.untilTrue("Never answered", async () => /> this waits\s+● Well/u.test(await terminal.screen()));
    model.finish();
    await terminal.until(readyHint);
    await terminal.press("C-l");
    await expectScreens(terminal, "steered");
  });

  test("Esc interrupts; the partial reply stays and is marked, waiting inputs return to the prompt", async () => {
    const { terminal, model } = chat;
    await terminal.say("second");
    await terminal.until("> second");
    await terminal.untilTrue("Never answered", async () => /> second\s+● Well/u.test(await terminal.screen()));
    model.say(", half of a");
    await terminal.until("half of a");
    await terminal.say("not sent yet");
    await terminal.until("next: not sent yet");
    await terminal.press("Escape");
    await terminal.until(readyHint);
    await terminal.press("C-l");
    await expectScreens(terminal, "interrupted");
    await terminal.press("C-c");
    await terminal.untilGone("> not sent yet");
  });

  test("Ctrl+Z suspends it during a reply, others continue meanwhile, and fg continues the reply", async () => {
    const { terminal, model } = chat;
    await terminal.say("third");
    await terminal.untilTrue("Never answered", async () => /> third\s+● Well/u.test(await terminal.screen()));
    await terminal.press("C-z");
    await terminal.untilShell();
    await terminal.type("stty -a | grep -o ' echo ' && echo typed");
    await terminal.press("Enter");
    await terminal.until("\ntyped");
    const other = await promisify(execFile)(
      process.execPath,
      [
        path.join(packageRoot(), "dist", "program", "palimpsest.js"),
        "-a",
        "other",
        "-m",
        "demo",
        "-p",
        "My name is Eve.",
      ],
      {
        env: { PATH: process.env["PATH"], HOME: terminal.home, PALIMPSEST_DATA_DIR: path.join(terminal.home, "data") },
      },
    );
    expect(other.stdout).toContain("Nice to meet you, Eve.");
    model.say(", said while it stood still");
    await terminal.run("fg");
    await terminal.until("said while it stood still");
    await expectScreens(terminal, "continued");
    model.finish();
    await terminal.until("still, then.");
    await terminal.until(readyHint);
    await expectScreens(terminal, "continued-to-the-end");
  });

  test("the editor can be used while it works, and nothing is drawn over it", async () => {
    const { terminal, model } = chat;
    await terminal.press("C-l");
    await terminal.say("/exit");
    await terminal.untilShell();
    await terminal.say(
      `clear; VISUAL='printf "a note" >> "$1"; read -r word; :' palimpsest -m openai/held --base-url $MODEL_URL --embedding none --new`,
    );
    await terminal.untilReady();
    await terminal.say("fourth");
    await terminal.until("● Well");
    await terminal.press("C-g");
    await terminal.untilGone("Esc interrupt");
    model.say(", said behind the editor");
    await terminal.untilQuiet();
    expect(await terminal.screen()).not.toContain("behind the editor");
    await terminal.press("Enter");
    await terminal.until("> a note");
    await terminal.until("said behind the editor");
    model.finish();
    await terminal.until(readyHint);
    await expectScreens(terminal, "edited-while-it-worked");
  });
});
