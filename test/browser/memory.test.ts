// The memory view in a browser: lines with what wrote them, revisions, and changes that reach the database.
import type { Locator, Page } from "playwright-core";
import { type Ada, createAda } from "./ada.ts";
import { accessibilityFaults, openBrowserScene } from "./browser-scene.ts";
import { until } from "../support/until.ts";
import { useScene } from "../support/use-scene.ts";

const scene = useScene(() => openBrowserScene());
let ada: Ada;

beforeAll(async () => (ada = await createAda(scene.runtime)));

async function openModule(label: string): Promise<Page> {
  const page = await scene.open(`#/agents/${ada.agentId}/memory/${label}`);
  await page.getByRole("region", { name: `Module ${label}` }).waitFor();
  return page;
}

/** Waits until an element is within the list that scrolls. */
async function expectInView(element: Locator): Promise<void> {
  const list = (await element.page().locator(".virtual-list").boundingBox())!;
  await until(async () => {
    const box = await element.boundingBox();
    return box !== null && box.y >= list.y && box.y + box.height <= list.y + list.height;
  });
}

const valueOf = async (label: string) =>
  (await scene.runtime.memory.show("main")).find((module) => module.label === label)?.value;

test("a line leads to the message and the tool call that wrote it", async () => {
  const page = await openModule("human");
  await page
    .getByRole("list", { name: "Text by line" })
    .getByRole("button", { name: /Lives in: Porto/u })
    .click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("I moved to Porto.").waitFor();
  await dialog.getByText("core_memory_replace", { exact: true }).waitFor();
  await dialog.getByText("Lives in: Lisbon").first().waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await dialog.getByRole("link", { name: "Open the conversation there" }).click();
  expect(page.url()).toContain(`/conversations/${ada.conversationId}/`);
  const cause = page.getByRole("list", { name: "Messages" }).getByText("I moved to Porto.", { exact: true });
  await cause.waitFor();
  await expectInView(cause);
});

test("memory opens at what was learned last, and a line keeps its origin however old it is", async () => {
  const origin = "first line";
  await scene.runtime.agents.create({ name: "old", persona: "I am old.", human: "" });
  await scene.runtime.memory.set("old", "human", origin);
  for (let day = 1; day <= 60; day += 1) await scene.runtime.memory.set("old", "human", `${origin}\nday ${day}`);
  const page = await scene.open("#/agents/old/memory");
  const lines = page.getByRole("region", { name: "Module human" }).getByRole("list", { name: "Text by line" });
  await lines.getByRole("button", { name: /^first line revision 1 · / }).waitFor();
  await lines.getByRole("button", { name: /^day 60 revision 61 · .* · the user$/u }).waitFor();
  expect(await page.getByRole("list", { name: "Revisions" }).locator("> li").count()).toBe(50);
  await page.getByRole("button", { name: "Show older revisions" }).click();
  await page.getByRole("list", { name: "Revisions" }).locator("> li").nth(60).waitFor();
});

test("modules show their length, their trust, and who else holds them", async () => {
  const page = await openModule("shopping");
  await page.getByText("Held by").waitFor();
  expect(await page.getByRole("region", { name: "Module shopping" }).getByText("Held by").innerText()).toBe(
    "Held by helper, main. A change applies to all of them.",
  );
  const modules = page.getByRole("list", { name: "Modules" });
  await modules.getByRole("link", { name: /^shopping of the user/u }).waitFor();
  await modules
    .getByRole("img", { name: /^Length: \d+ of [\d,]+ characters/u })
    .first()
    .waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
});

test("an edit is stored, and undone from its revision", async () => {
  const page = await openModule("shopping");
  await page.getByRole("button", { name: "Edit" }).click();
  await page.getByLabel("Text", { exact: true }).fill("Bread\nOlives\nCharts");
  await page.keyboard.press("Control+Enter");
  await page.getByRole("list", { name: "Text by line" }).getByRole("button", { name: "Charts" }).waitFor();
  expect(await valueOf("shopping")).toBe("Bread\nOlives\nCharts");
  await page.getByRole("list", { name: "Revisions" }).getByRole("button", { name: "Undo" }).first().click();
  await page.getByText("undo of revision").waitFor();
  expect(await valueOf("shopping")).toBe("Bread\nOlives");
});

