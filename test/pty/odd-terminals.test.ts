// Terminals that cannot be drawn on, or hardly: the chat goes on line by line, or in what room there is.
import { openChat, openChatTerminal } from "./chat-terminal.ts";

const size = { columns: 80, rows: 24 };

test.each([
  ["TERM=dumb", "env TERM=dumb palimpsest -m demo"],
  ["CI=1", "env CI=1 palimpsest -m demo"],
  ["an empty CI", "env CI= palimpsest -m demo"],
])("with %s each line is a message and each reply is printed", async (_name, command) => {
  const terminal = await openChatTerminal({ size });
  try {
    await terminal.say(command);
    await terminal.until("demo model");
    await terminal.untilQuiet();
    await terminal.type("My name is Ada.");
    await terminal.until("My name is Ada.");
    await terminal.press("Enter");
    await terminal.untilTrue("Never answered", async () => (await terminal.screen()).split("Ada").length > 2);
    expect(await terminal.screen()).not.toMatch(/Enter send|●/u);
    await terminal.say("/exit");
    await terminal.untilShell();
  } finally {
    await terminal.close();
  }
});

test("with NO_COLOR no colour is set, and weight is", async () => {
  const terminal = await openChat({ size, env: { NO_COLOR: "1" } });
  try {
    await terminal.untilQuiet();
    const screen = await terminal.colouredScreen();
    // oxlint-disable-next-line no-control-regex -- how a terminal is told a colour
    expect(screen).not.toMatch(/\u001b\[(?:\d{1,3};){0,8}(?:3[0-8]|9[0-7])(?:;\d{1,3}){0,8}m/u);
    // oxlint-disable-next-line no-control-regex -- and a weight
    expect(screen).toMatch(/\u001b\[[12]m/u);
  } finally {
    await terminal.close();
  }
});

test("20 columns are enough to send and to read, and no row is broken", async () => {
  const terminal = await openChatTerminal({ size: { columns: 20, rows: 12 } });
  try {
    await terminal.say("clear; palimpsest -m demo");
    await terminal.until("Enter send");
    await terminal.say("My name is Ada.");
    await terminal.until("●");
    await terminal.until("Enter send");
    await terminal.untilQuiet();
    const screen = await terminal.screen();
    expect(screen.split("\n").length).toBeLessThanOrEqual(12);
    expect(screen).toContain("● ");
    await terminal.say("/exit");
    await terminal.untilTrue("Never left", async () => (await terminal.screen()).endsWith("\n$"));
  } finally {
    await terminal.close();
  }
});
