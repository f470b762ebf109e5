// Node memories beside a conversation of the runtime's: files that stand on its messages, its thread, and its deletion.
import { filesOf, type Message, textOf } from "../../src/base/message/message.ts";
import { openNodePlaces } from "../support/node-places.ts";
import { lastOf, useRuntimes } from "../support/runtime.ts";
import { png } from "../support/sample-files.ts";
import { openScene } from "../support/scene.ts";
import { useScene } from "../support/use-scene.ts";

const runtimes = useRuntimes();
const places = useScene(() => openNodePlaces());

/** An agent that was sent a picture, and whose node has kept that turn. */
async function talked() {
  const scene = await openScene(runtimes, () => ({ text: "A grey picture." }), { objects: places.folder.setting });
  const { agent, runtime } = scene;
  await lastOf(agent.send("Look", { files: [{ data: png(40, 30), name: "photo.png" }] }));
  const [asked, answered] = agent.messages;
  const key = { app: "gallery", conversation: agent.conversationId, node: "describe" };
  const memory = runtime.nodeMemory.open(key);
  memory.addMessages({
    messageId: asked!.id,
    parentMessageId: null,
    userContent: textOf(asked!),
    userFiles: filesOf(asked!),
    assistantMessageId: answered!.id,
    assistantContent: textOf(answered!),
    assistantFiles: [],
  });
  await memory.flush();
  return { ...scene, key, memory: runtime.nodeMemory.open(key), asked: asked!, answered: answered! };
}

const texts = (messages: readonly Message[]) => messages.map(textOf);

test("a file is stored as a reference of the format, and is complete in the history", async () => {
  const { memory, key, asked } = await talked();
  const json = JSON.parse((await places.folder.read(memory.key)).toString("utf8")) as {
    readonly messages: readonly { readonly files: unknown; readonly token_count: number }[];
  };
  const [file] = filesOf(asked);
  const id = file!.location.type === "attachment" ? file!.location.id : "";
  expect(json.messages[0]!.files).toEqual([
    { type: "image", transfer_method: "local_file", upload_file_id: id, belongs_to: "user" },
  ]);
  expect(key.conversation).not.toBe("");
  const history = await memory.getHistoryPromptMessages("later", { parentMessageId: asked.id });
  expect(history[0]).toEqual({ role: "user", content: [{ type: "text", text: "Look" }, file] });
  expect(file).toMatchObject({ width: 40, height: 30, mediaType: "image/png" });
});

test("files at a URL and files of the assistant are restored, and a note replaces missing ones", async () => {
  const { memory, asked } = await talked();
  const [stored] = filesOf(asked);
  const url = "https://host.example/sound.mp3";
  const linked = { ...stored!, location: { type: "url", url }, kind: "custom" } as const;
  const lost = { ...stored!, location: { type: "attachment", id: "file-uuid-123" } } as const;
  memory.addMessages({
    messageId: "m2",
    parentMessageId: asked.id,
    userContent: "More",
    userFiles: [linked, lost],
    assistantContent: "Made",
    assistantFiles: [stored!],
  });
  await memory.flush();
  const [user, answer] = (await memory.getHistoryPromptMessages("m2")).slice(-2);
  expect(filesOf(user!)).toEqual([
    expect.objectContaining({
      location: { type: "url", url },
      // As it was kept, whatever the name of the file says.
      kind: "custom",
      mediaType: "audio/mpeg",
      name: "sound.mp3",
    }),
  ]);
  expect(textOf(user!)).toBe("More[image: no longer stored]");
  expect(filesOf(answer!)).toEqual([stored]);
  const kept = (await places.folder.read(memory.key)).toString("utf8");
  expect(kept).toContain('"transfer_method":"tool_file","tool_file_id":');
  expect(kept).toContain(`"transfer_method":"remote_url","url":"${url}"`);
});

