// A reply with text and edits of memory is the whole turn in the native protocol; everything else goes on as the calls ask.
import { z } from "zod";
import { toAnthropicRequest } from "../../src/model/llm/anthropic/to-request.ts";
import { toChatHistory } from "../../src/model/llm/gguf/to-chat-history.ts";
import { toChatRequest } from "../../src/model/llm/openai/to-chat-request.ts";
import { toResponsesRequest } from "../../src/model/llm/openai/to-responses-request.ts";
import { checkRequest } from "../support/check-request.ts";
import type { ScriptedReplies, ScriptedReply } from "../../src/model/llm/scripted/scripted-model.ts";
import type { ToolRule } from "../../src/config/settings/tool-rule.ts";
import type { RuntimeOptions } from "../../src/runtime/compose/compose.ts";
import { defineTool } from "../../src/tool/define-tool.ts";
import { drain, lastOf, useRuntimes } from "../support/runtime.ts";
import { append, openScene } from "../support/scene.ts";

const runtimes = useRuntimes();

const scene = (replies: ScriptedReplies, options: RuntimeOptions = {}) => openScene(runtimes, replies, options);

const insert = { name: "archival_memory_insert", arguments: { content: "The boat is red." } };
const search = { name: "conversation_search", arguments: { query: "boat" } };
const answer: ScriptedReply = { text: "Lisbon is lovely.", toolCalls: [append("Lives in Lisbon."), insert] };

const ring = defineTool({ name: "ring", description: "Rings.", parameters: z.object({}), run: () => "rung" });
const more: ScriptedReply = { text: "And more." };

test("a reply with text and edits ends the turn when all have succeeded, and its text is the turn's, once", async () => {
  const { agent, runtime, model, name } = await scene([answer, { text: "Yes." }]);
  const events = await drain(agent.send("I live in Lisbon. My boat is red."));
  expect(events.at(-1)).toMatchObject({ stopReason: "end-turn", text: "Lisbon is lovely.", steps: 1 });
  expect(events.filter(({ type }) => type === "tool-result")).toHaveLength(2);
  expect([model.requests.length, agent.unfinished]).toEqual([1, false]);
  expect(agent.memory.read("human")).toBe("Lives in Lisbon.");
  expect((await runtime.archival.list(name)).map(({ text }) => text)).toEqual(["The boat is red."]);

  // What a process leaves that is killed after the last result is no other than this.
  const again = await runtime.agents.open(name);
  expect(again.unfinished).toBe(false);
  await expect(drain(again.resume())).rejects.toMatchObject({ code: "nothing_to_resume" });
  expect(await lastOf(again.send("Still there?"))).toMatchObject({ text: "Yes.", steps: 1 });
  expect(model.requests.flatMap(checkRequest)).toEqual([]);
});

test("the limit of steps is not the reason of such an end", async () => {
  const { agent } = await scene([answer], { maxSteps: 1 });
  expect(await lastOf(agent.send("I live in Lisbon."))).toMatchObject({ stopReason: "end-turn" });
});

test("each provider gets the next message in an order that it accepts", async () => {
  const { agent, model } = await scene([
    { text: "Lovely.", toolCalls: [append("Lives in Lisbon.")] },
    { text: "Yes." },
  ]);
  await drain(agent.send("I live in Lisbon."));
  await drain(agent.send("Still there?"));
  const request = model.requests[1]!;
  const chat = { model: "m", limitField: "max_tokens" } as const;
  const rolesIn = (stateChannel: "joined" | "system") =>
    toChatRequest(request, { ...chat, stateChannel }).messages.map(({ role }) => role);
  // Templates of other servers refuse a user's message after that of a tool.
  expect(rolesIn("joined")).toEqual(["system", "user", "assistant", "tool", "assistant", "user"]);
  expect(rolesIn("system")).toEqual(["system", "user", "system", "assistant", "tool", "user"]);
  const { input } = toResponsesRequest(request, { model: "m", origin: "openai/m" });
  expect(input?.slice(-3)).toMatchObject([
    { type: "function_call" },
    { type: "function_call_output" },
    { role: "user" },
  ]);
  const { messages } = toAnthropicRequest(request, { model: "m", origin: "anthropic/m" });
  expect(messages.at(-1)).toMatchObject({ role: "user", content: [{ type: "tool_result" }, { type: "text" }] });
  expect(toChatHistory(request).slice(-2)).toMatchObject([
    { type: "model", response: [{ type: "functionCall", result: expect.any(String) }, "Lovely."] },
    { type: "user" },
  ]);
});

