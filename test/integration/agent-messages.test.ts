// Agents write to each other: messages begin turns, answers arrive once, and chains end; also by Letta's tools.
import { z } from "zod";
import { lettaMessageTools } from "../../src/config/settings.ts";
import type { AgentMessageRecord } from "../../src/store/port/agent-message-store.ts";
import { ModelRequestError } from "../../src/base/errors.ts";
import { textOf } from "../../src/base/message/message.ts";
import { defineTool } from "../../src/tool/define-tool.ts";
import { drain, lastOf, useRuntimes } from "../support/runtime.ts";
import {
  answer,
  createSpeakers,
  first,
  lastText,
  newTokens,
  said,
  settled,
  type Speaker,
  speakers,
  speaksTo,
  talkative,
  worldsOn,
  write,
} from "../support/agent-messages-scene.ts";
import { withResolvers } from "../support/with-resolvers.ts";

const runtimes = useRuntimes();
const world = worldsOn((options) => runtimes.open(options));

test("a turn does not wait where no events are stored", async () => {
  const speak = { ada: first(write("bob", "What is new?", true), { text: "Later." }), bob: said("Rain.") };
  const { runtime, agents, models } = await world(speak, speaksTo, { keepEventsMinutes: 0 });
  expect(await lastOf(agents["ada"]!.send("Ask Bob."))).toMatchObject({ stopReason: "end-turn", text: "Later." });
  expect(lastText(models["ada"]!.requests[1]!)).toContain("so a turn cannot wait for an answer. Write without `wait`.");
  expect(await runtime.agentMessages.list("ada")).toEqual([]);
});

test("a call that waits pauses its turn, which continues by itself with the answer as the call's result", async () => {
  const { runtime, agents, models } = await world({
    ada: first(write("bob", "What is new?", true), { text: "Bob says so." }),
    bob: said("Rain."),
  });
  const end = await lastOf(agents["ada"]!.send("Ask Bob."));
  expect(end).toMatchObject({ stopReason: "awaiting-reply" });
  const messages = await settled(runtime, "ada");
  expect(messages).toMatchObject([
    { from: "bob", to: "ada", text: "Rain.", outcome: "answered", hop: 2 },
    {
      from: "ada",
      to: "bob",
      text: "What is new?",
      outcome: "answered",
      hop: 1,
      chainId: end.turnId,
      waits: true,
      trust: "model",
    },
  ]);
  expect(lastText(models["bob"]!.requests[0]!)).toContain('Message of the agent "ada". It waits');
  expect(lastText(models["ada"]!.requests[1]!)).toBe("ok: Rain.");
  const events = await drain(agents["ada"]!.events(end.turnId));
  expect(events.filter(({ type }) => type === "turn-end")).toMatchObject([
    {},
    { stopReason: "end-turn", text: "Bob says so." },
  ]);
  expect(events.filter(({ type }) => type === "tool-result")).toMatchObject([{ status: "ok", text: "Rain." }]);
});

test("without wait, the answer comes as a message, which can be answered by its token", async () => {
  const { runtime, agents, models } = await world({
    ada: (request, index) => {
      if (index === 0) return write("bob", "Hello");
      const [token] = newTokens(request);
      return token === undefined ? { text: "done" } : answer(token, "Thanks");
    },
    bob: (request) => {
      const [token] = newTokens(request);
      return token !== undefined && lastText(request).includes("Hello") ? answer(token, "Hi Ada") : { text: "done" };
    },
  });
  await drain(agents["ada"]!.send("Greet Bob."));
  const messages = await settled(runtime, "ada");
  expect(messages.map(({ from, text, hop, answers }) => [from, text, hop, answers !== null])).toEqual([
    ["ada", "Thanks", 3, true],
    ["bob", "Hi Ada", 2, true],
    ["ada", "Hello", 1, false],
  ]);
  expect(models["ada"]!.requests.map(lastText).join("\n")).toContain('Answer of the agent "bob"');
});

