// Letta's API for messages: answers, streams, lists, approvals and client tools.
import {
  kindsOf,
  openLettaScene,
  undated,
  wireEvents,
  type WireMessage,
  wireMessages,
} from "../support/letta-scene.ts";
import { useScene } from "../support/use-scene.ts";

const scene = useScene(() => openLettaScene());

const append = (content: string) => `CALL core_memory_append {"name":"human","content":"${content}"}`;
const listed = (agentId: string, query = "") =>
  scene.ask<readonly WireMessage[]>("GET", `/agents/agent-${agentId}/messages${query}`);

test("an answer has the messages of the turn, with the ids that lists have", async () => {
  const agent = await scene.newAgent();
  const { messages, stop_reason: stop, usage } = await scene.say(agent, append("Sails"));
  expect(kindsOf(messages)).toEqual(["tool_call_message", "tool_return_message", "assistant_message"]);
  expect(stop).toEqual({ message_type: "stop_reason", stop_reason: "end_turn" });
  expect(usage).toMatchObject({
    step_count: 2,
    prompt_tokens: 20,
    completion_tokens: 4,
    total_tokens: 24,
    run_ids: null,
  });
  const [call, result] = messages;
  expect(call!.tool_calls).toEqual([call!.tool_call]);
  expect(result).toMatchObject({
    name: "core_memory_append",
    status: "success",
    tool_call_id: call!.tool_call!.tool_call_id,
  });
  const all = (await listed(agent)).body;
  expect(kindsOf(all)).toEqual(["system_message", "user_message", ...kindsOf(messages)]);
  expect(undated(all.slice(2))).toEqual(undated(messages));
  expect(all[1]).toMatchObject({ step_id: messages[0]!.step_id, run_id: messages[0]!.run_id });
});

test("a page has the newest or the oldest messages, oldest first, and cursors join pages", async () => {
  const agent = await scene.newAgent();
  for (const text of ["SAY one", append("x"), "SAY two"]) await scene.say(agent, text);
  const all = (await listed(agent, "?order=asc")).body.map(({ id }) => id);
  expect(all).toHaveLength(9);
  const at = async (query: string) => (await listed(agent, query)).body.map(({ id }) => all.indexOf(id));
  expect(await at("?limit=2")).toEqual([7, 8]);
  expect(await at("?order=asc&limit=2")).toEqual([0, 1]);
  const whole = all.map((_id, position) => position);
  for (const [position, id] of all.entries()) {
    expect(await at(`?order=asc&after=${id}`)).toEqual(whole.slice(position + 1));
    expect(await at(`?before=${id}`)).toEqual(whole.slice(0, position));
    expect(await at(`?before=${id}&limit=1`)).toEqual(whole.slice(Math.max(0, position - 1), position));
  }
  const calls = await listed(agent, "?include_return_message_types=tool_call_message");
  expect(kindsOf(calls.body)).toEqual(["tool_call_message"]);
  expect((await listed(agent, "?after=message-00000000-0000-4000-8000-000000000000")).status).toBe(404);
});

test.each([
  [false, ["tool_call_message", "tool_return_message", "assistant_message", "stop_reason", "usage_statistics"]],
  [true, ["tool_call_message", "tool_call_message", "tool_return_message", "assistant_message", "assistant_message"]],
])("a stream has whole messages, or pieces (in pieces: %s)", async (stream_tokens, kinds) => {
  const agent = await scene.newAgent();
  const body = { input: append("Sails"), stream_tokens };
  const sent = await wireMessages(await scene.open(`/agents/agent-${agent}/messages/stream`, body));
  expect(sent[0]).toMatchObject({ message_type: "ping", run_id: expect.stringMatching(/^run-/u), seq_id: null });
  const shown = sent.filter(({ message_type: type }) => type !== "ping");
  expect(kindsOf(shown).slice(0, 5)).toEqual(kinds);
  const ids = new Set(shown.map(({ id }) => id).filter((id) => id !== undefined));
  const kept = new Set((await listed(agent)).body.map(({ id }) => id));
  expect([...ids].filter((id) => !kept.has(id))).toEqual([]);
  const pieces = shown.filter(({ message_type: type }) => type === "tool_call_message").map((one) => one.tool_call);
  expect(pieces.map((piece) => piece?.arguments ?? "").join("")).toBe('{"name":"human","content":"Sails"}');
  if (stream_tokens) expect(pieces[0]).toEqual({ name: "core_memory_append", tool_call_id: pieces[1]!.tool_call_id });
});

test("thoughts come before the answer, and have the first number of the message", async () => {
  const agent = await scene.newAgent();
  const { messages } = await scene.say(agent, "THINK SAY done");
  expect(kindsOf(messages)).toEqual(["reasoning_message", "assistant_message"]);
  expect(messages[0]!.id).toBe(messages[1]!.id);
  expect(messages.map(({ otid }) => Number.parseInt(otid!.slice(-2), 16) & 127)).toEqual([0, 1]);
  expect(undated((await listed(agent)).body.slice(-2))).toEqual(undated(messages));
});

test("only the wanted types of messages are returned, and pings can be left out", async () => {
  const agent = await scene.newAgent();
  const types = { include_return_message_types: ["tool_return_message"] };
  expect(kindsOf((await scene.say(agent, append("x"), types)).messages)).toEqual(["tool_return_message"]);
  const body = { input: "SAY a", include_pings: false };
  const sent = await wireMessages(await scene.open(`/agents/agent-${agent}/messages/stream`, body));
  expect(kindsOf(sent)).toEqual(["assistant_message", "stop_reason", "usage_statistics"]);
});

