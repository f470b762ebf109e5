// The rules of an agent in real turns: what is offered, what is refused, and when a turn ends.
import { z } from "zod";
import type { ToolRule } from "../../src/config/settings/tool-rule.ts";
import { composeRuntime } from "../../src/runtime/compose/compose.ts";
import { ConfigError, StoreError } from "../../src/base/errors.ts";
import type { Protocol } from "../../src/store/port/records.ts";
import type { Store } from "../../src/store/port/store.ts";
import { checkRequest } from "../support/check-request.ts";
import { createScriptedModel, type ScriptedReplies } from "../../src/model/llm/scripted/scripted-model.ts";
import { defineTool } from "../../src/tool/define-tool.ts";
import { useStore } from "../support/database.ts";
import { drain, lastOf } from "../support/runtime.ts";
import { entriesOf, stateOf } from "../support/state-text.ts";

const { test: opened } = useStore();
let names = 0;

const tools = ["first", "second", "third"].map((name) =>
  defineTool({
    name,
    description: `The ${name} tool.`,
    parameters: z.object({ say: z.string().optional() }),
    run: ({ say = "done" }) => {
      if (say === "fail") throw new Error("It failed.");
      return say;
    },
  }),
);

interface Options {
  readonly protocol?: Protocol;
  readonly name?: string;
  readonly store?: Store;
}

async function openRuled(toolRules: readonly ToolRule[], replies: ScriptedReplies, options: Options = {}) {
  names += 1;
  const { protocol = "native", name = `ruled-${names}`, store = opened.store } = options;
  const model = createScriptedModel({ replies });
  const runtime = await composeRuntime(
    { model: "scripted", models: [model], embedder: null, tools: { add: tools } },
    { store },
  );
  const agent = await runtime.agents.open(name, { create: { protocol, settings: { toolRules } } });
  return { agent, model, runtime, name };
}

const call = (name: string, more: object = {}) => ({ name, arguments: more });
const heartbeat = { request_heartbeat: true };

/** The results of a turn, by tool. */
const resultsOf = async (events: Parameters<typeof drain>[0]): Promise<readonly string[]> =>
  (await drain(events)).flatMap((event) => (event.type === "tool-result" ? [`${event.name}: ${event.text}`] : []));

test("run-first names the first tools, requires a call, and refuses others", async () => {
  const rules: readonly ToolRule[] = [{ type: "run-first", tool: "second" }];
  const { agent, model } = await openRuled(rules, [
    { toolCalls: [call("first"), call("second")] },
    { toolCalls: [call("first")] },
    { text: "Done." },
  ]);
  expect(await resultsOf(agent.send("go"))).toEqual([
    "first: first was not run: the first tool call of a turn must be of second (rule run-first).",
    "second: done",
    "first: done",
  ]);
  expect(stateOf(model.requests[0])).toContain("\nYour next reply can call only: second\n");
  expect(model.requests.map(({ toolChoice }) => toolChoice)).toEqual(["required", "auto", "auto"]);
  expect(entriesOf(model.requests[1]!)).toEqual(entriesOf(model.requests[0]!));
  expect(model.requests[1]?.tools).toEqual(model.requests[0]?.tools);
  expect(model.requests.flatMap(checkRequest)).toEqual([]);
});

test.each(["native", "heartbeat"] as const)(
  "a model that answers without the first call is told to make it, since not every provider can force it (%s)",
  async (protocol) => {
    const rules: readonly ToolRule[] = [
      { type: "run-first", tool: "first" },
      { type: "run-first", tool: "second" },
    ];
    const { agent, model } = await openRuled(
      rules,
      [
        { text: "No call." },
        { toolCalls: [call("second", protocol === "heartbeat" ? heartbeat : {})] },
        { text: "Done." },
      ],
      { protocol },
    );
    expect(await resultsOf(agent.send("go"))).toEqual(["second: done"]);
    expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain(
      "efore this turn can end, call first or second.",
    );
  },
);