test.each<[string, ScriptedReply]>([
  ["edits without text", { toolCalls: [append("Lives in Lisbon.")] }],
  ["a blank text", { text: " \n", toolCalls: [append("Lives in Lisbon.")] }],
  ["an edit that fails", { text: "Noted.", toolCalls: [append("Lives in Lisbon."), append("x".repeat(5000))] }],
  ["a search", { text: "Let me look.", toolCalls: [append("Lives in Lisbon."), search] }],
  ["another tool", { text: "Ringing.", toolCalls: [{ name: "ring", arguments: {} }] }],
  ["an unknown tool", { text: "Noted.", toolCalls: [{ name: "note", arguments: {} }] }],
])("%s continue(s) the turn", async (_what, reply) => {
  const { agent, model } = await scene([reply, more], { tools: { add: [ring] } });
  const end = await lastOf(agent.send("go"));
  expect(end).toMatchObject({ stopReason: "end-turn", steps: 2 });
  expect(end.text.endsWith("And more.")).toBe(true);
  expect(model.requests.flatMap(checkRequest)).toEqual([]);
});

test("an insertion that shows what is stored already ends the turn; the model reads it with the next message", async () => {
  const corrected = { name: "archival_memory_insert", arguments: { content: "The boat of Ana is blue now." } };
  const replies = [{ text: "Noted.", toolCalls: [corrected] }, more];
  const { agent, runtime, name, model } = await scene(replies, { embedder: null });
  await runtime.archival.add(name, "The boat of Ana is red.");
  expect(await lastOf(agent.send("My boat is blue now."))).toMatchObject({ stopReason: "end-turn", steps: 1 });
  await lastOf(agent.send("And dry."));
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("The boat of Ana is red.");
});

test("an edit that was approved continues the turn", async () => {
  const replies = [{ text: "May I?", toolCalls: [append("Lives in Lisbon.")] }, more];
  const { agent } = await scene(replies, { approvals: ["core_memory_append"] });
  expect(await lastOf(agent.send("go"))).toMatchObject({ stopReason: "awaiting-approval" });
  const [call] = agent.pendingApprovals;
  expect(await lastOf(agent.approve(call!.callId))).toMatchObject({ stopReason: "end-turn", text: "And more." });
});

let rules = 0;

async function ruled(toolRules: readonly ToolRule[], replies: ScriptedReplies) {
  const { runtime, model } = await scene(replies, { tools: { add: [ring] } });
  const agent = await runtime.agents.open(`ruled-${(rules += 1)}`, { create: { settings: { toolRules } } });
  return { agent, model };
}

test.each<[string, ToolRule, object]>([
  ["continue-loop", { type: "continue-loop", tool: "core_memory_append" }, { stopReason: "end-turn", steps: 2 }],
  ["exit-loop", { type: "exit-loop", tool: "core_memory_append" }, { stopReason: "tool-rule", steps: 1 }],
])("the rule %s wins", async (_name, rule, end) => {
  const { agent } = await ruled([rule], [{ text: "Noted.", toolCalls: [append("Lives in Lisbon.")] }, more]);
  expect(await lastOf(agent.send("go"))).toMatchObject(end);
});

test("a tool that is required before the end is asked for", async () => {
  const { agent, model } = await ruled(
    [{ type: "required-before-exit", tool: "ring" }],
    [{ text: "Noted.", toolCalls: [append("x")] }, { toolCalls: [{ name: "ring", arguments: {} }] }, more],
  );
  expect(await lastOf(agent.send("go"))).toMatchObject({ stopReason: "end-turn", steps: 3 });
  expect(JSON.stringify(model.requests[1]!.messages.at(-1))).toContain("before this turn can end, call ring.");
});

test.each([
  [{ request_heartbeat: true }, 2],
  [{ request_heartbeat: false }, 1],
])("in the heartbeat protocol only %j decides", async (control, steps) => {
  const { runtime } = await scene([
    { text: "I note it.", toolCalls: [append("Lives in Lisbon.", control)] },
    { toolCalls: [{ name: "send_message", arguments: { message: "Hi." } }] },
  ]);
  const agent = await runtime.agents.open(`beats-${steps}`, { create: { protocol: "heartbeat" } });
  expect(await lastOf(agent.send("go"))).toMatchObject({ stopReason: "end-turn", steps });
});
