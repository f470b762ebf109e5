// One message by its id: with its calls, also on a branch that was left behind.
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import { createTestRuntimes } from "../support/runtime.ts";
import { useScene } from "../support/use-scene.ts";

const runtimes = useScene(() => createTestRuntimes());

test("a message is found by its id as on its page, and after it was left behind", async () => {
  const call = { toolCalls: [{ name: "core_memory_append", arguments: { name: "human", content: "Sails" } }] };
  const model = createScriptedModel({ replies: [call, { text: "Noted." }, { text: "Again." }] });
  const runtime = await runtimes.open({ userId: "ada", model: "scripted", models: [model] });
  await runtime.agents.create({ name: "main" });
  const agent = await runtime.agents.open("main");
  await agent.send("I sail");
  const { messages } = await runtime.conversations.messages(agent.conversationId);
  expect(messages).toHaveLength(3);
  const where = { agentId: agent.record.id, conversationId: agent.conversationId };
  for (const message of messages) {
    expect(await runtime.conversations.message(message.id)).toEqual({ ...message, ...where });
  }
  const called = messages[1]!;
  expect(called.calls).toMatchObject([{ name: "core_memory_append", status: "ok", result: { files: [] } }]);
  await agent.retry({ memory: "keep" });
  expect(await runtime.conversations.message(called.id)).toEqual({ ...called, ...where });
});
