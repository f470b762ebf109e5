// Letta's API for calls that wait: approvals, tools of the client, and messages to other agents.
import { z } from "zod";
import { systemClock } from "../../src/base/clock.ts";
import { defineTool } from "../../src/tool/define-tool.ts";
import { letGoOn } from "../support/asked-model.ts";
import { kindsOf, openLettaScene, undated, type WireMessage, wireMessages } from "../support/letta-scene.ts";
import { useScene } from "../support/use-scene.ts";

const scene = useScene(() => openLettaScene());

const add = 'CALL add_carefully {"a":20,"b":3}';
const path = (agentId: string) => `/agents/agent-${agentId}/messages`;
const approval = (approvals: readonly object[]) => ({ messages: [{ type: "approval", approvals }] });
const approve = (id: string) => ({ type: "approval", tool_call_id: id, approve: true });
const listed = async (agentId: string) => (await scene.ask<readonly WireMessage[]>("GET", path(agentId))).body;
const readClock = { name: "read_clock", description: "Reads it.", parameters: { type: "object", properties: {} } };

/** Asks for a call that waits, and returns the message that asks, with the id of its call. */
async function asked(agent: string, text = add, more: object = {}) {
  const answer = await scene.say(agent, text, more);
  expect(answer.stop_reason.stop_reason).toBe("requires_approval");
  const request = answer.messages.at(-1)!;
  expect(request).toMatchObject({ message_type: "approval_request_message", otid: request.id });
  return { request, call: request.tool_call!.tool_call_id, calls: request.tool_calls!.map((one) => one.tool_call_id) };
}

test("an approved call runs, and the list shows the request, the decision and the result", async () => {
  const agent = await scene.newAgent();
  const { call } = await asked(agent);
  const { body } = await scene.ask("POST", path(agent), approval([approve(call)]));
  expect(kindsOf(body.messages)).toEqual(["tool_return_message", "assistant_message"]);
  expect(body.messages[0]).toMatchObject({ tool_return: "23", status: "success", tool_call_id: call });
  expect(body).toMatchObject({ stop_reason: { stop_reason: "end_turn" }, usage: { step_count: 1 } });
  const all = await listed(agent);
  expect(kindsOf(all).slice(2)).toEqual([
    "approval_request_message",
    "approval_response_message",
    "tool_return_message",
    "assistant_message",
  ]);
  expect(all[3]!.approvals).toEqual([{ type: "approval", tool_call_id: call, approve: true, reason: null }]);
  expect(undated(all.slice(4))).toEqual(undated(body.messages));
  for (const { id, message_type: type } of all) {
    const { body: found } = await scene.ask<readonly WireMessage[]>("GET", `/messages/${id}`);
    expect(kindsOf(found)).toContain(type);
  }
});

test("a denied call has the reason as its result, also in the older form of the answer", async () => {
  const agent = await scene.newAgent();
  const { request } = await asked(agent);
  const denial = { type: "approval", approve: false, approval_request_id: request.id, reason: "not today" };
  const { body } = await scene.ask("POST", path(agent), { messages: [denial] });
  expect(body.messages[0]).toMatchObject({ message_type: "tool_return_message", status: "error" });
  expect(body.messages[0]!.tool_return).toContain("not today");
});

test("a decision in the older form that is repeated gets the answer of the first request", async () => {
  const agent = await scene.newAgent();
  const { request } = await asked(agent);
  const decide = () => {
    const decision = { type: "approval", approve: true, approval_request_id: request.id };
    return scene.ask("POST", path(agent), { messages: [decision] });
  };
  const { body } = await decide();
  const again = await decide();
  expect(again).toMatchObject({ status: 200, body: { stop_reason: { stop_reason: "end_turn" } } });
  expect(again.body.messages.map(({ id }) => id)).toEqual(body.messages.map(({ id }) => id));
});

test("a message while a call waits is refused with the id of the request, and nothing is lost", async () => {
  const agent = await scene.newAgent();
  const { request, call } = await asked(agent);
  for (const more of [{}, { streaming: true, background: true }]) {
    const refused = await scene.ask("POST", path(agent), { input: "hello?", ...more });
    const detail = { code: "PENDING_APPROVAL", message: expect.any(String), pending_request_id: request.id };
    expect(refused).toEqual({ status: 409, body: { detail } });
  }
  const { body } = await scene.ask("POST", path(agent), approval([approve(call)]));
  expect(body.messages.at(-1)!.content).toBe("Done: 23");
});

