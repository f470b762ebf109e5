// `/systemswap`: shows old and new, asks, and changes the prompt in the database and in the next request.
import { storableText } from "../../src/base/code-points.ts";
import { driveDialog } from "../support/drive-dialog.ts";
import { drain, useRuntimes } from "../support/runtime.ts";
import { openScene, type Scene } from "../support/scene.ts";
import { typeLine } from "../support/typed-line.ts";

const runtimes = useRuntimes();

const promptOf = async ({ runtime, name }: Scene) => (await runtime.agents.find(name)).systemPrompt;

test("y swaps the prompt in the database and in the next request; the conversation continues", async () => {
  const scene = await openScene(runtimes, [{ text: "Hello." }, { text: "Arr." }]);
  const { agent, model } = scene;
  await drain(agent.send("Hi"));
  const old = await promptOf(scene);
  const dialogs = driveDialog(["y"], { max: 200, width: 99 });
  const { text, effect } = await typeLine("/systemswap You are a pirate.", { ...scene, dialogs });
  expect(dialogs.screens[0]).toContain(`The system prompt now\n  ${old.slice(0, 30)}`);
  expect(dialogs.screens[0]).toContain("The new system prompt\n  You are a pirate.\nSwap the system prompt of ");
  expect(await promptOf(scene)).toBe("You are a pirate.");
  expect(text).toContain(old.slice(0, 30));
  expect(text).toContain("has another system prompt from now on");
  if (effect?.type !== "open") throw new Error("Expected the chat to go on with the agent that was opened.");
  await drain(effect.agent.send("And now?"));
  expect(model.requests.at(-1)?.system.instructions).toBe("You are a pirate.");
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("Hello.");
});

test.each([["n"], ["N"], ["escape"], ["enter"], ["yes, do"], []])("%j does not change it", async (...keys) => {
  const scene = await openScene(runtimes, []);
  const old = await promptOf(scene);
  const { text, effect } = await typeLine("/systemswap You are a pirate.", { ...scene, dialogs: driveDialog(keys) });
  expect([text, effect]).toEqual(["· Nothing was changed.", undefined]);
  expect(await promptOf(scene)).toBe(old);
});

test("a long prompt can be scrolled, and the question is always below it", async () => {
  const scene = await openScene(runtimes, []);
  const long = Array.from({ length: 60 }, (_, line) => `line ${line}`).join("\n");
  const keys = ["up", ...Array.from({ length: 200 }, () => "down"), "pageup", "n"];
  const dialogs = driveDialog(keys, { max: 10 });
  await typeLine(`/systemswap ${long}`, { ...scene, dialogs });
  expect(dialogs.screens[0]).toContain("The system prompt now");
  expect(dialogs.screens[201]).toContain("line 59\nSwap the system prompt");
  expect(dialogs.screens[202]).toContain("line 49\n  … 10 more rows\nSwap the system prompt");
});

test("without a text it shows the prompt; the same one again asks nothing", async () => {
  const scene = await openScene(runtimes, []);
  await scene.runtime.agents.setSystemPrompt(scene.name, "Short\u001b[2J.");
  const { text, effect } = await typeLine("/systemswap", scene);
  expect([text, effect]).toEqual(["\nThe system prompt\n  Short.", undefined]);
  expect((await typeLine(`/systemswap ${await promptOf(scene)}`, scene)).effect).toBeUndefined();
});

test("an invalid prompt is refused when it is confirmed, and changes nothing", async () => {
  const scene = await openScene(runtimes, []);
  const old = await promptOf(scene);
  await expect(scene.runtime.agents.setSystemPrompt(scene.name, " \n")).rejects.toMatchObject({
    code: "input_invalid",
  });
  const dialogs = driveDialog(["y"], { max: 2000 });
  await expect(typeLine(`/systemswap ${"word ".repeat(2e5)}`, { ...scene, dialogs })).rejects.toThrow(
    "Expected a system prompt of fewer than 128000 tokens (the context window), got 2",
  );
  expect(dialogs.screens[0]).toContain("… the first 8000 characters");
  expect(await promptOf(scene)).toBe(old);
});

test.each(["</human>", "%_'\"", "字🙂", "a\u0000\ud800b", "{CORE_MEMORY}"])(
  "the prompt %j is accepted",
  async (odd) => {
    const scene = await openScene(runtimes, [{ text: "Ok." }]);
    await scene.runtime.agents.setSystemPrompt(scene.name, odd);
    expect(await promptOf(scene)).toBe(storableText(odd));
    const opened = await scene.runtime.agents.open(scene.name);
    await drain(opened.send("Hi"));
    expect(scene.model.requests).toHaveLength(1);
  },
);

test("only the owner of an agent swaps its prompt", async () => {
  const scene = await openScene(runtimes, []);
  const { runtime, agent } = scene;
  await runtime.agents.share(scene.name, "guest");
  const guest = await runtimes.open({ userId: "guest", model: "scripted", models: [scene.model] });
  await guest.agents.accept(agent.record.id);
  await expect(guest.agents.setSystemPrompt(agent.record.id, "Mine.")).rejects.toMatchObject({
    code: "agent_not_found",
  });
  expect(await promptOf(scene)).not.toBe("Mine.");
});
