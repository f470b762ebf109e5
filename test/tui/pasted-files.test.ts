// Pasted paths of files become mentions; Ctrl+V attaches the image in the clipboard.
import { pressed, typed } from "../../src/surfaces/terminal/keys/key-codes.ts";
import type { ChatHost } from "../../src/surfaces/terminal/chat-host.ts";
import { createChat } from "../../src/surfaces/terminal/create-chat.ts";
import { droppedPaths, mentionOf } from "../../src/surfaces/terminal/input/pasted-files.ts";
import { createFakeAgent, createFakeRuntime } from "../support/fake-agent.ts";
import { shownText } from "../support/run-command.ts";
import { silentHost } from "../support/silent-host.ts";

test.each([
  ["/tmp/a.png", [["/tmp/a.png"], ["/tmp/a.png"]]],
  ["'/tmp/my photo.png' ", [["/tmp/my photo.png"]]],
  ["/tmp/my\\ photo.png", [["/tmp/my\\ photo.png"], ["/tmp/my photo.png"]]],
  ["/tmp/my photo.png", [["/tmp/my photo.png"], ["/tmp/my", "photo.png"]]],
  ["file:///tmp/a%20b.png", [["/tmp/a b.png"], ["/tmp/a b.png"]]],
  ["file://host/tmp/a.png\nfile:///tmp/b.pdf", [["/tmp/a.png", "/tmp/b.pdf"]]],
  ["file:///tmp/100%.png", [["/tmp/100%.png"], ["/tmp/100%.png"]]],
  ["~/a.pdf '/b c.png'", [["~/a.pdf '/b c.png'"], ["~/a.pdf", "/b c.png"]]],
  ["photo.PNG", [["photo.PNG"], ["photo.PNG"]]],
  ['"C:\\My Files\\a.png"', [["C:\\My Files\\a.png"]]],
  ["notes.md", []],
  ["either/or", []],
  ["see /tmp/a.md", []],
  ["", []],
  [`/${"a".repeat(5_000)}`, []],
  [Array.from({ length: 21 }, () => "/a").join("\n"), []],
])("%j may mean %j", (pasted, expected) => {
  expect(droppedPaths(pasted)).toEqual(expected);
});

test.each([
  ["/tmp/a.png", "@/tmp/a.png"],
  ["/tmp/a b.png", '@"/tmp/a b.png"'],
  ['/tmp/a"b.png', null],
])("the mention of %j is %j", (path, mention) => {
  expect(mentionOf(path)).toBe(mention);
});

const settle = async (): Promise<void> => {
  for (let tick = 0; tick < 10; tick += 1) await new Promise((resolve) => setImmediate(resolve));
};

function open(given: Partial<ChatHost> = {}) {
  const host: ChatHost = {
    ...silentHost,
    readClipboardImage: async () => ({ type: "none", reason: "The clipboard contains no image." }),
    findFile: async (file) => (file.startsWith("/tmp/") ? file : null),
    ...given,
  };
  const agent = createFakeAgent();
  const files = { describe: async () => ({ kind: "image", mediaType: "image/png", name: "pasted-1.png", bytes: 3 }) };
  const runtime = { ...createFakeRuntime(), files } as ReturnType<typeof createFakeRuntime>;
  const chat = createChat({ runtime, agent, version: "0", color: false, host }, { columns: 100, rows: 30 });
  return {
    agent,
    chat,
    text: () => chat.getState().editor.text,
    async paste(text: string) {
      chat.handlePaste(text);
      await settle();
    },
    async press(letter: string) {
      chat.handleKey(pressed(`ctrl+${letter}`));
      await settle();
    },
  };
}

test("a pasted path of a file becomes a mention, apart from the word before it", async () => {
  const { chat, text, paste } = open();
  chat.handleKey(typed("see"));
  await paste("'/tmp/a b.png'");
  expect(text()).toBe('see @"/tmp/a b.png" ');
  chat.handleKey(typed("now"));
  expect(text()).toBe('see @"/tmp/a b.png" now');
});

test("a path of nothing, and the argument of a command, stay as they were pasted", async () => {
  const { chat, text, paste } = open();
  await paste("/etc/nothing.png");
  expect(text()).toBe("/etc/nothing.png");
  chat.handleKey(pressed("ctrl+c"));
  chat.handleKey(typed("/file "));
  await paste("/tmp/a.png");
  expect(text()).toBe("/file /tmp/a.png");
});

test("a paste that was edited before the file was found is left alone", async () => {
  let answer: (file: string) => void = () => undefined;
  const { chat, text } = open({ findFile: () => new Promise((resolve) => (answer = resolve)) });
  chat.handlePaste("/tmp/a.png");
  chat.handleKey(pressed("backspace"));
  answer("/tmp/a.png");
  await settle();
  expect(text()).toBe("/tmp/a.pn");
});

test("Ctrl+V attaches the image in the clipboard to the next message, and so does an empty paste", async () => {
  const data = Uint8Array.of(1, 2, 3);
  const { agent, chat, press, paste } = open({ readClipboardImage: async () => ({ type: "image", data }) });
  await press("v");
  expect(shownText(chat.getState(), 100)).toContain("[pasted-1.png] goes with your next message.");
  await paste("");
  chat.handleKey(typed("look"));
  chat.handleKey(pressed("enter"));
  await settle();
  expect(agent.sentFiles).toEqual([
    [
      { data, name: "pasted-1.png" },
      { data, name: "pasted-2.png" },
    ],
  ]);
});

test("without an image, the hint says why", async () => {
  const { chat, press } = open();
  await press("v");
  expect(chat.getState().hint).toBe("The clipboard contains no image.");
});
