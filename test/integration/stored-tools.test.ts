// Stored tools: creating, changing, listing and attaching them, and what an agent that has one offers to its model.
import { z } from "zod";
import { createScriptedModel, type ScriptedReplies } from "../../src/model/llm/scripted/scripted-model.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import type { NewStoredTool, StoredToolOptions } from "../../src/runtime/stored-tools/contract.ts";
import { defineTool } from "../../src/tool/define-tool.ts";
import { composeRuntime } from "../../src/runtime/compose/compose.ts";
import { openTestStore } from "../support/database.ts";
import { newStoredTool } from "../support/store-builders.ts";
import { createManualClock, type ManualClock } from "../support/manual-clock.ts";
import { drain, useRuntimes } from "../support/runtime.ts";
import { words } from "../support/words.ts";

const runtimes = useRuntimes();
let clock: ManualClock;

beforeAll(async () => (clock = createManualClock()));

let users = 0;

/** A runtime of a new user, with an agent "main". */
async function open(replies: ScriptedReplies = [], options: object = {}) {
  users += 1;
  const model = createScriptedModel({ replies });
  const runtime = await runtimes.open({
    userId: `user-${users}`,
    model: "scripted",
    models: [model],
    clock,
    ...options,
  });
  await runtime.agents.create({ name: "main" });
  return { runtime, model };
}

const parameters = { type: "object", properties: { zone: { type: "string" } }, required: ["zone"] };
const clockTool: NewStoredTool = { name: "read_clock", description: "Reads the clock.", parameters };

describe("a stored tool", () => {
  test("has the defaults, and is found by its name and its id", async () => {
    const { runtime } = await open();
    const tool = await runtime.tools.create(clockTool);
    expect(tool).toEqual({
      ...clockTool,
      id: tool.id,
      kind: "client",
      source: null,
      served: null,
      resultLimit: null,
      requiresApproval: false,
      tags: [],
      metadata: {},
      createdAt: clock.now(),
      updatedAt: clock.now(),
    });
    expect([await runtime.tools.find("read_clock"), await runtime.tools.find(tool.id)]).toEqual([tool, tool]);
  });

  test("keeps a given id, the order of its parameters, and text that SQL could misread", async () => {
    const { runtime } = await open();
    const id = "01906464-cd77-4b2d-b317-df5d353bb3ab";
    const odd = "a \u0000 null, 'quotes' and ?|";
    const properties = { zebra: { type: "string" }, ant: { type: "string", description: odd } };
    const tool = await runtime.tools.create({
      ...clockTool,
      id,
      parameters: { type: "object", properties },
      tags: [odd],
    });
    expect(tool.id).toBe(id);
    const found = await runtime.tools.find(id);
    expect(Object.keys(found.parameters["properties"] as object)).toEqual(["zebra", "ant"]);
    expect(found.tags).toEqual([odd.replace("\u0000", "\uFFFD")]);
    expect(await runtime.tools.list({ tags: [odd] })).toEqual([found]);
  });

  test("is changed in part, with a new time of its change", async () => {
    const { runtime } = await open();
    const tool = await runtime.tools.create(clockTool);
    await clock.advance(1000);
    const changed = await runtime.tools.update("read_clock", { name: "clock", tags: ["q", "q"], resultLimit: 300 });
    expect(changed).toEqual({ ...tool, name: "clock", tags: ["q"], resultLimit: 300, updatedAt: clock.now() });
    expect(await runtime.tools.find("clock")).toEqual(changed);
    await expect(runtime.tools.find("read_clock")).rejects.toMatchObject({ code: "tool_not_found" });
  });

  test("is created once by upsert and then changed, keeping its id, its tags and its time of creation", async () => {
    const { runtime } = await open();
    const made = await runtime.tools.upsert({ ...clockTool, tags: ["kept"] });
    await clock.advance(1000);
    const changed = await runtime.tools.upsert({ ...clockTool, description: "Tells the time." });
    expect(changed).toEqual({ ...made, description: "Tells the time.", updatedAt: clock.now() });
    const together = await Promise.all(
      ["one", "two", "three"].map((description) => runtime.tools.upsert({ ...clockTool, description })),
    );
    expect(new Set(together.map(({ id }) => id))).toEqual(new Set([made.id]));
    expect(await runtime.tools.list()).toHaveLength(1);
  });

  test("of a name in use is refused, and nothing is changed", async () => {
    const { runtime } = await open([], { tools: { add: [programTool("lookup")] } });
    const tool = await runtime.tools.create(clockTool);
    await runtime.tools.create({ ...clockTool, name: "other" });
    const exists = { code: "tool_exists" };
    await expect(runtime.tools.create(clockTool)).rejects.toMatchObject(exists);
    await expect(runtime.tools.create({ ...clockTool, name: "new", id: tool.id })).rejects.toMatchObject(exists);
    await expect(runtime.tools.update("other", { name: "read_clock" })).rejects.toMatchObject(exists);
    for (const name of words("conversation_search core_memory_append send_message remember memory_insert lookup")) {
      await expect(runtime.tools.create({ ...clockTool, name })).rejects.toMatchObject(exists);
      await expect(runtime.tools.update("other", { name })).rejects.toMatchObject(exists);
    }
    expect((await runtime.tools.list({ order: "oldest" })).map(({ name }) => name)).toEqual(["read_clock", "other"]);
  });

  test("that is deleted is gone from every agent", async () => {
    const { runtime } = await open();
    await runtime.tools.create(clockTool);
    await runtime.tools.attach("main", "read_clock");
    await runtime.tools.delete("read_clock");
    expect(await runtime.tools.ofAgent("main")).toEqual([]);
    await expect(runtime.tools.delete("read_clock")).rejects.toMatchObject({ code: "tool_not_found" });
  });

  test("that is unknown is refused by every function, with the nearest name", async () => {
    const { runtime } = await open();
    await runtime.tools.create(clockTool);
    const message = 'There is no stored tool "read_cluck". Did you mean "read_clock"?';
    const refused = { code: "tool_not_found", message: expect.stringContaining(message) };
    const { tools } = runtime;
    await expect(tools.find("read_cluck")).rejects.toMatchObject(refused);
    await expect(tools.update("read_cluck", {})).rejects.toMatchObject(refused);
    await expect(tools.attach("main", "read_cluck")).rejects.toMatchObject(refused);
    await expect(tools.detach("main", "read_cluck")).rejects.toMatchObject(refused);
    await expect(tools.setApproval("main", "read_cluck", true)).rejects.toMatchObject(refused);
    await expect(tools.setApproval("main", "read_clock", true)).rejects.toMatchObject({ code: "tool_not_found" });
  });
});

