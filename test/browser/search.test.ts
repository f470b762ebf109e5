// Search, costs, sources, consolidations and schedules in a browser.
import { type Ada, createAda } from "./ada.ts";
import { accessibilityFaults, openBrowserScene } from "./browser-scene.ts";
import { useScene } from "../support/use-scene.ts";

const scene = useScene(() => openBrowserScene());
let ada: Ada;

beforeAll(async () => (ada = await createAda(scene.runtime)));

const open = (view: string) => scene.open(`#/agents/${ada.agentId}/${view}`);

test("the archive is searched with the reason for each hit, and a passage is deleted", async () => {
  const page = await open("search");
  await page.getByRole("list", { name: "Passages" }).getByText("Ada prefers trains").waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("winter cover");
  await page.keyboard.press("Enter");
  const hits = page.getByRole("list", { name: "Hits" });
  const first = hits.getByRole("listitem").first();
  await first
    .getByText("The winter cover of the boat")
    .or(first.locator("mark", { hasText: "winter" }))
    .first()
    .waitFor();
  expect(await first.locator(".plain-text mark").allInnerTexts()).toEqual(["winter cover"]);
  expect(await first.getByText(/^rank 1, score/u).count()).toBe(1);
  expect(page.url()).toContain("query=winter+cover");
  expect(await accessibilityFaults(page)).toEqual([]);
  await first.getByRole("button", { name: "Delete" }).click();
  await page.getByText("Nothing was found.").waitFor();
  expect((await scene.runtime.archival.search("main", "winter cover")).hits).toEqual([]);
});

test("a passage is added with tags, and found by them", async () => {
  const page = await open("search");
  await page.getByText("Add a passage").click();
  await page.getByLabel("Text", { exact: true }).fill("The tide table is on the fridge.");
  await page.getByLabel("Tags, separated by commas").fill("tides, kitchen");
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByRole("list", { name: "Passages" }).getByText("The tide table").waitFor();
  await page.getByLabel("Tags", { exact: true }).fill("kitchen");
  await page.getByRole("searchbox").fill("table");
  await page.getByRole("button", { name: "Search" }).click();
  await page.getByText("1 hit", { exact: true }).waitFor();
});

test("the tags of a passage are changed in the list, among the hits and in a source", async () => {
  await scene.runtime.archival.add("main", "The spare key is under the third stone.", { tags: ["house"] });
  const tagsOf = async () => (await scene.runtime.archival.search("main", "spare key")).hits[0]?.tags;
  const page = await open("search");
  const row = page.getByRole("article").filter({ hasText: "spare key" });
  await row.getByRole("button", { name: "Change tags" }).click();
  const field = page.getByLabel("Tags of the passage, separated by commas");
  await field.fill("house, keys, keys");
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.keyboard.press("Enter");
  await row.getByText("#keys").waitFor();
  expect(await tagsOf()).toEqual(["house", "keys"]);
  await row.getByRole("button", { name: "Change tags" }).click();
  await field.fill("x".repeat(300));
  await page.keyboard.press("Enter");
  await row.getByRole("alert").getByText("a tag of 1 to 200 characters").waitFor();
  expect(await tagsOf()).toEqual(["house", "keys"]);

  await page.goto(`${scene.url}/inspect#/agents/${ada.agentId}/search?query=${encodeURIComponent('"spare key"')}`);
  const hit = page.getByRole("list", { name: "Hits" }).locator("> li").first();
  await hit.getByRole("button", { name: "Change tags" }).click();
  await field.fill("");
  await page.keyboard.press("Enter");
  await hit.getByRole("button", { name: "Add tags" }).waitFor();
  expect(await tagsOf()).toEqual([]);

  await page.goto(`${scene.url}/inspect#/agents/${ada.agentId}/search?query=marina`);
  const ofSource = page.getByRole("list", { name: "Hits" }).locator("> li").first();
  await ofSource.getByText("source harbours").waitFor();
  await ofSource.getByRole("button", { name: "Add tags" }).click();
  await field.fill("radio");
  await page.keyboard.press("Enter");
  await ofSource.getByText("#radio").waitFor();
  const rows = await scene.runtime.sources.passages("harbours");
  expect(rows.map(({ tags }) => tags)).toContainEqual(["radio"]);
});

