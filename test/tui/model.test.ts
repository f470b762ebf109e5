// `/model`: what it shows, and what it changes in the database, for one agent and no other.
import type { Agent } from "../../src/agent/agent.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { createScriptedModel } from "../../src/llm/scripted/scripted-model.ts";
import { commands, findCommand, parseCommand } from "../../src/tui/commands/registry.ts";
import { itemRows } from "../../src/tui/item-rows.ts";
import { rowText } from "../../src/tui/row.ts";
import { createTestRuntimes, lastOf, type TestRuntimes } from "../support/runtime.ts";
import { noDialog } from "../support/drive-dialog.ts";

let runtimes: TestRuntimes;
let runtime: Runtime;
let agent: Agent;

beforeAll(async () => {
  runtimes = await createTestRuntimes();
  const other = createScriptedModel({ name: "other", replies: [{ text: "By the other." }] });
  runtime = await runtimes.open({ model: "demo", models: [other] });
  agent = await runtime.agents.open("sam", { create: {} });
});

afterAll(() => runtimes.close());

async function run(line: string) {
  const typed = parseCommand(line)!;
  const context = { files: [], open: noDialog, commands, now: () => new Date(), signal: new AbortController().signal };
  const { items, effect } = await findCommand(typed.name)!.run({
    ...context,
    runtime,
    agent,
    argument: typed.argument,
  });
  const text = items
    .flatMap((item) => itemRows(item, 99))
    .map(rowText)
    .join("\n");
  return { text, effect };
}

test("/model says which one answers, and changes nothing", async () => {
  const { text, effect } = await run("/model");
  expect([text, effect]).toEqual([expect.stringContaining("sam answers by demo model: pattern rules"), undefined]);
  expect((await run("/model demo")).effect).toBeUndefined();
});

test.each(["nobody/knows", "other two", "a".repeat(1e6), "%_", "</human>"])(
  "/model %.20s is refused, with nothing changed",
  async (name) => {
    await expect(run(`/model ${name}`)).rejects.toMatchObject({ name: "ConfigError" });
    expect((await runtime.agents.find("sam")).model).toBe("demo");
  },
);

test("/model NAME has another one answer from then on, in the same conversation and after a restart", async () => {
  await runtime.agents.create({ name: "kim" });
  const { text, effect } = await run("/model other");
  expect(text).toContain("sam answers by other from now on, in every conversation.");
  expect((await runtime.agents.find("sam")).model).toBe("other");
  expect((await runtime.agents.find("kim")).model).toBe("demo");
  if (effect?.type !== "open") throw new Error("Expected the chat to go on with the agent that was opened.");
  expect(effect.agent.conversationId).toBe(agent.conversationId);
  expect((await lastOf(effect.agent.send("Who are you?"))).text).toBe("By the other.");
  expect((await runtime.agents.open("sam")).record.model).toBe("other");
});