function programTool(name: string) {
  return defineTool({
    name,
    description: "Of the program.",
    parameters: { type: "object" },
    run: () => "the program's",
  });
}

const refused: readonly (readonly [string, Partial<StoredToolOptions>, string, RegExp])[] = [
  ["a name with a space", { name: "read clock" }, "name", /1 to 64 letters/u],
  ["a blank description", { description: " " }, "description", /blank/u],
  ["a description of megabytes", { description: "x".repeat(10_001) }, "description", /at most 10000.*10001/u],
  ["a schema of an array", { parameters: { type: "array" } }, "parameters", /"object"/u],
  ["a schema of megabytes", { parameters: { ...parameters, title: "x".repeat(100_001) } }, "parameters", /at most/u],
  ["a limit of nothing", { resultLimit: 0 }, "resultLimit", /from 1/u],
  ["a blank tag", { tags: ["good", ""] }, "tags[1]", /1 to 200/u],
  ["a thousand tags", { tags: Array.from({ length: 101 }, String) }, "tags", /at most 100/u],
  ["metadata of megabytes", { metadata: { a: "x".repeat(100_001) } }, "metadata", /at most/u],
  ["a name of another library", { schema: {} } as never, "schema", /Use `parameters`/u],
];

test.each(refused)("%s is refused, with its field, and nothing is stored", async (_what, change, field, message) => {
  const { runtime } = await open();
  const error = { field, message: expect.stringMatching(message) };
  await expect(runtime.tools.create({ ...clockTool, ...change })).rejects.toMatchObject(error);
  await expect(runtime.tools.upsert({ ...clockTool, ...change })).rejects.toMatchObject(error);
  expect(await runtime.tools.list()).toEqual([]);
  const tool = await runtime.tools.create(clockTool);
  await expect(runtime.tools.update("read_clock", change)).rejects.toMatchObject(error);
  expect(await runtime.tools.list()).toEqual([tool]);
});

