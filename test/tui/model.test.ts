// `/model`: what it shows, and what it changes in the database, for one agent and no other.
import type { Key } from "../../src/tui/keys/key.ts";
import type { Agent } from "../../src/agent/agent.ts";
import { type ErrorCode, errorCodes } from "../../src/errors.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { createScriptedModel } from "../../src/llm/scripted/scripted-model.ts";
import { adviceFor } from "../../src/tui/advice.ts";
import { createChat } from "../../src/tui/create-chat.ts";
import { createTestRuntimes, lastOf, type TestRuntimes } from "../support/runtime.ts";
import { typeLine } from "../support/typed-line.ts";

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

const run = (line: string) => typeLine(line, { runtime, agent });

test("/model shows the current model, and changes nothing", async () => {
  const { text, effect } = await run("/model");
  expect([text, effect]).toEqual([expect.stringContaining("sam uses demo model: pattern rules"), undefined]);
  expect((await run("/model demo")).effect).toBeUndefined();
});

test.each(["nobody/knows", "other two", "a".repeat(1e6), "%_", "</human>"])(
  "/model %.20s is refused, with nothing changed",
  async (name) => {
    await expect(run(`/model ${name}`)).rejects.toMatchObject({ name: "ConfigError" });
    expect((await runtime.agents.find("sam")).model).toBe("demo");
  },
);

test("a failed command shows the advice for commands, not that for turns", async () => {
  const chat = createChat({ runtime, agent, version: "0.1.0", color: false }, { columns: 100, rows: 30 });
  for (const letter of "/model nobody/knows") chat.handleKey(letter, {} as Key);
  chat.handleKey("", { return: true } as Key);
  while (chat.getState().items.at(-1)?.kind !== "notice") await new Promise((resolve) => setTimeout(resolve, 5));
  expect(chat.getState().items.at(-1)).toMatchObject({
    kind: "notice",
    level: "failure",
    text: expect.stringContaining("nobody/knows"),
    advice: "Nothing was changed. Type the command again; earlier messages are saved.",
  });
});

test.each(Object.keys(errorCodes) as ErrorCode[])("%s has advice for commands that does not mention a turn", (code) => {
  expect(adviceFor(code, "command")).not.toMatch(
    /try again with \/retry|Your message is kept|Send the message|Say "go on" /iu,
  );
});

test("/model NAME changes the model, in the same conversation and after a restart", async () => {
  await runtime.agents.create({ name: "kim" });
  const { text, effect } = await run("/model other");
  expect(text).toContain("sam now uses other, in every conversation.");
  expect((await runtime.agents.find("sam")).model).toBe("other");
  expect((await runtime.agents.find("kim")).model).toBe("demo");
  if (effect?.type !== "open") throw new Error("Expected the chat to go on with the agent that was opened.");
  expect(effect.agent.conversationId).toBe(agent.conversationId);
  expect((await lastOf(effect.agent.send("Who are you?"))).text).toBe("By the other.");
  expect((await runtime.agents.open("sam")).record.model).toBe("other");
});
