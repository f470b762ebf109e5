// The heartbeat protocol, by MemGPT's conformance facts (C15 to C21, C23, C30), with the improvements that are named there.
import type { RuntimeOptions } from "../../src/runtime/compose/compose.ts";
import { RequestError } from "../../src/base/errors.ts";
import { checkRequest } from "../support/check-request.ts";
import { type ScriptedModel, type ScriptedReplies } from "../../src/model/llm/scripted/scripted-model.ts";
import { drain, lastOf, useRuntimes } from "../support/runtime.ts";
import { append, openScene } from "../support/scene.ts";

const runtimes = useRuntimes();

const scene = (replies: ScriptedReplies, options: RuntimeOptions = {}) =>
  openScene(runtimes, replies, { protocol: "heartbeat", keepLast: 3, ...options });

const send = (message: string) => ({ name: "send_message", arguments: { message } });
const appendAnd = (content: string, heartbeat: unknown) => append(content, { request_heartbeat: heartbeat });
const inputTokens = (tokens: number) => ({ inputTokens: tokens, outputTokens: 0, cachedInputTokens: 0 });

/** The messages of a request as roles and parsed envelopes. */
const envelopes = (model: ScriptedModel, request: number): readonly Record<string, unknown>[] =>
  (model.requests[request]?.messages ?? []).flatMap((message) =>
    message.content.flatMap((part) => {
      const text = part.type === "text" || part.type === "tool-result" ? part.text : "";
      return text.startsWith("{") ? [JSON.parse(text) as Record<string, unknown>] : [];
    }),
  );

test("C15 a new conversation boots with an assistant, a tool and a user message after the system prompt", async () => {
  const { agent, model } = await scene([{ toolCalls: [send("hi")] }]);
  expect(agent.messages.map((message) => message.role)).toEqual(["assistant", "tool", "user"]);
  await drain(agent.send("hello"));
  const [boot, login, user] = envelopes(model, 0);
  expect(boot).toMatchObject({ status: "OK", message: null });
  expect(login).toMatchObject({ type: "login", last_login: "Never (first login)" });
  expect(user).toMatchObject({
    type: "user_message",
    message: "hello",
    time: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [AP]M UTC\+0000$/),
  });
});

test("send_message is the only visible output; other text is thought", async () => {
  const { agent, runtime, name } = await scene([{ text: "She is nice.", toolCalls: [send("Hello Ada.")] }]);
  const events = await drain(agent.send("I am Ada"));
  expect(events.filter((event) => event.type === "text-delta").map((event) => event.text)).toEqual(["Hello Ada."]);
  expect(
    events
      .filter((event) => event.type === "thought-delta")
      .map((event) => event.text)
      .join(""),
  ).toBe("She is nice.");
  expect(events.at(-1)).toMatchObject({ type: "turn-end", text: "Hello Ada.", steps: 1 });
  expect((await runtime.recall.search(name, '"Hello Ada"')).total).toBe(1);
  expect((await runtime.recall.search(name, "nice")).total).toBe(0);
  expect((await runtime.recall.search(name, "Bootup")).total).toBe(0);
});

test("C16 an unknown tool fails, and the next event is a heartbeat that reports it", async () => {
  const { agent, model } = await scene([{ toolCalls: [{ name: "X", arguments: {} }] }, { toolCalls: [send("sorry")] }]);
  expect((await lastOf(agent.send("go"))).steps).toBe(2);
  const [failure, heartbeat] = envelopes(model, 1).slice(-2);
  expect(failure).toMatchObject({ status: "Failed", message: expect.stringMatching(/^No function named X/) });
  expect(heartbeat).toMatchObject({
    type: "heartbeat",
    reason: expect.stringMatching(/Function call failed, returning control$/),
  });
});

test("C17 malformed arguments fail and return control to the model", async () => {
  const { agent, model } = await scene([
    { toolCalls: [{ name: "core_memory_append", arguments: "null" }] },
    { toolCalls: [send("sorry")] },
  ]);
  expect((await lastOf(agent.send("go"))).steps).toBe(2);
  expect(envelopes(model, 1).at(-2)).toMatchObject({
    status: "Failed",
    message: expect.stringContaining("Error parsing JSON for function 'core_memory_append' arguments: "),
  });
});

test("arguments that need a repair are used as the tool used them: the text is shown, and the heartbeat is given", async () => {
  const { agent, runtime, name, model } = await scene([
    {
      toolCalls: [
        { name: "core_memory_append", arguments: '{"name": "human", "content": "Ada", "request_heartbeat": true,}' },
      ],
    },
    { toolCalls: [{ name: "send_message", arguments: '{"message": "First line\nand a zebra",}' }] },
  ]);
  expect(await lastOf(agent.send("go"))).toMatchObject({ text: "First line\nand a zebra", steps: 2 });
  expect(agent.messages.at(-2)?.text).toBe("First line\nand a zebra");
  expect(envelopes(model, 1).at(-1)).toMatchObject({ type: "heartbeat" });
  expect((await runtime.recall.search(name, "zebra")).total).toBe(1);
});

