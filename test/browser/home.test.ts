// The first page in a browser: what waits is decided there, what was learned is undone there, and an agent is created.
import { accessibilityFaults, openBrowserScene } from "./browser-scene.ts";
import { useScene } from "../support/use-scene.ts";

const scene = useScene(() => openBrowserScene());

async function newAgent(name: string) {
  await scene.runtime.agents.create({ name, persona: "I am one.", human: "" });
  return scene.runtime.agents.open(name);
}

const valueOf = async (agent: string) =>
  (await scene.runtime.memory.show(agent)).find(({ label }) => label === "human")?.value;

test("without an agent, it says how to get one, and creates one", async () => {
  const page = await scene.open();
  await page.getByText("There is no agent yet.").waitFor();
  await page.getByText("Nothing waits.").waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole("button", { name: "New agent" }).click();
  const dialog = page.getByRole("dialog", { name: "New agent" });
  expect(await dialog.getByRole("button", { name: "Create" }).isDisabled()).toBe(true);
  await dialog.getByLabel("Name").fill("a/b");
  await dialog.getByRole("button", { name: "Create" }).click();
  await dialog.getByRole("alert").waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await dialog.getByLabel("Name").fill("first <b>one");
  await dialog.getByLabel("Who it is").fill("I count.");
  await dialog.getByRole("button", { name: "Create" }).click();
  await page.getByText("There is no conversation yet.").waitFor();
  await page.getByRole("combobox", { name: "Agent" }).getByText("first <b>one").waitFor({ state: "attached" });
  const [agent] = await scene.runtime.agents.list();
  expect(agent?.model).toBe("asked");
  const persona = (await scene.runtime.memory.show(agent!.id)).find(({ label }) => label === "persona");
  expect(persona?.value).toBe("I count.");
  await scene.runtime.agents.delete(agent!.id);
});

test("what was learned is undone from the feed, also with what depends on it", async () => {
  const agent = await newAgent("learner");
  await agent.send('CALL core_memory_append {"name":"human","content":"Likes tea."}');
  await scene.runtime.memory.set("learner", "human", "Likes tea and <b>maps</b>.");
  const page = await scene.open();
  const feed = page.getByRole("list", { name: "Changes of memory" });
  await feed.getByRole("listitem").nth(1).waitFor();
  const [second, first] = [feed.getByRole("listitem").nth(0), feed.getByRole("listitem").nth(1)];
  expect((await second.innerText()).split("\n").slice(0, 2)).toEqual(["Likes tea.", "Likes tea and <b>maps</b>."]);
  await first.getByRole("button", { name: "Why" }).click();
  const why = page.getByRole("dialog", { name: "Revision 1" });
  await why.getByText("core_memory_append", { exact: true }).waitFor();
  await page.keyboard.press("Escape");
  await first.getByRole("button", { name: "Undo" }).click();
  const question = page.getByRole("dialog", { name: "Undo revision 1?" });
  await question.getByRole("list", { name: "Later edits" }).getByText("Likes tea and <b>maps</b>.").first().waitFor();
  expect(await valueOf("learner")).toBe("Likes tea and <b>maps</b>.");
  await question.getByRole("button", { name: "Undo all 2 edits" }).click();
  await feed.getByText("undone").first().waitFor();
  expect(await valueOf("learner")).toBe("");
  await page.getByText("learner, by undo of revision 1 by the user").waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole("combobox", { name: "Period" }).selectOption({ label: "in 7 days" });
  await feed.getByText("Likes tea.").first().waitFor();
  await scene.runtime.agents.delete("learner");
});

test("passages of the archive are in the feed, with the message that led to them, and are undone", async () => {
  const agent = await newAgent("archivist");
  await agent.send('CALL archival_memory_insert {"content":"The boat is at pier <b>4</b>."}');
  const [old] = await scene.runtime.archival.list("archivist");
  const moved = { content: "The boat is at pier 5.", replaces: [old!.id.slice(-8)] };
  await agent.send(`CALL archival_memory_insert ${JSON.stringify(moved)}`);
  await scene.runtime.archival.import("archivist", [{ text: "Loaded from elsewhere." }]);
  const page = await scene.open();
  const feed = page.getByRole("list", { name: "Changes of memory" });
  const row = (text: string) => feed.getByRole("listitem").filter({ has: page.locator("ins", { hasText: text }) });
  const newest = row("The boat is at pier 5.");
  expect(await newest.locator("del").innerText()).toContain("The boat is at pier <b>4</b>.");
  await newest.getByText(/^archive, /u).waitFor();
  await page.getByRole("list", { name: "Changes of memory of archivist by the agent" }).waitFor();
  await row("pier <b>4</b>").getByText("replaced", { exact: true }).waitFor();
  expect(await feed.getByText("Loaded from elsewhere.").count()).toBe(0);
  expect(await accessibilityFaults(page)).toEqual([]);

  await newest.getByRole("button", { name: "Why" }).click();
  const why = page.getByRole("dialog", { name: "Passage" });
  await why.getByText(`CALL archival_memory_insert ${JSON.stringify(moved)}`).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.keyboard.press("Escape");

  await newest.getByRole("button", { name: "Undo" }).click();
  expect(await scene.runtime.archival.count("archivist")).toBe(3);
  await newest.getByRole("button", { name: "Bring the old text back?" }).click();
  await newest.waitFor({ state: "detached" });
  const left = await scene.runtime.archival.list("archivist");
  expect(left.map(({ text, replacedBy }) => [text, replacedBy])).toEqual([
    ["Loaded from elsewhere.", undefined],
    ["The boat is at pier <b>4</b>.", undefined],
  ]);
  await scene.runtime.archival.add("archivist", "Added by hand.");
  await page.reload();
  await row("Added by hand.").getByRole("button", { name: "Why" }).click();
  await why.getByText("No message led to this passage").waitFor();
  await why.getByRole("button", { name: "Close" }).click();
  await page.goto(`${scene.url}/inspect#/agents/archivist/memory`);
  await page.getByRole("link", { name: "Archive 3 passages" }).click();
  const listed = page.getByRole("article").filter({ hasText: "pier <b>4</b>" });
  await listed.getByRole("button", { name: "Why" }).click();
  await why.getByRole("link", { name: "Open the conversation there" }).click();
  await page.getByRole("list", { name: "Messages" }).waitFor();
  await scene.runtime.agents.delete("archivist");
});