test("a mutual wait is refused at once with both names", async () => {
  const { runtime, agents, models } = await world({
    ada: first(write("bob", "You first", true)),
    bob: first(write("ada", "No, you", true), { text: "then I go on" }),
  });
  await drain(agents["ada"]!.send("Go."));
  await settled(runtime, "ada");
  expect(lastText(models["bob"]!.requests[1]!)).toBe(
    'failed: Nothing was sent: "bob" cannot wait for "ada": "ada" waits for "bob", so neither could continue. Write without waiting, or end your turn.',
  );
  expect(lastText(models["ada"]!.requests[1]!)).toBe("ok: then I go on");
  const refused = (await runtime.agentMessages.list("bob")).find(({ to, text }) => to === "ada" && text === "No, you");
  const none = { toConversationId: null, turnId: null, answers: null };
  expect(refused).toMatchObject({ hop: 2, outcome: "refused-cycle", endedAt: expect.any(Date), ...none });
});

test("so is a circle of three, with all names", async () => {
  const { runtime, agents, models } = await world({
    ada: first(write("bob", "You first", true)),
    bob: first(write("eve", "No, you", true), { text: "Bob" }),
    eve: first(write("ada", "No, you", true), { text: "Eve" }),
  });
  await drain(agents["ada"]!.send("Go."));
  await settled(runtime, "ada");
  expect(lastText(models["eve"]!.requests[1]!)).toContain(
    '"eve" cannot wait for "ada": "ada" waits for "bob", which waits for "eve", so neither could continue.',
  );
  expect(lastText(models["ada"]!.requests[1]!)).toBe("ok: Bob");
});

test("so is a mutual wait of two chains", async () => {
  const { runtime, agents, models } = await world({
    ada: first(write("bob", "Hi", true)),
    bob: first(write("ada", "Hi", true), { text: "Alone." }, { text: "Yes?" }),
  });
  const turn = agents["bob"]!.send("Ask Ada.");
  await turn.next();
  await drain(agents["ada"]!.send("Ask Bob."));
  await drain(turn);
  await settled(runtime, "ada");
  expect(lastText(models["bob"]!.requests[1]!)).toContain('"bob" cannot wait for "ada": "ada" waits for "bob"');
  expect(lastText(models["ada"]!.requests[1]!)).toBe("ok: Yes?");
});

describe.each([2, 3, 6])("%d agents that always answer everyone", (count) => {
  test.each([false, true])("end, with wait %s, and nothing is lost or doubled", async (wait) => {
    const names = Array.from({ length: count }, (_, at) => `agent-${at}`);
    const { runtime, agents } = await world(
      Object.fromEntries(names.map((name) => [name, talkative(name, names, wait)])),
    );
    await drain(agents[names[0]!]!.send("Talk."));
    const all = new Map<string, AgentMessageRecord>();
    for (const name of names)
      for (const message of await settled(runtime, name))
        if (message.outcome?.startsWith("refused-") !== true) all.set(message.id, message);
    expect(all.size).toBeGreaterThanOrEqual(count);
    expect(all.size).toBeLessThanOrEqual(wait ? 64 : 32);
    for (const message of all.values()) expect(message.outcome).toEqual(expect.any(String));
    const answered = [...all.values()].map(({ answers }) => answers).filter((id) => id !== null);
    expect(new Set(answered).size).toBe(answered.length);
    const waited = new Set([...all.values()].filter(({ waits }) => waits).map(({ id }) => id));
    let inputs = 0;
    for (const name of names) {
      const agent = await runtime.agents.open(name);
      inputs += agent.messages.filter(({ kind }) => kind === "system").length;
      const calls = agent.messages.flatMap(({ content }) =>
        content.flatMap((part) => (part.type === "tool-call" ? [part.callId] : [])),
      );
      const results = agent.messages.flatMap(({ content }) =>
        content.flatMap((part) => (part.type === "tool-result" ? [part.callId] : [])),
      );
      expect(results.toSorted()).toEqual(calls.toSorted());
    }
    // Each message is an input once, except the answers that calls waited for.
    expect(inputs).toBe([...all.values()].filter(({ answers }) => answers === null || !waited.has(answers)).length);
  });
});