test("C18 all tool calls of a reply run, in order (MemGPT ran the first)", async () => {
  const { agent } = await scene([{ toolCalls: [append("one"), append("two"), send("done")] }]);
  expect(await lastOf(agent.send("go"))).toMatchObject({ text: "done", steps: 1 });
  expect(agent.memory.read("human")).toBe("one\ntwo");
});

test("C19 request_heartbeat true causes exactly one more step; the string true causes none", async () => {
  const asked = await scene([{ toolCalls: [appendAnd("one", true)] }, { toolCalls: [send("done")] }]);
  expect(await lastOf(asked.agent.send("go"))).toMatchObject({ text: "done", steps: 2 });
  expect(envelopes(asked.model, 1).at(-1)).toMatchObject({
    type: "heartbeat",
    reason: expect.stringMatching(/request_heartbeat=true, returning control$/),
  });
  const string = await scene([{ toolCalls: [appendAnd("one", "true")] }]);
  expect((await lastOf(string.agent.send("go"))).steps).toBe(1);
});

test("C20 a warning, a failure and a heartbeat in one step: the warning comes first, and none is lost", async () => {
  const replies = [
    { toolCalls: [appendAnd("one", true), { name: "X", arguments: {} }], usage: inputTokens(7000) },
    { toolCalls: [send("done")] },
  ];
  const { agent, model } = await scene(replies, { contextWindow: 8192 });
  expect((await lastOf(agent.send("go"))).steps).toBe(2);
  const events = envelopes(model, 1).slice(-3);
  expect(events.map((event) => event["type"])).toEqual(["system_alert", "heartbeat", "heartbeat"]);
  expect(events[1]?.["reason"]).toContain("Function call failed");
  expect(events[2]?.["reason"]).toContain("request_heartbeat=true");
});

test("C21 in a window of 8192, 6144 tokens cause no warning, 6145 one, and a second only after a summary", async () => {
  // 0 would be no report, for which the count stands in.
  const usages = [6144, 6145, 1, 7000, 1, 6145, 1];
  const { agent, model } = await scene(
    (request, index) =>
      request.tools.length === 0
        ? { text: "A summary." }
        : { toolCalls: [send("ok")], usage: inputTokens(usages[index] ?? 1) },
    // A user without earlier calls, whose usage would calibrate these.
    { contextWindow: 8192, userId: "c21" },
  );
  const steps: number[] = [];
  for (const text of ["a", "b", "c"]) steps.push((await lastOf(agent.send(text))).steps);
  expect(steps).toEqual([1, 2, 1]);
  await agent.compact();
  usages.splice(0, usages.length, ...Array.from({ length: model.requests.length }, () => 1), 6145);
  expect((await lastOf(agent.send("d"))).steps).toBe(2);
});

test("C23 right after the boot there is nothing to summarize; after one exchange three messages are, and three stay", async () => {
  const { agent } = await scene([{ toolCalls: [send("hi")] }, { text: "Summary." }]);
  await expect(agent.compact()).rejects.toThrow(
    /A compaction keeps the last \d+ of the \d+ messages in the window \(tool results count\), and no whole turn is older\. Nothing was changed: lower the agent's keepLast/u,
  );
  await drain(agent.send("hello"));
  expect(await agent.compact()).toMatchObject({ messages: 3, summary: "Summary." });
  expect(agent.messages.map((message) => message.role)).toEqual(["user", "assistant", "tool"]);
});

test("C24 the next request begins with the note, and the conversation continues after a restart", async () => {
  const { agent, runtime, name, model } = await scene([
    { toolCalls: [send("hi")] },
    { text: "We said hi." },
    { toolCalls: [send("still here")] },
  ]);
  await drain(agent.send("hello"));
  await agent.compact();
  const again = await runtime.agents.open(name);
  expect(await lastOf(again.send("there?"))).toMatchObject({ text: "still here" });
  expect(JSON.stringify(model.requests[2]?.messages[0])).toContain("Note: prior messages have been hidden from view");
  expect(model.requests.flatMap(checkRequest)).toEqual([]);
});

test("C30 with 4 messages, popping 3 is refused and 2 are popped", async () => {
  const { agent } = await scene([{ toolCalls: [send("hi")] }]);
  await expect(agent.pop()).rejects.toThrow(RequestError);
  await expect(agent.pop(3)).rejects.toThrow(/Agent only has 4 messages in stack, cannot pop more than 2/);
  expect((await agent.pop(2)).messages).toHaveLength(2);
  // The boot sequence is left with a call that lost its result, which is nothing to run.
  expect(await lastOf(agent.send("hello"))).toMatchObject({ stopReason: "end-turn", text: "hi" });
});

test("C30 three messages are popped by default, and they are no longer found", async () => {
  const { agent, runtime, name } = await scene([{ toolCalls: [send("a walrus")] }]);
  await drain(agent.send("Which animal?"));
  const { messages: popped } = await agent.pop();
  expect(popped.map((message) => message.role)).toEqual(["user", "assistant", "tool"]);
  expect((await runtime.recall.search(name, "walrus")).total).toBe(0);
});