test("messages are searched with their neighbours, and opened in their conversation", async () => {
  const page = await open("search?kind=recall&query=cartographer&neighbours=1");
  const first = page.getByRole("list", { name: "Hits" }).locator("> li").first();
  await first.getByText("Messages around it").click();
  expect(await accessibilityFaults(page)).toEqual([]);
  await first.getByRole("button", { name: "Open in its conversation" }).click();
  await page.getByRole("list", { name: "Messages" }).getByText("cartographer").first().waitFor();
  expect(page.url()).toContain(`/conversations/${ada.conversationId}/`);
});

test("a query that the server refuses is told, and can be changed", async () => {
  const page = await open(`search?query=${"x".repeat(20)}&kind=recall&start=2026-11-25&end=2026-11-01`);
  await page.getByRole("alert").or(page.getByText("Nothing was found.")).first().waitFor();
  await page.getByLabel("From").fill("");
  await page.getByText("Nothing was found.").waitFor();
});

test("costs, sources and schedules", async () => {
  const costs = await open("costs");
  const chart = costs.getByRole("img", { name: /^Tokens by day/u });
  await chart.focus();
  await costs.keyboard.press("ArrowLeft");
  await costs.getByText(/: [\d,]+ tokens \(0 cached, [\d,]+ new, [\d,]+ output\)$/u).waitFor();
  await costs.keyboard.press("Tab");
  await costs.getByText("cached new output").waitFor();
  expect(await costs.getByRole("table").innerText()).toMatch(/demo\s+18\s/u);
  expect(await accessibilityFaults(costs)).toEqual([]);

  const sources = await open("sources");
  await sources.getByRole("list", { name: "Passages" }).getByText("Cascais marina").waitFor();
  await sources.getByRole("button", { name: "Detach" }).click();
  await sources.getByRole("button", { name: "Attach" }).waitFor();
  expect((await scene.runtime.sources.show("harbours")).agents).toEqual([]);
  expect(await accessibilityFaults(sources)).toEqual([]);

  const schedules = await open("schedules");
  await schedules.getByText("Remind me of the tides.").waitFor();
  await schedules.getByRole("button", { name: "History" }).click();
  await schedules.getByText("No message was sent yet.").waitFor();
  await schedules.getByRole("button", { name: "Turn off" }).click();
  await schedules.getByRole("button", { name: "Turn on" }).waitFor();
  expect((await scene.runtime.schedules.list("main"))[0]?.isEnabled).toBe(false);
  expect(await accessibilityFaults(schedules)).toEqual([]);
});

test("a consolidation is reviewed and undone", async () => {
  const page = await scene.open(`#/agents/${ada.otherId}/consolidations`);
  const run = page.getByRole("list", { name: "Runs" }).getByRole("listitem").first();
  await run.getByText("removed: Bread on Fridays").waitFor();
  expect(await run.getByText("needs review").count()).toBe(1);
  await run.getByRole("button", { name: "Apply it" }).click();
  await run.getByRole("button", { name: "Apply it" }).waitFor({ state: "detached" });
  const [made] = await scene.runtime.consolidation.list(ada.otherId);
  expect(made?.operations.map(({ status }) => status)).toEqual(["applied", "applied"]);
  await run.getByRole("button", { name: "Undo the run" }).click();
  await run.getByRole("heading").getByText("undone").waitFor();
  expect((await scene.runtime.consolidation.find(made!.id)).status).toBe("undone");
  await page.getByRole("button", { name: "Tidy now" }).click();
  await page.getByText("no model was called").waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
});
