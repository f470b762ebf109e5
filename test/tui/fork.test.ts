// `/fork`: an independent copy of the conversation in the database, with its window.
import { drain, lastOf, useRuntimes } from "../support/runtime.ts";
import { append, openScene } from "../support/scene.ts";
import { typeLine } from "../support/typed-line.ts";

const runtimes = useRuntimes();

const textsOf = (messages: readonly { readonly text: string }[]) => messages.map(({ text }) => text);

async function forked(scene: Awaited<ReturnType<typeof openScene>>) {
  const { text, effect } = await typeLine("/fork", scene);
  if (effect?.type !== "open") throw new Error("Expected the chat to go on in the copy.");
  return { text, copy: effect.agent };
}

test("/fork creates a conversation with the same thread; both continue independently", async () => {
  const scene = await openScene(runtimes, [
    { toolCalls: [append("Sails")] },
    { text: "You sail." },
    { text: "In the copy." },
    { text: "In the original." },
  ]);
  const { agent, runtime, name, model } = scene;
  await drain(agent.send("I sail"));
  const { text, copy } = await forked(scene);
  expect(text).toContain(`/resume ${agent.conversationId} returns to the original.`);
  expect(copy.conversationId).not.toBe(agent.conversationId);
  const withoutIds = (messages: typeof agent.messages) =>
    messages.map(({ id: _id, parentId: _parent, turnId: _turn, ...rest }) => rest);
  expect(withoutIds(copy.messages)).toEqual(withoutIds(agent.messages));
  const ids = agent.messages.map(({ id }) => id);
  expect(copy.messages.filter(({ id }) => ids.includes(id))).toEqual([]);
  await drain(copy.send("And?"));
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("You sail.");
  await drain(agent.send("Well?"));
  const stored = async (id: string) =>
    textsOf((await runtime.agents.open(name, { conversation: { id } })).messages).filter((said) => said !== "");
  expect(await stored(copy.conversationId)).toEqual(["I sail", "You sail.", "And?", "In the copy."]);
  expect(await stored(agent.conversationId)).toEqual(["I sail", "You sail.", "Well?", "In the original."]);
  expect((await runtime.recall.search(name, '"You sail."')).total).toBe(1);
  expect((await runtime.recall.search(name, '"In the copy"')).total).toBe(1);
  expect((await runtime.conversations.list(name)).map(({ messages, preview }) => [messages, preview])).toEqual([
    [6, "I sail"],
    [6, "I sail"],
  ]);
});

test("a turn that is run again in the copy leaves the turn of the original as it ended", async () => {
  const scene = await openScene(runtimes, [{ text: "One." }, { text: "Two." }]);
  const { agent, runtime } = scene;
  const [begun] = await drain(agent.send("first"));
  const ended = await runtime.turns.find(begun!.turnId);
  const { copy } = await forked(scene);
  const [again] = await drain(copy.retry());
  expect(await runtime.turns.find(begun!.turnId)).toEqual(ended);
  expect(await runtime.turns.find(again!.turnId)).toMatchObject({ conversationId: copy.conversationId });
});

test("compacted messages stay compacted, in the copy too, and can be restored there independently", async () => {
  const scene = await openScene(
    runtimes,
    [{ text: "One." }, { text: "Two." }, { text: "A summary." }, { text: "Three." }],
    { keepLast: 1 },
  );
  const { agent, model } = scene;
  for (const said of ["first", "second"]) await drain(agent.send(said));
  await agent.compact();
  const { copy } = await forked(scene);
  expect(textsOf(copy.messages)).toEqual(["second", "Two."]);
  await drain(copy.send("third"));
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("A summary.");
  await copy.undoCompaction();
  expect(textsOf(copy.messages)).toEqual(["first", "One.", "second", "Two.", "third", "Three."]);
  expect(textsOf(agent.messages)).toEqual(["second", "Two."]);
  expect((await agent.compactions())[0]?.undoneAt).toBeNull();
});

test("an abandoned branch is not copied; messages before the fork can be popped there without a change of memory", async () => {
  const scene = await openScene(runtimes, [{ text: "No." }, { toolCalls: [append("Sails")] }, { text: "Yes." }]);
  const { agent, runtime, name } = scene;
  await drain(agent.send("I sail"));
  await drain(agent.retry());
  const { copy } = await forked(scene);
  expect(await copy.branches()).toHaveLength(1);
  await copy.pop(3);
  expect(textsOf(copy.messages)).toEqual(["I sail"]);
  const human = (await runtime.memory.show(name)).find(({ label }) => label === "human");
  expect(human?.value).toBe("Sails");
  expect(
    textsOf((await runtime.agents.open(name, { conversation: { id: agent.conversationId } })).messages),
  ).toHaveLength(4);
});

test("the copy outlives the original", async () => {
  const scene = await openScene(runtimes, [{ text: "Hello." }, { text: "Still here." }]);
  await drain(scene.agent.send("Hi"));
  const { copy } = await forked(scene);
  await scene.runtime.conversations.delete(scene.agent.conversationId);
  expect((await lastOf(copy.send("There?"))).text).toBe("Still here.");
});

test("is refused in an empty conversation, and while a call waits; no conversation is left behind", async () => {
  const scene = await openScene(runtimes, [{ toolCalls: [append("Sails")] }, { text: "Saved." }], {
    approvals: ["core_memory_append"],
  });
  const { agent, runtime, name } = scene;
  await expect(typeLine("/fork", scene)).rejects.toMatchObject({ code: "message_refused" });
  await drain(agent.send("I sail"));
  await expect(typeLine("/fork", scene)).rejects.toThrow("without pending tool calls");
  expect(await runtime.conversations.list(name)).toHaveLength(1);
  await drain(agent.approve(agent.pendingApprovals[0]!.callId));
  await forked(scene);
  expect(await runtime.conversations.list(name)).toHaveLength(2);
});

test.each(["00000000-0000-7000-8000-000000000000", "no id", "a".repeat(1e6)])(
  "of an unknown conversation it is refused (%#)",
  async (id) => {
    const { runtime } = await openScene(runtimes, []);
    await expect(runtime.conversations.fork(id)).rejects.toMatchObject({ code: "conversation_not_found" });
  },
);

test("arguments are refused, and nothing is copied", async () => {
  const scene = await openScene(runtimes, [{ text: "Hello." }]);
  await drain(scene.agent.send("Hi"));
  expect((await typeLine("/fork 2", scene)).text).toContain("/fork takes no argument.");
  expect(await scene.runtime.conversations.list(scene.name)).toHaveLength(1);
});
