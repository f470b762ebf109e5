// Terminals with few capabilities or little room: the chat runs line by line, or in the available room.
import { openChatTerminal } from "./chat-terminal.ts";
import { useScene } from "../support/use-scene.ts";

// One home folder for all, because creating the database takes longest. Each test starts a conversation.
const terminal = useScene(() => openChatTerminal());

test.each([
  ["TERM=dumb", "env TERM=dumb palimpsest -m demo --new"],
  ["CI=1", "env CI=1 palimpsest -m demo --new"],
  ["an empty CI", "env CI= palimpsest -m demo --new"],
])("with %s each line is a message and each reply is printed", async (_name, command) => {
  await terminal.run(`${command}`);
  await terminal.until("demo model");
  await terminal.untilQuiet();
  await terminal.type("My name is Ada.");
  await terminal.until("My name is Ada.");
  await terminal.press("Enter");
  await terminal.untilTrue("Never answered", async () => (await terminal.screen()).split("Ada").length > 2);
  expect(await terminal.screen()).not.toMatch(/Enter send|●/u);
  await terminal.say("/exit");
  await terminal.untilShell();
});

test.each([
  ["NO_COLOR", "env NO_COLOR=1 palimpsest -m demo --new"],
  ["--no-color", "palimpsest -m demo --new --no-color"],
])("with %s no colour is set, but bold is", async (_name, command) => {
  await terminal.run(`${command}`);
  await terminal.untilReady();
  const screen = await terminal.colouredScreen();
  // oxlint-disable-next-line no-control-regex -- the escape sequence of a colour
  expect(screen).not.toMatch(/\u001b\[(?:\d{1,3};){0,8}(?:3[0-8]|9[0-7])(?:;\d{1,3}){0,8}m/u);
  // oxlint-disable-next-line no-control-regex -- the escape sequence of bold
  expect(screen).toMatch(/\u001b\[[12]m/u);
  await terminal.say("/exit");
  await terminal.untilShell();
});

test.each([
  ["white", "#ffffff", true],
  ["black", "#000000", false],
])(
  "on a background that the terminal reports as %s, colours fit, and its answer is not typed",
  async (_, colour, isLight) => {
    await terminal.setBackground(colour);
    // With 16 colours, both themes would show the same green.
    await terminal.run("env TERM=xterm-256color palimpsest -m demo --new");
    await terminal.untilReady();
    await terminal.say("I like green tea.");
    await terminal.until("● ");
    await terminal.untilReady();
    const screen = await terminal.colouredScreen();
    const added = screen.split("\n").find((row) => row.includes("+ Likes: green tea")) ?? "";
    // Only the colours for a light background are RGB colours, here of the palette of 256.
    // oxlint-disable-next-line no-control-regex -- the escape sequence of a colour
    expect(/\u001b\[(?:\d{1,3};){0,4}38;/u.test(added)).toBe(isLight);
    expect(screen).not.toMatch(/rgb:|\]11/u);
    await terminal.say("/exit");
    await terminal.untilShell();
  },
);

test("20 columns are enough to send and to read, and no row wraps", async () => {
  await terminal.resize({ columns: 20, rows: 12 });
  await terminal.run("palimpsest -m demo --new");
  await terminal.until("Enter send");
  await terminal.untilQuiet();
  await terminal.say("My name is Ada.");
  await terminal.until("●");
  await terminal.until("Enter send");
  await terminal.untilQuiet();
  const screen = await terminal.screen();
  expect(screen.split("\n").length).toBeLessThanOrEqual(12);
  expect(screen).toContain("● ");
  await terminal.say("/exit");
  await terminal.untilShell();
});
