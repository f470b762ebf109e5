// The chat with settings of its own: the user's status line and commands, vim's keys, links and notifications.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { type ChatTerminal, openChatTerminal } from "./chat-terminal.ts";

let terminal: ChatTerminal;
const recorded = (): Promise<string> => readFile(path.join(terminal.home, "sent"), "utf8");

beforeAll(async () => {
  terminal = await openChatTerminal({
    env: {
      PALIMPSEST_STATUS_LINE: "!tr -d '{}' | cut -c1-14",
      PALIMPSEST_EDITOR_KEYS: "vim",
      PALIMPSEST_NOTIFICATION: "osc9",
    },
  });
  const [own, project] = [
    path.join(terminal.home, "data", "commands"),
    path.join(terminal.home, ".palimpsest/commands"),
  ];
  for (const folder of [own, project]) await mkdir(folder, { recursive: true });
  await writeFile(
    path.join(own, "tell.md"),
    "---\ndescription: tell a fact\nargument-hint: FACT\n---\nI like $ARGUMENTS.",
  );
  await writeFile(path.join(project, "where.md"), "See <https://example.org/where>: what did I say?");
  await terminal.record(path.join(terminal.home, "sent"));
  await terminal.say("palimpsest -m demo");
  await terminal.untilReady();
});
afterAll(() => terminal.close());

test("the status line is what the command prints", async () => {
  await terminal.until('"agent":"main"\nEnter send');
});

test("own commands are listed after a slash, and send their text", async () => {
  await terminal.type("/te");
  await terminal.until("/tell FACT         tell a fact");
  await terminal.type("ll green tea");
  await terminal.press("Enter");
  await terminal.until("Likes: green tea");
  await terminal.untilReplies(1);
  await terminal.say("/where");
  await terminal.untilReplies(2);
});

test("/export, /import and /file know the home folder", async () => {
  const file = path.join(terminal.home, "talk.jsonl");
  await terminal.say("/export ~/talk.jsonl");
  await terminal.until("messages to ~/talk.jsonl");
  expect(await readFile(file, "utf8")).toContain("green tea");
  await terminal.say("/import ~/talk.jsonl");
  await terminal.until("messages as conversation");
  await writeFile(path.join(terminal.home, "my notes.txt"), "Tea at five.");
  await terminal.say("/file ~/my\\ notes.txt");
  await terminal.until("goes with your next message.");
  await terminal.say("/file --clear");
  await terminal.until("No files attached.");
});

test("Esc begins vim's normal mode", async () => {
  await terminal.type("hello big world");
  await terminal.press("Escape");
  await terminal.until("NORMAL · Enter send");
  await terminal.type("bdbA!");
  await terminal.until("> hello world!");
  await terminal.press("C-c");
  await terminal.untilGone("> hello");
});

test("the desktop is notified of a turn that ends without the focus", async () => {
  expect(await recorded()).not.toContain("\u001b]9;");
  await terminal.send("\u001b[O");
  await terminal.say("hello");
  await terminal.untilTrue("Never notified", async () =>
    (await recorded()).includes("\u001b]9;main has answered\u0007"),
  );
  expect(await recorded()).toContain("\u001b[?1004h");
});