test("messages to a busy agent become one turn", async () => {
  const begun = withResolvers<void>();
  const finished = withResolvers<void>();
  const work = defineTool({
    name: "work",
    description: "Works until the test lets it end.",
    parameters: z.object({}),
    async run() {
      begun.resolve();
      await finished.promise;
      return "done";
    },
  });
  const speak = {
    ada: first({
      toolCalls: [1, 2, 3, 4, 5].map((at) => ({ name: "message_agent", arguments: { to: "bob", text: `note ${at}` } })),
    }),
    bob: first({ toolCalls: [{ name: "work", arguments: {} }] }),
  };
  const { runtime, agents, models } = await world(speak, speaksTo, { tools: { add: [work] } });
  const turn = drain(agents["bob"]!.send("Stay busy."));
  await begun.promise;
  await drain(agents["ada"]!.send("Write to Bob."));
  finished.resolve();
  await turn;
  await settled(runtime, "bob");
  expect(models["bob"]!.requests).toHaveLength(3);
  const last = models["bob"]!.requests[2]!.messages.filter(({ role }) => role === "user")
    .map(textOf)
    .join("\n");
  for (const at of [1, 2, 3, 4, 5]) expect(last).toContain(`note ${at}`);
});

test("what cannot be sent is an error for the model that says why", async () => {
  const { runtime, agents, models } = await world({
    ada: first(write("nobody", "Hi"), write("ada", "Hi"), answer("00000000", "Hi"), write("bob", "Pass it on")),
    bob: first(write("ada", "Back to you")),
  });
  await drain(agents["ada"]!.send("Try."));
  await settled(runtime, "ada");
  expect(models["ada"]!.requests.slice(1, 4).map(lastText)).toEqual([
    'failed: Nothing was sent: there is no agent "nobody". Agents: ada, bob.',
    'failed: Nothing was sent: "ada" cannot write to itself.',
    "failed: Nothing was sent: no message in this conversation has this token. Copy the token from the message that you answer.",
  ]);
  expect(lastText(models["bob"]!.requests[1]!)).toContain('"ada" has already written in this chain of messages');
  const kept = (await runtime.agentMessages.list("ada")).map(({ from, to, outcome }) => `${from} ${to} ${outcome}`);
  expect(kept).toEqual(["bob ada refused-chain", "ada bob end-turn", "ada ada refused-self"]);
});

test("a message is passed on at most six times", async () => {
  const names = ["a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8"];
  const next = (at: number): Speaker => first(write(names[at + 1] ?? "a1", "On"));
  const { runtime, agents, models } = await world(Object.fromEntries(names.map((name, at) => [name, next(at)])));
  await drain(agents["a1"]!.send("Pass it on."));
  await settled(runtime, "a1");
  expect(models["a8"]!.requests).toHaveLength(0);
  expect(lastText(models["a7"]!.requests[1]!)).toContain("passed on 6 times already");
  expect(await runtime.agentMessages.list("a8")).toMatchObject([{ from: "a7", hop: 6, outcome: "refused-hops" }]);
});

test("a call whose message gets no answer fails with the reason", async () => {
  const { runtime, agents, models } = await world(
    {
      ada: first(write("bob", "Hi", true), write("eve", "Hi", true)),
      bob: () => ({ error: new ModelRequestError("broken", { provider: "test" }) }),
      eve: first({ toolCalls: [{ name: "core_memory_append", arguments: { name: "human", content: "x" } }] }),
    },
    { ...speaksTo, approvals: ["core_memory_append"] },
  );
  await drain(agents["eve"]!.send("Ask me something."));
  await drain(agents["ada"]!.send("Ask both."));
  await runtime.idle();
  expect(lastText(models["ada"]!.requests[1]!)).toBe('failed: "bob" gave no answer (model-error).');
  // Eve waits for a person, so the message waits, too.
  expect(await runtime.agentMessages.list("eve")).toMatchObject([{ status: "queued", outcome: null }]);
  expect(models["eve"]!.requests).toHaveLength(1);
  const { id } = agents["eve"]!.record;
  await runtime.agents.delete("eve");
  await settled(runtime, "ada");
  expect(lastText(models["ada"]!.requests[2]!)).toBe(`failed: "${id}" gave no answer (agent_not_found).`);
});

