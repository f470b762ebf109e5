// Python tools from their source code to the result that the model gets.
import { createScriptedModel, type ScriptedReplies } from "../../src/model/llm/scripted/scripted-model.ts";
import { drain, useRuntimes } from "../support/runtime.ts";

const runtimes = useRuntimes();

let users = 0;

async function open(replies: ScriptedReplies = []) {
  users += 1;
  const model = createScriptedModel({ replies });
  const options = { userId: `user-${users}`, model: "scripted", models: [model], sandbox: "namespaces" } as const;
  const runtime = await runtimes.open(options);
  await runtime.agents.create({ name: "main" });
  return { runtime, model };
}

const source = `
def add_numbers(a: int, b: int = 1) -> str:
    """Adds two numbers.

    Args:
        a (int): the first
    """
    return str(a + b)
`;

test("a tool is created from its source code alone, and changed by newer source code", async () => {
  const { runtime } = await open();
  const tool = await runtime.tools.create({ source, tags: ["mine"] });
  expect(tool).toMatchObject({ kind: "python", name: "add_numbers", description: "Adds two numbers.", source });
  expect(tool.parameters).toEqual({
    type: "object",
    properties: { a: { type: "integer", description: "the first" }, b: { type: "integer" } },
    required: ["a"],
  });
  const newer = source.replace("Adds two", "Sums two");
  const changed = await runtime.tools.upsert({ source: newer });
  expect(changed).toMatchObject({ id: tool.id, description: "Sums two numbers.", source: newer, tags: ["mine"] });
  const renamed = await runtime.tools.update("add_numbers", { source: source.replace("add_numbers", "plus") });
  expect(renamed).toMatchObject({ id: tool.id, name: "plus", description: "Adds two numbers." });
  await expect(runtime.tools.update("plus", { name: "minus" })).rejects.toMatchObject({ code: "input_invalid" });
  await expect(runtime.tools.create({ source: source.replace("add_numbers", "remember") })).rejects.toMatchObject({
    code: "tool_exists",
  });
});

test("what is given takes precedence over what is read", async () => {
  const { runtime } = await open();
  const parameters = { type: "object", properties: { a: { type: "number" } }, required: [] };
  const given = { name: "add_numbers", description: "Counts.", parameters };
  expect(await runtime.tools.create({ ...given, source })).toMatchObject(given);
  const wrong = { code: "tool_source_invalid", message: expect.stringContaining("a function named other, got none") };
  await expect(runtime.tools.create({ ...given, name: "other", source })).rejects.toMatchObject(wrong);
});

test("source code without a tool is refused, and nothing is stored", async () => {
  const { runtime } = await open();
  const invalid = { code: "tool_source_invalid" };
  await expect(runtime.tools.create({ source: "a = 1" })).rejects.toMatchObject(invalid);
  await expect(runtime.tools.create({ source: "def f(a: int): pass" })).rejects.toMatchObject({
    ...invalid,
    message: expect.stringContaining("Expected the function f in the source code to have a docstring"),
  });
  expect(await runtime.tools.list()).toEqual([]);
});

test("the model calls it with arguments of its schema, and gets the value, or the error", async () => {
  const call = (args: object) => ({ toolCalls: [{ name: "add_numbers", arguments: { ...args } }] });
  const { runtime, model } = await open([call({ a: 2, b: 40 }), call({ a: "two" }), { text: "done" }]);
  await runtime.tools.create({ source });
  await runtime.tools.attach("main", "add_numbers");
  const events = await drain((await runtime.agents.open("main")).send("add"));
  const results = events.flatMap((event) => (event.type === "tool-result" ? [[event.status, event.text]] : []));
  expect(results).toEqual([
    ["ok", "42"],
    ["failed", expect.stringContaining("Invalid arguments for add_numbers: a:")],
  ]);
  expect(model.requests[0]?.tools.at(-1)).toMatchObject({ name: "add_numbers", description: "Adds two numbers." });
});

test("its error and its limit reach the model, and its result is external in trust", async () => {
  const failing = 'def bad(kind: str) -> str:\n    """Fails."""\n    raise ValueError("broken on purpose")\n';
  const long = 'def long(kind: str) -> str:\n    """Is long."""\n    return "🙂" * 1000\n';
  const calls = ["bad", "long"].map((name) => ({ name, arguments: { kind: "x" } }));
  const { runtime } = await open([{ toolCalls: calls }, { text: "done" }]);
  await runtime.tools.create({ source: failing });
  await runtime.tools.create({ source: long, resultLimit: 10 });
  for (const { name } of calls) await runtime.tools.attach("main", name);
  const agent = await runtime.agents.open("main");
  const events = await drain(agent.send("go"));
  const results = events.flatMap((event) => (event.type === "tool-result" ? [event.text] : []));
  const note = "... [NOTE: function output was truncated since it exceeded the character limit (1000 > 10)]";
  expect(results).toEqual(["Error calling function bad: ValueError: broken on purpose", `${"🙂".repeat(10)}${note}`]);
  const trusts = agent.messages.filter(({ role }) => role === "tool").map(({ trust }) => trust);
  expect(trusts).toEqual(["external", "external"]);
});

test("stopping the turn ends the call, which is reported as interrupted", async () => {
  const slow = 'def slow() -> str:\n    """Takes long."""\n    import time\n    time.sleep(60)\n';
  const { runtime } = await open([{ toolCalls: [{ name: "slow", arguments: {} }] }]);
  await runtime.tools.create({ source: slow });
  await runtime.tools.attach("main", "slow");
  const controller = new AbortController();
  const events: string[] = [];
  for await (const event of (await runtime.agents.open("main")).send("go", { signal: controller.signal })) {
    events.push(event.type === "tool-result" ? event.text : event.type);
    if (event.type === "tool-call") controller.abort();
  }
  expect(events).toContainEqual(expect.stringContaining("slow was interrupted before it finished"));
  expect(events.at(-1)).toBe("turn-end");
});