test("a decision that nobody waits for is refused", async () => {
  const agent = await scene.newAgent();
  const none = await scene.ask("POST", path(agent), approval([approve("call_none")]));
  expect(none).toMatchObject({
    status: 400,
    body: { detail: expect.stringContaining("No tool call is currently awaiting") },
  });
  await asked(agent);
  const other = await scene.ask("POST", path(agent), approval([approve("call_none")]));
  expect(other).toMatchObject({ status: 400, body: { detail: expect.stringContaining("Invalid tool call IDs") } });
});

test("several calls of one reply are decided together, and their results are one message", async () => {
  const agent = await scene.newAgent();
  const { calls } = await asked(agent, 'TWICE add_carefully {"a":1,"b":1} {"a":2,"b":2}');
  expect(calls).toHaveLength(2);
  const denied = { type: "approval", tool_call_id: calls[1], approve: false };
  const { body } = await scene.ask("POST", path(agent), approval([approve(calls[0]!), denied]));
  const results = body.messages.filter(({ message_type: type }) => type === "tool_return_message");
  expect(results.flatMap((one) => one.tool_returns!).map((one) => one.tool_call_id)).toEqual(calls);
  expect(body.stop_reason.stop_reason).toBe("end_turn");
});

test("a request that repeats a decision which was carried out decides the calls that still wait", async () => {
  const agent = await scene.newAgent();
  const { calls } = await asked(agent, 'TWICE add_carefully {"a":1,"b":1} {"a":2,"b":2}');
  const one = await scene.ask("POST", path(agent), approval([approve(calls[0]!)]));
  expect(one.body.stop_reason.stop_reason).toBe("requires_approval");
  const unknown = await scene.ask("POST", path(agent), approval([...calls, "call_none"].map(approve)));
  expect(unknown).toMatchObject({ status: 400, body: { detail: expect.stringContaining("received '[call_none]'") } });
  const both = await scene.ask("POST", path(agent), approval(calls.map(approve)));
  expect(both).toMatchObject({ status: 200, body: { stop_reason: { stop_reason: "end_turn" } } });
  const results = (await listed(agent)).flatMap(({ tool_returns: returns = [] }) => returns);
  expect(results.map((result) => [result.tool_call_id, result.tool_return])).toEqual([
    [calls[0], "2"],
    [calls[1], "4"],
  ]);
  // Once more, after both were decided.
  const again = await scene.ask("POST", path(agent), approval(calls.map(approve)));
  expect(again.body.messages.at(-1)!.id).toBe(both.body.messages.at(-1)!.id);
});

test("the same decisions in two requests at the same time are carried out once, and both get the answer", async () => {
  const agent = await scene.newAgent();
  const { calls } = await asked(agent, 'TWICE add_carefully {"a":1,"b":1} {"a":2,"b":2}');
  const decide = () => scene.ask("POST", path(agent), approval(calls.map(approve)));
  const [one, two] = await Promise.all([decide(), decide()]);
  expect([one.status, two.status]).toEqual([200, 200]);
  expect(two.body.messages.at(-1)!.id).toBe(one.body.messages.at(-1)!.id);
  expect(kindsOf(await listed(agent)).filter((kind) => kind === "assistant_message")).toHaveLength(1);
});

/** A server with a tool whose calls wait for approval, and then run until the test lets them end. */
async function openSlowScene() {
  const ends: (() => void)[] = [];
  const slow = defineTool({
    name: "wait_carefully",
    description: "Waits.",
    parameters: z.object({ until: z.string() }),
    approval: true,
    run: ({ until }) => new Promise<string>((resolve) => ends.push(() => resolve(until))),
  });
  const opened = await openLettaScene([slow]);
  return {
    ...opened,
    /** Resolves when a call runs. */
    async running() {
      while (ends.length === 0) await systemClock.sleep(20);
    },
    /** Resolves when a decision waits behind the call that runs. */
    async queued() {
      while (opened.host.counters().turns.waiting === 0) await systemClock.sleep(20);
    },
    /** Lets calls end until the work is over. */
    async finish<Result>(work: Promise<Result>): Promise<Result> {
      let isOver = false;
      const over = work.finally(() => (isOver = true));
      over.catch(() => undefined);
      for (; !isOver; await systemClock.sleep(20)) for (const end of ends.splice(0)) end();
      return over;
    },
  };
}

test("a decision that is repeated while its tool still runs joins the run", async () => {
  const slow = await openSlowScene();
  const agent = await slow.newAgent();
  const { messages } = await slow.say(agent, 'TWICE wait_carefully {"until":"noon"} {"until":"night"}');
  const calls = messages.at(-1)!.tool_calls!.map((call) => call.tool_call_id);
  const decide = () => slow.ask("POST", path(agent), approval(calls.map(approve)));
  const first = decide();
  await slow.running();
  const second = decide();
  await slow.queued();
  const [one, two] = await slow.finish(Promise.all([first, second]));
  expect([one.status, two.status]).toEqual([200, 200]);
  expect(two.body.messages.at(-1)!.content).toBe("Done: night");
  await slow.close();
});

