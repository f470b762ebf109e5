// The first run, `configure` and the doctor, as a new user sees them, with a local model server.
import { access, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { type ChatTerminal, largeSize, openChatTerminal, readyHint, sizes, usualSize } from "./chat-terminal.ts";
import { expectScreen } from "./golden-screen.ts";
import { createKeyedModelServer, type KeyedModelServer, rightKey } from "./keyed-model-server.ts";
import { pause } from "./terminal.ts";

const question = "Your choice (Enter: 1):";

let server: KeyedModelServer;
beforeAll(async () => {
  server = await createKeyedModelServer();
});
afterAll(() => server.close());

describe("the first start", () => {
  let terminal: ChatTerminal;
  beforeAll(async () => {
    terminal = await openChatTerminal();
  });
  afterAll(() => terminal.close());

  const data = (...names: readonly string[]): string => path.join(terminal.home, "data", ...names);

  test("asks for a model, and Ctrl+C and Ctrl+D leave without saving", async () => {
    for (const key of ["C-c", "C-d"]) {
      await terminal.run("palimpsest");
      await terminal.until(question);
      await terminal.press(key);
      await terminal.until("Nothing was saved.");
      await terminal.untilShell();
      await expect(access(data())).rejects.toMatchObject({ code: "ENOENT" });
    }
  });

  test.each(["CI=1", "TERM=dumb"])("asks nothing with %s", async (variable) => {
    await terminal.run(`env ${variable} palimpsest`);
    await terminal.until("demo model: pattern rules");
    expect(await terminal.screen()).not.toContain(question);
    await expect(access(data("config.json"))).rejects.toMatchObject({ code: "ENOENT" });
    await terminal.press("C-d");
    await terminal.untilShell();
  });

  /** Up to the second question for the key. This output is not a frame, so a resized terminal may wrap it differently. */
  const refused = async (): Promise<void> => {
    await terminal.run("palimpsest");
    await terminal.until(question);
    await expectScreen(terminal, "first-choice");
    await terminal.say("4");
    await terminal.until("A number, or another address");
    await terminal.say("1");
    await terminal.until("Which model?");
    await expectScreen(terminal, "server-found");
    await terminal.say("1");
    await terminal.until("Key for this server");
    await terminal.say("sk-wrong");
    await terminal.untilTrue("Never asked again", async () => (await keyQuestions()) === 2);
    await expectScreen(terminal, "wrong-key");
  };
  const keyQuestions = async (): Promise<number> => (await terminal.screen()).split("Key for this server").length - 1;

  test("finds a server, reports a wrong key, and can be left in between on a large screen", async () => {
    await terminal.resize(largeSize);
    await refused();
    await terminal.press("C-c");
    await terminal.until("Nothing was saved.");
    await terminal.untilShell();
    await terminal.resize(usualSize);
  });

  test("continues to the chat with the right key, which is not shown", async () => {
    await refused();
    await terminal.say(rightKey);
    await terminal.until("/help shows what you can do.");
    await terminal.untilReady();
    expect(await terminal.everything()).not.toContain("sk-");
    await terminal.say("Are you there?");
    await terminal.until("● Hello from tiny.");
    await expectScreen(terminal, "first-reply");
    await terminal.say("/exit");
    await terminal.untilShell();
    for (const file of ["config.json", "secrets.json"]) expect((await stat(data(file))).mode & 0o777).toBe(0o600);
    expect(await readFile(data("secrets.json"), "utf8")).toContain(rightKey);
  });

  test("does not ask again, and configure switches back to the demo", async () => {
    await terminal.run("palimpsest");
    await terminal.untilReady();
    expect(await terminal.screen()).not.toContain(question);
    await terminal.say("/exit");
    await terminal.untilShell();
    await terminal.run("palimpsest configure");
    await terminal.until(question);
    await expectScreen(terminal, "configure");
    await terminal.press("Enter");
    await terminal.until("Saved: demo");
    await terminal.untilShell();
    await access(data("secrets.json"));
  });

  test.each(sizes)(
    "configure takes an address without a scheme, and Esc goes back by one question and leaves, at %s",
    async (_name, size) => {
      await terminal.resize(size);
      await terminal.run("palimpsest configure");
      await terminal.until(question);
      await terminal.say("4");
      await terminal.until("A number, or another address");
      await terminal.say("localhost:11434");
      await terminal.until("Which model?");
      expect(await terminal.screen()).toContain("http://localhost:11434");
      const addresses = async (): Promise<number> => (await terminal.screen()).split("or another address").length - 1;
      await terminal.press("Escape");
      await terminal.untilTrue("Never one question back", async () => (await addresses()) === 2);
      await terminal.press("Escape");
      await terminal.untilTrue("Never at the first question", async () => (await terminal.screen()).endsWith(question));
      await terminal.press("Escape");
      await terminal.until("Nothing was saved.");
      await terminal.untilShell();
      await terminal.resize(usualSize);
    },
  );

  test("the doctor finds no fault", async () => {
    for (const size of [usualSize, largeSize]) {
      await terminal.resize(size);
      await terminal.run("palimpsest doctor");
      await terminal.until(" checks: ");
      await terminal.untilShell();
      await expectScreen(terminal, "doctor");
    }
  });
});

// The screens of docs/getting-started.md, in its order: `npm run docs:snippets` copies them there.
describe("a first conversation with the demo model", () => {
  let terminal: ChatTerminal;
  beforeAll(async () => {
    terminal = await openChatTerminal();
  });
  afterAll(() => terminal.close());

  test("opens after Enter, and keeps what is said", async () => {
    await terminal.run("palimpsest");
    await terminal.until(question);
    await terminal.press("Enter");
    await terminal.untilReady();
    await terminal.say("My name is Ada and I live in Utrecht.");
    await terminal.untilReplies(1);
    await expectScreen(terminal, "walk-kept");
  });

  test("lists the commands that begin with what is typed, and undoes an edit", async () => {
    await terminal.type("/un");
    await expectScreen(terminal, "walk-commands");
    await terminal.say("do");
    await terminal.until("Reverted");
    await expectScreen(terminal, "walk-undone");
  });

  test("finds what was said, shows where it is, and forgets it", async () => {
    // Without the vectors of the messages, which are computed in the background, the hits have another order.
    await pause(2_000);
    await terminal.say("/search Utrecht");
    await terminal.until("What was said");
    await expectScreen(terminal, "walk-found");
    await terminal.say("/forget Utrecht");
    await terminal.until("for good? (y/n)");
    await expectScreen(terminal, "walk-forget-question");
    await terminal.type("y");
    await terminal.until("Removed from");
    await expectScreen(terminal, "walk-forgotten");
    // Without the vectors of the messages, which are computed in the background, the hits have another order.
    await pause(2_000);
    await terminal.say("/search Utrecht");
    await terminal.until('No message and no passage matches "Utrecht"');
  });

  test("remembers the rest after a new start", async () => {
    await terminal.say("/exit");
    await terminal.untilShell();
    await terminal.run("palimpsest");
    await terminal.untilReady();
    await terminal.say("What is my name?");
    await terminal.until("Your name is Ada");
    await terminal.until(readyHint);
    await expectScreen(terminal, "walk-started-again");
    await terminal.say("/exit");
    await terminal.untilShell();
  });
});
