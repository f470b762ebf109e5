// The effects of slash commands on the database, as another process sees them.
// Commands with separate test files: /attach and /detach, /model, /systemswap, /persona and /tools, /rewrite and /rethink,
// /heartbeat and /memorywarning, /fork, /import; and /btw, of which nothing is left.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { pressed, typed } from "../../src/surfaces/terminal/keys/key-codes.ts";
import { createChat } from "../../src/surfaces/terminal/create-chat.ts";
import { drain, useRuntimes } from "../support/runtime.ts";
import { append, openScene, type Scene } from "../support/scene.ts";
import { typeLine, typeToEnd } from "../support/typed-line.ts";
import { driveDialog } from "../support/drive-dialog.ts";
import { useFolder } from "../support/folders.ts";

const runtimes = useRuntimes();
const folder = useFolder();

async function stored({ runtime, agent, name }: Scene) {
  const opened = await runtime.agents.open(name, { conversation: { id: agent.conversationId } });
  const human = (await runtime.memory.show(name)).find(({ label }) => label === "human")!.value;
  return { opened, human, texts: opened.messages.map(({ text }) => text) };
}

/** A call that waits: core_memory_append of "Sails". */
async function waiting(after: string) {
  const scene = await openScene(runtimes, [{ toolCalls: [append("Sails")] }, { text: after }], {
    approvals: ["core_memory_append"],
  });
  await drain(scene.agent.send("I sail"));
  return scene;
}

/** Two turns, the second of which writes to memory and the archive. */
async function twoRounds() {
  const insert = { name: "archival_memory_insert", arguments: { content: "Ada has a boat." } };
  const scene = await openScene(runtimes, [
    { text: "Hello." },
    { toolCalls: [append("Sails"), insert] },
    { text: "Noted." },
    { text: "Anew." },
  ]);
  for (const said of ["Hi", "I sail"]) await drain(scene.agent.send(said));
  return scene;
}

test.each([
  ["/approve", "Sails"],
  ['/approve {"name":"human","content":"Swims"}', "Swims"],
])("%s runs the call, and the turn continues", async (line, human) => {
  const scene = await waiting("Saved.");
  await typeToEnd(line, scene);
  const after = await stored(scene);
  expect([after.human, after.texts.at(-1), after.opened.pendingApprovals]).toEqual([human, "Saved.", []]);
  expect(await scene.runtime.approvals.list(scene.name)).toEqual([]);
});

test("/deny does not run the call, and its result gives the reason", async () => {
  const scene = await waiting("As you wish.");
  await typeToEnd("/deny not today", scene);
  const after = await stored(scene);
  expect([after.human, after.texts.at(-1)]).toEqual(["", "As you wish."]);
  expect(JSON.stringify(after.opened.messages.at(-2)?.content)).toContain("the user denied it and says: not today");
  expect(await scene.runtime.approvals.list(scene.name)).toEqual([]);
});

test("/retry regenerates the answer, and reverts the earlier answer's edits of memory and archive", async () => {
  const scene = await twoRounds();
  await typeToEnd("/retry", scene);
  const after = await stored(scene);
  expect(after.texts).toEqual(["Hi", "Hello.", "I sail", "Anew."]);
  expect([after.human, await scene.runtime.archival.count(scene.name)]).toEqual(["", 0]);
  expect(await after.opened.branches()).toHaveLength(2);
});

test("/pop removes messages and reverts their edits; --keep-memory keeps the edits", async () => {
  const scene = await twoRounds();
  await typeLine("/pop 5", scene);
  const after = await stored(scene);
  expect([after.texts, after.human]).toEqual([["Hi", "Hello."], ""]);
  expect(await scene.runtime.archival.count(scene.name)).toBe(0);
  const kept = await twoRounds();
  await typeLine("/pop 5 --keep-memory", kept);
  expect([(await stored(kept)).texts, (await stored(kept)).human]).toEqual([["Hi", "Hello."], "Sails"]);
});

test("/branch switches to another branch, and does not change memory", async () => {
  const scene = await twoRounds();
  await typeToEnd("/retry", scene);
  expect((await typeLine("/branch 2", scene)).effect).toEqual({ type: "open", agent: scene.agent });
  const after = await stored(scene);
  expect([after.texts.at(-1), after.human]).toEqual(["Noted.", ""]);
});

