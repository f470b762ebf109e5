// `//`: Enter and Alt+Enter with multi-line input, and its notices.
import { type Key, pressed, typed } from "../../src/surfaces/terminal/keys/key-codes.ts";
import { createChat } from "../../src/surfaces/terminal/create-chat.ts";
import { rowText } from "../../src/surfaces/terminal/rows/row.ts";
import { hintRow } from "../../src/surfaces/terminal/rows/status-rows.ts";
import { createFakeAgent, createFakeRuntime } from "../support/fake-agent.ts";
import { shownText } from "../support/run-command.ts";

const enter = pressed("enter");
const altEnter = pressed("alt+enter");

function open() {
  const agent = createFakeAgent();
  const chat = createChat(
    { runtime: createFakeRuntime(), agent, version: "0", color: false },
    { columns: 100, rows: 30 },
  );
  return {
    agent,
    async press(...keys: readonly (string | Key)[]) {
      for (const key of keys) {
        chat.handleKey(typeof key === "string" ? typed(key) : key);
      }
      for (let tick = 0; tick < 10; tick += 1) await new Promise((resolve) => setTimeout(resolve, 5));
    },
    shown: () => shownText(chat.getState(), 99),
    hints: () => rowText(hintRow(chat.getState(), 99)),
    text: () => chat.getState().editor.text,
  };
}

test("// makes Enter begin a new line and Alt+Enter send, until it is typed again", async () => {
  const { agent, press, shown, hints, text } = open();
  expect(hints()).toContain("Enter send · Alt+Enter new line");
  await press("//", enter);
  expect(shown()).toContain("> //\n· Multi-line input is on: Enter inserts a new line, Alt+Enter sends.");
  expect(hints()).toContain("Alt+Enter send · Enter new line");
  await press("one", enter, "two 字🙂", enter);
  expect([agent.sent, text()]).toEqual([[], "one\ntwo 字🙂\n"]);
  await press(altEnter);
  expect([agent.sent, text()]).toEqual([["one\ntwo 字🙂"], ""]);
  await press("//", enter, altEnter);
  expect(shown()).toContain("Multi-line input is off: Enter sends.");
  await press("three", altEnter, "four", enter);
  expect(agent.sent).toEqual(["one\ntwo 字🙂", "three\nfour"]);
});

test("// takes no arguments, and a line that begins with a slash after a space is a message", async () => {
  const { agent, press, shown, hints } = open();
  await press("// on", enter);
  expect(shown()).toContain("// takes no argument.");
  expect(hints()).toContain("Enter send");
  await press(" // on", enter);
  expect(agent.sent).toEqual([" // on"]);
});
