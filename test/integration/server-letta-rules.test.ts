// Rules about tools, set by Letta's client and kept in turns through its API, with a scripted model.
import type Letta from "@letta-ai/letta-client";
import { z } from "zod";
import type { Model } from "../../src/model/llm/model.ts";
import { createScriptedModel, type ScriptedReply } from "../../src/model/llm/scripted/scripted-model.ts";
import { defineTool } from "../../src/tool/define-tool.ts";
import { callableIn } from "../support/state-text.ts";
import { openLettaServer } from "../support/letta-server.ts";
import { useScene } from "../support/use-scene.ts";

const server = useScene(() => openLettaServer({ model: model.name, models: [model], tools: { add: tools } }));
let scripted = createScriptedModel({ replies: [] });
let agents = 0;

const model: Model = {
  name: "openai/scripted",
  contextWindow: 100_000,
  stream: (request, options) => scripted.stream(request, options),
};

const tools = ["first", "second", "third"].map((name) =>
  defineTool({
    name,
    description: `The ${name} tool.`,
    parameters: z.object({ say: z.string().optional() }),
    run: ({ say = "done" }) => say,
  }),
);

type Rules = NonNullable<Letta.AgentCreateParams["tool_rules"]>;

async function ruled(rules: readonly object[], replies: readonly ScriptedReply[]): Promise<string> {
  scripted = createScriptedModel({ replies });
  const name = `ruled-${(agents += 1)}`;
  const tools = ["first", "second", "third"];
  return (await server.client.agents.create({ name, tools, tool_rules: rules as Rules })).id;
}

interface Shown {
  readonly message_type?: string;
  readonly name?: string | null;
  readonly tool_return?: string;
  readonly content?: unknown;
}

async function say(agent: string, input = "Go.") {
  const answer = await server.client.agents.messages.create(agent, { input });
  const results = (answer.messages as readonly Shown[]).flatMap(({ message_type: type, name, tool_return: text }) =>
    type === "tool_return_message" ? [`${name}: ${text}`] : [],
  );
  return { results, stopReason: answer.stop_reason.stop_reason, steps: answer.usage.step_count };
}

const call = (...names: readonly string[]): ScriptedReply => ({
  toolCalls: names.map((name) => ({ name, arguments: {} })),
});
const done: ScriptedReply = { text: "Done." };
/** The tools of this test that the model may call. */
const callable = (at: number) =>
  callableIn(scripted.requests[at]!).filter((name) => tools.some((tool) => tool.name === name));

test("run_first: the first call is of that tool, and others are refused", async () => {
  const agent = await ruled([{ type: "run_first", tool_name: "second" }], [call("first"), call("second"), done]);
  const { results, stopReason } = await say(agent);
  expect(results).toEqual([expect.stringMatching(/^first: first was not run: .*second/u), "second: done"]);
  expect(stopReason).toBe("end_turn");
  expect(callable(0)).toEqual(["second"]);
  expect(callable(2)).toEqual(["first", "second", "third"]);
});

test("exit_loop: the turn ends after the call, with the stop reason tool_rule", async () => {
  const agent = await ruled([{ type: "exit_loop", tool_name: "first" }], [call("first"), done]);
  expect(await say(agent)).toEqual({ results: ["first: done"], stopReason: "tool_rule", steps: 1 });
  expect(scripted.requests).toHaveLength(1);
});

test("constrain_child_tools and parent_last_tool: only children follow, and only directly", async () => {
  const agent = await ruled(
    [
      { type: "constrain_child_tools", tool_name: "first", children: ["second"] },
      { type: "parent_last_tool", tool_name: "second", children: ["third"] },
    ],
    [call("third"), call("first"), call("third"), call("second"), call("third"), done],
  );
  const { results } = await say(agent);
  expect(results.map((text) => text.replace(/ was not run:.*/u, " refused"))).toEqual([
    "third: third refused",
    "first: done",
    "third: third refused",
    "second: done",
    "third: done",
  ]);
  expect(callable(2)).toEqual(["second"]);
});

test("conditional: the result of a call chooses the next", async () => {
  const rule = {
    type: "conditional",
    tool_name: "first",
    child_output_mapping: { done: "third" },
    default_child: "second",
  };
  const agent = await ruled([rule], [call("first"), call("second"), call("third"), done]);
  const { results } = await say(agent);
  expect(results).toEqual(["first: done", expect.stringContaining("second was not run"), "third: done"]);
  expect(callable(1)).toEqual(["third"]);
});

test("max_count_per_step: so many calls in a turn, and again in the next", async () => {
  const agent = await ruled(
    [{ type: "max_count_per_step", tool_name: "first", max_count_limit: 1 }],
    [call("first"), call("first"), done, call("first"), done],
  );
  expect((await say(agent)).results).toEqual(["first: done", expect.stringContaining("first was not run")]);
  expect(callable(1)).toEqual(["second", "third"]);
  expect((await say(agent)).results).toEqual(["first: done"]);
});

test("required_before_exit: a turn does not end before the call", async () => {
  const agent = await ruled([{ type: "required_before_exit", tool_name: "second" }], [done, call("second"), done]);
  expect(await say(agent)).toMatchObject({ results: ["second: done"], stopReason: "end_turn", steps: 3 });
});

test("requires_approval: a call waits, runs when it is approved, and does not when it is denied", async () => {
  const agent = await ruled(
    [{ type: "requires_approval", tool_name: "first" }],
    [call("first"), done, call("first"), done],
  );
  const { client } = server;
  for (const approve of [true, false]) {
    const asked = await client.agents.messages.create(agent, { input: "Go." });
    expect(asked.stop_reason.stop_reason).toBe("requires_approval");
    const request = asked.messages.at(-1) as { readonly tool_call: { readonly tool_call_id: string } };
    const { tool_call_id } = request.tool_call;
    const decided = await client.agents.messages.create(agent, {
      messages: [{ type: "approval", approvals: [{ type: "approval", tool_call_id, approve, reason: "no" }] }],
    });
    const returned = decided.messages.find(({ message_type: type }) => type === "tool_return_message");
    expect(returned).toMatchObject({ status: approve ? "success" : "error" });
    expect(decided.stop_reason.stop_reason).toBe("end_turn");
  }
});

test("rules are changed and removed by an update, from the next turn on", async () => {
  const agent = await ruled([{ type: "exit_loop", tool_name: "first" }], [call("first"), call("first"), done]);
  expect((await say(agent)).stopReason).toBe("tool_rule");
  const changed = await server.client.agents.update(agent, { tool_rules: [] });
  expect(changed.tool_rules).toEqual([]);
  expect((await say(agent)).stopReason).toBe("end_turn");
});