describe("a list", () => {
  let runtime: Runtime;
  const names = async (options: object) => (await runtime.tools.list(options)).map(({ name }) => name);

  beforeAll(async () => {
    ({ runtime } = await open());
    for (const name of ["a", "b", "c", "d", "e"]) {
      await clock.advance(1000);
      const tags = name < "c" ? ["early", name] : [name];
      await runtime.tools.create({ ...clockTool, name, description: `The letter ${name.toUpperCase()}.`, tags });
    }
  });

  test("is sorted by creation, the newest first unless the oldest are asked for", async () => {
    expect(await names({})).toEqual(["e", "d", "c", "b", "a"]);
    expect(await names({ order: "oldest" })).toEqual(["a", "b", "c", "d", "e"]);
  });

  test("is read page by page in both orders and both directions, to an empty page", async () => {
    const idOf = async (name: string) => (await runtime.tools.find(name)).id;
    expect(await names({ limit: 2, after: await idOf("d") })).toEqual(["c", "b"]);
    expect(await names({ limit: 2, after: await idOf("b") })).toEqual(["a"]);
    expect(await names({ limit: 2, after: await idOf("a") })).toEqual([]);
    expect(await names({ limit: 2, order: "oldest", after: await idOf("b") })).toEqual(["c", "d"]);
    expect(await names({ limit: 2, before: await idOf("b") })).toEqual(["d", "c"]);
    expect(await names({ limit: 2, order: "oldest", before: await idOf("d") })).toEqual(["b", "c"]);
    expect(await names({ limit: 2, order: "oldest", after: await idOf("a"), before: await idOf("e") })).toEqual([
      "b",
      "c",
    ]);
    expect(await names({ after: "unknown" })).toEqual([]);
  });

  test("is restricted by name, by any of some tags, and by a text in any case", async () => {
    expect(await names({ name: "b" })).toEqual(["b"]);
    expect(await names({ tags: ["early"] })).toEqual(["b", "a"]);
    expect(await names({ tags: ["e", "a"] })).toEqual(["e", "a"]);
    expect(await names({ text: "LETTER d" })).toEqual(["d"]);
    expect(await names({ name: "b", tags: ["c"] })).toEqual([]);
  });
});

describe("an agent with a stored tool", () => {
  test("offers it after its own tools from when it is opened; once detached, it stays in the list of the conversation only", async () => {
    const { runtime, model } = await open(["one", "two", "three", "four"].map((text) => ({ text })));
    await runtime.tools.create(clockTool);
    const ask = async () => drain((await runtime.agents.open("main")).send("hello"));
    await ask();
    expect(await runtime.tools.attach("main", "read_clock")).toBe(true);
    expect(await runtime.tools.attach("main", "read_clock")).toBe(false);
    await ask();
    expect(await runtime.tools.detach("main", "read_clock")).toBe(true);
    expect(await runtime.tools.detach("main", "read_clock")).toBe(false);
    await ask();
    await drain((await runtime.agents.open("main", { conversation: "new" })).send("hello"));
    const [before, with_, detached, after] = model.requests.map(({ tools }) => tools);
    expect(with_).toEqual([...before!, { name: "read_clock", description: "Reads the clock.", parameters }]);
    expect(detached).toEqual(with_);
    expect(after).toEqual(before);
  });

  test("asks for approval as the tool says, unless the agent says otherwise", async () => {
    const { runtime } = await open();
    const described = async () => {
      const tools = (await runtime.agents.open("main")).describeTools();
      return tools.find(({ name }) => name === "read_clock");
    };
    await runtime.tools.create({ ...clockTool, requiresApproval: true });
    await runtime.tools.attach("main", "read_clock");
    expect(await described()).toMatchObject({ approval: "always", effects: "external" });
    await runtime.tools.setApproval("main", "read_clock", false);
    expect(await described()).toMatchObject({ approval: "never" });
    expect(await runtime.tools.ofAgent("main")).toMatchObject([{ name: "read_clock", agentRequiresApproval: false }]);
    await runtime.tools.setApproval("main", "read_clock", null);
    expect(await described()).toMatchObject({ approval: "always" });
  });

  test("cannot have one with the name of a tool of its own memory, and a program's tool of that name wins", async () => {
    const { runtime } = await open();
    await runtime.tools.create({ ...clockTool, name: "later" });
    await runtime.tools.attach("main", "later");
    const log: string[] = [];
    const changed = await runtimes.open({
      userId: runtime.userId,
      model: "scripted",
      models: [createScriptedModel({ replies: [] })],
      tools: { add: [programTool("later")] },
      log: (line: string) => log.push(line),
    });
    const tools = (await changed.agents.open("main")).describeTools().filter(({ name }) => name === "later");
    expect(tools).toMatchObject([{ description: "Of the program." }]);
    expect(log).toContainEqual(expect.stringMatching(/"main" does not get its stored tools later/u));
    await expect(changed.tools.attach("main", "later")).rejects.toMatchObject({ code: "tool_exists" });
  });

  test("can be switched off by the agent's setting, as any other tool", async () => {
    const { runtime } = await open();
    await runtime.tools.create(clockTool);
    await runtime.tools.attach("main", "read_clock");
    await runtime.agents.update("main", { removedTools: ["read_clock"] });
    expect((await runtime.agents.open("main")).tools).not.toContain("read_clock");
  });

  test("pauses its turn at a call of a tool without source code, until the caller gives the result", async () => {
    const call = { name: "read_clock", arguments: { zone: "UTC" } };
    const { runtime, model } = await open([{ toolCalls: [call] }, { text: "It is noon." }]);
    await runtime.tools.create(clockTool);
    await runtime.tools.attach("main", "read_clock");
    const agent = await runtime.agents.open("main");
    expect((await drain(agent.send("time?"))).at(-1)).toMatchObject({ stopReason: "awaiting-result" });
    // In another process, the agent has the tool without being given it again.
    const later = await runtime.agents.open("main");
    const [waiting] = later.pendingResults;
    expect(waiting).toMatchObject({ toolName: "read_clock", arguments: '{"zone":"UTC"}' });
    const end = await drain(later.answer([{ callId: waiting!.callId, status: "ok", text: "noon" }]));
    expect(end.at(-1)).toMatchObject({ stopReason: "end-turn", text: "It is noon." });
    expect(model.requests[1]?.tools.map(({ name }) => name)).toContain("read_clock");
    expect(JSON.stringify(model.requests[1]?.messages)).toContain("noon");
  });
});

