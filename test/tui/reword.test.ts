// `/rewrite` and `/rethink`: what they show, and what they change in the database; what was said before stays as a branch.
import { drain, lastOf, useRuntimes } from "../support/runtime.ts";
import { append, openScene, type Scene } from "../support/scene.ts";
import { typeLine } from "../support/typed-line.ts";

const runtimes = useRuntimes();

const send = (message: string) => ({ name: "send_message", arguments: { message } });
const contentOf = ({ agent }: Scene) => agent.messages.map(({ content }) => content);

/** The conversation as another process opens it afterwards. */
async function stored({ runtime, agent, name }: Scene) {
  const opened = await runtime.agents.open(name, { conversation: { id: agent.conversationId } });
  return opened.messages;
}

test("/rewrite replaces the reply's text in the database, for the window and for recall, and keeps the old one", async () => {
  const scene = await openScene(runtimes, [{ text: "Your boat is blue." }, { text: "Yes." }]);
  const { agent, runtime, model, name } = scene;
  await drain(agent.send("What is my boat like?"));
  const before = agent.messages.at(-1)!;
  const { text } = await typeLine("/rewrite Your boat is red.", scene);
  expect(text).toBe("· Replaced the text of the last reply. /branch lists the old reply.\n\n● Your boat is red.");
  expect((await stored(scene)).map((message) => message.text)).toEqual(["What is my boat like?", "Your boat is red."]);
  const after = agent.messages.at(-1)!;
  expect(after).toMatchObject({ trust: before.trust, at: before.at, turnId: before.turnId, parentId: before.parentId });
  expect(after.tokens).toBeGreaterThan(0);
  expect((await runtime.recall.search(name, '"is red"')).total).toBe(1);
  expect((await runtime.recall.search(name, '"is blue"')).total).toBe(0);
  expect(await agent.branches()).toMatchObject([
    { isCurrent: true, preview: "Your boat is red." },
    { isCurrent: false, preview: "Your boat is blue.", id: before.id },
  ]);
  await drain(agent.send("Sure?"));
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("Your boat is red.");
  expect(JSON.stringify(model.requests.at(-1)?.messages)).not.toContain("blue");
});

test("/rethink replaces only the thought, without the provider's signature", async () => {
  const scene = await openScene(runtimes, [{ thought: "He is rude.", text: "Hello." }]);
  await drain(scene.agent.send("Hi"));
  expect((await typeLine("/rethink He is shy.", scene)).text).toContain("✻ He is shy.");
  expect((await stored(scene)).at(-1)?.content).toEqual([
    { type: "thought", text: "He is shy." },
    { type: "text", text: "Hello." },
  ]);
});

describe("with the heartbeat protocol", () => {
  const open = () =>
    openScene(
      runtimes,
      [{ text: "She sails.", toolCalls: [append("Sails", { request_heartbeat: false }), send("Ahoy!")] }, {}],
      { protocol: "heartbeat" },
    );

  test("/rewrite changes the text of send_message; the results follow unchanged, and nothing runs again", async () => {
    const scene = await open();
    const { agent, runtime, name } = scene;
    await drain(agent.send("I sail"));
    const results = contentOf(scene).slice(-2);
    await typeLine("/rewrite Ahoy, sailor!", scene);
    const [reply, ...rest] = (await stored(scene)).slice(-3);
    expect(reply?.content).toMatchObject([
      { type: "text", text: "She sails." },
      { name: "core_memory_append" },
      { name: "send_message", arguments: '{"message":"Ahoy, sailor!"}' },
    ]);
    expect(reply?.text).toBe("Ahoy, sailor!");
    expect(rest.map(({ content }) => content)).toEqual(results);
    expect(agent.unfinished).toBe(false);
    expect((await runtime.memory.show(name)).find(({ label }) => label === "human")?.value).toBe("Sails");
  });

  test("the reply's memory edits belong to the new one: /pop reverts them with it", async () => {
    const scene = await open();
    const { agent, runtime, name } = scene;
    await drain(agent.send("I sail"));
    await typeLine("/rethink She swims.", scene);
    expect(agent.messages.at(-3)?.content[0]).toEqual({ type: "text", text: "She swims." });
    expect((await runtime.memory.revisions(name))[0]).toMatchObject({ messageId: agent.messages.at(-3)!.id });
    await typeLine("/pop 3", scene);
    expect((await runtime.memory.show(name)).find(({ label }) => label === "human")?.value).toBe("");
  });

  test("/rewrite refuses a reply that called another tool, and names it", async () => {
    const scene = await openScene(runtimes, [{ toolCalls: [append("Sails", { request_heartbeat: false })] }], {
      protocol: "heartbeat",
    });
    await drain(scene.agent.send("I sail"));
    const before = await stored(scene);
    await expect(typeLine("/rewrite Ahoy!", scene)).rejects.toMatchObject({
      code: "message_refused",
      message: expect.stringContaining("It called core_memory_append."),
    });
    await expect(typeLine("/rethink Hm.", scene)).rejects.toMatchObject({ code: "message_refused" });
    expect(await stored(scene)).toEqual(before);
  });
});