test("decisions in the background that wait for a running tool are carried out, and their run is streamed", async () => {
  const slow = await openSlowScene();
  const agent = await slow.newAgent();
  const wanted = 'TWICE wait_carefully {"until":"noon"} {"until":"dusk"} {"until":"night"}';
  const { messages } = await slow.say(agent, wanted);
  const [first = "", ...others] = messages.at(-1)!.tool_calls!.map((call) => call.tool_call_id);
  const one = slow.ask("POST", path(agent), approval([approve(first)]));
  await slow.running();
  const flags = { streaming: true, background: true };
  const rest = slow.open(path(agent), { ...approval(others.map(approve)), ...flags }).then(wireMessages);
  await slow.queued();
  const [{ body }, read] = await slow.finish(Promise.all([one, rest]));
  expect(body.stop_reason.stop_reason).toBe("requires_approval");
  expect(read.find(({ message_type: type }) => type === "assistant_message")?.content).toBe("Done: night");
  await slow.close();
});

test("a tool of the client pauses the turn, and its result continues it", async () => {
  const agent = await scene.newAgent();
  const more = { client_tools: [readClock] };
  const { call } = await asked(agent, "CALL read_clock {}", more);
  const result = { type: "tool", tool_call_id: call, tool_return: "noon", status: "success" };
  const { body } = await scene.ask("POST", path(agent), { ...approval([result]), ...more });
  expect(kindsOf(body.messages)).toEqual(["tool_return_message", "assistant_message"]);
  expect(body.messages[1]!.content).toBe("Done: noon");
  // The client repeats the request after a fault of the network.
  const again = await scene.ask("POST", path(agent), { ...approval([result]), ...more });
  expect(again.body.messages.map(({ id }) => id)).toEqual(body.messages.map(({ id }) => id));
});

test("the same result in two requests at the same time is stored once, and both get the answer", async () => {
  const agent = await scene.newAgent();
  const more = { client_tools: [readClock] };
  const { call } = await asked(agent, "CALL read_clock {}", more);
  const result = { type: "tool", tool_call_id: call, tool_return: "noon", status: "success" };
  const answer = () => scene.ask("POST", path(agent), { ...approval([result]), ...more });
  const [one, two] = await Promise.all([answer(), answer()]);
  expect([one.status, two.status]).toEqual([200, 200]);
  expect(two.body.messages.at(-1)!.id).toBe(one.body.messages.at(-1)!.id);
  expect(kindsOf(await listed(agent)).filter((kind) => kind === "assistant_message")).toHaveLength(1);
});

test("what a client's tool printed is kept beside its result, and the model does not get it", async () => {
  const agent = await scene.newAgent();
  const more = { client_tools: [readClock] };
  const { call } = await asked(agent, "CALL read_clock {}", more);
  const printed = { stdout: ["tick", "tock"], stderr: ["no battery"] };
  const result = { type: "tool", tool_call_id: call, tool_return: "noon", status: "success", ...printed };
  const { body } = await scene.ask("POST", path(agent), { ...approval([result]), ...more });
  const kept = { tool_return: "noon", stdout: ["tick\ntock"], stderr: ["no battery"] };
  expect(body.messages[0]).toMatchObject({ ...kept, tool_returns: [kept] });
  const { body: stored } = await scene.ask<readonly WireMessage[]>("GET", `${path(agent)}?order=asc`);
  const ofType = (type: string) => stored.find(({ message_type }) => message_type === type);
  expect(ofType("tool_return_message")).toMatchObject(kept);
  expect(ofType("approval_response_message")!.approvals).toMatchObject([kept]);
  expect(body.messages[1]!.content).toBe("Done: noon");
});

test("a client may refuse to run its own tool", async () => {
  const agent = await scene.newAgent();
  const more = { client_tools: [readClock] };
  const { call } = await asked(agent, "CALL read_clock {}", more);
  const denial = { type: "approval", tool_call_id: call, approve: false, reason: "no clock here" };
  const { body } = await scene.ask("POST", path(agent), { ...approval([denial]), ...more });
  expect(body.messages[0]).toMatchObject({ status: "error" });
  expect(body.messages.at(-1)!.content).toContain("no clock here");
});

