// Why core memory changed: the request and the call that a revision came from, on the engine at hand.
import { createTestRuntimes, drain } from "../support/runtime.ts";
import { append, openScene } from "../support/scene.ts";
import { useScene } from "../support/use-scene.ts";

const runtimes = useScene(() => createTestRuntimes());

test("an edit of the model names the input and the call, even on an abandoned branch", async () => {
  const { runtime, agent, name } = await openScene(runtimes, [
    { toolCalls: [append("Name: Ada")] },
    { text: "Hello Ada." },
    { toolCalls: [append("Likes sailing"), append("Has a boat")] },
    { text: "Noted." },
    { text: "Another answer." },
  ]);
  await drain(agent.send("I am Ada, 日本語 </human>."));
  await drain(agent.send("I sail."));
  expect(await runtime.memory.cause(name, "human", 1)).toMatchObject({
    revision: { label: "human", revision: 1, after: "Name: Ada" },
    call: { name: "core_memory_append", arguments: expect.stringContaining("Name: Ada") as string },
    input: { kind: "message", text: "I am Ada, 日本語 </human>.", trust: "user" },
  });
  const third = await runtime.memory.cause(name, "human", 3);
  expect(third).toMatchObject({ call: { arguments: expect.stringContaining("Has a boat") as string } });
  expect(third.input?.text).toBe("I sail.");
  await drain(agent.retry({ memory: "keep" }));
  expect(await runtime.memory.cause(name, "human", 3)).toEqual(third);
});

test("an edit from outside of a conversation has neither; nor has one whose conversation was deleted", async () => {
  const { runtime, agent, name } = await openScene(runtimes, [
    { toolCalls: [append("Name: Ada")] },
    { text: "Hello Ada." },
  ]);
  await drain(agent.send("I am Ada."));
  await runtime.memory.set(name, "human", "Grace");
  expect(await runtime.memory.cause(name, "human", 2)).toMatchObject({
    revision: { origin: "user", after: "Grace" },
    call: null,
    input: null,
  });
  await runtime.conversations.delete(agent.conversationId);
  expect(await runtime.memory.cause(name, "human", 1)).toMatchObject({
    revision: { after: "Name: Ada" },
    call: null,
    input: null,
  });
});

test.each([
  ["human", 9, "revision_not_found", /no revision 9 of "human"/u],
  ["nobody", 1, "revision_not_found", /no revision 1 of "nobody"/u],
  ["human", 0, "input_invalid", /1 or more, got 0/u],
  ["human", 1.5, "input_invalid", /a whole number .* got the number 1\.5/u],
])("the cause of %s %s is refused with %s", async (label, number, code, message) => {
  const { runtime, name } = await openScene(runtimes, []);
  const cause = runtime.memory.cause(name, label, number);
  await expect(cause).rejects.toMatchObject({ code });
  await expect(cause).rejects.toThrow(message);
});
