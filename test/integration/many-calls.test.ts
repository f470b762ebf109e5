// A reply with more tool calls than allowed: the first run, the others get a result, and the conversation continues.
import { z } from "zod";
import { checkRequest } from "../support/check-request.ts";
import { createScriptedModel, type ScriptedReplies } from "../../src/model/llm/scripted/scripted-model.ts";
import { defineTool } from "../../src/tool/define-tool.ts";
import type { Tool } from "../../src/tool/tool.ts";
import { createTestRuntimes, drain, lastOf } from "../support/runtime.ts";
import { useScene } from "../support/use-scene.ts";

const runtimes = useScene(() => createTestRuntimes());

let scenes = 0;

interface Pings {
  readonly tool: Tool;
  readonly ran: number[];
}

function pings({ approval = false } = {}): Pings {
  const ran: number[] = [];
  const tool = defineTool({
    name: "ping",
    description: "Answers.",
    approval,
    parameters: z.object({ number: z.number().describe("A number.") }),
    run: ({ number }) => {
      ran.push(number);
      return `pong ${number}.`;
    },
  });
  return { tool, ran };
}

const callsOf = (count: number) =>
  Array.from({ length: count }, (_none, at) => ({ name: "ping", arguments: { number: at + 1 } }));

async function scene(replies: ScriptedReplies, { tool }: Pings, maxToolCalls?: number) {
  scenes += 1;
  const model = createScriptedModel({ replies, name: `many-${scenes}` });
  const limits = maxToolCalls === undefined ? {} : { maxToolCalls };
  const runtime = await runtimes.open({ model: model.name, models: [model], tools: { add: [tool] }, ...limits });
  const agent = await runtime.agents.open(model.name, { create: {} });
  return { model, agent };
}

test("of 300 calls in a reply, 64 run, and the results of the others say why they did not", async () => {
  const ping = pings();
  const { agent, model } = await scene([{ toolCalls: callsOf(300) }, { text: "done" }, { text: "still here" }], ping);
  const events = await drain(agent.send("ping 300 times"));
  expect(events.at(-1)).toMatchObject({ stopReason: "end-turn", text: "done" });
  expect(ping.ran).toEqual(Array.from({ length: 64 }, (_none, at) => at + 1));
  const results = events.filter((event) => event.type === "tool-result");
  expect(results).toHaveLength(300);
  expect(results.filter(({ status }) => status === "failed")).toHaveLength(236);
  expect(results.at(64)?.text).toBe(
    "ping was not run: the reply has 300 calls, and at most 64 calls of one reply are run. Call it again if it is still needed.",
  );
  expect(await lastOf(agent.send("and now?"))).toMatchObject({ stopReason: "end-turn", text: "still here" });
  expect(model.requests.flatMap(checkRequest)).toEqual([]);
});

test("maxToolCalls sets the number of calls of one reply that run", async () => {
  const ping = pings();
  const { agent } = await scene([{ toolCalls: callsOf(5) }, { text: "done" }], ping, 2);
  await drain(agent.send("ping"));
  expect(ping.ran).toEqual([1, 2]);
});

test("a turn that continues after an approval counts calls from the start of the reply", async () => {
  const ping = pings({ approval: true });
  const { agent } = await scene([{ toolCalls: callsOf(5) }, { text: "done" }], ping, 2);
  expect(await lastOf(agent.send("ping"))).toMatchObject({ stopReason: "awaiting-approval" });
  expect(await lastOf(agent.approve("call_1_1"))).toMatchObject({ stopReason: "awaiting-approval" });
  expect(await lastOf(agent.approve("call_1_2"))).toMatchObject({ stopReason: "end-turn", text: "done" });
  expect(ping.ran).toEqual([1, 2]);
});

test("a reply with more than 1,000 calls fails and is discarded, and the next message is answered", async () => {
  const ping = pings();
  const { agent } = await scene([{ toolCalls: callsOf(1001) }, { text: "back" }], ping);
  expect(await lastOf(agent.send("ping"))).toMatchObject({
    stopReason: "model-error",
    error: { code: "model_reply_limit", message: expect.stringContaining("1,000 tool calls") as string },
  });
  expect(ping.ran).toEqual([]);
  expect(await lastOf(agent.send("still there?"))).toMatchObject({ stopReason: "end-turn", text: "back" });
});