test.each(["native", "heartbeat"] as const)("exit-loop ends the turn after the result (%s)", async (protocol) => {
  const { agent, model } = await openRuled(
    [{ type: "exit-loop", tool: "first" }],
    [{ toolCalls: [call("first", protocol === "heartbeat" ? heartbeat : {})] }],
    { protocol },
  );
  const end = await lastOf(agent.send("go"));
  expect(end).toMatchObject({ stopReason: "tool-rule", steps: 1 });
  expect([model.requests.length, agent.unfinished]).toEqual([1, false]);
  await expect(drain(agent.resume())).rejects.toMatchObject({ code: "nothing_to_resume" });
});

test("exit-loop does not end a turn whose call failed", async () => {
  const { agent } = await openRuled(
    [{ type: "exit-loop", tool: "first" }],
    [{ toolCalls: [call("first", { say: "fail" })] }, { text: "Sorry." }],
  );
  expect(await lastOf(agent.send("go"))).toMatchObject({ stopReason: "end-turn", text: "Sorry." });
});

test("continue-loop and children continue a turn of the heartbeat protocol without a request", async () => {
  const rules: readonly ToolRule[] = [
    { type: "continue-loop", tool: "first" },
    { type: "constrain-child-tools", tool: "second", children: ["third"] },
  ];
  const quiet = { request_heartbeat: false };
  const { agent, model } = await openRuled(
    rules,
    [
      { toolCalls: [call("first", quiet)] },
      { toolCalls: [call("second", quiet)] },
      { toolCalls: [call("third", quiet)] },
    ],
    { protocol: "heartbeat" },
  );
  expect(await lastOf(agent.send("go"))).toMatchObject({ stopReason: "end-turn", steps: 3 });
  expect(entriesOf(model.requests[2]!).at(-1)).toContain("\nYour next reply can call only: third\n");
});

test("a condition chooses the next tool by the result", async () => {
  const rules: readonly ToolRule[] = [
    { type: "conditional", tool: "first", children: { left: "second" }, otherwise: "third" },
  ];
  const { agent } = await openRuled(rules, [
    { toolCalls: [call("first", { say: "left" }), call("third"), call("second")] },
    { toolCalls: [call("first", { say: "right" }), call("second"), call("third")] },
    { text: "Done." },
  ]);
  expect(await resultsOf(agent.send("go"))).toEqual([
    "first: left",
    "third: third was not run: after first, only second may be called (rule conditional).",
    "second: done",
    "first: right",
    "second: second was not run: after first, only third may be called (rule conditional).",
    "third: done",
  ]);
});

test("max-count-per-turn counts anew in each turn", async () => {
  const { agent } = await openRuled(
    [{ type: "max-count-per-turn", tool: "first", count: 1 }],
    [{ toolCalls: [call("first"), call("first")] }, { text: "a" }, { toolCalls: [call("first")] }, { text: "b" }],
  );
  expect(await resultsOf(agent.send("go"))).toEqual([
    "first: done",
    "first: first was not run: it may be called once in a turn (rule max-count-per-turn).",
  ]);
  expect(await resultsOf(agent.send("again"))).toEqual(["first: done"]);
});

test("parent-last-tool allows a child only directly after its parent", async () => {
  const { agent, model } = await openRuled(
    [{ type: "parent-last-tool", tool: "first", children: ["second"] }],
    [{ toolCalls: [call("second"), call("first")] }, { toolCalls: [call("second")] }, { text: "Done." }],
  );
  expect(await resultsOf(agent.send("go"))).toEqual([
    "second: second was not run: it may be called only directly after first (rule parent-last-tool).",
    "first: done",
    "second: done",
  ]);
  const forbids = model.requests.map(({ messages }) => JSON.stringify(messages.at(-1)).includes("cannot call: second"));
  expect(forbids).toEqual([true, false, true]);
});

