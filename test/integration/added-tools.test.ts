// The tools that an agent has only by its setting: memory_insert, memory_replace, memory_rethink.
import { ConfigError } from "../../src/base/errors.ts";
import type { OptionalTool } from "../../src/config/settings.ts";
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import { drain, lastOf, useRuntimes } from "../support/runtime.ts";

const runtimes = useRuntimes();
let names = 0;

const all: readonly OptionalTool[] = ["memory_insert", "memory_replace", "memory_rethink"];

/** Lets the model make one call after the other, and returns the agent with the results. */
async function callAll(human: string, calls: readonly { readonly name: string; readonly arguments: object }[]) {
  names += 1;
  const model = createScriptedModel({ replies: [...calls.map((call) => ({ toolCalls: [call] })), { text: "Done." }] });
  const runtime = await runtimes.open({ model: "scripted", models: [model] });
  const agent = await runtime.agents.open(`added-${names}`, { create: { human, settings: { addedTools: all } } });
  const events = await drain(agent.send("go"));
  const results = events.flatMap((event) => (event.type === "tool-result" ? [`${event.status}: ${event.text}`] : []));
  return { agent, results, model };
}

const insert = (text: string, line?: number, label = "human") => ({
  name: "memory_insert",
  arguments: { label, new_string: text, ...(line === undefined ? {} : { insert_line: line }) },
});
const replace = (old: string, now: string, label = "human") => ({
  name: "memory_replace",
  arguments: { label, old_string: old, new_string: now },
});
const rethink = (text: string, label = "human") => ({ name: "memory_rethink", arguments: { label, new_memory: text } });

test("an agent has them only by its setting, and can lose them again", async () => {
  const model = createScriptedModel({ replies: [] });
  const runtime = await runtimes.open({ model: "scripted", models: [model] });
  const plain = await runtime.agents.open("without-added", { create: {} });
  expect(plain.tools.filter((name) => name.startsWith("memory_"))).toEqual([]);
  await runtime.agents.update("without-added", { addedTools: all });
  expect((await runtime.agents.open("without-added")).tools).toEqual(expect.arrayContaining([...all]));
  await runtime.agents.update("without-added", { addedTools: ["memory_insert"], removedTools: ["core_memory_append"] });
  const { tools } = await runtime.agents.open("without-added");
  expect(tools.filter((name) => name.includes("memory_"))).toEqual(expect.arrayContaining(["memory_insert"]));
  expect(tools).not.toContain("core_memory_append");
  expect(tools).not.toContain("memory_replace");
});

test("another name is refused with the names that exist", async () => {
  const runtime = await runtimes.open({ model: "scripted", models: [createScriptedModel({ replies: [] })] });
  const create = runtime.agents.create({ name: "wrong", settings: { addedTools: ["memory_apply" as OptionalTool] } });
  await expect(create).rejects.toThrow(ConfigError);
  await expect(create).rejects.toThrow(
    'addedTools: expected a list of names from "memory_insert", "memory_replace", "memory_rethink", "memory"',
  );
});

test("memory_insert adds at the end, at the beginning, and after a line", async () => {
  const { agent, results } = await callAll("one\ntwo", [
    insert("end"),
    insert("end too", -1),
    insert("first", 0),
    insert("between", 2),
  ]);
  expect(agent.memory.read("human")).toBe("first\none\nbetween\ntwo\nend\nend too");
  expect(results.map((text) => text.slice(0, 2))).toEqual(["ok", "ok", "ok", "ok"]);
});

test("memory_insert writes the first line of an empty section", async () => {
  const { agent } = await callAll("", [insert("only", 0)]);
  expect(agent.memory.read("human")).toBe("only");
});

test("memory_replace changes the one place where the text is, and removes it for an empty one", async () => {
  const { agent } = await callAll("likes tea\nlives in Rome", [replace("Rome", "Oslo"), replace("likes tea", "")]);
  expect(agent.memory.read("human")).toBe("lives in Oslo");
});

test("memory_rethink writes the whole section", async () => {
  const { agent } = await callAll("old", [rethink("new\ntext\n")]);
  expect(agent.memory.read("human")).toBe("new\ntext");
});

test.each([
  ["a line that does not exist", insert("x", 3), /from 0 to 2.*got 3/u],
  ["a blank text", insert(" "), /new_string is empty/u],
  ["a text that is there twice", replace("a", "b"), /occurs 2 times in "human" \(line 1, 2\)/u],
  ["a text that is not there", replace("Lives in Rom", "b"), /was not found in "human"/u],
  ["no old text", replace("", "b"), /old_string is empty/u],
  ["a text over the limit", rethink("x".repeat(4001)), /4000/u],
  ["a section that does not exist", insert("x", 0, "diary"), /diary.*human/su],
])("%s is refused, and memory stays", async (_what, call, problem) => {
  const { agent, results } = await callAll("a\na", [call]);
  expect(results).toEqual([expect.stringMatching(/^failed/u)]);
  expect(results[0]).toMatch(problem);
  expect(agent.memory.read("human")).toBe("a\na");
});

test("two agents that insert at the end at the same time lose no line", async () => {
  names += 1;
  const model = createScriptedModel({
    replies: ({ messages }) =>
      messages.at(-1)?.role === "tool"
        ? { text: "ok" }
        : { toolCalls: [insert(`line ${(model.requests.length + 1) % 10}`)] },
  });
  const runtime = await runtimes.open({ model: "scripted", models: [model] });
  const name = `added-${names}`;
  const one = await runtime.agents.open(name, { create: { human: "", settings: { addedTools: all } } });
  const other = await runtime.agents.open(name, { conversation: "new" });
  await Promise.all([lastOf(one.send("go")), lastOf(other.send("go"))]);
  const { memory } = await runtime.agents.open(name);
  expect(memory.read("human").split("\n")).toHaveLength(2);
});
