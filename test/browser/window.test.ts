// The window view in a browser: steps to scale, the texts of their parts, and compactions with their undo.
import { type Ada, createAda } from "./ada.ts";
import { accessibilityFaults, openBrowserScene } from "./browser-scene.ts";
import { useScene } from "../support/use-scene.ts";

const scene = useScene(() => openBrowserScene());
let ada: Ada;

beforeAll(async () => (ada = await createAda(scene.runtime)));

const open = (step = "/now") => scene.open(`#/agents/${ada.agentId}/window/${ada.conversationId}${step}`);

test("the window now is drawn to scale, and each part has its text", async () => {
  const page = await open();
  const now = page.getByRole("region", { name: "The window now" });
  const bar = now.getByRole("group", { name: "The window to scale" });
  await bar.getByRole("button", { name: /^core memory: \d+ tokens/u }).click();
  await now.getByRole("region", { name: "Text of core memory" }).getByText("Lives in: Porto").waitFor();
  await bar.getByRole("button", { name: /^summaries: / }).click();
  await now.getByRole("list", { name: "Messages of the request" }).waitFor();
  const widths = await page.evaluate(
    '[...document.querySelectorAll(".segment")].map(({ offsetWidth }) => offsetWidth)',
  );
  expect(Math.min(...(widths as number[]))).toBeGreaterThanOrEqual(3);
  expect(widths).not.toEqual([]);
  expect(await now.getByRole("list", { name: "Left out" }).innerText()).toContain(
    "have left the window, replaced by 1 summary",
  );
  expect(await accessibilityFaults(page)).toEqual([]);
});

test("a row of the legend chooses its part, with the pointer and the keyboard, and says of when core memory is", async () => {
  await scene.runtime.memory.set("main", "persona", "I am newer.");
  const page = await open();
  const now = page.getByRole("region", { name: "The window now" });
  const table = now.getByRole("group", { name: "Tokens by part" });
  await table
    .getByRole("row", { name: /^core memory / })
    .getByRole("cell")
    .last()
    // The button of the row covers the cell.
    .click({ force: true });
  const text = now.getByRole("region", { name: "Text of core memory" });
  await text.getByText("As it was at the beginning of the conversation").waitFor();
  expect(await text.innerText()).not.toContain("I am newer.");
  expect(await table.getByRole("button", { name: "core memory", pressed: true }).count()).toBe(1);
  await table.getByRole("button", { name: "tools" }).focus();
  await page.keyboard.press("Enter");
  await now.getByRole("region", { name: "Text of tools" }).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await table.getByRole("button", { name: "core memory" }).focus();
  await page.keyboard.press(" ");
  await text.getByRole("link", { name: "Current memory" }).click();
  await page.getByRole("region", { name: "Module persona" }).getByText("I am newer.").first().waitFor();
});

test("older turns and last turns each have their own text, now and at a step", async () => {
  const { id } = await scene.runtime.agents.create({ name: "talker", model: "demo", persona: "I am.", human: "" });
  const agent = await scene.runtime.agents.open(id);
  for (const word of ["one", "two", "three", "four", "five", "six", "seven"]) await agent.send(`Say ${word}.`);
  const page = await scene.open(`#/agents/${id}/window/${agent.conversationId}/now`);
  const textOf = async (region: string, part: string): Promise<string> => {
    const shown = page.getByRole("region", { name: region });
    await shown.getByRole("group", { name: "Tokens by part" }).getByRole("button", { name: part, exact: true }).click();
    const text = shown.getByRole("region", { name: `Text of ${part}` }).getByRole("list");
    await text.waitFor();
    return (await text.innerText()).match(/Say \w+/gu)!.join();
  };
  expect(await textOf("The window now", "older turns")).toBe("Say one,Say two,Say three");
  expect(await textOf("The window now", "last turns")).toBe("Say four,Say five,Say six,Say seven");
  await page.getByRole("button", { name: "Earlier" }).click();
  expect(await textOf("Step 7", "older turns")).toBe("Say one,Say two");
  expect(await textOf("Step 7", "last turns")).toBe("Say three,Say four,Say five,Say six");
  expect(await textOf("Step 7", "last turn")).toBe("Say seven");
});

