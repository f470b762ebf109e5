// `/file`: files that wait for the next message, are sent with it, or stay after a failure.
import { pressed, typed } from "../../src/surfaces/terminal/keys/key-codes.ts";
import { RequestError } from "../../src/base/errors.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import type { ChatSession } from "../../src/surfaces/terminal/chat-session.ts";
import { createChat } from "../../src/surfaces/terminal/create-chat.ts";
import { createFakeAgent, createFakeRuntime, type FakeAgentOptions, replyScript } from "../support/fake-agent.ts";
import { shownText } from "../support/run-command.ts";
import { silentHost } from "../support/silent-host.ts";

const describeFile: Runtime["files"]["describe"] = async (file) => {
  const name = "path" in file ? file.path : "";
  if (!name.endsWith(".png"))
    throw new RequestError("file_unreadable", `${name} cannot be attached: there is no such file.`);
  return { kind: "image", mediaType: "image/png", name, bytes: 240_000, width: 1024, height: 768 };
};

function open(options: FakeAgentOptions = {}, session: Partial<ChatSession> = {}) {
  const agent = createFakeAgent(options);
  const runtime = { ...createFakeRuntime(), files: { describe: describeFile } };
  const chat = createChat({ runtime, agent, version: "0", color: false, ...session }, { columns: 100, rows: 30 });
  return {
    agent,
    async enter(line: string): Promise<void> {
      chat.handleKey(typed(line));
      chat.handleKey(pressed("enter"));
      for (let tick = 0; tick < 20; tick += 1) await new Promise((resolve) => setTimeout(resolve, 5));
    },
    shown: () => shownText(chat.getState(), 100),
    typed: () => chat.getState().editor.text,
  };
}

test("files wait for the next message, are sent with it, and not with the one after", async () => {
  const { agent, enter, shown } = open();
  await enter("/file a.png");
  await enter(`/file "b c.png"`);
  expect(shown()).toContain("[a.png 1024×768] goes with your next message.");
  expect(shown()).toContain("[a.png 1024×768] [b c.png 1024×768] go with your next message.");
  await enter("look");
  await enter("thanks");
  expect(agent.sent).toEqual(["look", "thanks"]);
  expect(agent.sentFiles).toEqual([[{ path: "a.png" }, { path: "b c.png" }], []]);
});

test("a file that cannot be sent is reported at once, and earlier ones still wait", async () => {
  const { agent, enter, shown } = open();
  await enter("/file a.png");
  await enter("/file none.txt");
  expect(shown()).toContain("none.txt cannot be attached: there is no such file.");
  await enter("look");
  expect(agent.sentFiles).toEqual([[{ path: "a.png" }]]);
});

test("/file lists waiting files, and --clear removes them", async () => {
  const { agent, enter, shown } = open();
  await enter("/file");
  expect(shown()).toContain("No files attached.");
  await enter("/file a.png");
  await enter("/file --clear");
  expect(shown()).toContain("No files attached.");
  await enter("look");
  expect(agent.sentFiles).toEqual([[]]);
});

test("a message that could not be sent returns to the prompt, and its files are sent with the next", async () => {
  const { agent, enter, typed: prompt, shown } = open({ turns: [[new RequestError("file_too_large", "Too large.")]] });
  await enter("/file a.png");
  await enter("look");
  expect(prompt()).toBe("look\n");
  expect(shown()).toContain("✗ Too large.\n  Your message is in the prompt: change it, or send it again.");
  await enter("again");
  expect(agent.sent).toEqual(["look", "look\nagain"]);
  expect(agent.sentFiles).toEqual([[{ path: "a.png" }], [{ path: "a.png" }]]);
});

test("files of a message that was stored are not sent again when its turn fails", async () => {
  const [start] = replyScript("never said");
  const { agent, enter } = open({ turns: [[start!, new RequestError("agent_busy", "busy")]] });
  await enter("/file a.png");
  await enter("look");
  await enter("look again");
  expect(agent.sentFiles).toEqual([[{ path: "a.png" }], []]);
});

test("files of the command line are shown, and sent with the first message", async () => {
  const { agent, enter, shown } = open({}, { files: [{ input: { path: "x.png" }, label: "[x.png 1×2]" }] });
  expect(shown()).toContain("[x.png 1×2] goes with your next message.");
  await enter("look");
  expect(agent.sentFiles).toEqual([[{ path: "x.png" }]]);
});

test("a message with a mentioned file that cannot be read returns to the prompt", async () => {
  const host = { ...silentHost, findFile: async (file: string) => (file === "none.txt" ? "/home/none.txt" : null) };
  const { agent, enter, shown, typed: prompt } = open({}, { host });
  await enter("compare @none.txt with the plan");
  expect(prompt()).toBe("compare @none.txt with the plan\n");
  expect(shown()).toContain("cannot be attached: there is no such file.\n  Your message is in the prompt");
  expect(shown()).not.toContain("/retry");
  expect(agent.sent).toEqual([]);
});

test("/file takes a path as a terminal inserts it, and the host finds it", async () => {
  const findFile = async (file: string) => (file === "~/my photo.png" ? "/home/ada/my photo.png" : null);
  const { agent, enter } = open({}, { host: { ...silentHost, findFile } });
  await enter("/file ~/my\\ photo.png");
  await enter("/file /tmp/a\\ \\(b\\).png");
  await enter("/file 'c\\ d.png'");
  await enter("/file C:\\e.png");
  await enter("/file docs\\f.png");
  await enter("/file \\\\server\\g.png");
  await enter("look");
  const paths = [
    "/home/ada/my photo.png",
    "/tmp/a (b).png",
    "c\\ d.png",
    "C:\\e.png",
    "docs\\f.png",
    "\\\\server\\g.png",
  ];
  expect(agent.sentFiles).toEqual([paths.map((path) => ({ path }))]);
});
