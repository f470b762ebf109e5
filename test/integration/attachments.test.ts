// Files on messages, from what a program sends to what the model is handed, and back from the store.
import { existsSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { composeRuntime, type RuntimeOptions } from "../../src/runtime/compose/compose.ts";
import { checkRequest } from "../support/check-request.ts";
import { createScriptedModel, type ScriptedReplies } from "../../src/model/llm/scripted/scripted-model.ts";
import { filesOf } from "../../src/base/message/message.ts";
import { defineTool } from "../../src/tool/define-tool.ts";
import { withFiles } from "../../src/tool/result-with-files.ts";
import { openTestStore } from "../support/database.ts";
import { drain, lastOf, useRuntimes } from "../support/runtime.ts";
import { pdf, png } from "../support/sample-files.ts";
import { openScene } from "../support/scene.ts";
import { useFolder } from "../support/folders.ts";

const runtimes = useRuntimes();
const folder = useFolder();

const scene = (replies: ScriptedReplies, options: RuntimeOptions = {}) => openScene(runtimes, replies, options);

function fileAt(name: string, content: Buffer | string): string {
  const at = path.join(folder, name);
  writeFileSync(at, content);
  return at;
}

test("a file is stored with its message, sent to the model, and exists after a restart", async () => {
  const { agent, runtime, name, model } = await scene([{ text: "A grey picture." }]);
  const at = fileAt("photo.png", png(40, 30));
  const events = await drain(agent.send("What is this?", { files: [{ path: at }] }));
  const start = events[0]!;
  expect(start.type === "turn-start" && start.files).toEqual([
    {
      type: "file",
      location: { type: "attachment", id: expect.any(String) },
      kind: "image",
      mediaType: "image/png",
      name: "photo.png",
      bytes: png(40, 30).length,
      width: 40,
      height: 30,
    },
  ]);
  rmSync(at);
  expect(existsSync(at)).toBe(false);
  const [request] = model.requests;
  const [file] = filesOf(request!.messages[0]!);
  expect(Buffer.compare(Buffer.from((await request!.loadFile!(file!))!), png(40, 30))).toBe(0);
  const again = await runtime.agents.open(name);
  // What a file holds may have been written by others.
  expect(again.messages[0]).toMatchObject({ trust: "external" });
  expect(again.messages[0]).toMatchObject({ text: "What is this?\n[photo.png 40×30]", content: [{}, file] });
  expect(JSON.stringify(again.messages)).not.toContain(png(40, 30).toString("base64").slice(0, 40));
  expect(checkRequest(request!)).toEqual([]);
});

test.each(["native", "heartbeat"] as const)(
  "a %s message may consist of files, and is found by their names",
  async (protocol) => {
    const { agent, runtime, name, model } = await scene(
      () => ({
        toolCalls: protocol === "native" ? [] : [{ name: "send_message", arguments: { message: "ok" } }],
        text: "ok",
      }),
      { protocol },
    );
    await lastOf(agent.send("  ", { files: [{ data: pdf(2), name: "annual-report.pdf" }] }));
    const sent = model.requests.at(-1)!.messages.findLast(({ role }) => role === "user")!;
    expect(filesOf(sent).map((file) => file.name)).toEqual(["annual-report.pdf"]);
    const { hits } = await runtime.recall.search(name, "annual-report.pdf");
    expect(hits.map(({ text }) => text)).toEqual(["[annual-report.pdf 2 pages]"]);
  },
);

test("a message without text and files is refused, and so is one whose files cannot be attached: nothing is written", async () => {
  const { agent, runtime, name, model } = await scene([]);
  expect(() => agent.send(" ", { files: [] })).toThrow("Expected a message with some text in it");
  const good = { data: png(1, 1), name: "good.png" };
  for (const [bad, code] of [
    [{ path: path.join(folder, "none") }, "file_unreadable"],
    [{ data: Buffer.alloc(20_000_001), name: "large" }, "file_too_large"],
    [{ data: png(9, 9).subarray(0, -9), name: "cut.png" }, "file_invalid"],
    [{ url: "file:///etc/passwd" }, "file_invalid"],
  ] as const) {
    await expect(drain(agent.send("look", { files: [good, bad] }))).rejects.toMatchObject({ code });
  }
  expect((await runtime.agents.open(name)).messages).toEqual([]);
  expect(model.requests).toEqual([]);
});

test("limits are configurable", async () => {
  const { agent } = await scene([{ text: "ok" }], { maxFileMegabytes: 0.001, maxMessageMegabytes: 0.0015 });
  const files = (...sizes: readonly number[]) => ({
    files: sizes.map((size) => ({ data: Buffer.alloc(size), name: "x" })),
  });
  await expect(drain(agent.send("a", files(1001)))).rejects.toThrow("the maximum is 1 KB");
  await expect(drain(agent.send("a", files(900, 900)))).rejects.toThrow(
    "the files of the message exceed the maximum of 2 KB",
  );
  expect(await lastOf(agent.send("a", files(1000, 500)))).toMatchObject({ stopReason: "end-turn" });
});

test("a repeated send stores no second file", async () => {
  const kept = await openTestStore();
  const model = createScriptedModel({ replies: [{ text: "one" }] });
  const runtime = await composeRuntime({ model: "scripted", models: [model], embedder: null }, { store: kept.store });
  const agent = await runtime.agents.open("sender", { create: {} });
  const options = (text: string) => ({ idempotencyKey: "k", files: [{ data: Buffer.from(text), name: "a.txt" }] });
  const first = await drain(agent.send("first", options("one")));
  expect(await drain(agent.send("again", options("two")))).toEqual(first);
  expect(await kept.ownerRows("select from attachments")).toHaveLength(1);
  expect(await kept.ownerRows("select from object_parts")).toHaveLength(1);
  expect(filesOf(agent.messages[0]!)).toHaveLength(1);
  await runtime.close();
  await kept.close();
});

test("a file whose object was lost is stored again when it is attached again", async () => {
  const objects = path.join(folder, "objects");
  const { agent, model } = await scene([{ text: "Seen." }, { text: "Seen again." }], { objects: `folder:${objects}` });
  const photo = { data: png(12, 9), name: "photo.png" };
  await drain(agent.send("Look", { files: [photo] }));
  rmSync(objects, { recursive: true });
  await drain(agent.send("Look again", { files: [photo] }));
  const request = model.requests.at(-1)!;
  for (const file of request.messages.flatMap(filesOf))
    expect(Buffer.from((await request.loadFile!(file))!)).toEqual(png(12, 9));
  expect(existsSync(objects)).toBe(true);
});

const draw = (files: () => unknown) =>
  defineTool({
    name: "draw",
    description: "Draws.",
    parameters: z.object({ what: z.string().describe("what to draw") }),
    run: ({ what }) => withFiles(`Drawn: ${what}`, files() as never),
  });
const asksToDraw = { toolCalls: [{ name: "draw", arguments: { what: "a boat" } }] };

test("a tool's files are stored with its result and sent to the model", async () => {
  const tools = { add: [draw(() => [{ data: png(5, 6), name: "boat.png" }])] };
  const { agent, model } = await scene([asksToDraw, { text: "Here." }], { tools });
  const events = await drain(agent.send("draw a boat"));
  const result = events.find((event) => event.type === "tool-result");
  expect(result).toMatchObject({ status: "ok", text: "Drawn: a boat", files: [{ name: "boat.png", width: 5 }] });
  const request = model.requests[1]!;
  const [file] = filesOf(request.messages.at(-1)!);
  expect(Buffer.compare(Buffer.from((await request.loadFile!(file!))!), png(5, 6))).toBe(0);
});

test.each([
  ["cannot be read", () => [{ path: "/none/such.png" }], /a file of its result was refused: .*there is no such file/],
  ["are too large", () => [{ data: Buffer.alloc(20_000_001), name: "x" }], /the maximum is 20 MB/],
  ["are no list", () => "boat.png", /expected a list of files/],
  ["were not made", () => [undefined], /withFiles: expected `files\[0\]` to be \{ path \}, .*got undefined/],
  ["have no content", () => [{ name: "boat.png" }], /withFiles: expected `files\[0\]` to be \{ path \}, /],
])("a tool whose files %s fails, and the turn continues", async (_what, files, message) => {
  const { agent } = await scene([asksToDraw, { text: "Sorry." }], { tools: { add: [draw(files)] } });
  const events = await drain(agent.send("draw a boat"));
  const result = events.find((event) => event.type === "tool-result")!;
  expect(result.type === "tool-result" && result.status).toBe("failed");
  expect(result.type === "tool-result" && result.text).toMatch(message);
  expect(events.at(-1)).toMatchObject({ stopReason: "end-turn", text: "Sorry." });
});

test("a message's tokens include those of its files", async () => {
  const { agent } = await scene(() => ({ text: "ok" }));
  const tokens = async (files: readonly { readonly data: Buffer; readonly name: string }[]): Promise<number> => {
    await lastOf(agent.send("x", { files }));
    return agent.messages.findLast(({ role }) => role === "user")!.tokens;
  };
  const alone = await tokens([]);
  expect((await tokens([{ data: Buffer.from("word ".repeat(1000)), name: "a.txt" }])) - alone).toBeGreaterThan(900);
  // The scripted model is sent a note in place of an image.
  expect((await tokens([{ data: png(2000, 2000), name: "a.png" }])) - alone).toBeLessThan(60);
});

test("the demo model says that it cannot see files, and names them", async () => {
  const runtime = await runtimes.open({});
  const agent = await runtime.agents.open("demo with files", { create: {} });
  const end = await lastOf(agent.send("My name is Ada", { files: [{ data: png(7, 8), name: "me.png" }] }));
  expect(end.text).toContain("You sent [me.png 7×8].");
  expect(end.text).toContain("cannot see files");
  expect(agent.memory.read("human")).toContain("Ada");
});

test("a summary names the files of the messages that it replaces", async () => {
  const { agent, model } = await scene(() => ({ text: "ok" }));
  await lastOf(agent.send("look", { files: [{ data: png(7, 8), name: "me.png" }] }));
  for (let turn = 0; turn < 8; turn += 1) await lastOf(agent.send(`turn ${turn}`));
  await agent.compact();
  expect(JSON.stringify(model.requests.at(-1)!.messages)).toContain("look [image me.png, 7×8");
});

test("retry sends the same file again, and deleting the conversation deletes it", async () => {
  const { agent, runtime, model } = await scene(() => ({ text: "ok" }));
  await lastOf(agent.send("look", { files: [{ data: png(3, 3), name: "me.png" }] }));
  await lastOf(agent.retry());
  const [file] = filesOf(model.requests[1]!.messages[0]!);
  expect(await model.requests[1]!.loadFile!(file!)).not.toBeNull();
  await runtime.conversations.delete(agent.conversationId);
  expect(await model.requests[1]!.loadFile!(file!)).toBeNull();
});