test("a call that waits is approved or denied from there", async () => {
  const agent = await newAgent("careful");
  await agent.send('CALL add_carefully {"a":2,"b":40}');
  const page = await scene.open();
  const approval = page.getByRole("region", { name: "Approval of add_carefully" });
  await approval.getByRole("link", { name: "careful" }).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await approval.getByRole("button", { name: "Approve" }).click();
  await page.getByText("Nothing waits.").waitFor();
  await agent.send('CALL add_carefully {"a":1,"b":1}');
  await page.reload();
  await approval.getByLabel("Reason for a denial").fill("not today");
  await approval.getByRole("button", { name: "Deny" }).click();
  await page.getByText("Nothing waits.").waitFor();
  const { messages } = await scene.runtime.conversations.messages(agent.conversationId);
  expect(messages.map(({ text }) => text).join()).toMatch(/Done: 42.*not today/su);
  await scene.runtime.agents.delete("careful");
});

test("a call that waits is there although its agent is older than those that are shown", async () => {
  const agent = await newAgent("patient");
  await agent.send('CALL add_carefully {"a":2,"b":40}');
  const others = Array.from({ length: 20 }, (_, index) => `other ${index}`);
  for (const name of others) await (await newAgent(name)).send("SAY hi");
  const page = await scene.open();
  await page.getByRole("region", { name: "Approval of add_carefully" }).waitFor();
  await page.getByText("Agents that are not shown here may wait, too.").waitFor();
  await page.getByText("There may be more changes than are listed here.").waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole("button", { name: "Show more agents" }).click();
  await page.getByText("More may wait").waitFor({ state: "detached" });
  for (const name of [...others, "patient"]) await scene.runtime.agents.delete(name);
});

test("proposals that tidy memory wait there until they are reviewed", async () => {
  await newAgent("untidy");
  for (const text of ["Bread", "Rye bread", "Olives", "Black olives"]) await scene.runtime.archival.add("untidy", text);
  await scene.runtime.agents.update("untidy", { summarizer: "tidier" });
  const run = await scene.runtime.consolidation.run("untidy");
  const page = await scene.open();
  const waiting = page.getByRole("list", { name: "What waits" });
  await waiting.getByText("2 proposals to tidy the memory of untidy").waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await scene.runtime.consolidation.apply(run!.id, { operations: [1] });
  await page.reload();
  await waiting.getByText("1 proposal to tidy the memory of untidy").waitFor();
  await waiting.getByRole("link", { name: "review" }).click();
  await page.getByRole("button", { name: "Reject it" }).click();
  await page.getByRole("button", { name: "Reject it" }).waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Home" }).click();
  await page.getByText("Nothing waits.").waitFor();
  await scene.runtime.agents.delete("untidy");
});

test("offers of other users are accepted and declined, and a schedule that failed is told", async () => {
  await newAgent("timed");
  const other = scene.host.forUser("bob");
  for (const name of ["wanted", "unwanted"]) {
    await other.agents.create({ name, persona: "I am shared.", human: "" });
    await other.agents.share(name, "ada");
  }
  const { id } = await other.modules.create({ label: "plans", value: "Ours" });
  await other.modules.share(id, "ada", "read");
  await scene.runtime.schedules.create("timed", { text: "FAIL at <i>night</i>", at: new Date(Date.now() + 1500) });
  await new Promise((resolve) => setTimeout(resolve, 2000));
  await scene.runtime.schedules.fire();
  await scene.runtime.idle();
  const page = await scene.open();
  const waiting = page.getByRole("list", { name: "What waits" });
  await waiting.getByText("A schedule failed: FAIL at <i>night</i>").waitFor();
  await waiting.getByRole("link", { name: "schedules of timed" }).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  const offer = (name: string) => waiting.getByRole("listitem").filter({ hasText: name });
  await offer("bob/unwanted").getByRole("button", { name: "Decline" }).click();
  await offer("bob/unwanted").waitFor({ state: "detached" });
  await offer("bob/wanted").getByRole("button", { name: "Accept" }).click();
  await page.getByRole("list", { name: "Agents" }).getByRole("heading", { name: "bob/wanted" }).waitFor();
  await offer("plans of bob").getByRole("button", { name: "Accept" }).click();
  await offer("plans of bob").waitFor({ state: "detached" });
  expect((await scene.runtime.modules.list()).map(({ label }) => label)).toContain("plans");
});

test("a key that only reads sees it all and is told what it may not", async () => {
  await newAgent("watched");
  await scene.runtime.memory.set("watched", "human", "Seen.");
  const { secret } = await scene.host.keys.create("ada", { scope: "read" });
  const page = await scene.open("", { key: secret });
  const change = page.getByRole("list", { name: "Changes of memory" }).getByRole("listitem").first();
  await change.getByRole("button", { name: "Undo" }).click();
  await change.getByRole("alert").getByText('needs a key of scope "chat"').waitFor();
  expect(await valueOf("watched")).toBe("Seen.");
});
