// A key that is limited to one agent in a browser: its agent is shown, and everything else is refused in words.
import { type Ada, createAda } from "./ada.ts";
import { accessibilityFaults, openBrowserScene } from "./browser-scene.ts";
import { useScene } from "../support/use-scene.ts";

const scene = useScene(() => openBrowserScene());
let ada: Ada;
let key: string;

beforeAll(async () => {
  ada = await createAda(scene.runtime);
  ({ secret: key } = await scene.runtime.keys.create({ agent: "main", scope: "admin" }));
});

const refusal = "The API key is limited to one agent, and this request is not about that agent.";

test("the first page has the agent of the key, and no other", async () => {
  const page = await scene.open("", { key });
  const list = page.getByRole("list", { name: "Agents" });
  await list.getByRole("link", { name: "7 changes" }).waitFor();
  expect(await list.getByRole("heading").allInnerTexts()).toEqual(["main"]);
  expect(await page.getByRole("alert").count()).toBe(0);
  expect(await accessibilityFaults(page)).toEqual([]);
  await list.getByRole("link", { name: "main" }).click();
  await page.getByRole("heading", { name: "Conversations" }).waitFor();
  const choice = page.getByRole("combobox", { name: "Agent" }).getByRole("option");
  await choice.filter({ hasText: /^main$/u }).waitFor({ state: "attached" });
  expect(await choice.allInnerTexts()).toEqual(["All agents", "main"]);
});

test.each([
  "memory",
  "window",
  "conversations",
  "exchanges",
  "search",
  "costs",
  "schedules",
  "sources",
  "settings",
  "tools",
  "consolidations",
])("%s of the agent works", async (view) => {
  const page = await scene.open(`#/agents/${ada.agentId}/${view}`, { key });
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.waitForLoadState("networkidle");
  expect(await page.getByRole("alert").count()).toBe(0);
  expect(await page.getByText(refusal).count()).toBe(0);
});

test("another agent and the server's records are refused in words", async () => {
  const other = await scene.open(`#/agents/${ada.otherId}/memory`, { key });
  await other.getByText(refusal).first().waitFor();
  expect(await other.getByText("shopping").count()).toBe(0);
  const server = await scene.open("#/health", { key });
  await server.getByText(refusal).first().waitFor();
  expect(await server.getByRole("button", { name: "Try again" }).count()).toBe(0);
  expect(await accessibilityFaults(server)).toEqual([]);
});
