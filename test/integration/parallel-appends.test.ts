// Edits of one module by several writers at once: an append follows the newest text, another edit conflicts.
import { z } from "zod";
import type { RuntimeOptions } from "../../src/runtime/compose/compose.ts";
import type { Model, ModelRequest } from "../../src/model/llm/model.ts";
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import { textOf } from "../../src/base/message/message.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { defineTool } from "../../src/tool/define-tool.ts";
import { withoutTimes } from "../support/messages.ts";
import { drain, useRuntimes } from "../support/runtime.ts";
import { append, openScene } from "../support/scene.ts";

const runtimes = useRuntimes({ isOwn: true });

/** Answers the requests of all runtimes only when so many have arrived. */
function createMeeting(size: number) {
  let open = (): void => undefined;
  const met = new Promise<void>((resolve) => (open = resolve));
  let arrived = 0;
  return async (): Promise<void> => {
    arrived += 1;
    if (arrived === size) open();
    await met;
  };
}

/** Appends what the user says, when all the others are ready to do the same. */
function appendingModel(meet: () => Promise<void>): Model {
  const scripted = createScriptedModel({
    replies: ({ messages }: ModelRequest) => {
      const last = messages.at(-1);
      return last?.role === "user" ? { toolCalls: [append(withoutTimes(textOf(last)))] } : { text: "Saved." };
    },
  });
  return {
    ...scripted,
    async *stream(request, options) {
      if (request.messages.at(-1)?.role === "user") await meet();
      yield* scripted.stream(request, options);
    },
  };
}

test("appends of several runtimes from the same revision are all kept, each as a separate revision", async () => {
  const facts = ["Has a cat.", "Sails.", "Lives in Lisbon.", "Plays chess.", "Bakes bread."];
  const meet = createMeeting(facts.length);
  const turns = [];
  const opened: Runtime[] = [];
  for (const fact of facts) {
    const runtime = await runtimes.open({ model: "scripted", models: [appendingModel(meet)] });
    opened.push(runtime);
    const agent = await runtime.agents.open("many", { create: {}, conversation: "new" });
    turns.push({ agent, fact });
  }
  const events = await Promise.all(turns.map(({ agent, fact }) => drain(agent.send(fact))));
  for (const [at, told] of events.entries()) {
    expect(told.find(({ type }) => type === "tool-result")).toMatchObject({ status: "ok" });
    const edit = told.find((event) => event.type === "memory-edit");
    expect(edit).toMatchObject({ after: expect.stringContaining(facts[at]!) });
  }
  const [runtime] = opened as [Runtime];
  const [human] = (await runtime.memory.show("many")).filter(({ label }) => label === "human");
  expect(human?.value.split("\n").toSorted()).toEqual(facts.toSorted());
  const revisions = await runtime.memory.revisions("many", { label: "human" });
  expect(revisions.map(({ revision }) => revision)).toEqual([5, 4, 3, 2, 1]);
  for (const [at, { before }] of revisions.entries()) expect(before).toBe(revisions[at + 1]?.after ?? "");
});

/** Runs `meanwhile` and then edits the human module in the same call. */
function racing(
  edit: (core: {
    append(label: string, line: string): void;
    edit(label: string, change: (value: string) => string): void;
  }) => void,
) {
  let meanwhile = async (): Promise<void> => undefined;
  const tool = defineTool({
    name: "slow_edit",
    description: "Edits while someone else does.",
    parameters: z.object({}),
    effects: "memory",
    run: async (_args, { core }) => {
      await meanwhile();
      edit(core);
    },
  });
  return { tool, race: (other: () => Promise<unknown>) => (meanwhile = async () => void (await other())) };
}

const call = { toolCalls: [{ name: "slow_edit", arguments: {} }] };

async function raced(
  edit: Parameters<typeof racing>[0],
  other: (runtime: Runtime, name: string) => Promise<unknown>,
  options: RuntimeOptions = {},
) {
  const { tool, race } = racing(edit);
  const scene = await openScene(runtimes, [call, { text: "ok" }], { tools: { add: [tool] }, ...options });
  race(() => other(scene.runtime, scene.name));
  const events = await drain(scene.agent.send("go"));
  return { ...scene, events, result: events.find(({ type }) => type === "tool-result") };
}

test("an append after a person's edit follows that text, and undoing it leaves the person's text", async () => {
  const { result, events, agent, runtime, name } = await raced(
    (core) => core.append("human", "mine"),
    (other, agentName) => other.memory.set(agentName, "human", "theirs"),
  );
  expect(result).toMatchObject({ status: "ok" });
  expect(events.find(({ type }) => type === "memory-edit")).toMatchObject({
    before: "theirs",
    after: "theirs\nmine",
    revision: 2,
  });
  expect(agent.memory.read("human")).toBe("theirs\nmine");
  expect(await runtime.memory.undo(name, "human")).toMatchObject({ before: "theirs", after: "theirs\nmine" });
  expect((await runtime.memory.show(name)).find(({ label }) => label === "human")?.value).toBe("theirs");
});

test("an append that exceeds the limit with the newest text fails, and nothing is changed", async () => {
  const { result, agent } = await raced(
    (core) => core.append("human", "x".repeat(12)),
    (other, agentName) => other.memory.set(agentName, "human", "y".repeat(12)),
    { coreMemoryLimit: 20 },
  );
  expect(result).toMatchObject({ status: "failed", text: expect.stringContaining("20") });
  expect(agent.memory.read("human")).toBe("y".repeat(12));
});

test("an edit other than an append conflicts, and so does a replacement of changed text", async () => {
  const { result, agent } = await raced(
    (core) => {
      core.edit("human", () => "first");
      core.append("human", "second");
    },
    (other, agentName) => other.memory.set(agentName, "human", "theirs"),
  );
  expect(result).toMatchObject({ status: "failed", text: expect.stringContaining("changed concurrently") });
  expect(agent.memory.read("human")).toBe("theirs");
});

test("an append keeps its other edits when their modules have not changed", async () => {
  const { result, agent } = await raced(
    (core) => {
      core.edit("persona", () => "I am new.");
      core.append("human", "mine");
    },
    (other, agentName) => other.memory.set(agentName, "human", "theirs"),
  );
  expect(result).toMatchObject({ status: "ok" });
  expect([agent.memory.read("persona"), agent.memory.read("human")]).toEqual(["I am new.", "theirs\nmine"]);
});

test("an append to a text of a lower class does not raise it", async () => {
  const page = defineTool({
    name: "read_page",
    description: "Reads a page and saves it.",
    parameters: z.object({}),
    run: (_args, { core }) => core.edit("human", () => "From a page."),
  });
  const { runtime, name } = await raced(
    (core) => core.append("human", "mine"),
    async (other, agentName) => {
      const agent = await other.agents.open(agentName, { conversation: "new", tools: { add: [page] } });
      await drain(agent.send("read"));
    },
    {
      models: [
        createScriptedModel({
          replies: ({ messages, tools }) => {
            if (messages.at(-1)?.role !== "user") return { text: "ok" };
            return tools.some((tool) => tool.name === "read_page")
              ? { toolCalls: [{ name: "read_page", arguments: {} }] }
              : call;
          },
        }),
      ],
    },
  );
  const [human] = (await runtime.memory.show(name)).filter(({ label }) => label === "human");
  expect(human).toMatchObject({ value: "From a page.\nmine", trust: "external" });
});
