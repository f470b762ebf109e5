// `/file`: files that wait for the next message, are sent with it, or stay after a failure.
import { pressed, typed } from "../../src/surfaces/terminal/keys/key-codes.ts";
import { RequestError } from "../../src/base/errors.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import type { ChatSession } from "../../src/surfaces/terminal/chat-session.ts";
import { createChat } from "../../src/surfaces/terminal/create-chat.ts";
import { createFakeAgent, createFakeRuntime, type FakeAgentOptions, replyScript } from "../support/fake-agent.ts";
import { shownText } from "../support/run-command.ts";

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

test("files of a message that could not be sent are sent with the next", async () => {
  const { agent, enter } = open({ turns: [[new RequestError("agent_busy", "busy")]] });
  await enter("/file a.png");
  await enter("look");
  await enter("look again");
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
