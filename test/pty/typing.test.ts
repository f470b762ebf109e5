// Typing with real keys: lines, edits, pastes, history, completion and the user's editor.
import { chmod, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { type ChatTerminal, openChat, readyHint } from "./chat-terminal.ts";
import { expectScreens } from "./golden-screen.ts";

const manyLines = Array.from({ length: 120 }, (_, index) => `row ${index + 1}`).join("\n");
// Changes the terminal's settings and clears the screen, and fails on request.
const rudeEditor = `#!/bin/sh
for file; do :; done
printf '\\033[?1049h\\033[?25l\\033[31mEDITING %s\\n' "$(basename "$file")"
ls -ld "$(dirname "$file")" "$file" | cut -c1-10 > "$HOME/modes"
stty raw -echo
read -r word < /dev/tty
if [ "$word" = fail ]; then exit 3; fi
printf '%s and what the editor wrote\\n' "$(cat "$file")" > "$file.new" && cp "$file.new" "$file"
`;

describe("typing", () => {
  let terminal: ChatTerminal;
  beforeAll(async () => {
    terminal = await openChat({ env: { EDITOR: "rude-editor --wait" } });
    await writeFile(path.join(terminal.home, "bin", "rude-editor"), rudeEditor);
    await chmod(path.join(terminal.home, "bin", "rude-editor"), 0o755);
    await mkdir(path.join(terminal.home, "notes and more"));
    for (const name of ["alpha.md", "alpine.md", ".hidden", "notes and more/first plan.md"])
      await writeFile(path.join(terminal.home, name), `This is ${name}.\n`);
  });
  afterAll(() => terminal.close());

  test("every key for a new line inserts one", async () => {
    await terminal.type("one");
    await terminal.press("M-Enter");
    // Keys that arrive together with text after a line end count as a paste.
    await terminal.type("two\\");
    await terminal.until("two\\");
    await terminal.press("Enter");
    await terminal.untilGone("two\\");
    await terminal.type("three");
    await terminal.press("C-j");
    await terminal.type("four");
    await terminal.send("\u001b[27;2;13~");
    await terminal.type("five");
    await terminal.send("\u001b[13;2u");
    await terminal.type("six");
    await terminal.press("C-l");
    await expectScreens(terminal, "new-lines");
    await terminal.press("C-c");
    await terminal.untilGone("three");
  });

  test("emacs keys move and delete", async () => {
    await terminal.type("alpha beta gamma");
    await terminal.press("C-a", "M-f", "M-d", "C-e", "C-w", "C-b", "C-b");
    await terminal.type("X");
    await terminal.press("C-f", "C-u");
    await terminal.type("left of it");
    await terminal.press("C-l");
    await expectScreens(terminal, "emacs-keys");
    await terminal.press("C-c");
    await terminal.untilGone("left of it");
  });

  test("a long paste is folded, is one unit for the keys, and is sent in full", async () => {
    await terminal.type("see ");
    await terminal.paste(manyLines);
    await terminal.type(" there");
    await terminal.press("C-l");
    await expectScreens(terminal, "folded-paste");
    for (let times = 0; times < 7; times += 1) await terminal.press("BSpace");
    await terminal.untilTrue("The paste was not deleted", async () => / see$|> see$/mu.test(await terminal.screen()));
    await terminal.paste(manyLines);
    await terminal.until("[pasted 120 lines]");
    await terminal.press("Enter");
    await terminal.untilReplies(1);
    await terminal.press("C-l");
    await expectScreens(terminal, "sent-paste");
    await terminal.say("/dump");
    // The message that was sent has this row too.
    await terminal.untilTrue("Never listed", async () => /row 120$[^]*row 120$/mu.test(await terminal.everything()));
    await terminal.press("C-l");
    await terminal.until(readyHint);
  });

  test("the user's editor opens the text, and the terminal is restored whatever it does", async () => {
    await terminal.type("typed");
    await terminal.press("C-g");
    await terminal.until("EDITING message.md");
    await terminal.send("go\n");
    await terminal.until("typed and what the editor wrote");
    await expectScreens(terminal, "edited-outside");
    expect(await readFile(path.join(terminal.home, "modes"), "utf8")).toBe("drwx------\n-rw-------\n");
    await terminal.press("C-g");
    await terminal.until("EDITING message.md");
    await terminal.send("fail\n");
    await terminal.until("rude-editor --wait ended with code 3.");
    await expectScreens(terminal, "editor-failed");
    await terminal.press("C-c");
    await terminal.untilGone("typed and");
  });

  test("a slash lists commands, and arrows select one", async () => {
    await terminal.type("/re");
    await terminal.press("Down", "Down", "Down", "C-l");
    await expectScreens(terminal, "slash-list");
    await terminal.press("Enter");
    await terminal.until("> /rename");
    await terminal.press("C-c");
    await terminal.untilGone("> /rename");
    await terminal.type("/");
    await terminal.press("C-l");
    await expectScreens(terminal, "slash-all");
    await terminal.press("C-c");
    await terminal.untilGone("> /");
  });

  test("/help shows a page for each topic", async () => {
    await terminal.say("/help");
    await terminal.until("[Memory]");
    await terminal.press("C-l");
    await expectScreens(terminal, "help");
    await terminal.press("Left");
    await terminal.until("[Keys]");
    await expectScreens(terminal, "help-keys");
    await terminal.press("Escape");
    await terminal.untilGone("[Keys]");
  });

  test("an @ lists files, Tab completes them, and the file is sent with the message", async () => {
    await terminal.type("read @al");
    await terminal.until("alpine.md");
    await terminal.press("Tab");
    await terminal.until("> read @alp");
    await terminal.until("alpine.md");
    await terminal.press("C-l");
    await expectScreens(terminal, "at-list");
    await terminal.press("Down", "Down", "Enter");
    await terminal.until("> read @alpine.md");
    await terminal.type("and @note");
    await terminal.until("notes and more/");
    await terminal.press("Tab");
    await terminal.until('@"notes and more/');
    await terminal.until("first plan.md");
    await terminal.press("Tab", "Enter");
    await terminal.until("cannot see files");
    await terminal.until(readyHint);
    await terminal.press("C-l");
    // The list of files was up to ten rows high, and how long it is shown depends on the machine.
    await expectScreens(terminal, "at-sent", { slack: 10 });
  });

  test("Ctrl+R finds earlier inputs, also after a new start, and their file is private", async () => {
    await terminal.say("/exit");
    await terminal.untilShell();
    await terminal.run("palimpsest -m demo --new");
    await terminal.untilReady();
    await terminal.press("C-r");
    await terminal.type("read");
    await terminal.press("C-l");
    await expectScreens(terminal, "history-search");
    await terminal.press("Enter");
    await terminal.until("> read @alpine.md");
    await terminal.press("C-c");
    await terminal.untilGone("> read @alpine.md and");
    const folder = path.join(terminal.home, "data", "inputs");
    const files = await readdir(folder);
    expect(files).toHaveLength(1);
    expect((await stat(path.join(folder, files[0] ?? ""))).mode & 0o777).toBe(0o600);
  });

  test("Ctrl+D on an empty prompt leaves, and so does a second Ctrl+C", async () => {
    await terminal.type("not sent");
    await terminal.press("C-c");
    await terminal.untilGone("not sent");
    await terminal.press("C-c");
    await terminal.until("Press Ctrl+C again to leave.");
    await terminal.press("C-c");
    await terminal.untilShell();
    await terminal.run("palimpsest -m demo");
    await terminal.untilReady();
    await terminal.press("C-d");
    await terminal.untilShell();
  });
});