test("without a step in the address, the last model call is shown with the text of its turn", async () => {
  const page = await open("");
  const step = page.getByRole("region", { name: /^Step \d+$/u });
  await step.getByRole("region", { name: "Text of last turn" }).getByText("Where do I live?").first().waitFor();
  await page.keyboard.press("ArrowRight");
  await page.getByRole("region", { name: "The window now" }).waitFor();
});

test("the arrow keys go through the steps, with the memory and the turn of each", async () => {
  const page = await open();
  await page.getByRole("combobox", { name: "Step" }).waitFor();
  await page.keyboard.press("ArrowLeft");
  await page.getByRole("region", { name: /^Step \d+$/u }).waitFor();
  expect(page.url()).toMatch(/\/window\/[^/]+\/\d+$/u);
  await page.keyboard.press("ArrowRight");
  await page.getByRole("region", { name: "The window now" }).waitFor();

  await page.getByRole("combobox", { name: "Step" }).selectOption({ label: "Step 3" });
  const step = page.getByRole("region", { name: "Step 3" });
  await step.getByRole("button", { name: /^last turn: / }).click();
  await step.getByRole("region", { name: "Text of last turn" }).getByText("I like sailing and tea.").waitFor();
  await step.getByRole("button", { name: /^core memory: / }).click();
  const memory = step.getByRole("list", { name: "Core memory at this step" });
  await memory.getByText("Lives in: Lisbon").waitFor();
  expect(await memory.innerText()).not.toContain("Porto");
  expect(await accessibilityFaults(page)).toEqual([]);
});

test("the text of an earlier step is read back: earlier turns, the turn until its reply, summaries", async () => {
  const page = await open();
  await page.getByRole("combobox", { name: "Step" }).selectOption({ label: "Step 4" });
  const step = page.getByRole("region", { name: "Step 4" });
  await step
    .getByRole("button", { name: /^(?:last|older) turns: / })
    .first()
    .click();
  const earlier = step.getByRole("list", { name: "Messages of the request" });
  await earlier.getByText("My name is Ada and I live in Lisbon.").waitFor();
  const before = await earlier.innerText();
  await step.getByRole("button", { name: /^last turn: / }).click();
  await step.getByRole("region", { name: "Text of last turn" }).waitFor();
  const running = await step.getByRole("list", { name: "Messages of the request" }).innerText();
  expect(before).not.toContain(running.split("\n").at(-1));
  await step.getByRole("button", { name: /^instructions: / }).click();
  await step.getByText("The text had the same length at this step.").waitFor();

  const options = await page.getByRole("combobox", { name: "Step" }).getByRole("option").allInnerTexts();
  const last = Math.max(...options.flatMap((text) => (/^Step \d+/u.test(text) ? [Number(/\d+/u.exec(text)![0])] : [])));
  await page.getByRole("combobox", { name: "Step" }).selectOption({ label: `Step ${last}` });
  const afterCompaction = page.getByRole("region", { name: `Step ${last}` });
  await afterCompaction.getByRole("button", { name: /^summaries: / }).click();
  await afterCompaction.getByRole("list", { name: "Summaries at this step" }).getByText(/Ada/u).first().waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
});

test("a compaction shows what it freed, and is undone", async () => {
  const page = await open();
  const list = page.getByRole("list", { name: "Compactions" });
  await list.getByText("Summary", { exact: true }).click();
  await list.getByText(/Ada/u).first().waitFor();
  await list.getByRole("button", { name: "Undo this compaction" }).click();
  await list.getByText("undone").waitFor();
  const agent = await scene.runtime.agents.open("main", { withoutCalls: true });
  expect((await agent.compactions())[0]?.undoneAt).not.toBeNull();
  expect(agent.context().report.compacted.summaries).toBe(0);
  await page.getByRole("region", { name: "The window now" }).getByText("Nothing was left out.").waitFor();
});

test("the pointer reads the numbers of a column, and a click opens its step", async () => {
  const page = await open();
  const columns = page.locator("figure .column");
  await columns.nth(2).hover();
  await page.getByText(/^Step 3: [\d,]+ of 8,192 tokens$/u).waitFor();
  await columns.nth(2).click();
  await page.getByRole("region", { name: "Step 3" }).waitFor();
});

test("an agent without a conversation says so", async () => {
  const page = await scene.open(`#/agents/${ada.otherId}/window`);
  await page.getByText("There is no conversation yet.").waitFor();
});
