// The inspector's frame in a browser: the key, the overview, the keys of the keyboard, and what its security policy refuses.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { writeCode } from "../../src/surfaces/http/inspector/inspector-codes.ts";
import { accessibilityFaults, type BrowserScene, openBrowserScene } from "./browser-scene.ts";

let scene: BrowserScene;
const dataDir = mkdtempSync(path.join(tmpdir(), "palimpsest-overview-"));

beforeAll(async () => {
  scene = await openBrowserScene({}, { dataDir });
  const { runtime } = scene;
  await runtime.agents.create({ name: "bo", persona: "I am Bo.", human: "", description: "keeps notes" });
  const agent = await runtime.agents.open("bo");
  await agent.send('CALL core_memory_append {"name":"human","content":"Likes tea."}');
  await runtime.agents.create({ name: "cy ünit #2", persona: "I am Cy.", human: "" });
});
afterAll(async () => {
  rmSync(dataDir, { recursive: true, force: true });
  await scene.close();
});

test("the first page shows each agent with its use, the one used last first", async () => {
  const page = await scene.open();
  const cards = page.getByRole("list", { name: "Agents" });
  const card = cards.getByRole("listitem").filter({ hasText: "keeps notes" });
  await card.getByText("20 tokens in, 4 out").waitFor();
  await card.getByRole("link", { name: "1 change" }).waitFor();
  await cards.getByRole("listitem").filter({ hasText: "cy ünit #2" }).getByText("never used").waitFor();
  expect(await cards.getByRole("heading").allInnerTexts()).toEqual(["bo", "cy ünit #2"]);
  expect(await accessibilityFaults(page)).toEqual([]);
});

test("a code in the address becomes the key once, and is removed at once; a wrong key is asked again", async () => {
  writeFileSync(path.join(dataDir, "server-key"), `${scene.key}\n`, { mode: 0o600 });
  const code = await writeCode(dataDir, new Date());
  const page = await scene.open(`#code=${code}`, { key: null });
  await page.getByRole("heading", { name: "Agents" }).waitFor();
  expect(page.url()).toBe(`${scene.url}/inspect`);
  const second = await scene.open(`#code=${code}`, { key: null });
  await second.getByText("The code in this address was used already").waitFor();
  await page.getByRole("button", { name: "Log out" }).click();
  // The field has the focus.
  await page.locator("#key:focus").waitFor();
  await page.getByLabel("Key of the server").fill("pk_wrong");
  await page.getByRole("button", { name: "Open" }).click();
  const refused = page.getByRole("alert");
  await refused.getByText("The key is unknown or was revoked.").waitFor();
  expect(await refused.innerText()).not.toContain("`");
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByLabel("Key of the server").fill(scene.key);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "bo" }).waitFor();
  expect(await page.evaluate("[localStorage.length, document.cookie]")).toEqual([0, ""]);
});

test("users see their own agents only", async () => {
  const { secret } = await scene.host.keys.create("eve", { scope: "admin" });
  const page = await scene.open("", { key: secret });
  await page.getByText("There is no agent yet.").waitFor();
  await page.goto(`${scene.url}/inspect#/agents/bo/memory`);
  const refusal = page.getByRole("alert").getByText('There is no agent "bo"');
  // In the words of the page: the advice for programs is left out.
  expect(await refusal.innerText()).not.toContain("runtime.");
  expect(await page.getByText("keeps notes").count()).toBe(0);
});

test("the keyboard reaches every view, and lists the shortcuts", async () => {
  const page = await scene.open();
  await page.getByRole("heading", { name: "bo" }).waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("k");
  await page.keyboard.press("Enter");
  await page.getByRole("link", { name: "Memory" }).waitFor();
  for (const [key, view] of [
    ["w", "Window"],
    ["c", "Conversations"],
    ["s", "Search"],
    ["t", "Costs"],
    ["f", "Sources"],
    ["l", "Tools"],
    ["a", "Settings"],
    ["d", "Schedules"],
    ["m", "Memory"],
  ]) {
    await page.keyboard.press("g");
    await page.keyboard.press(key!);
    await page.locator("nav a[aria-current=page]", { hasText: view! }).waitFor();
  }
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Shortcuts" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.keyboard.press("g");
  await page.keyboard.press("h");
  await page.getByText("ok", { exact: true }).waitFor();
});

test("the page refuses what could run or load something", async () => {
  const page = await scene.open();
  await page.getByRole("heading", { name: "Agents" }).waitFor();
  const tried = await page.evaluate(`(async () => {
    const refused = [];
    addEventListener("securitypolicyviolation", ({ effectiveDirective }) => refused.push(effectiveDirective));
    const attempts = [
      async () => document.querySelector("#app").insertAdjacentHTML("beforeend", "<b>x</b>"),
      () => fetch("https://example.org/"),
      () => new Promise((done) => {
        const image = new Image();
        image.onerror = done;
        image.src = "data:image/gif;base64,R0lGODlhAQABAAAAACw=";
      }),
    ];
    await Promise.allSettled(attempts.map((attempt) => attempt()));
    return refused;
  })()`);
  expect(tried).toEqual(expect.arrayContaining(["require-trusted-types-for", "connect-src", "img-src"]));
  // What was counted above was meant.
  scene.forgetFaults();
});
