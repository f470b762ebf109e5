// What agents write to each other in a browser: from a call and from a message to the chain, its states, and what a key hides.
import type { Page } from "playwright-core";
import {
  answer,
  createSpeakers,
  first,
  newTokens,
  said,
  speakers,
  speaksTo,
  write,
} from "../support/agent-messages-scene.ts";
import { until } from "../support/until.ts";
import { useScene } from "../support/use-scene.ts";
import { accessibilityFaults, openBrowserScene } from "./browser-scene.ts";

const { options } = speakers({
  researcher: first(write("writer", "Otters <b>hold</b> hands.", true), { text: "It is written." }),
  writer: (request, index) =>
    index === 0
      ? write("checker", "Do they?")
      : index === 1
        ? { text: "They drift together." }
        : said("Good.")(request, index),
  checker: (request) => {
    const [token] = newTokens(request);
    return token === undefined ? { text: "Checked." } : answer(token, "They do.");
  },
  lonely: first(write("lonely", "A note to myself"), write("busy", "When you have time", true)),
  busy: first({ toolCalls: [{ name: "core_memory_append", arguments: { name: "human", content: "x" } }] }),
  silent: said("."),
});
const scene = useScene(() => openBrowserScene({ ...options, model: "silent" }));

async function settled(agent: string, open: number): Promise<void> {
  await until(async () => {
    const messages = await scene.runtime.agentMessages.list(agent);
    return messages.length > 0 && messages.filter(({ status }) => status !== "ended").length === open;
  });
}

beforeAll(async () => {
  const agents = await createSpeakers(scene.runtime, ["researcher", "writer", "checker", "lonely", "silent"]);
  const { busy } = await createSpeakers(scene.runtime, ["busy"], { ...speaksTo, approvals: ["core_memory_append"] });
  await busy!.send("Note something.");
  await agents["researcher"]!.send("Have it written.");
  await settled("researcher", 0);
  await settled("checker", 0);
  await agents["lonely"]!.send("Write.");
  await settled("busy", 1);
});

/** The messages of the open chain, each as its writer and its receiver, its state, its text, and its place. */
async function shown(page: Page): Promise<readonly string[]> {
  const list = page.getByRole("list", { name: "Messages" });
  await list.waitFor();
  const texts = await list.getByRole("listitem").allInnerTexts();
  return texts.map((text) =>
    text
      .replaceAll(/\s+/gu, " ")
      .replaceAll(/just now|\d+ minutes? ago/gu, "TIME")
      .trim(),
  );
}

test("a call leads to its chain with the answer, the writer's message too, and the names to the conversations", async () => {
  const page = await scene.open("#/agents/researcher/conversations");
  const call = page
    .getByRole("list", { name: "Messages" })
    .locator("details")
    .filter({ hasText: "Call of message_agent" });
  await call.locator("summary").click();
  await call.getByRole("link", { name: "Open the exchange" }).click();
  await page.getByRole("heading", { name: "Exchanges" }).waitFor();
  const messages = await shown(page);
  // The last two are written at the same time.
  expect([...messages.slice(0, 2), ...messages.slice(2).toSorted()]).toEqual([
    "researcher → writer answered Otters <b>hold</b> hands. message, TIME, hop 1, 31 messages left",
    "writer → checker answered Do they? message, TIME, hop 2, 30 messages left",
    expect.stringMatching(/^checker → writer .* They do\. answer, TIME, hop 3, 2[89] messages left$/u),
    expect.stringMatching(/^writer → researcher received They drift together\. answer, TIME, hop 2/u),
  ]);
  expect(await accessibilityFaults(page)).toEqual([]);

  await page.getByRole("list", { name: "Messages" }).getByRole("link", { name: "writer" }).first().click();
  await page.getByRole("heading", { name: "Conversations" }).waitFor();
  const heard = page.getByRole("list", { name: "Messages" }).locator("article").filter({ hasText: "hold" });
  await heard.getByRole("link", { name: "Open the exchange" }).click();
  await page.getByRole("heading", { name: "Exchanges" }).waitFor();
  expect(await shown(page)).toEqual(messages);
});

test("a message that waits, and one that was refused, say so", async () => {
  const page = await scene.open("#/agents/lonely/memory");
  await page.getByRole("heading", { name: "Memory" }).waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("x");
  await page.getByRole("heading", { name: "Exchanges" }).waitFor();
  expect(await shown(page)).toEqual([
    "lonely → lonely refused: an agent cannot write to itself A note to myself message, TIME, hop 1, 31 messages left",
    "lonely → busy waiting When you have time message, TIME, hop 1, 31 messages left; its writer waits for the answer",
  ]);
  const list = page.getByRole("list", { name: "Exchanges" });
  expect((await list.innerText()).replaceAll(/\s+/gu, " ")).toMatch(/lonely → lonely: A note .* 2 messages open$/u);
  expect(await accessibilityFaults(page)).toEqual([]);
});

test("an agent without messages says how to get some, and an unknown exchange that there is none", async () => {
  const page = await scene.open("#/agents/silent/exchanges");
  await page.getByText("have not written to each other").waitFor();
  const unknown = await scene.open("#/agents/writer/exchanges/00000000-0000-7000-8000-000000000000");
  await unknown.getByText("No message is stored here").waitFor();
  expect(await unknown.getByRole("alert").count()).toBe(0);
});

test("a key of one agent shows what this agent wrote and received, and no more", async () => {
  const { secret: key } = await scene.runtime.keys.create({ agent: "researcher", scope: "read" });
  const page = await scene.open("#/agents/researcher/exchanges", { key });
  expect(await shown(page)).toHaveLength(2);
  expect(await page.getByText("Do they?").count()).toBe(0);
  expect(await page.getByRole("alert").count()).toBe(0);
});

test("on a narrow screen, the list leads to an exchange and back", async () => {
  const page = await scene.open("#/agents/writer/exchanges", { width: 320, height: 640 });
  await page.getByRole("list", { name: "Exchanges" }).getByRole("link").first().click();
  await page.getByRole("list", { name: "Messages" }).waitFor();
  const isWide = "document.documentElement.scrollWidth > document.documentElement.clientWidth";
  expect(await page.evaluate(isWide)).toBe(false);
  await page.getByRole("link", { name: "← All exchanges" }).click();
  await page.getByRole("list", { name: "Exchanges" }).waitFor();
  expect(await page.getByRole("list", { name: "Messages" }).isVisible()).toBe(false);
});