test("a failure of the model is the status of an answer, and an event of a stream", async () => {
  const agent = await scene.newAgent();
  const path = `/agents/agent-${agent}/messages`;
  const failed = await scene.ask("POST", path, { input: "FAIL" });
  expect(failed).toMatchObject({
    status: 400,
    body: { error: { type: "llm_bad_request", detail: expect.any(String) } },
  });
  const events = [];
  for await (const event of wireEvents(await scene.open(`${path}/stream`, { input: "FAIL" }))) events.push(event);
  expect(events.map(({ event }) => event)).toEqual([null, null, "error", null]);
  expect(events[1]!.data).toEqual({ message_type: "stop_reason", stop_reason: "llm_api_error" });
  expect(events[2]!.data).toMatchObject({ message_type: "error_message", error_type: "llm_error", seq_id: null });
  expect(events[3]!.data).toBe("[DONE]");
  expect((await scene.say(agent, "SAY well again")).messages.at(-1)!.content).toBe("well again");
});

test("a request without input, or with two, changes nothing", async () => {
  const agent = await scene.newAgent();
  const path = `/agents/agent-${agent}/messages`;
  const user = { role: "user", content: "y" };
  for (const body of [{}, { input: "x", messages: [user] }, { messages: [] }, { messages: [{ role: "user" }] }]) {
    expect((await scene.ask("POST", path, body)).status).toBe(422);
  }
  expect(kindsOf((await listed(agent)).body)).toEqual(["system_message"]);
});

test("several messages, also of the system, are answered in one turn and keep their otids", async () => {
  const agent = await scene.newAgent();
  const messages = [
    { role: "system", content: "An event happened.", otid: "o-1" },
    { role: "user", content: [{ type: "text", text: "SAY both" }], otid: "o-2" },
  ];
  const { body } = await scene.ask("POST", `/agents/agent-${agent}/messages`, { messages });
  expect(body.messages.at(-1)!.content).toBe("both");
  const all = (await listed(agent)).body;
  expect(all.slice(1, 3).map(({ message_type, otid }) => [message_type, otid])).toEqual([
    ["system_message", "o-1"],
    ["user_message", "o-2"],
  ]);
});

test("a repeated otid joins the run instead of sending the message again", async () => {
  const agent = await scene.newAgent();
  const body = { messages: [{ role: "user", content: "SLOW 4", otid: "again" }] };
  const path = `/agents/agent-${agent}/messages`;
  const answers = await Promise.all([scene.ask("POST", path, body), scene.ask("POST", path, body)]);
  answers.push(await scene.ask("POST", path, body));
  expect(
    new Set(answers.map(({ body: answer }) => JSON.stringify(answer.messages.map(({ id, content }) => [id, content]))))
      .size,
  ).toBe(1);
  expect(kindsOf((await listed(agent)).body)).toEqual(["system_message", "user_message", "assistant_message"]);
});

test("a client that leaves stops nothing", async () => {
  const agent = await scene.newAgent();
  const response = await scene.open(`/agents/agent-${agent}/messages/stream`, { input: "SLOW 8", stream_tokens: true });
  for await (const { data } of wireEvents(response)) if (data !== "[DONE]" && data.message_type !== "ping") break;
  const [run] = (await scene.ask<readonly { id: string; status: string }[]>("GET", `/runs/?agent_id=agent-${agent}`))
    .body;
  expect(run!.status).toBe("running");
  let status = "running";
  while (status === "running") ({ status } = (await scene.ask<{ status: string }>("GET", `/runs/${run!.id}`)).body);
  expect(status).toBe("completed");
  expect((await listed(agent)).body.at(-1)!.content).toBe("w0 w1 w2 w3 w4 w5 w6 w7 ");
});

test("a request may have its own model and system prompt, for its turn only", async () => {
  const agent = await scene.newAgent();
  const more = { override_model: "other", override_system: "You are a parrot." };
  expect((await scene.say(agent, "PROMPT", more)).messages[0]!.content).toBe("other: You are a parrot.");
  expect((await scene.say(agent, "PROMPT")).messages[0]!.content).not.toContain("parrot");
  const body = { input: "SAY x", override_model: "no-such" };
  const unknown = await scene.ask("POST", `/agents/agent-${agent}/messages`, body);
  expect(unknown).toMatchObject({ status: 404, body: { detail: expect.stringContaining("no-such") } });
});

test("the window is summarized and emptied, and the list still has all messages", async () => {
  const agent = await scene.newAgent();
  for (const text of ["SAY one", "SAY two", "SAY three"]) await scene.say(agent, text);
  const path = `/agents/agent-${agent}`;
  const few = { summary: expect.stringMatching(/./u), num_messages_before: 7, num_messages_after: 7 };
  expect((await scene.ask("POST", `${path}/summarize`, {})).body).toEqual(few);
  const before = await scene.ask<{ num_messages: number }>("GET", `${path}/context`);
  expect(before.body).toMatchObject({ num_messages: 7, context_window_size_max: 100_000 });
  expect(await scene.ask("PATCH", `${path}/reset-messages`, {})).toEqual({ status: 200, body: null });
  expect((await scene.say(agent, "COUNT")).messages[0]!.content).toBe("user=1 ");
  expect((await listed(agent)).body).toHaveLength(9);
  const prompt = (await listed(agent, "?order=asc&limit=1")).body[0]!.content;
  expect((await scene.ask<string>("POST", `${path}/recompile`)).body).toBe(prompt);
});
