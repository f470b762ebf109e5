// Two terminals in one conversation: each shows the other's messages once, with its own next turn.
import { pressed, typed } from "../../src/surfaces/terminal/keys/key-codes.ts";
import { createChat } from "../../src/surfaces/terminal/create-chat.ts";
import { shownText } from "../support/run-command.ts";
import { useRuntimes } from "../support/runtime.ts";
import { openScene } from "../support/scene.ts";
import { until } from "../support/until.ts";

const runtimes = useRuntimes();

/** Opens a conversation, and returns a function that opens it in one more terminal. */
async function conversation() {
  const scene = await openScene(runtimes, [{ text: "one" }, { text: "two" }, { text: "three" }, { text: "four" }]);
  const { runtime, name } = scene;
  return async () => {
    const agent = await runtime.agents.open(name, { conversation: { id: scene.agent.conversationId } });
    const chat = createChat({ runtime, agent, version: "0", color: false }, { columns: 80, rows: 24 });
    const shown = () => shownText(chat.getState(), 79).split("\n");
    const say = async (text: string, reply: string) => {
      for (const letter of text) chat.handleKey(typed(letter));
      chat.handleKey(pressed("enter"));
      await until(() => shown().includes(`● ${reply}`) && chat.getState().activity === null);
    };
    const press = (...keys: readonly string[]) => keys.forEach((key) => chat.handleKey(pressed(key)));
    return { chat, agent, shown, say, press };
  };
}

test("messages from another terminal are shown above the reply, once", async () => {
  const open = await conversation();
  const first = await open();
  const second = await open();
  await first.say("hello", "one");
  await second.say("from the second", "two");
  expect(second.shown().join("\n")).toContain("· Meanwhile in this conversation:\n\n> hello\n\n● one");
  await first.say("and again", "three");
  const rows = first.shown().join("\n");
  expect(rows).toContain("> and again\n· Meanwhile in this conversation:\n\n> from the second\n\n● two\n\n● three");
  await first.say("last", "four");
  expect(first.shown().join("\n").split("Meanwhile")).toHaveLength(2);
});

test.each(["/pop 2", "/retry", "/rewrite Something else"])(
  "%s removes nothing that this terminal has not shown, and shows what came",
  async (line) => {
    const open = await conversation();
    const first = await open();
    await first.say("hello", "one");
    const second = await open();
    await second.say("from the second", "two");
    first.chat.handleKey(typed(line));
    first.press("enter");
    await until(() => first.shown().join("\n").includes("Another process has changed this conversation"));
    const rows = first.shown().join("\n");
    expect(rows).toContain("· Meanwhile in this conversation:\n\n> from the second\n\n● two\n");
    expect(first.agent.messages.map(({ text }) => text)).toEqual(["hello", "one", "from the second", "two"]);
    await until(() => first.chat.getState().activity === null);
    await first.say("and again", "three");
    expect(first.shown().join("\n").split("Meanwhile")).toHaveLength(2);
  },
);

test("a rewind removes nothing that this terminal has not shown, and shows what came when it is closed", async () => {
  const open = await conversation();
  const first = await open();
  await first.say("hello", "one");
  const second = await open();
  await second.say("from the second", "two");
  first.press("escape", "escape");
  await until(() => first.chat.getState().dialog !== null);
  first.press("enter");
  await until(() => first.chat.getState().dialog?.failure?.includes("Another process has changed") === true);
  first.press("escape");
  await until(() => first.chat.getState().activity === null);
  expect(first.shown().join("\n")).toContain("· Meanwhile in this conversation:\n\n> from the second\n\n● two");
  expect(first.agent.messages).toHaveLength(4);
  expect(first.chat.getState().editor.text).toBe("");
});