test("the thread is that of the conversation, even over turns without the node, and on an abandoned branch", async () => {
  const { agent, runtime, memory, key } = await talked();
  await lastOf(agent.send("Another thing"));
  await lastOf(agent.send("And this"));
  const [, , , , asked, answered] = agent.messages;
  const add = (id: string, words: string) =>
    memory.addMessages({
      messageId: asked!.id,
      parentMessageId: asked!.parentId,
      userContent: "And this",
      assistantMessageId: id,
      assistantContent: words,
    });
  add(answered!.id, "first");
  await memory.flush();
  await lastOf(agent.retry());
  const again = agent.messages.at(-1)!;
  add(again.id, "second");
  await memory.flush();
  await lastOf(agent.send("What now?"));
  const now = agent.messages.at(-2)!;
  const fresh = runtime.nodeMemory.open(key);
  expect(texts(await fresh.getHistoryPromptMessages(now.id))).toEqual([
    "Look",
    "A grey picture.",
    "And this",
    "second",
  ]);
  expect(texts(await fresh.getHistoryPromptMessages(answered!.id))).toEqual([
    "Look",
    "A grey picture.",
    "And this",
    "first",
  ]);
});

test("a message's ancestors are found through a long conversation, over turns without the node", async () => {
  const { name, runtime } = await openScene(runtimes, []);
  const at = new Date("2026-01-07T10:00:00Z");
  const messages = Array.from({ length: 240 }, (_, place) => ({
    role: place % 2 === 0 ? ("user" as const) : ("assistant" as const),
    text: `said ${place}`,
    at,
  }));
  const { id: conversation } = await runtime.conversations.import(name, { messages });
  const { messages: said } = await runtime.conversations.history({ conversation, maxTokens: 1_000_000 });
  const memory = runtime.nodeMemory.open({ app: "long", conversation, node: "rare" });
  for (const place of [0, 120, 238]) {
    const messageId = said[place]!.id;
    const parentMessageId = place === 0 ? null : said[place - 1]!.id;
    memory.addMessages({
      messageId,
      parentMessageId,
      userContent: `ask ${place}`,
      assistantContent: `answer ${place}`,
    });
  }
  await memory.flush();
  const expected = [0, 120, 238].flatMap((place) => [`ask ${place}`, `answer ${place}`]);
  expect(texts(await memory.getHistoryPromptMessages(said[238]!.id))).toEqual(expected);
  expect(texts(await memory.getHistoryPromptMessages(said[237]!.id))).toEqual(expected.slice(0, 4));
  expect(texts(await memory.getHistoryPromptMessages(said[1]!.id))).toEqual(expected.slice(0, 2));
});

test("the mode `conversation` has all visible messages, the mode `node` those of the node", async () => {
  const { agent, runtime, key, asked, answered } = await talked();
  await lastOf(agent.send("Another thing"));
  const byMode = { node: runtime.nodeMemory.forMode({ mode: "node", ...key }), all: runtime.nodeMemory.forMode(key) };
  expect(byMode.all.mode).toBe("conversation");
  const last = agent.messages.at(-1)!.id;
  expect(texts(await byMode.all.getHistoryPromptMessages(last))).toHaveLength(4);
  expect(texts(await byMode.all.getHistoryPromptMessages(answered.id))).toHaveLength(2);
  expect(texts(await byMode.node.getHistoryPromptMessages(last))).toEqual(["Look", "A grey picture."]);
  const limited = await byMode.all.getHistoryPromptMessages(last, { messageLimit: 1 });
  expect(texts(limited)).toEqual(["A grey picture."]);
  expect(asked.id).not.toBe(last);
});

test("its object is deleted with the conversation, and the files that it names with their messages", async () => {
  const { agent, runtime, memory, key } = await talked();
  const other = runtime.nodeMemory.open({ ...key, app: "other" });
  const [stored] = filesOf(agent.messages[0]!);
  const kept = runtime.nodeMemory.open({ ...key, conversation: "elsewhere" });
  for (const one of [other, kept]) {
    one.addMessages({
      messageId: "m1",
      parentMessageId: null,
      userContent: "u",
      userFiles: [stored!],
      assistantContent: "a",
    });
    await one.flush();
  }
  const keys = async () => (await places.folder.keys()).filter((name) => name.includes(key.conversation));
  expect(await keys()).toHaveLength(2);
  await runtime.conversations.delete(agent.conversationId);
  expect(await keys()).toEqual([]);
  expect(await memory.getHistoryPromptMessages("x")).toEqual([]);
  expect(texts(await kept.getHistoryPromptMessages("m1"))).toEqual(["u[image: no longer stored]", "a"]);
});