test.each(["native", "heartbeat"] as const)("required-before-exit keeps the turn going (%s)", async (protocol) => {
  const say = { toolCalls: [{ name: "send_message", arguments: { message: "Bye." } }] };
  const bye = protocol === "native" ? { text: "Bye." } : say;
  const { agent, model } = await openRuled(
    [{ type: "required-before-exit", tool: "first" }],
    [bye, { toolCalls: [call("first", heartbeat)] }, bye],
    { protocol },
  );
  expect(await lastOf(agent.send("go"))).toMatchObject({ stopReason: "end-turn", steps: 3 });
  const shown = JSON.stringify(model.requests[1]?.messages.at(-1));
  expect(shown).toMatch(/before this turn can end, call first/iu);
});

test("required-before-exit ends with the limit of steps if the model never calls it", async () => {
  const { agent } = await openRuled([{ type: "required-before-exit", tool: "first" }], () => ({ text: "Bye." }));
  expect(await lastOf(agent.send("go", { maxSteps: 3 }))).toMatchObject({ stopReason: "max-steps", steps: 3 });
});

test("requires-approval waits, and the approved call is checked by no rule again", async () => {
  const rules: readonly ToolRule[] = [
    { type: "requires-approval", tool: "first" },
    { type: "max-count-per-turn", tool: "first", count: 1 },
    { type: "exit-loop", tool: "first" },
  ];
  const { agent } = await openRuled(rules, [{ toolCalls: [call("first"), call("first")] }]);
  const events = await drain(agent.send("go"));
  expect(events.at(-1)).toMatchObject({ stopReason: "awaiting-approval" });
  expect(agent.pendingApprovals).toHaveLength(1);
  expect(events.find(({ type }) => type === "tool-result")).toMatchObject({
    text: expect.stringContaining("(rule max-count-per-turn)") as string,
  });
  expect(agent.describeTools().find(({ name }) => name === "first")).toMatchObject({ approval: "setting" });
  expect(await lastOf(agent.approve("call_1_1"))).toMatchObject({ stopReason: "tool-rule", steps: 0 });
});

test("a turn that is resumed after an outage keeps to the rules", async () => {
  const rules: readonly ToolRule[] = [{ type: "run-first", tool: "first" }];
  const died = async (): Promise<never> => {
    throw new StoreError("store_failed", "The process died.");
  };
  let replies = 0;
  const failing: Store = {
    ...opened.store,
    as: (userId) => {
      const user = opened.store.as(userId);
      const commitReply: typeof user.turns.commitReply = (reply) =>
        (replies += 1) > 1 ? died() : user.turns.commitReply(reply);
      return { ...user, turns: { ...user.turns, commitReply } };
    },
  };
  const first = await openRuled(rules, [{ toolCalls: [call("first")] }, { text: "never" }], { store: failing });
  await expect(drain(first.agent.send("go"))).rejects.toThrow("The process died.");
  const { agent, model } = await openRuled(rules, [{ toolCalls: [call("second")] }, { text: "Done." }], {
    name: first.name,
  });
  expect(await resultsOf(agent.resume())).toEqual(["second: done"]);
  expect(model.requests[0]?.toolChoice).toBe("auto");
});

test.each([
  ["an unknown rule", [{ type: "run-last", tool: "a" }], /toolRules: expected a list of at most 200 rules/u],
  ["no tool", [{ type: "exit-loop" }], /toolRules/u],
  ["no children", [{ type: "parent-last-tool", tool: "a", children: [] }], /toolRules/u],
  ["a count of 0", [{ type: "max-count-per-turn", tool: "a", count: 0 }], /toolRules/u],
  ["an unknown field", [{ type: "exit-loop", tool: "a", tools: ["b"] }], /toolRules/u],
] as const)("%s is refused, and nothing is stored", async (_what, toolRules, problem) => {
  const { runtime, name } = await openRuled([], []);
  const update = runtime.agents.update(name, { toolRules: toolRules as unknown as readonly ToolRule[] });
  await expect(update).rejects.toThrow(ConfigError);
  await expect(update).rejects.toThrow(problem);
  expect((await runtime.agents.open(name)).record.settings.toolRules).toEqual([]);
});