test("a pattern in a schema is shown to the model and not matched, however long that would take", async () => {
  const pattern = { type: "string", pattern: "^(a+)+$" };
  const properties = { pattern, list: { type: "array", items: pattern }, mode: { enum: ["x"] }, default: pattern };
  const text = `${"a".repeat(50)}!`;
  const call = { name: "read_clock", arguments: { pattern: text, list: [text], default: text } };
  const { runtime, model } = await open([{ toolCalls: [call] }]);
  await runtime.tools.create({ ...clockTool, parameters: { type: "object", properties, required: ["pattern"] } });
  await runtime.tools.attach("main", "read_clock");
  const agent = await runtime.agents.open("main");
  expect((await drain(agent.send("go"))).at(-1)).toMatchObject({ stopReason: "awaiting-result" });
  expect(model.requests[0]?.tools.at(-1)?.parameters).toMatchObject({ properties });
});

test("the built-in tools are those of the runtime, of all memory classes and of the program", async () => {
  const own = defineTool({ name: "own", description: "Own.", parameters: z.object({}), run: () => "" });
  const search = defineTool({
    name: "conversation_search",
    description: "Other.",
    parameters: z.object({}),
    run: () => "",
  });
  const { runtime } = await open([], { tools: { add: [own], replace: { conversation_search: search } } });
  const tools = await runtime.tools.builtIn();
  const named = (name: string) => tools.filter((tool) => tool.name === name);
  expect(named("own")).toMatchObject([{ description: "Own.", origin: "program", isOptional: false }]);
  expect(named("conversation_search")).toMatchObject([{ description: "Other.", origin: "program" }]);
  expect(named("core_memory_append")).toMatchObject([{ origin: "runtime", isOptional: false }]);
  expect(named("memory_insert")).toMatchObject([
    { origin: "runtime", isOptional: true, parameters: { required: ["label", "new_string"] } },
  ]);
  await expect(runtime.tools.create({ ...clockTool, name: "core_memory_append" })).rejects.toMatchObject({
    code: "tool_exists",
  });
});

describe("a Python tool while the sandbox is off", () => {
  const python = { source: "def add(a: int) -> str:\n    return str(a)\n" };

  test("is not stored, and the error says what to set", async () => {
    const { runtime } = await open();
    const off = { code: "sandbox_off", message: expect.stringContaining("set `sandbox` to namespaces") };
    await expect(runtime.tools.create(python)).rejects.toMatchObject(off);
    await expect(runtime.tools.upsert({ ...clockTool, ...python })).rejects.toMatchObject(off);
    await runtime.tools.create(clockTool);
    await expect(runtime.tools.update("read_clock", python)).rejects.toMatchObject(off);
    expect(await runtime.tools.list()).toMatchObject([{ kind: "client" }]);
  });

  test("that was stored before gets a result that says so", async () => {
    const opened = await openTestStore();
    const model = createScriptedModel({
      replies: [{ toolCalls: [{ name: "add", arguments: {} }] }, { text: "a pity" }],
    });
    const options = { userId: "ada", model: "scripted", models: [model], embedder: null };
    const runtime = await composeRuntime(options, { store: opened.store });
    const { id } = await runtime.agents.create({ name: "main" });
    const { tools } = opened.store.as("ada");
    const stored = { ...newStoredTool("Adds."), name: "add" };
    await tools.create(stored);
    await tools.attach(id, stored.id);
    const events = await drain((await runtime.agents.open("main")).send("add"));
    const text = "add was not run: it is a Python tool, and the sandbox is off.";
    expect(events.find(({ type }) => type === "tool-result")).toMatchObject({ status: "failed", text });
    await runtime.close();
    await opened.close();
  });
});