test("an edit over a newer text shows that text first", async () => {
  const page = await openModule("shopping");
  await page.getByRole("button", { name: "Edit" }).click();
  await page.getByLabel("Text", { exact: true }).fill("Only mine");
  await scene.runtime.memory.set("main", "shopping", "Somebody else's");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("The text was changed meanwhile.").waitFor();
  expect(await valueOf("shopping")).toBe("Somebody else's");
  await page.getByRole("button", { name: "Replace the newer text" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  expect(await valueOf("shopping")).toBe("Only mine");
});

test("an undo that later edits depend on lists them and asks; Cancel changes nothing", async () => {
  const before = await valueOf("shopping");
  await scene.runtime.memory.set("main", "shopping", "One");
  await scene.runtime.memory.set("main", "shopping", "One, two");
  await scene.runtime.memory.set("main", "shopping", "One, two, three");
  const page = await openModule("shopping");
  const oldest = page.getByRole("list", { name: "Revisions" }).getByRole("listitem").nth(2);
  await oldest.locator("summary").click();
  const undo = oldest.getByRole("button", { name: "Undo", exact: true });
  await undo.click();
  const question = page.getByRole("dialog", { name: /^Undo revision \d+\?$/u });
  const later = question.getByRole("list", { name: "Later edits" });
  await later.getByText("One, two").first().waitFor();
  expect(await later.getByRole("listitem").count()).toBe(2);
  expect(await accessibilityFaults(page)).toEqual([]);
  await question.getByRole("button", { name: "Cancel" }).click();
  await question.waitFor({ state: "detached" });
  expect(await valueOf("shopping")).toBe("One, two, three");
  expect(await oldest.getByRole("alert").count()).toBe(0);
  await undo.click();
  await question.getByRole("button", { name: "Undo all 3 edits" }).click();
  await page
    .getByRole("list", { name: "Revisions" })
    .getByRole("listitem")
    .first()
    .getByText("undo of revision")
    .waitFor();
  expect(await valueOf("shopping")).toBe(before);
});

test("a text is forgotten after every place was shown", async () => {
  const page = await openModule("human");
  await page.getByRole("button", { name: "Forget…" }).click();
  await page.getByLabel("Text to remove").fill("sailing");
  await page.keyboard.press("Control+Enter");
  const places = page.getByRole("list", { name: "Places" });
  await places.getByText("message").first().waitFor();
  const effects = await places.locator(".mark").allInnerTexts();
  expect(effects.filter((effect) => !effect.startsWith("will be "))).toEqual([]);
  // What cannot be undone needs a click.
  await page.keyboard.press("Control+Enter");
  expect(await valueOf("human")).toContain("sailing");
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole("button", { name: /^Forget in \d+ places$/u }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  expect(await valueOf("human")).not.toContain("sailing");
  await page.getByRole("list", { name: "Revisions" }).getByText("by a forgetting").waitFor();
  await page.getByText("A text was removed from this module and from all its revisions.").waitFor();
  const { hits } = await scene.runtime.recall.search("main", "sailing");
  expect(hits.filter(({ text }) => text.includes("sailing"))).toEqual([]);
});

test("a key that only reads changes nothing, and is told so", async () => {
  const { secret } = await scene.host.keys.create("ada", { scope: "read" });
  const page = await scene.open(`#/agents/${ada.agentId}/memory/persona`, { key: secret });
  await page.getByRole("button", { name: "Edit" }).click();
  await page.getByLabel("Text", { exact: true }).fill("Other");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("alert").getByText('needs a key of scope "chat"').waitFor();
  expect(await valueOf("persona")).toContain("companion");
});