test("/undo reverts the last edit by a new revision", async () => {
  const scene = await twoRounds();
  await typeLine("/undo", scene);
  expect((await stored(scene)).human).toBe("");
  expect(await scene.runtime.memory.revisions(scene.name)).toMatchObject([
    { revision: 2, undoes: 1, origin: "user" },
    { revision: 1, after: "Sails" },
  ]);
});

test.each(["/compact the boat", "/summarize the boat"])(
  "%s is a row with its focus, and /compact undo undoes it",
  async (line) => {
    const scene = await openScene(
      runtimes,
      [{ text: "Hello." }, { text: "Nice." }, { text: "They spoke of a boat." }],
      { keepLast: 1 },
    );
    for (const said of ["Hi", "I sail"]) await drain(scene.agent.send(said));
    await typeLine(line, scene);
    const after = await stored(scene);
    expect(after.texts).toEqual(["I sail", "Nice."]);
    expect(await after.opened.compactions()).toMatchObject([
      { summary: "They spoke of a boat.", focus: "the boat", undoneAt: null },
    ]);
    await typeLine("/compact undo", scene);
    const undone = await stored(scene);
    expect(undone.texts).toEqual(["Hi", "Hello.", "I sail", "Nice."]);
    expect((await undone.opened.compactions())[0]?.undoneAt).toBeInstanceOf(Date);
  },
);

test("/new creates a conversation, and /resume goes back; the first does not change", async () => {
  const scene = await twoRounds();
  const { effect } = await typeLine("/new", scene);
  if (effect?.type !== "open") throw new Error("Expected the chat to go on in the new conversation.");
  const ids = (await scene.runtime.conversations.list(scene.name)).map(({ id }) => id);
  expect([...ids].sort()).toEqual([scene.agent.conversationId, effect.agent.conversationId].sort());
  expect(effect.agent.messages).toEqual([]);
  expect(effect.agent.memory.read("human")).toBe("Sails");
  const back = await typeLine(`/resume ${scene.agent.conversationId}`, { ...scene, agent: effect.agent });
  expect(back.effect).toMatchObject({ type: "open", agent: { conversationId: scene.agent.conversationId } });
  expect((await stored(scene)).texts).toHaveLength(7);
});

test("/file stores a file with the next message", async () => {
  const scene = await openScene(runtimes, [{ text: "Tea, I see." }]);
  const file = path.join(folder, "tea.txt");
  writeFileSync(file, "Oolong");
  const chat = createChat({ ...scene, version: "0", color: false }, { columns: 100, rows: 30 });
  const say = async (line: string, until: () => boolean) => {
    chat.handleKey(typed(line));
    chat.handleKey(pressed("enter"));
    while (!until() || chat.getState().activity !== null) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  await say(`/file ${file}`, () => chat.getState().items.at(-1)?.kind === "notice");
  expect((await stored(scene)).texts).toEqual([]);
  await say("Look", () => scene.agent.messages.length === 2);
  const [message] = (await stored(scene)).opened.messages;
  expect(message?.content).toMatchObject([
    { type: "text", text: "Look" },
    { type: "file", name: "tea.txt", bytes: 6 },
  ]);
});

test.each([
  "/help",
  "/memory",
  "/search tea",
  "/archival",
  "/context",
  "/usage",
  "/dump",
  "/save",
  "/branch",
  "/attach",
  "/resume",
])("%s only shows something", async (line) => {
  const scene = await twoRounds();
  const { opened: _before, ...before } = await stored(scene);
  const revisions = await scene.runtime.memory.revisions(scene.name);
  const dialogs = driveDialog(["down", "escape"]);
  const { text } = await typeLine(line, { ...scene, dialogs });
  expect(text + dialogs.screens.join("")).not.toBe("");
  const { opened: _after, ...after } = await stored(scene);
  expect(after).toEqual(before);
  expect(await scene.runtime.memory.revisions(scene.name)).toEqual(revisions);
  expect(await scene.runtime.conversations.list(scene.name)).toHaveLength(1);
});
