// Letta's API for runs: in the background, taken up again, cancelled, and as records; and for conversations.
import { letGoOn } from "../support/asked-model.ts";
import { kindsOf, openLettaScene, wireEvents, type WireMessage, wireMessages } from "../support/letta-scene.ts";
import { useScene } from "../support/use-scene.ts";

const scene = useScene(() => openLettaScene());

interface WireRun {
  readonly id: string;
  readonly status: string;
  readonly stop_reason: string | null;
  readonly background: boolean;
  readonly conversation_id: string | null;
}

const run = async (id: string) => (await scene.ask<WireRun>("GET", `/runs/${id}`)).body;
const background = { background: true, stream_tokens: true };

async function ended(id: string): Promise<WireRun> {
  for (;;) {
    const found = await run(id);
    if (!["created", "running"].includes(found.status)) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const numbers = (messages: readonly WireMessage[]) =>
  messages.flatMap(({ seq_id: number, message_type: type }) => (type.endsWith("_message") ? [number] : []));

test("pages of the messages of all conversations contain every message once, in both orders", async () => {
  // The first test, because it reads all messages of the server many times.
  const agent = await scene.newAgent();
  const { body: made } = await scene.ask<{ id: string }>("POST", `/conversations/?agent_id=agent-${agent}`, {});
  const talk = { input: 'CALL core_memory_append {"name":"human","content":"x"}', streaming: false };
  await scene.ask("POST", `/conversations/${made.id}/messages`, talk);
  await scene.ask("POST", `/conversations/${made.id}/fork`);
  const { messages } = await scene.say(agent, 'CALL add_carefully {"a":1,"b":1}');
  const { tool_call_id } = messages.at(-1)!.tool_call!;
  const approvals = [{ type: "approval", tool_call_id, approve: true }];
  await scene.ask("POST", `/agents/agent-${agent}/messages`, { messages: [{ type: "approval", approvals }] });
  const page = async (query: string) => (await scene.ask<readonly WireMessage[]>("GET", `/messages/?${query}`)).body;
  for (const [order, from, to] of [
    ["desc", "before", "after"],
    ["asc", "after", "before"],
  ] as const) {
    const whole = await page(`order=${order}&limit=1000`);
    const read = [...(await page(`order=${order}&limit=1`))];
    for (let next = read.slice(); next.length > 0; read.push(...next))
      next = [...(await page(`order=${order}&limit=1&${from}=${read.at(-1)!.id}`))];
    expect(read).toEqual(whole);
    expect(kindsOf(read)).toEqual(expect.arrayContaining(["approval_response_message", "tool_return_message"]));
    for (const [at, { id }] of whole.slice(0, 5).entries())
      expect(await page(`order=${order}&limit=1000&${to}=${id}`)).toEqual(whole.slice(0, at));
  }
});

test("a run in the background goes on without its client, which takes it up behind the last number", async () => {
  const agent = await scene.newAgent();
  const response = await scene.open(`/agents/agent-${agent}/messages/stream`, { input: "SLOW 20", ...background });
  const seen: WireMessage[] = [];
  for await (const { data } of wireEvents(response)) {
    if (data !== "[DONE]") seen.push(data);
    if (seen.length === 4) break;
  }
  expect(seen.map(({ seq_id: number }) => number)).toEqual([1, 2, 3, 4]);
  const id = seen[0]!.run_id!;
  const rest = await wireMessages(await scene.open(`/runs/${id}/stream`, { starting_after: 4 }));
  expect(numbers(rest)).toEqual(Array.from({ length: 17 }, (_, at) => at + 5));
  const all = [...seen, ...rest].flatMap(({ content }) => content ?? []).join("");
  expect(all).toBe(Array.from({ length: 20 }, (_, at) => `w${at} `).join(""));
  expect(await ended(id)).toMatchObject({ status: "completed", background: true, stop_reason: "end_turn" });
  // After its end, from any place.
  for (const starting_after of [0, 7, 21, 500]) {
    const again = await wireMessages(await scene.open(`/runs/${id}/stream`, { starting_after, include_pings: false }));
    expect(numbers(again)).toEqual(numbers([...seen, ...rest]).filter((number) => number! > starting_after));
    expect(kindsOf(again.slice(-2))).toEqual(["stop_reason", "usage_statistics"]);
  }
});

test("a run that was not started in the background cannot be taken up", async () => {
  const agent = await scene.newAgent();
  const { messages } = await scene.say(agent, "SAY x");
  expect((await scene.ask("POST", `/runs/${messages[0]!.run_id}/stream`, {})).status).toBe(400);
  expect((await scene.ask("POST", "/runs/run-00000000-0000-4000-8000-000000000000/stream", {})).status).toBe(404);
});

test("a run without a reader is found by its id, with its messages, tokens and steps", async () => {
  const agent = await scene.newAgent();
  const sent = await scene.ask<WireRun>("POST", `/agents/agent-${agent}/messages/async`, {
    messages: [{ role: "user", content: 'CALL core_memory_append {"name":"human","content":"x"}' }],
  });
  expect(sent.body).toMatchObject({ status: "created", background: true, conversation_id: null });
  const { id } = sent.body;
  expect(await ended(id)).toMatchObject({ status: "completed" });
  const messages = (await scene.ask<readonly WireMessage[]>("GET", `/runs/${id}/messages`)).body;
  const kinds = ["user_message", "tool_call_message", "tool_return_message", "assistant_message"];
  expect(kindsOf(messages)).toEqual(kinds);
  const newest = await scene.ask<readonly WireMessage[]>("GET", `/runs/${id}/messages?order=desc&limit=1`);
  expect(kindsOf(newest.body)).toEqual(["assistant_message"]);
  expect((await scene.ask("GET", `/runs/${id}/usage`)).body).toMatchObject({ total_tokens: 24, prompt_tokens: 20 });
  const steps = (await scene.ask<readonly { id: string; run_id: string }[]>("GET", `/runs/${id}/steps?order=asc`)).body;
  expect(steps.map((step) => step.id)).toEqual([messages[1]!.step_id, messages[3]!.step_id]);
  const [step] = steps;
  expect((await scene.ask("GET", `/steps/${step!.id}`)).body).toEqual(step);
  const listed = await scene.ask<readonly { id: string }[]>("GET", `/steps/?agent_id=agent-${agent}&order=asc`);
  expect(listed.body).toEqual(steps);
  const after = await scene.ask("GET", `/steps/?agent_id=agent-${agent}&order=asc&after=${step!.id}`);
  expect(after.body).toEqual(steps.slice(1));
  const ofStep = await scene.ask<readonly WireMessage[]>("GET", `/steps/${step!.id}/messages`);
  expect(kindsOf(ofStep.body)).toEqual(kinds.slice(0, 3));
  const feedback = await scene.ask("PATCH", `/steps/${step!.id}/feedback`, { feedback: "positive" });
  expect(feedback.body).toMatchObject({ id: step!.id, feedback: "positive" });
  expect((await scene.ask("GET", `/steps/${step!.id}`)).body).toMatchObject({ feedback: "positive" });
  expect(await run(id)).toMatchObject({ status: "completed" });
});

test("steps are listed by model and time, however many other steps are newer", async () => {
  const agent = await scene.newAgent();
  const first = (await scene.say(agent, "SAY 1", { override_model: "other" })).messages[0]!.step_id;
  const second = (await scene.say(agent, "SAY 2", { override_model: "other" })).messages[0]!.step_id;
  const newer = [];
  for (const text of ["SAY 3", "SAY 4", "SAY 5"]) newer.push((await scene.say(agent, text)).messages[0]!.step_id);
  const list = async (query: string) =>
    (await scene.ask<readonly { id: string }[]>("GET", `/steps/?agent_id=agent-${agent}&${query}`)).body.map(
      ({ id }) => id,
    );
  expect(await list("model=other&limit=1")).toEqual([second]);
  expect(await list("model=other&limit=2")).toEqual([second, first]);
  expect(await list(`model=other&limit=1&after=${second}`)).toEqual([first]);
  expect(await list(`model=asked&order=asc&limit=2`)).toEqual(newer.slice(0, 2));
  expect(await list(`model=other&order=asc&limit=1&before=${newer[2]}`)).toEqual([second]);
  const [before, after] = [minutesFromNow(-5), minutesFromNow(5)];
  for (const order of ["asc", "desc"]) {
    expect(await list(`order=${order}&start_date=${before}&end_date=${after}`)).toHaveLength(5);
    expect(await list(`order=${order}&start_date=${after}`)).toEqual([]);
    expect(await list(`order=${order}&end_date=${before}`)).toEqual([]);
  }
});

test("runs are listed by status, page by page", async () => {
  const agent = await scene.newAgent();
  const ids: string[] = [];
  for (const text of ["SAY 1", "SAY 2", 'CALL add_carefully {"a":1,"b":1}']) {
    ids.unshift((await scene.say(agent, text)).messages[0]!.run_id!);
  }
  const list = async (query: string) =>
    (await scene.ask<readonly WireRun[]>("GET", `/runs/?agent_id=agent-${agent}&${query}`)).body.map(({ id }) => id);
  expect(await list("")).toEqual(ids);
  expect(await list("order=asc&limit=2")).toEqual([ids[2], ids[1]]);
  expect(await list(`limit=1&after=${ids[0]}`)).toEqual([ids[1]]);
  expect(await list(`after=${ids[2]}`)).toEqual([]);
  expect(await list("stop_reason=requires_approval")).toEqual([ids[0]]);
  expect(await list("statuses=completed")).toEqual(ids);
  expect(await list("active=true")).toEqual([]);
});

test("a run is cancelled, and keeps what it has streamed", async () => {
  const agent = await scene.newAgent();
  const cancel = `/agents/agent-${agent}/messages/cancel`;
  expect((await scene.ask("POST", cancel, {})).status).toBe(409);
  const { body } = await scene.ask<WireRun>("POST", `/agents/agent-${agent}/messages/async`, { input: "SLOW 200" });
  while ((await run(body.id)).status === "created") await new Promise((resolve) => setTimeout(resolve, 20));
  const cancelled = await scene.ask("POST", cancel, { run_ids: [body.id] });
  expect(cancelled.body).toEqual({ [body.id]: "cancelled" });
  expect(await ended(body.id)).toMatchObject({ status: "cancelled", stop_reason: "cancelled" });
  expect((await scene.say(agent, "SAY next")).messages[0]!.content).toBe("next");
});

test("runs in the background are queued behind a held one, and can be followed, but not cancelled", async () => {
  const agent = await scene.newAgent();
  const path = `/agents/agent-${agent}/messages`;
  const begin = async (input: string, more = {}) =>
    (await scene.ask<WireRun>("POST", `${path}/async`, { input, ...more })).body;
  const { id: first } = await begin("HELD 3");
  const queued = await begin("SAY second", { include_pings: false });
  expect(queued).toMatchObject({ status: "created", background: true });
  const stream = wireEvents(await scene.open(`${path}/stream`, { input: "SAY third", ...background }));
  const { data: ping } = (await stream.next()).value!;
  expect(ping).toMatchObject({ message_type: "ping", seq_id: 1, run_id: expect.stringMatching(/^run-/u) });
  const followed = scene.open(`/runs/${queued.id}/stream`, {}).then(wireMessages);
  const active = await scene.ask<readonly WireRun[]>("GET", `/runs/?agent_id=agent-${agent}&background=true`);
  expect(active.body.map(({ status }) => status)).toEqual(["created", "created", "running"]);
  const cancelled = await scene.ask("POST", `${path}/cancel`, { run_ids: [queued.id] });
  expect(cancelled.body).toEqual({ [queued.id]: "failed" });
  const goingOn = setInterval(letGoOn, 20);
  expect(await ended(first)).toMatchObject({ status: "completed" });
  expect(await ended(queued.id)).toMatchObject({ status: "completed", background: true });
  expect(kindsOf(await followed)).toEqual(["assistant_message", "stop_reason", "usage_statistics"]);
  const rest: (string | undefined)[] = [];
  for await (const { data } of stream) if (data !== "[DONE]") rest.push(data.content);
  expect(rest.join("")).toBe("third");
  clearInterval(goingOn);
});

test("conversations are created, listed, renamed, copied and deleted, and are not the agent's own messages", async () => {
  const agent = await scene.newAgent();
  await scene.say(agent, "SAY own");
  const path = `/conversations/?agent_id=agent-${agent}`;
  const { body: made } = await scene.ask<{ id: string }>("POST", path, { summary: "about boats" });
  expect(made).toMatchObject({
    agent_id: `agent-${agent}`,
    summary: "about boats",
    in_context_message_ids: [],
    last_message_at: null,
  });
  const list = async (query = "") =>
    (await scene.ask<readonly { id: string }[]>("GET", `${path}${query}`)).body.map(({ id }) => id);
  expect(await list()).toEqual([made.id]);
  const one = `/conversations/${made.id}`;
  expect((await scene.ask("PATCH", one, { summary: "new" })).body).toMatchObject({ summary: "new" });
  expect(await list("&summary_search=NEW")).toEqual([made.id]);
  expect(await list("&summary_search=boats")).toEqual([]);
  const answer = await scene.ask("POST", `${one}/messages`, { input: "SAY hi", streaming: false });
  expect(answer.body.messages[0]!.content).toBe("hi");
  const streamed = await wireMessages(await scene.open(`${one}/messages`, { input: "SAY again" }));
  expect(kindsOf(streamed)).toEqual(["ping", "assistant_message", "stop_reason", "usage_statistics"]);
  const messages = (await scene.ask<readonly WireMessage[]>("GET", `${one}/messages`)).body;
  expect(kindsOf(messages)).toEqual([
    "assistant_message",
    "user_message",
    "assistant_message",
    "user_message",
    "system_message",
  ]);
  const { body: found } = await scene.ask<{ in_context_message_ids: readonly string[] }>("GET", one);
  expect(found.in_context_message_ids).toEqual(messages.map(({ id }) => id).toReversed());
  const { body: copy } = await scene.ask<{ id: string }>("POST", `${one}/fork`);
  expect(kindsOf((await scene.ask<readonly WireMessage[]>("GET", `/conversations/${copy.id}/messages`)).body)).toEqual(
    kindsOf(messages),
  );
  expect(await list()).toEqual([copy.id, made.id]);
  expect(await list(`&after=${copy.id}`)).toEqual([made.id]);
  expect(await scene.ask("DELETE", one)).toEqual({ status: 200, body: null });
  expect((await scene.ask("GET", one)).status).toBe(404);
  expect((await scene.ask("DELETE", one)).status).toBe(404);
  const own = await scene.ask<readonly WireMessage[]>("GET", `/conversations/default/messages?agent_id=agent-${agent}`);
  expect(own.body.map(({ content }) => content).slice(1)).toEqual(["SAY own", "own"]);
});

test("a conversation that is busy refuses another message, names the run, and can be followed and cancelled", async () => {
  const agent = await scene.newAgent();
  const { body: made } = await scene.ask<{ id: string }>("POST", `/conversations/?agent_id=agent-${agent}`, {});
  const one = `/conversations/${made.id}`;
  expect((await scene.ask("POST", `${one}/stream`, {})).status).toBe(400);
  expect((await scene.ask("POST", `${one}/cancel`)).status).toBe(409);
  const messages = [{ role: "user", content: "SLOW 40", otid: "slow" }];
  const response = await scene.open(`${one}/messages`, { messages, ...background });
  const reader = wireEvents(response);
  const first = (await reader.next()).value!.data as WireMessage;
  const busy = await scene.ask("POST", `${one}/messages`, { input: "SAY me too" });
  expect(busy).toMatchObject({ status: 409, body: { run_id: first.run_id } });
  const joined = wireEvents(await scene.open(`${one}/stream`, { otid: "slow" }));
  expect((await joined.next()).value!.data).toMatchObject({ run_id: first.run_id, seq_id: 1 });
  expect((await scene.ask("POST", `${one}/cancel`)).body).toEqual({ [first.run_id!]: "cancelled" });
  const rest = [];
  for await (const { data } of joined) rest.push(data);
  expect(rest.slice(-3)[0]).toEqual({ message_type: "stop_reason", stop_reason: "cancelled" });
  await reader.return();
});

test("messages of all conversations are read by time, and searched", async () => {
  const agent = await scene.newAgent();
  await scene.say(agent, "SAY narwhals are whales");
  const all = (await scene.ask<readonly WireMessage[]>("GET", "/messages/?limit=3")).body;
  expect(all.slice(0, 2).map(({ content }) => content)).toEqual(["narwhals are whales", "SAY narwhals are whales"]);
  const next = await scene.ask<readonly WireMessage[]>("GET", `/messages/?limit=1&before=${all[1]!.id}`);
  expect(next.body.map(({ id }) => id)).toEqual([all[2]!.id]);
  const found = await scene.ask<readonly object[]>("POST", "/messages/search", {
    query: "narwhals",
    agent_id: `agent-${agent}`,
  });
  expect(found.body).toContainEqual({
    message_id: all[0]!.id,
    message_type: "assistant_message",
    content: "narwhals are whales",
    agent_id: `agent-${agent}`,
    conversation_id: null,
    created_at: expect.any(String),
  });
});

interface Found {
  readonly content: string;
  readonly conversation_id: string | null;
}

const search = async (body: object) => (await scene.ask<readonly Found[]>("POST", "/messages/search", body)).body;
const minutesFromNow = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();

test("a search of one conversation finds its messages behind those of all other conversations", async () => {
  const agent = await scene.newAgent();
  const { body: made } = await scene.ask<{ id: string }>("POST", `/conversations/?agent_id=agent-${agent}`, {});
  const text = "a heron stood in the reeds beside the long grey bridge for most of a wet morning";
  await scene.ask("POST", `/conversations/${made.id}/messages`, { input: `SAY ${text}`, streaming: false });
  for (const word of ["one", "two", "three"]) await scene.say(agent, `SAY heron heron ${word}`);
  for (const query of ["heron", ""]) {
    const [first, ...more] = await search({ query, conversation_id: made.id, limit: 1 });
    expect([first, more]).toEqual([expect.objectContaining({ conversation_id: made.id }), []]);
    expect(await search({ query, conversation_id: made.id })).toHaveLength(2);
  }
  const other = await scene.newAgent();
  expect(await search({ query: "heron", conversation_id: made.id, agent_id: `agent-${other}` })).toEqual([]);
  const unknown = { query: "heron", conversation_id: "conv-00000000-0000-4000-8000-000000000000" };
  expect((await scene.ask("POST", "/messages/search", unknown)).status).toBe(404);
});

test("a search of messages compares times with a zone to the minute, whatever the agent's zone is", async () => {
  const agent = await scene.newAgent();
  await scene.runtime.agents.update(agent, { timeZone: "Asia/Tokyo" });
  await scene.say(agent, "SAY an osprey dived");
  for (const query of ["osprey", ""]) {
    const found = async (range: object) => (await search({ query, agent_id: `agent-${agent}`, ...range })).length;
    expect(await found({ start_date: minutesFromNow(-5), end_date: minutesFromNow(5) })).toBe(2);
    expect(await found({ start_date: minutesFromNow(5) })).toBe(0);
    expect(await found({ end_date: minutesFromNow(-5).replace("Z", "+00:00") })).toBe(0);
    expect(await found({ start_date: "0001-01-01T00:00:00Z", end_date: "9999-12-31T23:59:59Z" })).toBe(2);
  }
});