test("Letta Code's turn: pieces in the background with client tools, then their results", async () => {
  const agent = await scene.newAgent();
  const { body: conversation } = await scene.ask<{ readonly id: string }>(
    "POST",
    `/conversations/?agent_id=agent-${agent}`,
    {},
  );
  const messages = `/conversations/${conversation.id}/messages`;
  const flags = {
    streaming: true,
    stream_tokens: true,
    include_pings: true,
    background: true,
    client_tools: [readClock],
  };
  const first = await wireMessages(
    await scene.open(messages, { messages: [{ role: "user", content: "CALL read_clock {}", otid: "o1" }], ...flags }),
  );
  expect(kindsOf(first)).toEqual([
    "ping",
    "approval_request_message",
    "approval_request_message",
    "stop_reason",
    "usage_statistics",
  ]);
  expect(first.slice(0, 3).map(({ seq_id: number }) => number)).toEqual([1, 2, 3]);
  const call = first[1]!.tool_call!;
  expect(call).toEqual({ name: "read_clock", arguments: null, tool_call_id: call.tool_call_id });
  expect(first[2]!.tool_call).toEqual({ name: null, arguments: "{}", tool_call_id: call.tool_call_id });
  const result = { type: "tool", tool_call_id: call.tool_call_id, tool_return: "noon", status: "success" };
  const answer = { messages: [{ type: "approval", approvals: [result], otid: "o2" }], ...flags };
  const second = await wireMessages(await scene.open(messages, answer));
  expect(kindsOf(second)).toEqual([
    "ping",
    "assistant_message",
    "assistant_message",
    "stop_reason",
    "usage_statistics",
  ]);
  expect(second.slice(0, 3).map(({ seq_id: number }) => number)).toEqual([4, 5, 6]);
  expect(second[1]!.run_id).toBe(first[1]!.run_id);
  // Both, again, from the run: each message once.
  const whole = await wireMessages(await scene.open(`/runs/${first[1]!.run_id}/stream`, {}));
  const shown = (list: readonly WireMessage[]) =>
    list.slice(0, -2).map((one) => [one.seq_id, one.message_type, one.content]);
  expect(shown(whole)).toEqual([...shown(first), ...shown(second)]);
  // A repeated answer joins the run, from where it went on.
  expect(shown(await wireMessages(await scene.open(messages, answer)))).toEqual(shown(second));
});

test("a call that waits for another agent is answered in the same request, streamed or not", async () => {
  const tools = ["send_message_to_agent_and_wait_for_reply"];
  const made = await scene.ask<{ readonly id: string }>("POST", "/agents/", { name: "asks", tools });
  const asking = made.body.id.slice("agent-".length);
  const other = await scene.newAgent();
  const input = `CALL ${tools[0]} {"message":"SAY hi","other_agent_id":"agent-${other}"}`;
  const kinds = ["tool_call_message", "tool_return_message", "assistant_message"];
  const whole = await scene.say(asking, input);
  expect(kindsOf(whole.messages)).toEqual(kinds);
  expect(whole.messages[1]).toMatchObject({ tool_return: `{"agent_id":"agent-${other}","response":["hi"]}` });
  expect(whole.stop_reason.stop_reason).toBe("end_turn");
  for (const more of [{}, { background: true }]) {
    const body = { input, streaming: true, include_pings: false, ...more };
    const read = await wireMessages(await scene.open(path(asking), body));
    expect(kindsOf(read)).toEqual([...kinds, "stop_reason", "usage_statistics"]);
  }
  const runs = await scene.ask<readonly { readonly status: string }[]>("GET", `/runs?agent_id=agent-${asking}`);
  expect(runs.body.map(({ status }) => status)).toEqual(["completed", "completed", "completed"]);
});

test("a message to an agent that waits for another one is answered, and the request that waited ends", async () => {
  const tools = ["send_message_to_agent_and_wait_for_reply"];
  const made = await scene.ask<{ readonly id: string }>("POST", "/agents/", { name: "impatient", tools });
  const asking = made.body.id.slice("agent-".length);
  const other = await scene.newAgent();
  const waiting = scene.say(asking, `CALL ${tools[0]} {"message":"HELD 3","other_agent_id":"agent-${other}"}`);
  const states = async () => (await scene.runtime.turns.list({ agent: asking })).map(({ state }) => state);
  for (let tries = 0; tries < 400 && !(await states()).includes("waiting"); tries += 1) await systemClock.sleep(50);
  const next = await scene.say(asking, "SAY never mind");
  expect(next.messages.at(-1)!.content).toBe("never mind");
  expect(kindsOf((await waiting).messages)[0]).toBe("tool_call_message");
  letGoOn();
  await scene.runtime.idle();
});
