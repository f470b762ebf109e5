// The pages of an agent in a browser: its tools, sources, schedules and conversations; and the user's keys.
import { readFileSync } from "node:fs";
import { accessibilityFaults, openBrowserScene } from "./browser-scene.ts";
import { useScene } from "../support/use-scene.ts";

const scene = useScene(() => openBrowserScene());
const find = (name = "main") => scene.runtime.agents.find(name);

beforeAll(() => scene.runtime.agents.create({ name: "main", persona: "I am one.", human: "" }));

test("tools are turned off and on; one of the user is attached, asks, and is detached", async () => {
  await scene.runtime.tools.create({
    name: "look_up",
    description: "Looks up <b>a word</b>.",
    parameters: { type: "object", properties: {} },
  });
  const page = await scene.open("#/agents/main/tools");
  const program = page.getByRole("list", { name: "Tools of the program" });
  const names = async () => (await scene.runtime.tools.builtIn("main")).map(({ name }) => name);
  await program.getByLabel("memory_rethink").waitFor();
  const toggle = (name: string) =>
    Promise.all([page.waitForResponse(/\/built-in-tools$/u), program.getByLabel(name).click()]);
  await toggle("conversation_search_date");
  expect(await names()).not.toContain("conversation_search_date");
  await toggle("conversation_search_date");
  await toggle("memory_rethink");
  expect(await names()).toEqual(expect.arrayContaining(["conversation_search_date", "memory_rethink"]));

  const own = page.getByRole("list", { name: "Your tools" }).getByRole("listitem");
  await own.getByText("Looks up <b>a word</b>.").waitFor();
  await own.getByRole("button", { name: "Attach" }).click();
  await own.getByRole("combobox", { name: "Approval of look_up" }).selectOption({ label: "asks before each call" });
  await own.getByRole("combobox", { name: "Approval of look_up" }).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  // The page shows the choice before the server has stored it.
  const approvals = async () =>
    (await scene.runtime.tools.ofAgent("main")).map((tool) => [tool.name, tool.agentRequiresApproval]);
  while ((await approvals())[0]?.[1] === null) await page.waitForTimeout(50);
  expect(await approvals()).toEqual([["look_up", true]]);
  await own.getByRole("button", { name: "Detach" }).click();
  await own.getByRole("button", { name: "Attach" }).waitFor();
});

test("a source is created, files are loaded into it, one is refused, and all are removed", async () => {
  const page = await scene.open("#/agents/main/sources");
  await page.getByText("There is no source yet.").waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByLabel("Name of a new source").fill("<i>tides</i>");
  await page.getByRole("button", { name: "Add source" }).click();
  await page.getByText("No file was loaded").waitFor();
  await page.getByLabel("Load files").setInputFiles([
    { name: "tides.md", mimeType: "text/markdown", buffer: Buffer.from("# Tides\n\nLow water at 9.") },
    { name: "picture.bin", mimeType: "application/octet-stream", buffer: Buffer.from([0, 1, 2, 255]) },
  ]);
  const files = page.getByRole("list", { name: "Files" });
  await files.getByText("tides.md").waitFor();
  await page.getByRole("alert").getByText("picture.bin").waitFor();
  await page.getByRole("list", { name: "Sources" }).getByText("1 passage").waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  const [source] = await scene.runtime.sources.list();
  expect(source).toMatchObject({ name: "<i>tides</i>", agentIds: [(await find()).id] });
  await files.getByRole("button", { name: /^Remove .*tides\.md$/u }).click();
  await files.getByText("tides.md").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Delete" }).click();
  expect(await scene.runtime.sources.list()).toHaveLength(1);
  await page.getByRole("button", { name: "Delete for every agent?" }).click();
  await page.getByText("There is no source yet.").waitFor();
});