test("an answer to a call that was superseded arrives as a message", async () => {
  const { runtime, agents, models } = await world(
    {
      ada: first(write("bob", "Slow?", true), { text: "never mind" }),
      bob: first(write("eve", "Wait for me", true), { text: "Here I am" }),
      eve: said("fine"),
    },
    { ...speaksTo, approvals: [] },
  );
  await drain(agents["ada"]!.send("Ask."));
  await drain(agents["ada"]!.send("Stop waiting."));
  await settled(runtime, "ada");
  const requests = models["ada"]!.requests.map(lastText);
  expect(requests[1]).toContain("Stop waiting.");
  const results = models["ada"]!.requests.at(-1)!.messages.flatMap(({ content }) =>
    content.filter((part) => part.type === "tool-result"),
  );
  expect(results).toHaveLength(1);
});

test("a message waits while a person decides, and needs approval like any call", async () => {
  const { runtime, agents, models } = await world(
    { ada: first(write("bob", "Hi", true), { text: "ok" }), bob: said("Hello") },
    { ...speaksTo, approvals: ["message_agent"] },
  );
  const end = await lastOf(agents["ada"]!.send("Ask Bob."));
  expect(end.stopReason).toBe("awaiting-approval");
  expect(await runtime.agentMessages.list("ada")).toEqual([]);
  const [waiting] = agents["ada"]!.pendingApprovals;
  expect(await lastOf(agents["ada"]!.approve(waiting!.callId))).toMatchObject({ stopReason: "awaiting-reply" });
  await settled(runtime, "ada");
  expect(lastText(models["ada"]!.requests[1]!)).toContain("Hello");
});

test("a message has the lowest trust of what its writer saw, and never counts as the user's words", async () => {
  const { runtime, agents } = await world({
    ada: first(write("bob", "The user lives in Lisbon.")),
    bob: first({
      toolCalls: [{ name: "core_memory_append", arguments: { name: "human", content: "The user lives in Lisbon." } }],
    }),
  });
  await runtime.memory.set("ada", "human", "From elsewhere.");
  await drain(agents["ada"]!.send("Tell Bob."));
  await settled(runtime, "ada");
  const bob = await runtime.agents.open("bob");
  expect(bob.messages[0]).toMatchObject({ kind: "system", speaker: "ada" });
  expect(bob.messages[0]!.trust).not.toBe("user");
  const human = (await runtime.memory.show("bob")).find(({ label }) => label === "human");
  expect(human).toMatchObject({ value: "The user lives in Lisbon.", trust: bob.messages[0]!.trust });
});

test("agents of another user are reached by a grant only, in the sender's own conversations", async () => {
  const { options, models } = speakers({
    joes: first(write("eve/bob", "Hi", true), { text: "no" }, write("eve/bob", "Hi", true), { text: "yes" }),
    bob: said("Hello"),
  });
  const eve = await runtimes.open({ ...options, userId: "eve" });
  const { bob } = await createSpeakers(eve, ["bob"]);
  const joe = await runtimes.open({ ...options, userId: "joe" });
  const { joes } = await createSpeakers(joe, ["joes"]);
  await drain(joes!.send("Ask Bob."));
  expect(lastText(models["joes"]!.requests[1]!)).toContain('there is no agent "eve/bob"');
  await eve.agents.share("bob", "joe");
  await joe.agents.accept("eve/bob");
  await drain(joes!.send("Ask Bob again."));
  await settled(joe, "joes");
  expect(lastText(models["joes"]!.requests[3]!)).toBe("ok: Hello");
  expect(await eve.agentMessages.list("bob")).toEqual([]);
  expect(bob!.messages).toEqual([]);
  expect((await joe.agentMessages.list("eve/bob")).map(({ to }) => to)).toEqual(["joes", "eve/bob"]);
});

