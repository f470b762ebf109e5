// `/heartbeat` and `/memorywarning`: the event in the database and in the request, and the turn that follows.
import { checkRequest } from "../support/check-request.ts";
import { drain, lastOf, useRuntimes } from "../support/runtime.ts";
import { append, openScene, type Scene } from "../support/scene.ts";
import { typeLine, typeToEnd } from "../support/typed-line.ts";

const runtimes = useRuntimes();

const send = (message: string) => ({ name: "send_message", arguments: { message } });

const stored = async ({ runtime, agent, name }: Scene) =>
  (await runtime.agents.open(name, { conversation: { id: agent.conversationId } })).messages;

test.each([
  ["/heartbeat", /^\{"type":"heartbeat","reason":"Automated timer","time":"/u],
  [
    "/memorywarning",
    /^\{"type":"system_alert","message":"\[This is an automated system message hidden from the user\] Warning: /u,
  ],
])("%s has MemGPT's envelope, and the agent acts on it", async (line, envelope) => {
  const scene = await openScene(
    runtimes,
    [{ toolCalls: [append("Sails", { request_heartbeat: false }), send("Hm.")] }],
    { protocol: "heartbeat" },
  );
  await typeToEnd(line, scene);
  const event = (await stored(scene)).at(-4)!;
  expect(event).toMatchObject({ role: "user", kind: "event", text: "" });
  expect(event.content).toEqual([{ type: "text", text: expect.stringMatching(envelope) }]);
  const sent = scene.model.requests[0]!.messages.at(-1)!.content;
  expect(sent.filter(({ type }) => type !== "state")).toEqual(event.content);
  expect((await scene.runtime.memory.show(scene.name)).find(({ label }) => label === "human")?.value).toBe("Sails");
  expect((await scene.runtime.recall.search(scene.name, "hidden from the user")).total).toBe(0);
});

test.each([
  ["/heartbeat", "[System alert: a heartbeat."],
  ["/memorywarning", "[System alert: the conversation will soon be too long"],
])("%s in the native protocol, also between a reply and the next message", async (line, beginning) => {
  const scene = await openScene(runtimes, [{ text: "Hello." }, { text: "Thinking of you." }, { text: "Yes." }]);
  await drain(scene.agent.send("Hi"));
  await typeToEnd(line, scene);
  expect((await stored(scene)).map(({ kind, text }) => [kind, text])).toEqual([
    ["message", "Hi"],
    ["message", "Hello."],
    ["event", ""],
    ["message", "Thinking of you."],
  ]);
  expect(JSON.stringify(scene.model.requests[1]?.messages.at(-1))).toContain(beginning);
  expect((await lastOf(scene.agent.send("And?"))).text).toBe("Yes.");
  expect(scene.model.requests.flatMap(checkRequest)).toEqual([]);
  expect((await scene.runtime.conversations.list(scene.name))[0]?.preview).toBe("Hi");
});

test("a failed turn that a heartbeat began is resumed", async () => {
  const scene = await openScene(runtimes, (_request, index) => (index === 0 ? undefined : { text: "Here." }), {
    protocol: "native",
  });
  expect((await lastOf(scene.agent.raise("heartbeat"))).stopReason).toBe("model-error");
  expect((await lastOf(scene.agent.send("Hello?"))).text).toBe("Here.");
});

test("neither is raised while a call waits for approval, and nothing is written", async () => {
  const scene = await openScene(runtimes, [{ toolCalls: [append("Sails")] }, { text: "Saved." }], {
    approvals: ["core_memory_append"],
  });
  await drain(scene.agent.send("I sail"));
  const before = await stored(scene);
  for (const line of ["/heartbeat", "/memorywarning"])
    await expect(typeToEnd(line, scene)).rejects.toMatchObject({ code: "approval_pending" });
  expect(await stored(scene)).toEqual(before);
  await drain(scene.agent.approve(scene.agent.pendingApprovals[0]!.callId));
  expect((await stored(scene)).at(-1)?.text).toBe("Saved.");
});

test("arguments are refused, and nothing is sent", async () => {
  const scene = await openScene(runtimes, []);
  for (const line of ["/heartbeat now", "/memorywarning 字"]) {
    const { text, effect } = await typeLine(line, scene);
    expect([text, effect]).toEqual([expect.stringContaining("takes no argument."), undefined]);
  }
  expect(await stored(scene)).toEqual([]);
});