test("a schedule is created, refused, changed and deleted", async () => {
  const page = await scene.open("#/agents/main/schedules");
  await page.getByText("No message is scheduled.").waitFor();
  await page.getByRole("button", { name: "New schedule" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Message to send").fill("Count the <b>boats</b>.");
  await dialog.getByLabel("Cron expression").fill("every day");
  await dialog.getByRole("button", { name: "Save" }).click();
  const fault = dialog.getByRole("alert");
  await fault.waitFor();
  expect(await fault.innerText()).toBe(
    'Expected a cron expression with five fields such as "0 9 * * 1-5", got "every day": the number of its fields is 2.',
  );
  const [alertBox, field] = [await fault.boundingBox(), await dialog.getByLabel("Cron expression").boundingBox()];
  expect(alertBox!.y).toBeGreaterThan(field!.y);
  expect(await accessibilityFaults(page)).toEqual([]);
  await dialog.getByLabel("Cron expression").fill("0 7 * * *");
  await dialog.getByRole("button", { name: "Save" }).click();
  const list = page.getByRole("list", { name: "Schedules" });
  await list.getByText("Count the <b>boats</b>.").waitFor();
  await list.getByRole("button", { name: "Change" }).click();
  await dialog.getByLabel("once").click();
  expect(await dialog.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
  await dialog.getByLabel("At", { exact: true }).fill("2040-07-02T03:04");
  await dialog.getByLabel("Time zone").fill("America/Nowhere");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByText("Expected an IANA time zone").waitFor();
  await dialog.getByLabel("Time zone").fill("America/New_York");
  await dialog.getByRole("button", { name: "Save" }).click();
  await list.getByText("once Jul 2, 2040, 3:04 AM, America/New_York; next: in 1").waitFor();
  const stored = { cron: null, at: new Date("2040-07-02T07:04:00Z"), conversation: "last" };
  expect(await scene.runtime.schedules.list("main")).toMatchObject([stored]);
  await list.getByRole("button", { name: "Change" }).click();
  await dialog.getByLabel("Message to send").fill("Count them.");
  await dialog.getByRole("button", { name: "Save" }).click();
  await list.getByText("Count them.").waitFor();
  expect(await scene.runtime.schedules.list("main")).toMatchObject([{ ...stored, text: "Count them." }]);
  expect(await list.getByText("It is overdue").count()).toBe(0);
  await page.route(/\/schedules$/u, async (route) => {
    const [schedule] = (await (await route.fetch()).json()) as readonly object[];
    await route.fulfill({ json: [{ ...schedule, nextAt: "2026-01-01T00:00:00.000Z" }] });
  });
  await page.reload();
  await list.getByText("It is overdue: no process sends it. Start schedule run.").waitFor();
  await page.unroute(/\/schedules$/u);
  await list.getByRole("button", { name: "Delete" }).click();
  await list.getByRole("button", { name: "Delete with its history?" }).click();
  await page.getByText("No message is scheduled.").waitFor();
});

test("a key is created, its secret shown once, and revoked", async () => {
  const page = await scene.open("#/health");
  await page.getByRole("button", { name: "New key" }).click();
  const form = page.getByRole("form", { name: "New key" });
  await form.getByLabel("Name").fill("phone");
  await form.getByRole("button", { name: "Create" }).click();
  const secret = await form.getByRole("status").filter({ hasText: "Copy the key now" }).locator("code").innerText();
  expect(await scene.host.keys.verify(secret)).toMatchObject({ userId: "ada", scope: "chat" });
  expect(await accessibilityFaults(page)).toEqual([]);
  const row = page.getByRole("list", { name: "Keys" }).getByRole("listitem").filter({ hasText: "phone" });
  await row.getByRole("button", { name: "Revoke" }).click();
  await row.getByRole("button", { name: "Revoke at once?" }).click();
  await row.getByText("revoked").waitFor();
  expect(await scene.host.keys.verify(secret)).toBeNull();
});

test("conversations have names, are found and deleted; answers are Markdown without links", async () => {
  const agent = await scene.runtime.agents.open("main", { conversation: "new" });
  await agent.send("SAY **Bold** [x](https://evil.example) and\n\n- `one`\n- <b>two</b>");
  const other = await scene.runtime.agents.open("main", { conversation: "new" });
  await other.send("SAY Something else.");
  const page = await scene.open(`#/agents/main/conversations/${agent.conversationId}`);
  const messages = page.getByRole("list", { name: "Messages" });
  await messages.locator("strong", { hasText: "Bold" }).waitFor();
  await messages.getByRole("listitem").filter({ hasText: "<b>two</b>" }).first().waitFor();
  expect(await messages.locator(".markdown code").innerText()).toBe("one");
  expect(await messages.getByText("(https://evil.example)").count()).toBeGreaterThan(0);
  expect(await messages.getByRole("link").count()).toBe(0);
  expect(await accessibilityFaults(page)).toEqual([]);

  const list = page.getByRole("list", { name: "Conversations" });
  await list.getByRole("link", { name: /^SAY Something else\./u }).waitFor();
  await page.getByLabel("Find a conversation").fill("something");
  expect(await list.getByRole("link").count()).toBe(1);
  await page.getByLabel("Find a conversation").fill("nothing");
  await page.getByText("No conversation begins like that.").waitFor();
  await page.getByLabel("Find a conversation").fill("");
  await scene.runtime.conversations.rename(agent.conversationId, "Boats");
  await page.reload();
  await list.getByRole("link", { name: /^Boats/u }).waitFor();
  await page.getByRole("region", { name: "Conversation", exact: true }).getByRole("button", { name: "Delete" }).click();
  await page.getByRole("button", { name: "Delete with its messages?" }).click();
  await list.getByRole("link", { name: /^Boats/u }).waitFor({ state: "detached" });
  await page.getByLabel("Find a conversation").fill("else");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Search" }).waitFor();
  await page.getByRole("list", { name: "Hits" }).getByText("else").first().waitFor();
});

test("on a narrow screen, the views are behind a button, and the list leads to a conversation and back", async () => {
  const page = await scene.open("#/agents/main/conversations", { width: 320, height: 640 });
  const list = page.getByRole("list", { name: "Conversations" });
  await list.getByRole("link").first().click();
  await page.getByRole("list", { name: "Messages" }).waitFor();
  expect(await list.isVisible()).toBe(false);
  await page.getByRole("link", { name: "← All conversations" }).click();
  await list.waitFor();
  await page.getByRole("banner").getByRole("button", { name: "main", exact: true }).click();
  await page.getByRole("link", { name: "Memory" }).click();
  await page.getByRole("heading", { name: "Memory" }).waitFor();
  await page.getByRole("navigation").waitFor({ state: "hidden" });
});

test("a Python tool shows its source code, and where it runs", async () => {
  const file = JSON.parse(readFileSync("test/fixtures/letta/agent-0.16.af", "utf8")) as object;
  const page = await scene.open("#/agents/main/tools");
  await page.getByRole("list", { name: "Your tools" }).getByText("look_up", { exact: true }).waitFor();
  const where = page.getByText("Python tools run only on a server with a sandbox");
  expect(await where.count()).toBe(0);
  await scene.runtime.agents.import(file);
  await page.reload();
  await where.waitFor();
  const tool = page.getByRole("list", { name: "Your tools" }).getByRole("listitem").filter({ hasText: "add_numbers" });
  await tool.getByText("Source code").click();
  const { source } = await scene.runtime.tools.find("add_numbers");
  expect((await tool.locator("pre").innerText()).trim()).toBe(source!.trim());
  expect(await accessibilityFaults(page)).toEqual([]);
});
