// `/model`: what it shows, and what it changes in the database, for one agent and no other.
import { pressed, typed } from "../../src/surfaces/terminal/keys/key-codes.ts";
import type { Agent } from "../../src/agent/agent.ts";
import { type ErrorCode, errorCodes } from "../../src/base/errors.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import { adviceFor } from "../../src/surfaces/terminal/advice.ts";
import { createChat } from "../../src/surfaces/terminal/create-chat.ts";
import { lastOf, useRuntimes } from "../support/runtime.ts";
import { driveDialog } from "../support/drive-dialog.ts";
import { typeLine } from "../support/typed-line.ts";

const runtimes = useRuntimes();
let runtime: Runtime;
let agent: Agent;

beforeAll(async () => {
  const other = createScriptedModel({ name: "other", replies: [{ text: "By the other." }] });
  runtime = await runtimes.open({ model: "demo", models: [other] });
  agent = await runtime.agents.open("sam", { create: {} });
});

const run = (line: string) => typeLine(line, { runtime, agent });

test("/model shows the current model, and changes nothing", async () => {
  const { text, effect } = await run("/model");
  expect([text, effect]).toEqual([expect.stringContaining("sam uses demo model: pattern rules"), undefined]);
  expect((await run("/model demo")).effect).toBeUndefined();
});

describe("/model without a name, with a host", () => {
  const offers = [
    { model: "openai/tiny", baseUrl: "http://localhost:11434/v1", about: "Ollama" },
    { model: "demo", baseUrl: null, about: "pattern rules" },
  ];
  const notes = ["Not listed, no key: Anthropic (ANTHROPIC_API_KEY)."];
  const pick = (keys: readonly string[]) => {
    const dialogs = driveDialog(keys);
    const run = typeLine("/model", { runtime, agent, dialogs, listModels: async () => ({ offers, notes }) });
    return run.then((typed) => ({ ...typed, screen: dialogs.screens.at(-1) ?? "" }));
  };

  test("lists each model once, the agent's own first, and why others are missing", async () => {
    const { screen, text, effect } = await pick([]);
    expect(screen).toBe(
      [
        "Models for sam · 2",
        "> ",
        "❯ demo  pattern rules, in use",
        "  openai/tiny  Ollama, http://localhost:11434/v1",
        "  Not listed, no key: Anthropic (ANTHROPIC_API_KEY).",
        "  /model NAME also takes a name that is not listed.",
      ].join("\n"),
    );
    expect([text, effect]).toEqual(["", undefined]);
  });

  test("Esc changes nothing, and neither does Enter on the model in use", async () => {
    expect((await pick(["escape"])).effect).toBeUndefined();
    expect(await pick(["enter"])).toMatchObject({ text: expect.stringContaining("sam uses demo"), effect: undefined });
    expect((await runtime.agents.find("sam")).model).toBe("demo");
  });

  test("a chosen model is used at its address, and back", async () => {
    const other = await runtimes.open({ model: "demo", openaiApiKey: "sk-x", userId: "picker" });
    const lea = await other.agents.open("lea", { create: {} });
    const listModels = async () => ({ offers, notes: [] });
    const typed = await typeLine("/model", {
      runtime: other,
      agent: lea,
      dialogs: driveDialog(["tiny", "enter"]),
      listModels,
    });
    expect(typed.text).toContain("lea now uses openai/tiny at http://localhost:11434/v1, in every conversation.");
    const changed = await other.agents.find("lea");
    expect([changed.model, changed.settings.baseUrl]).toEqual(["openai/tiny", "http://localhost:11434/v1"]);
    const opened = await other.agents.open("lea");
    const back = await typeLine("/model", {
      runtime: other,
      agent: opened,
      dialogs: driveDialog(["pattern", "enter"]),
      listModels,
    });
    expect(back.text).toContain("lea now uses demo model");
    expect(await other.agents.find("lea")).toMatchObject({ model: "demo", settings: { baseUrl: null } });
  });

  test("a name without its provider means the one listed model of that name", async () => {
    const other = await runtimes.open({ model: "demo", openaiApiKey: "sk-x", userId: "namer" });
    const mia = await other.agents.open("mia", { create: {} });
    const name = (line: string, more: readonly { model: string; baseUrl: string; about: string }[] = []) =>
      typeLine(line, {
        runtime: other,
        agent: mia,
        dialogs: driveDialog([]),
        listModels: async () => ({ offers: [...offers, ...more], notes: [] }),
      });
    await expect(name("/model in")).rejects.toMatchObject({ name: "ConfigError" });
    const second = { model: "anthropic/tiny", baseUrl: "http://localhost:1234/v1", about: "LM Studio" };
    await expect(name("/model tiny", [second])).rejects.toMatchObject({ name: "ConfigError" });
    expect((await other.agents.find("mia")).model).toBe("demo");
    const { text } = await name("/model tiny");
    expect(text).toContain("mia now uses openai/tiny at http://localhost:11434/v1");
  });
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
  for (const letter of "/model nobody/knows") chat.handleKey(typed(letter));
  chat.handleKey(pressed("enter"));
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