test("a passage that the reply has added is removed with it, too", async () => {
  const insert = { name: "archival_memory_insert", arguments: { content: "Ada has a red boat." } };
  const scene = await openScene(runtimes, [{ thought: "Keep it.", toolCalls: [insert] }, { text: "Kept." }]);
  const { agent, runtime, name } = scene;
  await drain(agent.send("My boat is red"));
  await agent.switchTo(agent.messages.at(-2)!.id);
  await typeLine("/rethink Keep that.", scene);
  expect(await runtime.archival.count(name)).toBe(1);
  const { passages } = await agent.pop(2);
  expect(passages.map(({ text }) => text)).toEqual(["Ada has a red boat."]);
  expect(await runtime.archival.count(name)).toBe(0);
});

test("is refused if there is nothing to change, and writes nothing", async () => {
  const scene = await openScene(runtimes, [{ text: "Hello." }]);
  const refused = (line: string, code: string) => expect(typeLine(line, scene)).rejects.toMatchObject({ code });
  await refused("/rewrite x", "message_refused");
  await drain(scene.agent.send("Hi"));
  await refused("/rethink x", "message_refused");
  expect((await lastOf(scene.agent.send("And?"))).stopReason).toBe("model-error");
  await refused("/rewrite x", "message_refused");
  expect((await stored(scene)).map(({ text }) => text)).toEqual(["Hi", "Hello.", "And?"]);
  expect((await typeLine("/rewrite", scene)).text).toContain("Missing text: /rewrite TEXT.");
  expect((await typeLine("/rethink  ", scene)).text).toContain("Missing text: /rethink TEXT.");
  await expect(scene.agent.rewrite(" \n")).rejects.toMatchObject({ code: "input_invalid" });
});

test("is refused while a call waits for approval", async () => {
  const scene = await openScene(runtimes, [{ text: "I note it.", toolCalls: [append("Sails")] }], {
    approvals: ["core_memory_append"],
  });
  await drain(scene.agent.send("I sail"));
  await expect(typeLine("/rewrite x", scene)).rejects.toMatchObject({ code: "message_refused" });
  expect(scene.agent.pendingApprovals).toHaveLength(1);
});

test.each(["</human>", "%_'\"\\", "字🙂", "a\u0000b", "a\ud800b", "a".repeat(1e6)])(
  "/rewrite accepts unusual text (%#)",
  async (odd) => {
    const scene = await openScene(runtimes, [{ text: "Hello." }]);
    await drain(scene.agent.send("Hi"));
    await typeLine(`/rewrite ${odd}`, scene);
    const kept = odd.replaceAll("\u0000", "\ufffd").replaceAll("\ud800", "\ufffd");
    expect((await stored(scene)).at(-1)?.text).toBe(kept);
  },
);
