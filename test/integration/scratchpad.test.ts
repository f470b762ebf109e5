// An agent with a scratchpad: made by its type, edited by the model and by hand, and the same after a restart.
import { z } from "zod";
import { createScriptedModel, type ScriptedReplies } from "../../src/model/llm/scripted/scripted-model.ts";
import { ScratchpadMemory } from "../../src/memory/core/scratchpad-memory.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { drain, useRuntimes } from "../support/runtime.ts";

const runtimes = useRuntimes();

const create = { memoryType: "scratchpad", persona: "I plan.", human: "Ada" } as const;

async function open(name: string, replies: ScriptedReplies = []) {
  const model = createScriptedModel({ replies });
  const runtime = await runtimes.open({ model: "scripted", models: [model] });
  return { runtime, model, agent: await runtime.agents.open(name, { create }) };
}

const padOf = async (runtime: Runtime, name: string): Promise<string> =>
  (await runtime.memory.show(name)).find(({ label }) => label === "scratchpad")!.value;

test("the model's edits are revisions, a refused one is a result it can act on, and the class survives a restart", async () => {
  const { agent, model, runtime } = await open("edits", [
    {
      toolCalls: [
        { name: "scratchpad_update", arguments: { objective: "Migrate auth" } },
        { name: "scratchpad_add", arguments: { decisions: ["Redis"] } },
        { name: "scratchpad_add", arguments: { decisions: [7] } },
      ],
    },
    { text: "Noted." },
  ]);
  const events = await drain(agent.send("plan it"));
  const results = events.filter((event) => event.type === "tool-result");
  expect(results.map(({ status }) => status)).toEqual(["ok", "ok", "failed"]);
  expect(results[2]!.text).toMatch(/decisions\.1: Invalid input: expected string, received number/u);
  const edits = events.filter((event) => event.type === "memory-edit");
  expect(edits.map(({ label, revision }) => [label, revision])).toEqual([
    ["scratchpad", 1],
    ["scratchpad", 2],
  ]);
  expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain("Migrate auth");
  const again = await open("edits");
  expect(again.agent.memory).toBeInstanceOf(ScratchpadMemory);
  expect((again.agent.memory as ScratchpadMemory).state).toMatchObject({
    objective: "Migrate auth",
    decisions: ["Redis"],
  });
  expect(await padOf(runtime, "edits")).toBe(edits[1]!.after);
});

test("setting it by hand is validated like any edit; undo and history are those of every module", async () => {
  const { runtime } = await open("by hand");
  const before = await padOf(runtime, "by hand");
  for (const text of ["ship it", '{"objective":7}', '{"mood":"good"}', "[]"]) {
    await expect(runtime.memory.set("by hand", "scratchpad", text)).rejects.toMatchObject({ code: "module_invalid" });
  }
  await expect(
    runtime.memory.set("by hand", "scratchpad", JSON.stringify({ objective: "x".repeat(4000) })),
  ).rejects.toMatchObject({ code: "module_limit" });
  expect(await padOf(runtime, "by hand")).toBe(before);
  expect(await runtime.memory.revisions("by hand")).toEqual([]);
  await runtime.memory.set("by hand", "scratchpad", '{"blockers":["none"],"objective":"ship it"}');
  expect(await padOf(runtime, "by hand")).toBe(
    before
      .replace('"objective": ""', '"objective": "ship it"')
      .replace('"blockers": []', '"blockers": [\n    "none"\n  ]'),
  );
  await runtime.memory.undo("by hand", "scratchpad");
  expect(await padOf(runtime, "by hand")).toBe(before);
});

test("a text of an older schema is opened, shown, and corrected by the model", async () => {
  const older = z.object({
    objective: z.string().default("").describe("What."),
    blockers: z.string().default("none").describe("What stands in the way."),
  });
  const newer = older.extend({ blockers: z.array(z.string()).default([]).describe("What stands in the way.") });
  class OlderMemory extends ScratchpadMemory<typeof older> {
    static override readonly type = "plan";
    static override readonly schema = older;
  }
  class NewerMemory extends ScratchpadMemory<typeof newer> {
    static override readonly type = "plan";
    static override readonly schema = newer;
  }
  const before = await runtimes.open({ model: "demo", memoryClasses: [OlderMemory] });
  await before.agents.create({ name: "moved on", memoryType: "plan" });
  const { value } = await before.memory.set("moved on", "scratchpad", '{"objective":"ship it"}');
  const model = createScriptedModel({
    name: "demo",
    replies: [
      { toolCalls: [{ name: "scratchpad_update", arguments: { objective: "ship" } }] },
      { toolCalls: [{ name: "scratchpad_update", arguments: { blockers: [] } }] },
      { text: "Put right." },
    ],
  });
  const after = await runtimes.open({ model: "demo", models: [model], memoryClasses: [NewerMemory] });
  const agent = await after.agents.open("moved on");
  expect(agent.memory.read("scratchpad")).toBe(value);
  const events = await drain(agent.send("go on"));
  expect(model.requests[0]!.system.memory).toContain(value);
  expect(events.filter((event) => event.type === "tool-result").map(({ text }) => text)).toEqual([
    expect.stringMatching(/blockers: Invalid input: expected array, received string/u),
    expect.stringMatching(/Line 3 now:\n {2}"blockers": \[\]$/u),
  ]);
  expect((agent.memory as NewerMemory).state).toEqual({ objective: "ship it", blockers: [] });
});