const lettas = { addedTools: lettaMessageTools };
const call = (name: string, args: object) => ({ toolCalls: [{ name, arguments: args }] });

test("Letta's tools name an agent by its id or its name; writing back is an answer", async () => {
  const ids: Record<string, string> = {};
  const { runtime, agents, models } = await world(
    {
      ada: (_request, index) => {
        const [name, to] = index === 0 ? ["and_wait_for_reply", `agent-${ids["bob"]}`] : ["async", "eve"];
        return index > 1
          ? { text: "done" }
          : call(`send_message_to_agent_${name}`, { message: "Rain?", other_agent_id: to });
      },
      bob: said("Rain."),
      eve: first(call("send_message_to_agent_async", { message: "Sun.", other_agent_id: "ada" })),
    },
    lettas,
  );
  for (const [name, { record }] of Object.entries(agents)) ids[name] = record.id;
  await drain(agents["ada"]!.send("Ask both."));
  const messages = await settled(runtime, "ada");
  expect(models["ada"]!.requests.slice(1, 3).map(lastText)).toEqual([
    `ok: {"agent_id":"agent-${ids["bob"]}","response":["Rain."]}`,
    "ok: Successfully sent message",
  ]);
  expect(lastText(models["eve"]!.requests[0]!)).toContain('send_message_to_agent_async with the other_agent_id "ada"');
  const asked = messages.find(({ to }) => to === "eve");
  expect(messages.find(({ from }) => from === "eve")).toMatchObject({ answers: asked!.id, text: "Sun.", hop: 2 });
});

const toTeam = (tags: object) => call("send_message_to_agents_matching_tags", { message: "Hi", ...tags });

async function team(ada: Speaker) {
  const opened = await world(
    {
      ada,
      bob: first(toTeam({ match_all: ["lead"] }), { text: "Hello" }),
      eve: () => ({ error: new ModelRequestError("broken", { provider: "test" }) }),
      joe: said("not asked"),
    },
    lettas,
  );
  const tags = { ada: ["lead"], bob: ["team", "writes"], eve: ["team", "reads"], joe: ["team"] };
  for (const [name, own] of Object.entries(tags)) await opened.runtime.agents.setDetails(name, { tags: own });
  const { id: bob } = opened.agents["bob"]!.record;
  const { id: eve } = opened.agents["eve"]!.record;
  const error = '<error: "eve" gave no answer (model-error).>';
  const answers = [
    { agent_id: `agent-${bob}`, response: ["Hello"] },
    { agent_id: `agent-${eve}`, response: [error] },
  ];
  return { ...opened, result: `ok: ${JSON.stringify(answers)}` };
}

const some = { match_all: ["team"], match_some: ["writes", "reads"] };

test("a message to all agents with tags is one call, whose result has all answers", async () => {
  const { runtime, agents, models, result } = await team(first(toTeam({ match_all: ["none"] }), toTeam(some)));
  await drain(agents["ada"]!.send("Ask the team."));
  await settled(runtime, "ada");
  expect(models["ada"]!.requests.slice(1).map(lastText)).toEqual(["ok: []", result]);
  expect(models["joe"]!.requests).toHaveLength(0);
  // Nobody could be asked: the only agent with the tag waits itself.
  expect(lastText(models["bob"]!.requests[1]!)).toContain('failed: Nothing was sent: "bob" cannot wait for "ada"');
});

test("another process goes on with a message to several agents", async () => {
  const { agents, models, open, runtime, result } = await team(first(toTeam(some)));
  await drain(agents["ada"]!.send("Ask the team."));
  await runtime.close({ graceMs: 0 });
  const other = await open();
  await other.agents.open("ada");
  await settled(other, "ada");
  expect(models["ada"]!.requests.slice(1).map(lastText).at(-1)).toBe(result);
});
