// The modules that the chat loads before its first frame. Loading takes most of that time, and the number of modules, unlike
// the time, does not depend on the load of the machine.
import { readFile } from "node:fs/promises";
import path from "node:path";
import { packageRoot } from "../../src/base/package-root.ts";
import { openChatTerminal } from "./chat-terminal.ts";

/** 122 at the time of writing, of which most are chunks that lazily loaded parts share; 1,451 before the program was bundled. */
const maxModules = 122;

test("the first frame is drawn after few modules, which are those of the bundle", async () => {
  // In the terminal's home folder, where the program starts.
  const record = "modules.txt";
  const terminal = await openChatTerminal({ size: { columns: 80, rows: 24 }, env: { RECORD_MODULES: record } });
  try {
    const preload = path.join(packageRoot(), "test", "support", "record-modules.mjs");
    const program = path.join(packageRoot(), "dist", "program", "palimpsest.js");
    await terminal.say(`'${process.execPath}' --import '${preload}' '${program}' -m demo`);
    await terminal.untilReady();
    const modules = (await readFile(path.join(terminal.home, record), "utf8"))
      .split("\n")
      .filter((url) => url.startsWith("file:"));
    expect(modules.some((url) => url.endsWith("/dist/program/palimpsest.js"))).toBe(true);
    expect(modules.filter((url) => /node_modules\/(?:drizzle-orm|ink|react|zod|es-toolkit)\//u.test(url))).toEqual([]);
    expect(modules.length).toBeLessThanOrEqual(maxModules);
  } finally {
    await terminal.close();
  }
});
