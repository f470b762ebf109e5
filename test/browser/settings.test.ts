// The settings of an agent in a browser: in words, edited in their rows, and what the server says of a wrong value.
import type { Page } from "playwright-core";
import { accessibilityFaults, openBrowserScene } from "./browser-scene.ts";
import { useScene } from "../support/use-scene.ts";

const scene = useScene(() => openBrowserScene());
const find = () => scene.runtime.agents.find("main");

beforeAll(() => scene.runtime.agents.create({ name: "main", persona: "I am one.", human: "" }));

const rowOf = (page: Page, name: string) =>
  page.locator("li.setting").filter({ has: page.getByText(name, { exact: true }) });

test("settings are shown in groups and in words, with their defaults, and never as JSON", async () => {
  await scene.runtime.agents.update("main", { consolidationIdleMinutes: 10, keepLast: 20 });
  const page = await scene.open("#/agents/main/settings");
  for (const title of ["Agent", "Model", "Memory", "Window", "Limits of a turn", "Tools", "Deletion"]) {
    await page.getByRole("region", { name: title, exact: true }).waitFor();
  }
  for (const more of await page.getByText("More", { exact: true }).all()) await more.click();
  const words = async (name: string) => (await rowOf(page, name).locator(".setting-value").innerText()).split("\n");
  expect(await words("maxSteps")).toEqual(["Change Model calls:", "Default: 50 model calls"]);
  expect(await words("keepLast")).toEqual(["Change Messages that stay:", "20 messages", "Default: 10 messages"]);
  expect((await words("consolidationIdleMinutes"))[1]).toBe("After 10 minutes");
  expect((await words("maxTurnTokens"))[1]).toBe("Default: No limit");
  expect((await words("synopsis"))[0]).toBe("Off");
  expect((await words("name"))[1]).toBe("main");
  expect((await words("warnAt"))[1]).toBe("Default: 75 %");
  expect(await page.locator("main").innerText()).not.toMatch(/\bnull\b|[{[]"/u);
  expect(await accessibilityFaults(page)).toEqual([]);
});

test("a number is edited in its row; a refusal is beside the field, in plain words, and changes nothing", async () => {
  const page = await scene.open("#/agents/main/settings");
  await page.getByLabel("Find a setting").fill("max steps");
  const row = rowOf(page, "maxSteps");
  const open = row.getByRole("button", { name: /^Change Model calls:/u });
  await open.click();
  const field = row.getByRole("textbox", { name: "Model calls" });
  await field.fill("0");
  await field.press("Enter");
  await row.getByRole("alert").getByText("Expected a whole number from 1 to 10,000,000, got 0.").waitFor();
  expect((await find()).settings.maxSteps).toBe(50);
  expect(await accessibilityFaults(page)).toEqual([]);
  await field.press("Escape");
  await row.getByRole("form").waitFor({ state: "detached" });
  await open.click();
  await field.fill("7");
  await row.getByRole("button", { name: "Save" }).click();
  await row.getByText("Saved.").waitFor();
  expect((await find()).settings.maxSteps).toBe(7);
  await row.getByText("Default: 50 model calls").waitFor();
  await open.click();
  await row.getByRole("button", { name: /^Use the default/u }).click();
  await row.getByRole("button", { name: "Save" }).click();
  await row.getByText("Saved.").waitFor();
  expect((await find()).settings.maxSteps).toBe(50);
  await row.getByText("50 model calls").waitFor();
});

test("a switch, a choice, a duration, a share and parts of a setting have their own controls", async () => {
  const page = await scene.open("#/agents/main/settings");
  await page.getByRole("checkbox", { name: "Synopsis of the archive" }).click();
  await rowOf(page, "synopsis").getByText("Saved.").waitFor();
  await page.getByRole("group", { name: "Tidying" }).getByText("Do what is safe").click();
  await rowOf(page, "consolidation").getByText("Saved.").waitFor();

  const denial = rowOf(page, "approvalTimeout");
  await denial.getByRole("button", { name: "Change Unanswered calls: Default: Denied after 1 day" }).click();
  await denial.getByRole("textbox", { name: "Unanswered calls" }).fill("90");
  await denial.getByRole("combobox", { name: "Unit of Unanswered calls" }).selectOption({ label: "minutes" });
  await denial.getByRole("button", { name: "Save" }).click();
  await denial.getByText("Denied after 90 minutes").waitFor();

  const full = rowOf(page, "compactAt");
  await full.getByRole("button", { name: /^Change Summarize at/u }).click();
  await full.getByRole("textbox", { name: "Summarize at" }).fill("60");
  await full.getByRole("button", { name: "Save" }).click();
  await full.getByRole("button", { name: "Cancel" }).click();

  await page.getByLabel("Find a setting").fill("retention");
  const kept = rowOf(page, "retention");
  await kept.getByRole("button", { name: "Change What is kept: Default: Everything" }).click();
  await kept.getByRole("textbox", { name: "Messages, age" }).fill("-1");
  await kept.getByRole("button", { name: "Save" }).click();
  await kept.getByRole("alert").getByText("Messages, age: Expected a number over 0.").waitFor();
  await kept.getByRole("textbox", { name: "Messages, age" }).fill("30");
  await kept.getByRole("button", { name: "Save" }).click();
  await kept.getByText("Messages, age 30 days").waitFor();

  expect((await find()).settings).toMatchObject({
    synopsis: "on",
    consolidation: "auto",
    approvalTimeout: 5400,
    compactAt: 0.9,
    retention: { messages: { days: 30 } },
  });
});

test("a share over another one is refused with the labels of both", async () => {
  const page = await scene.open("#/agents/main/settings");
  await page.getByLabel("Find a setting").fill("warnAt");
  const row = rowOf(page, "warnAt");
  await row.getByRole("button", { name: /^Change/u }).click();
  await row.getByRole("textbox").fill("95");
  await row.getByRole("button", { name: "Save" }).click();
  await row.getByRole("alert").getByText("Expected at most “Summarize at” (90 %)").waitFor();
});

test("name, description, model and prompt are edited there, and a name that is taken is refused", async () => {
  await scene.runtime.agents.create({ name: "taken", persona: "I am one.", human: "" });
  const page = await scene.open("#/agents/main/settings");
  const edit = async (name: string, text: string) => {
    const row = rowOf(page, name);
    const field = row.getByRole("form").getByRole(name === "model" ? "combobox" : "textbox");
    if ((await field.count()) === 0) await row.getByRole("button", { name: /^Change/u }).click();
    await field.fill(text);
    await row.getByRole("button", { name: "Save" }).click();
    return row;
  };
  await (await edit("systemPrompt", "Count.")).getByText("Saved.").waitFor();
  await (await edit("description", "counts")).getByText("Saved.").waitFor();
  await (await edit("name", "taken")).getByRole("alert").waitFor();
  expect((await find()).name).toBe("main");
  await (await edit("name", "renamed")).getByText("Saved.").waitFor();
  await (await edit("name", "main")).getByText("Saved.").waitFor();
  await (await edit("model", "other")).getByText("Saved.").waitFor();
  await (await edit("description", "")).getByRole("button", { name: "Change Description: None" }).waitFor();
  expect(await find()).toMatchObject({ description: null, model: "other", systemPrompt: "Count." });
});

test("a search finds a setting by its label, its help and its name; rules are sentences", async () => {
  await scene.runtime.agents.update("main", { toolRules: [{ type: "exit-loop", tool: "send_<b>report</b>" }] });
  const page = await scene.open("#/agents/main/settings");
  const rows = page.locator("li.setting");
  await page.getByLabel("Find a setting").fill("tool rules");
  await rows.getByText("send_<b>report</b> ends the turn.").waitFor();
  expect(await rows.count()).toBe(1);
  await page.getByLabel("Find a setting").fill("by the configured prices");
  await rows.getByText("maxTurnDollars").waitFor();
  await page.getByLabel("Find a setting").fill("no such thing");
  await page.getByText("No setting has these words.").waitFor();
  expect(await rows.count()).toBe(0);
});

test("rules are added, changed and removed in rows; a refusal changes nothing", async () => {
  await scene.runtime.agents.update("main", { toolRules: [{ type: "exit-loop", tool: "report" }] });
  const page = await scene.open("#/agents/main/settings");
  await page.getByLabel("Find a setting").fill("tool rules");
  const row = rowOf(page, "toolRules");
  await row.getByRole("button", { name: /^Change/u }).click();
  const save = row.getByRole("button", { name: "Save" });
  await row.getByRole("button", { name: "Add a rule" }).click();
  const added = row.getByRole("group", { name: "Rule 2" });
  await save.click();
  await row.getByRole("alert").getByText("Expected the name of a tool in each rule, and its values.").waitFor();
  await added.getByLabel("Tool").fill("look");
  await added.getByLabel("Kind").selectOption("is followed only by");
  await added.getByLabel("Names of tools, separated by commas").fill("report, look");
  expect(await accessibilityFaults(page)).toEqual([]);
  await row.getByRole("button", { name: "Remove rule 1" }).click();
  await save.click();
  await row.getByText("After look only report, look may follow.").waitFor();
  expect((await find()).settings.toolRules).toEqual([
    { type: "constrain-child-tools", tool: "look", children: ["report", "look"] },
  ]);
});

test("a key that only reads changes nothing, and is told so beside the switch", async () => {
  const { secret } = await scene.host.keys.create("ada", { scope: "read" });
  const page = await scene.open("#/agents/main/settings", { key: secret });
  const assist = page.getByRole("checkbox", { name: "Help for a small model" });
  await assist.click();
  await rowOf(page, "assist").getByRole("alert").getByText('needs a key of scope "admin"').waitFor();
  expect(await assist.isChecked()).toBe(false);
  expect((await find()).settings.assist).toBe("off");
});

test("an agent is deleted after its name was typed", async () => {
  await scene.runtime.agents.create({ name: "short lived", persona: "I am one.", human: "" });
  const page = await scene.open("#/agents/short%20lived/settings");
  await page.getByRole("button", { name: "Delete…" }).click();
  const deletion = page.getByRole("form", { name: "Delete the agent" });
  await deletion.getByLabel("Its name, to confirm").fill("short");
  expect(await deletion.getByRole("button", { name: "Delete" }).isDisabled()).toBe(true);
  await deletion.getByLabel("Its name, to confirm").fill("short lived");
  await deletion.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("heading", { name: "Home" }).waitFor();
  expect((await scene.runtime.agents.list()).map(({ name }) => name)).not.toContain("short lived");
});
