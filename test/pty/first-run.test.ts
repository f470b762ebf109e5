// The first run, `configure`, the doctor and `/model`, with a model server on this machine.
// Invariant: no other file of these tests uses that server, since its port is fixed and files run side by side.
import { access, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { largeSize, openChat, openChatTerminal, readyHint, sizes, usualSize } from "./chat-terminal.ts";
import { expectScreen, expectScreens } from "./golden-screen.ts";
import { createKeyedModelServer, type KeyedModelServer, rightKey } from "./keyed-model-server.ts";
import { useScene } from "../support/use-scene.ts";

const question = "Your choice (Enter: 1):";
/** After the first run, and after going back: Enter chooses nothing. */
const laterQuestion = "Your choice:";

let server: KeyedModelServer;
beforeAll(async () => (server = await createKeyedModelServer()));
afterAll(() => server.close());

describe("the first start", () => {
  const terminal = useScene(() => openChatTerminal());

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
    await terminal.until("Type a message, or / for the commands.");
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
    await terminal.until(laterQuestion);
    await expectScreen(terminal, "configure");
    await terminal.say("1");
    await terminal.until("Saved: demo");
    await terminal.until("The agent main still uses openai/tiny.");
    await terminal.say("y");
    await terminal.until("Changed main.");
    await terminal.untilShell();
    await access(data("secrets.json"));
  });

  test.each(sizes)(
    "configure takes an address without a scheme, and Esc goes back by one question and leaves, at %s",
    async (_name, size) => {
      await terminal.resize(size);
      await terminal.run("palimpsest configure");
      await terminal.until(laterQuestion);
      await terminal.say("4");
      await terminal.until("A number, or another address");
      await terminal.say("localhost:11434");
      await terminal.until("Which model?");
      expect(await terminal.screen()).toContain("http://localhost:11434");
      const addresses = async (): Promise<number> => (await terminal.screen()).split("or another address").length - 1;
      await terminal.press("Escape");
      await terminal.untilTrue("Never one question back", async () => (await addresses()) === 2);
      await terminal.press("Escape");
      await terminal.untilTrue("Never at the first question", async () =>
        (await terminal.screen()).endsWith(laterQuestion),
      );
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

describe("a chat", () => {
  const terminal = useScene(() => openChat());

  test("/model lists models; Esc cancels, and Enter changes it", async () => {
    await terminal.say("/model");
    await terminal.until("Models for main");
    await terminal.press("C-l");
    await expectScreens(terminal, "model-picker");
    await terminal.press("Escape");
    await terminal.untilGone("Models for main");
    await terminal.say("/model");
    await terminal.until("Models for main");
    await terminal.type("nothing like it");
    await terminal.until("Nothing matches.");
    await terminal.press("C-u");
    await terminal.type("tiny");
    await terminal.until("❯ openai/tiny");
    await terminal.press("Enter");
    await terminal.until("main now uses openai/tiny at http://localhost:11434/v1");
    await terminal.until("main · openai/tiny");
    await terminal.say("/model demo");
    await terminal.until("main now uses demo model");
    await terminal.until(readyHint);
    // Every input stays above what came of it, also a command whose list was closed.
    expect((await terminal.screen()).match(/^> \/model$/gmu)).toHaveLength(2);
  });
});
