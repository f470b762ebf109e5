// Retention in a running agent: by itself after turns, once a day, and told.
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import { createManualClock } from "../support/manual-clock.ts";
import { drain, useRuntimes } from "../support/runtime.ts";

const runtimes = useRuntimes();

const reportedOf = (lines: readonly string[]) => lines.filter((line) => line.startsWith("Retention"));
const dayMs = 86_400_000;

async function open(retention: object) {
  const clock = createManualClock();
  const lines: string[] = [];
  const model = createScriptedModel({ replies: () => ({ text: "ok" }) });
  const options = { model: "scripted", models: [model], clock, retention, log: (line: string) => lines.push(line) };
  const runtime = await runtimes.open(options);
  const name = `kept-${JSON.stringify(retention).length}`;
  return {
    clock,
    lines,
    runtime,
    name,
    agent: await runtime.agents.open(name, { create: { settings: { keepLast: 0 } } }),
  };
}

test("old messages outside the window are deleted after a turn, once a day, and logged", async () => {
  const { clock, lines, runtime, name, agent } = await open({ messages: { days: 7 } });
  await drain(agent.send("one"));
  await drain(agent.send("two"));
  await agent.compact();
  await clock.advance(30 * dayMs);
  await drain(agent.send("three"));
  await drain(agent.send("four"));
  await runtime.close();
  expect(reportedOf(lines)).toEqual([`Retention of "${name}": dropped 3 messages up to 2026-01-01T00:00:00.000Z.`]);
  const again = await runtimes.open({ model: "scripted", models: [createScriptedModel({ replies: [] })], clock });
  expect((await again.retention.list(name)).map(({ dropped }) => dropped.messages.rows)).toEqual([3, 0]);
  expect((await again.recall.search(name, "one")).total).toBe(0);
});

test("old messages are deleted once a day, whether or not passages were dropped meanwhile", async () => {
  const { clock, runtime, name, agent } = await open({ messages: { days: 7 }, passages: { rows: 1 } });
  await drain(agent.send("one"));
  await drain(agent.send("two"));
  await agent.compact();
  await clock.advance(30 * dayMs);
  await runtime.archival.import(name, [{ text: "Ada sails" }, { text: "Ada rows" }]);
  await clock.advance(dayMs / 2);
  await drain(agent.send("three"));
  await runtime.idle();
  const [daily, eviction] = await runtime.retention.list(name);
  expect(daily).toMatchObject({ dropped: { messages: { rows: 3 } } });
  expect(eviction).toMatchObject({ limits: { passages: { rows: 1 } }, dropped: { passages: { rows: 1 } } });
  expect(eviction?.limits).not.toHaveProperty("messages");
});

test("by default nothing is deleted, and nothing is read", async () => {
  const { clock, lines, runtime, name, agent } = await open({});
  await drain(agent.send("one"));
  await drain(agent.send("two"));
  await agent.compact();
  await clock.advance(3000 * dayMs);
  await drain(agent.send("three"));
  expect(await runtime.retention.list(name)).toEqual([]);
  expect((await runtime.recall.search(name, "one")).total).toBe(1);
  expect(await runtime.retention.apply(name)).toMatchObject({ dropped: { messages: { rows: 0, through: null } } });
  expect(reportedOf(lines)).toEqual([]);
});

test("an archive over its limit loses the least important passages after the turn, and the next turn reports it", async () => {
  const archive = (content: string) => ({ toolCalls: [{ name: "archival_memory_insert", arguments: { content } }] });
  const model = createScriptedModel({
    replies: [archive("one"), archive("two"), archive("three"), { text: "kept" }, { text: "then" }, { text: "last" }],
  });
  const lines: string[] = [];
  const log = (line: string) => lines.push(line);
  const limits = { retention: { passages: { rows: 2 } } };
  const runtime = await runtimes.open({ model: "scripted", models: [model], ...limits, log });
  const agent = await runtime.agents.open("full", { create: { human: "" } });
  const warnings = async (input: string) => {
    const events = await drain(agent.send(input));
    return events.flatMap((event) => (event.type === "warning" ? [event.code] : []));
  };
  expect(await warnings("keep these")).toEqual([]);
  for (let tries = 0; tries < 200 && lines.length === 0; tries += 1) await new Promise((next) => setTimeout(next, 10));
  expect(await runtime.archival.count("full")).toBe(2);
  expect(await warnings("and?")).toEqual(["passages-evicted"]);
  expect(await warnings("and then?")).toEqual([]);
  expect((await runtime.retention.list("full")).map(({ dropped }) => dropped.passages.rows)).toEqual([1]);
  expect(lines).toEqual([expect.stringContaining("was over its limit: 1 passage was dropped")]);
  expect(await runtime.archival.add("full", "four")).toMatchObject({ isNew: true });
  expect(await runtime.archival.count("full")).toBe(2);
  expect(await runtime.archival.import("full", [{ text: "five" }, { text: "six" }])).toBe(2);
  expect(await runtime.archival.count("full")).toBe(2);
});
