// Hostile text in every field: nothing runs, nothing loads, nothing is hidden. The scene counts what tries to.
import { openBrowserScene } from "./browser-scene.ts";
import { useScene } from "../support/use-scene.ts";

const hostile = [
  `<img src=x onerror="document.title='run'"><script>document.title='run'</script>`,
  `<a href="javascript:document.title='run'">x</a> [x](javascript:alert(1)) https://evil.example/x.png`,
  `\u001B[31m\u001B]0;title\u0007\u202Egnp.exe\u202C \u2066x\u2069 \u200B\uFEFF`,
  `"><svg onload=alert(1)> {{constructor}} \${alert(1)} __proto__`,
].join("\n");
/** On one line, for names. */
const name = `<img src=x onerror=alert(1)>\u202E"'javascript:alert(1)`.slice(0, 90);
const huge = `${"A".repeat(300_000)} ${"<b>x</b>".repeat(1000)}`;

const scene = useScene(() => openBrowserScene());
let agentId = "";
let conversationId = "";

beforeAll(async () => {
  const { runtime } = scene;
  const created = await runtime.agents.create({
    name,
    persona: hostile.slice(0, 1500),
    human: "",
    description: hostile,
    tags: [name],
    metadata: { x: hostile },
  });
  agentId = created.id;
  const agent = await runtime.agents.open(agentId);
  conversationId = agent.conversationId;
  await agent.send(`SAY ${hostile}`);
  await agent.send({ messages: [{ text: `SAY ${huge}`, name: "<b>me</b>" }] });
  await agent.send(`CALL core_memory_append ${JSON.stringify({ name: "human", content: hostile })}`);
  await agent.send(`CALL ${"add_carefully"} {"a":1,"b":2,"c":${JSON.stringify(hostile)}}`);
  await runtime.conversations.rename(conversationId, name);
  await runtime.memory.set(agentId, "persona", `${hostile}\n<b>new</b>`.slice(0, 1900));
  await runtime.archival.add(agentId, hostile, { tags: [name] });
  await runtime.archival.add(agentId, huge.slice(0, 20_000));
  await runtime.sources.create(name, { description: hostile });
  await runtime.sources.add(name, hostile);
  await runtime.sources.attach(agentId, name);
  await runtime.schedules.create(agentId, { text: hostile, cron: "0 8 * * *", timeZone: "UTC" });
  await runtime.archival.add(agentId, `${hostile}\nmore`);
  await runtime.agents.update(agentId, { summarizer: "tidier" });
  await runtime.consolidation.run(agentId);
  await scene.host.keys.create("ada", { name });
});

test.each([
  ["the first page", () => "", "<img"],
  ["memory", () => `#/agents/${agentId}/memory/human`, "<img"],
  ["a revision", () => `#/agents/${agentId}/memory/persona/1`, "<img"],
  ["the window", () => `#/agents/${agentId}/window/${conversationId}`, "free"],
  ["a conversation", () => `#/agents/${agentId}/conversations/${conversationId}`, "constructor"],
  ["the archive", () => `#/agents/${agentId}/search`, "<img"],
  ["a search", () => `#/agents/${agentId}/search?query=img+onerror+javascript`, "<img"],
  ["recall", () => `#/agents/${agentId}/search?kind=recall&query=javascript&neighbours=2`, "javascript"],
  ["settings", () => `#/agents/${agentId}/settings`, "Limits"],
  ["tools", () => `#/agents/${agentId}/tools`, "conversation_search"],
  ["sources", () => `#/agents/${agentId}/sources`, "<img"],
  ["schedules", () => `#/agents/${agentId}/schedules`, "<img"],
  ["consolidations", () => `#/agents/${agentId}/consolidations`, "<img"],
  ["costs", () => `#/agents/${agentId}/costs`, "asked"],
  ["the server", () => `#/health`, "<img"],
  ["an address", () => `#/agents/%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E/memory/%3Cb%3E`, "There is no agent"],
])("%s shows it as text", async (_, place, expected) => {
  const page = await scene.open(place());
  await page.locator("main").getByText(expected).first().waitFor();
  await page.waitForLoadState("networkidle");
  // Opens everything that can be opened.
  await page.evaluate("for (const one of document.querySelectorAll('main details')) one.open = true");
  const found = await page.evaluate(`({
    elements: document.querySelectorAll("main img, main script, main iframe, main object, main b, main svg[onload]").length,
    links: [...document.querySelectorAll("a")].filter((link) => !link.getAttribute("href").startsWith("#")).length,
    title: document.title,
    hidden: /[\\u001B\\u202A-\\u202E\\u2066-\\u2069\\u200B\\uFEFF]/u.test(document.body.innerText),
    isWide: document.documentElement.scrollWidth > document.documentElement.clientWidth,
  })`);
  expect(found).toEqual({
    elements: 0,
    links: 0,
    title: expect.stringMatching(/ · Palimpsest$/u),
    hidden: false,
    isWide: false,
  });
});
