// What remains of a chat in the terminal's scrollback: everything once, in order.
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { openHeldChat } from "./held-chat.ts";
import { readyHint, sizes } from "./chat-terminal.ts";

const lines = 60;
/** What the chat writes for a redraw: the questions for the size and the cursor, and then what erases its rows. */
const question = "\u001b[18t\u001b[6n";
const erase = "\u001b[J";

test("a change of the terminal's size leaves no copy of a row in the scrollback, and loses none", async () => {
  const { terminal, model, close } = await openHeldChat();
  try {
    await terminal.say("hello");
    await terminal.until("● Well");
    for (let line = 1; line <= lines; line += 1)
      model.say(`\n\nThis is line ${line}. ${"It has a few words. ".repeat(line % 7)}`);
    model.finish("\n\nEND");
    await terminal.until("END");
    await terminal.until(readyHint);
    const changes = [
      { columns: 80, rows: 40 },
      { columns: 80, rows: 12 },
      { columns: 60, rows: 20 },
      { columns: 100, rows: 30 },
      { columns: 200, rows: 50 },
      { columns: 80, rows: 24 },
    ];
    const record = path.join(terminal.home, "written");
    await writeFile(record, "");
    await terminal.record(record);
    const written = (): Promise<string> => readFile(record, "utf8");
    for (const size of changes) {
      const { length } = await written();
      await terminal.resize(size);
      await terminal.untilTrue("Never drawn again", async () => {
        const all = await written();
        const asked = all.lastIndexOf(question);
        return asked >= length && all.includes(erase, asked);
      });
      await terminal.untilQuiet();
      await terminal.until(readyHint);
      const shown = await terminal.everything();
      const found = [...shown.matchAll(/This is line (\d+)\./gu)].map(([, line]) => Number(line));
      expect([size, found]).toEqual([size, Array.from({ length: lines }, (_, index) => index + 1)]);
      expect(shown.match(/Enter send/gu)).toHaveLength(1);
    }
  } finally {
    await close();
  }
});

test.each(sizes)("/exit during a reply is below what was said of it, at %s", async (_name, size) => {
  const { terminal, close } = await openHeldChat({ size });
  try {
    await terminal.say("hello");
    await terminal.until("● Well");
    await terminal.say("/exit");
    await terminal.untilShell();
    const shown = await terminal.everything();
    expect(shown).toMatch(/> hello\s+● Well\s+! Interrupted[^>●]+> \/exit\s+palimpsest: continue with/u);
    expect(shown).not.toContain("replying…");
  } finally {
    await close();
  }
});
