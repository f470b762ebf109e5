// `/theme`: the theme of the screen.
import { pressed, typed } from "../../src/surfaces/terminal/keys/key-codes.ts";
import { createChat } from "../../src/surfaces/terminal/create-chat.ts";
import { createFakeAgent, createFakeRuntime } from "../support/fake-agent.ts";
import { shownText } from "../support/run-command.ts";

function open() {
  const session = { runtime: createFakeRuntime(), agent: createFakeAgent(), version: "0", color: true };
  const chat = createChat(session, { columns: 100, rows: 30 });
  return {
    theme: () => chat.getState().theme,
    async say(line: string) {
      chat.handleKey(typed(line));
      chat.handleKey(pressed("enter"));
      for (let tick = 0; tick < 10; tick += 1) await new Promise((resolve) => setTimeout(resolve, 5));
    },
    shown: () => shownText(chat.getState(), 99),
  };
}

test("/theme NAME changes it", async () => {
  const { theme, say, shown } = open();
  for (const name of ["light", "none", "DARK"]) {
    await say(`/theme ${name}`);
    expect(theme()).toBe(name.toLowerCase());
    expect(shown()).toContain(`The theme is ${name.toLowerCase()} from now on`);
  }
});

test.each([
  ["/theme", "There are the themes dark, light, none."],
  ["/theme ligth", "Did you mean light?"],
  ["/theme constructor", 'There is no theme "constructor". There are dark, light, none.'],
  ["/theme 字 %_ </human>", 'There is no theme "字 %_ </human>".'],
])("%s changes nothing", async (line, said) => {
  const { theme, say, shown } = open();
  const before = theme();
  await say(line);
  expect(theme()).toBe(before);
  expect(shown()).toContain(said);
});
