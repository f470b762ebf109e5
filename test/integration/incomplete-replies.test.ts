// Replies that the provider ended before they were complete: which of their calls run.
import { z } from "zod";
import { checkRequest } from "../support/check-request.ts";
import type { ScriptedReplies } from "../../src/model/llm/scripted/scripted-model.ts";
import type { RuntimeOptions } from "../../src/runtime/compose/compose.ts";
import { defineTool } from "../../src/tool/define-tool.ts";
import { createTestRuntimes, drain, lastOf } from "../support/runtime.ts";
import { append, openScene } from "../support/scene.ts";
import { useScene } from "../support/use-scene.ts";

const runtimes = useScene(() => createTestRuntimes());

/** A scene with the tool `wipe`, whose only parameter is optional, and the pages that it wiped. */
async function scene(
  replies: ScriptedReplies,
  { approval = false, ...options }: RuntimeOptions & { approval?: boolean } = {},
) {
  const wiped: string[] = [];
  const wipe = defineTool({
    name: "wipe",
    description: "Wipes a page, or all pages.",
    parameters: z.object({ page: z.string().optional().describe("The page. Default: all pages.") }),
    approval,
    run: ({ page = "all" }) => void wiped.push(page),
  });
  const opened = await openScene(runtimes, replies, { tools: { add: [wipe] }, ...options });
  return { ...opened, wiped };
}

const wipes = (args: object | string) => ({ name: "wipe", arguments: args });

test.each([false, true])("a call of a refused reply is not run; the tool needs approval: %s", async (approval) => {
  const refused = { text: "I cannot", toolCalls: [append("Ada"), wipes({})], stopReason: "refusal" } as const;
  const { agent, model, wiped } = await scene([refused, { text: "Hello." }], { approval });
  expect(await lastOf(agent.send("go"))).toMatchObject({ stopReason: "refusal", text: "I cannot", steps: 1 });
  expect([wiped, agent.memory.read("human"), agent.pendingApprovals]).toEqual([[], "", []]);
  expect(await lastOf(agent.send("hi"))).toMatchObject({ stopReason: "end-turn", text: "Hello." });
  expect(model.requests.flatMap(checkRequest)).toEqual([]);
  expect(JSON.stringify(model.requests[1]?.messages)).not.toContain("tool-call");
});

test.each(["{}", "", " { } "])(
  "a call without arguments (%j) at the length limit is not run, because they may be missing",
  async (args) => {
    const { agent, model, wiped } = await scene([
      { toolCalls: [wipes({ page: "one" }), wipes(args)], stopReason: "length" },
      { text: "again" },
    ]);
    expect(await lastOf(agent.send("go"))).toMatchObject({ stopReason: "end-turn", text: "again" });
    expect(wiped).toEqual(["one"]);
    expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain("the reply was truncated");
    expect(model.requests.flatMap(checkRequest)).toEqual([]);
  },
);

test("a call without arguments runs in a complete reply", async () => {
  const { agent, wiped } = await scene([{ toolCalls: [wipes("")] }, { text: "done" }]);
  await drain(agent.send("go"));
  expect(wiped).toEqual(["all"]);
});

test("small mistakes in arguments are repaired in a complete reply, and never in a truncated one", async () => {
  const written = "{'page': 'two',}";
  const { agent, wiped } = await scene([
    { toolCalls: [wipes(written)], stopReason: "length" },
    { toolCalls: [wipes("{'page': 'one',}")] },
    { text: "done" },
  ]);
  await drain(agent.send("go"));
  expect(wiped).toEqual(["one"]);
  const calls = agent.messages.flatMap(({ content }) => content.filter((part) => part.type === "tool-call"));
  expect(calls.map((call) => call.arguments)).toEqual([written, '{"page": "one"}']);
});
