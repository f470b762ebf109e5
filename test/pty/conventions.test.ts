// What users of other chats expect: shell commands, files by their letters, and pasted images.
import { existsSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { type ChatTerminal, openChat, readyHint } from "./chat-terminal.ts";
import { expectScreens } from "./golden-screen.ts";

// The smallest PNG: one pixel.
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

describe("conventions", () => {
  let terminal: ChatTerminal;
  beforeAll(async () => {
    terminal = await openChat({ env: { PALIMPSEST_SHELL_COMMANDS: "on" } });
    const { home } = terminal;
    await mkdir(path.join(home, "work", "letters", "node_modules"), { recursive: true });
    for (const name of ["letters/harbour.md", "letters/node_modules/harbour.md", "tide table.md"])
      await writeFile(path.join(home, "work", name), `This is ${name}.\n`);
    await writeFile(path.join(home, "my photo.png"), Buffer.from(pixel, "base64"));
    const tool = path.join(home, "bin", "wl-paste");
    await writeFile(tool, `#!/bin/sh\n[ -e "${home}/copied" ] && exec cat "${home}/my photo.png"\nexit 1\n`);
    await chmod(tool, 0o755);
  });
  afterAll(() => terminal.close());

  test("! runs a shell command, and /output sends what it printed", async () => {
    await terminal.say("!printf 'one\\ntwo\\n'; exit 3");
    await terminal.until("exit code 3");
    await terminal.until(readyHint);
    await terminal.say("/output What was printed?");
    await terminal.until("cannot see files");
    await terminal.until(readyHint);
    await terminal.press("C-l");
    await expectScreens(terminal, "shell-command");
  });

  test("Ctrl+C ends a shell command", async () => {
    await terminal.say("!touch begun; sleep 600");
    await terminal.untilTrue("Never begun", async () => existsSync(path.join(terminal.home, "begun")));
    await terminal.press("C-c");
    await terminal.until("    interrupted");
    await terminal.until(readyHint);
  });

  test("@ finds a file below subfolders by its letters", async () => {
    await terminal.press("C-l");
    await terminal.type("read @hrbr");
    await terminal.until("work/letters/harbour.md");
    await expectScreens(terminal, "at-letters");
    await terminal.press("Tab");
    await terminal.until("> read @work/letters/harbour.md");
    await terminal.press("C-u");
    await terminal.untilGone("harbour.md");
  });

  test("a dropped file becomes a mention, and Ctrl+V attaches the image in the clipboard", async () => {
    await terminal.press("C-v");
    await terminal.until("The clipboard contains no image.");
    await writeFile(path.join(terminal.home, "copied"), "");
    await terminal.press("C-v");
    await terminal.until("[pasted-1.png 1×1] goes with your next message.");
    await terminal.type("see");
    await terminal.paste(`'${terminal.home}/my photo.png'`);
    await terminal.until(`> see @"${terminal.home}/my photo.png"`);
    await terminal.press("Enter");
    await terminal.until("[my photo.png 1×1] goes with this message.");
    await terminal.until("cannot see files");
    await terminal.until(readyHint);
    await terminal.press("C-l");
    await expectScreens(terminal, "pasted-images");
  });
});
