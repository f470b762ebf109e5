// Resources of MCP servers by `@server:resource`, and their prompts by `/server:prompt`, in a chat.
import path from "node:path";
import { packageRoot } from "../../src/base/package-root.ts";
import { createChatStore } from "../../src/surfaces/terminal/chat-store.ts";
import { candidatesOf } from "../../src/surfaces/terminal/input/completion.ts";
import { editorOf } from "../../src/surfaces/terminal/input/line-editor.ts";
import { listOffers } from "../../src/surfaces/terminal/input/list-offers.ts";
import { openingState } from "../../src/surfaces/terminal/view/view-state.ts";
import { mentionedFiles, runCommand } from "../../src/surfaces/terminal/conversation.ts";
import { commandTime, shownText } from "../support/run-command.ts";
import { noDialog } from "../support/drive-dialog.ts";
import { newStatus } from "../support/new-status.ts";
import { drain, useRuntimes } from "../support/runtime.ts";
import { openScene, type Scene } from "../support/scene.ts";
import { typeLine } from "../support/typed-line.ts";

const server = path.join(packageRoot(), "test/support/hostile-mcp-server.mjs");
const runtimes = useRuntimes();
let scene: Scene;

beforeAll(async () => {
  const words = { command: process.execPath, args: [server], env: { MODE: "offers", CALLS: "/dev/null" } };
  scene = await openScene(runtimes, [{ text: "Red." }, { text: "Hello." }], { mcpServers: { words } });
});

const type = (name: string, argument = "") =>
  runCommand(
    { name, argument },
    {
      runtime: scene.runtime,
      agent: scene.agent,
      program: "palimpsest",
      files: [],
      output: null,
      open: noDialog,
      now: () => commandTime,
      signal: new AbortController().signal,
    },
  );

test("/mcp lists resources and prompts as they are typed, and what is not valid", async () => {
  const { text } = await typeLine("/mcp", scene);
  expect(text).toContain('    "bad" is left out, because its uri is not valid');
  expect(text).toContain("    @words:boat  About the boat.\n    @words:dot");
  expect(text).toContain("    /words:Greet  Greets.\n    /words:plain");
});

test("@server:resource attaches it as a file, external in trust", async () => {
  const files = await mentionedFiles(
    "What does @words:boat, say? @words:notes:///template/7 @nobody:x a@words:boat",
    scene,
  );
  expect(files.map(({ input }) => "name" in input && input.name)).toEqual(["boat.md", "7"]);
  const { agent, model } = scene;
  await drain(agent.send("What does @words:boat say?", { files: files.map(({ input }) => input) }));
  expect(
    model.requests
      .at(-1)
      ?.messages.at(-1)
      ?.content.filter(({ type }) => type !== "state"),
  ).toMatchObject([
    { type: "text" },
    { type: "file", kind: "document", name: "boat.md", mediaType: "text/markdown" },
    { type: "file", kind: "document", name: "7" },
  ]);
  expect(agent.messages.findLast(({ role }) => role === "user")).toMatchObject({ trust: "external" });
});

test.each([
  ["see @words:", ["words:boat", "words:dot", "words:empty"]],
  ["/words:", ["/words:Greet", "/words:plain"]],
  ["words", []],
])("while %j is typed, what the server has is suggested", async (typed, expected) => {
  const store = createChatStore(openingState({ status: newStatus(), size: { columns: 80, rows: 24 } }));
  let asked = 0;
  const servers = async () => ((asked += 1), scene.runtime.mcp.servers());
  listOffers(store, { mcp: { ...scene.runtime.mcp, servers } });
  for (const end of [typed.length - 1, typed.length])
    store.dispatch({ type: "edit", editor: editorOf(typed.slice(0, end)) });
  const listed = new Promise<void>((resolve) => store.subscribe(() => store.getState().offers.length > 0 && resolve()));
  if (expected.length > 0) await listed;
  expect(candidatesOf(store.getState(), []).map(({ label }) => label)).toEqual(expected);
  expect(asked).toBe(expected.length > 0 ? 1 : 0);
});

test("a picture is attached as one", async () => {
  const [dot] = await mentionedFiles("@words:dot", scene);
  expect(dot?.input).toMatchObject({ name: "dot.png", mediaType: "image/png" });
});

test.each([
  ["@words:boot", "the server has no such resource. Its resources: boat, dot, empty"],
  ["@words:empty", "it is empty"],
  ["@words:notes:///gone", "not here"],
])("%s is refused, with nothing sent", async (mention, reason) => {
  await expect(mentionedFiles(mention, scene)).rejects.toMatchObject({
    code: "file_unreadable",
    message: expect.stringContaining(reason),
  });
});

test.each([
  ["words:greet", 'who="dear Ada" how=warmly', "user: Greet dear Ada, warmly."],
  ["words:greet", "who=Ada", "user: Greet Ada, undefined."],
])("/%s %s sends what the prompt says as a file", async (name, argument, said) => {
  const { effect } = await type(name, argument);
  if (effect?.type !== "send") throw new Error("Expected a message to be sent.");
  expect(effect.text).toBe('Follow the prompt "Greet" of the MCP server words, which is attached.');
  const { input } = effect.files[0]!;
  expect("data" in input && Buffer.from(input.data as Uint8Array).toString()).toBe(said);
});

test.each([
  ["words:greet", "", "expected the arguments who, how (optional), got none"],
  ["words:greet", "who=Ada when=now", "expected the arguments who, how (optional), got who, when"],
  ["words:greet", "Ada", "/words:greet who=… [how=…]"],
  ["words:leave", "", "There is no command /words:leave."],
  ["nobody:greet", "", "There is no command /nobody:greet."],
])("/%s %s is refused", async (name, argument, reason) => {
  const outcome = await type(name, argument);
  expect(shownText(outcome, 200)).toContain(reason);
  expect(outcome.effect?.type).not.toBe("send");
});
