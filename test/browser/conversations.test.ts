// Conversations in a browser: long threads, live turns, approvals, branches, and the message box.
import { accessibilityFaults, openBrowserScene } from "./browser-scene.ts";
import { useScene } from "../support/use-scene.ts";

const scene = useScene(() => openBrowserScene());

let agents = 0;

async function newAgent() {
  agents += 1;
  const name = `agent-${agents}`;
  await scene.runtime.agents.create({ name, persona: "I am one.", human: "" });
  const agent = await scene.runtime.agents.open(name);
  const open = (message = "") => scene.open(`#/agents/${name}/conversations/${agent.conversationId}${message}`);
  return { agent, name, open };
}

test("a message that is sent is answered live, and stored", async () => {
  const { agent, open } = await newAgent();
  const page = await open();
  await page.getByText("No message yet.").waitFor();
  await page.getByLabel("Message", { exact: true }).fill("SLOW 40");
  await page.keyboard.press("Enter");
  const live = page.getByRole("region", { name: "Running turn" });
  await live.getByText("w0").waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page
    .getByRole("list", { name: "Messages" })
    .getByText(/w0 .* w39/u)
    .waitFor();
  await live.waitFor({ state: "detached" });
  const stored = await scene.runtime.conversations.messages(agent.conversationId);
  expect(stored.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
});

test("the page does not scroll beside the thread", async () => {
  const { agent, open } = await newAgent();
  await agent.send("WORDS");
  for (const width of [1280, 850, 600]) {
    const page = await open();
    await page.setViewportSize({ width, height: 800 });
    await page.getByRole("list", { name: "Messages" }).getByText("WORDS").first().waitFor();
    const height = await page.evaluate("document.documentElement.scrollHeight");
    expect(height).toBe(800);
  }
});

test("a turn of another program appears while it runs, and can be stopped", async () => {
  const { agent, open } = await newAgent();
  const page = await open();
  await page.getByText("No message yet.").waitFor();
  const turn = agent.send("SLOW 400");
  const ended = (async () => {
    for await (const event of turn) if (event.type === "turn-end") return event.stopReason;
    return null;
  })();
  await page.getByRole("region", { name: "Running turn" }).getByText("w3").waitFor();
  await page.getByRole("button", { name: "Stop" }).click();
  expect(await ended).toBe("interrupted");
  await page.getByRole("list", { name: "Messages" }).getByText("interrupted").waitFor();
});

test("a call that waits is approved or denied there", async () => {
  const { agent, open } = await newAgent();
  await agent.send('CALL add_carefully {"a":2,"b":40}');
  const page = await open();
  const approval = page.getByRole("region", { name: "Approval of add_carefully" });
  await approval.getByText('"b": 40').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await approval.getByRole("button", { name: "Approve" }).click();
  await page.getByRole("list", { name: "Messages" }).getByText("Done: 42").waitFor();
  await approval.waitFor({ state: "detached" });

  await agent.send('CALL add_carefully {"a":1,"b":1}');
  await page.reload();
  await approval.getByLabel("Reason for a denial").fill("not today");
  await approval.getByRole("button", { name: "Deny" }).click();
  await page
    .getByRole("list", { name: "Messages" })
    .getByText(/Done: .*not today/u)
    .waitFor();
});

test("the messages of a turn are in one frame, with what the turn used at its end", async () => {
  const { agent, open } = await newAgent();
  await agent.send("SAY first");
  await agent.send('CALL core_memory_append {"name":"human","content":"Likes tea"}');
  const page = await open();
  const list = page.getByRole("list", { name: "Messages" });
  // Calls of other conversations, which can be many, would leave less room for those of this one.
  const asked = new RegExp(`/steps\\?.*conversation=${agent.conversationId}`, "u");
  await Promise.all([page.waitForRequest(asked), page.reload()]);
  await list.getByText(/^asked, 1 model call, 10 tokens in, 2 tokens out, \d+\.\d s$/u).waitFor();
  await list.getByText(/^asked, 2 model calls, 20 tokens in, 4 tokens out, \d+\.\d s$/u).waitFor();
  expect(await list.getByRole("article").count()).toBe(5);
  expect(await list.locator(".turn-first").allInnerTexts()).toEqual([
    expect.stringContaining("SAY first"),
    expect.stringContaining("CALL core_memory_append"),
  ]);
  expect(await list.locator(".turn-last").count()).toBe(2);
  const call = list.locator("details").filter({ hasText: "Call of core_memory_append" });
  await call.locator("summary").getByText('{"name":"human","content":"Likes tea"}').waitFor();
  expect(await call.locator(".code").isVisible()).toBe(false);
  await call.locator("summary").click();
  await call.locator(".code").getByText('"content": "Likes tea"').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
});

test("branches are listed with where they begin, and can be continued", async () => {
  const { agent, open } = await newAgent();
  await agent.send("SAY first");
  await agent.send("SAY second");
  await agent.rewrite("another second");
  const page = await open();
  await page.getByText("2 branches").click();
  const list = page.getByRole("list", { name: "Branches" });
  await page.getByText("1 other branch from here").waitFor();
  await list.getByRole("button", { name: "Continue from there" }).click();
  await page.getByRole("list", { name: "Messages" }).getByText("second", { exact: true }).waitFor();
  const branches = await agent.branches();
  expect(branches.find(({ isCurrent }) => isCurrent)?.preview).toBe("second");
  expect(await accessibilityFaults(page)).toEqual([]);
});

test("10,000 messages appear at once, and stay where they are while older ones load", async () => {
  const { name } = await newAgent();
  const at = new Date("2026-01-01T00:00:00Z");
  const messages = Array.from({ length: 10_000 }, (_, index) => ({
    role: index % 2 === 0 ? ("user" as const) : ("assistant" as const),
    text: `message ${index} ${"words ".repeat(index % 40)}`,
    at: new Date(at.getTime() + index * 1000),
  }));
  const { id } = await scene.runtime.conversations.import(name, { title: "long", messages });
  const page = await scene.open(`#/agents/${name}/conversations/${id}`);
  const list = page.getByRole("list", { name: "Messages" });
  await list.getByText("message 9999").waitFor();
  expect(await list.getByRole("listitem").count()).toBeLessThan(60);
  const scrollTop = async () => Number(await page.evaluate('document.querySelector(".virtual-list").scrollTop'));
  // Up, page by page: each time the row in view stays in view.
  for (let pages = 0; pages < 4; pages += 1) {
    await page.evaluate('document.querySelector(".virtual-list").scrollTop = 0');
    const oldest = 9999 - 60 * (pages + 1) + 1;
    await list.getByText(`message ${oldest} `).waitFor();
    // The page before is loading; what is in view stays in view.
    for (let waits = 0; waits < 100 && (await scrollTop()) < 300; waits += 1) await page.waitForTimeout(50);
    expect(await scrollTop()).toBeGreaterThan(300);
    await list.getByText(`message ${oldest} `).waitFor();
  }
  // From a search hit or a cause: begins at the message, in the middle of the thread.
  const middle = (await scene.runtime.conversations.messages(id, { from: "beginning", limit: 500 })).messages[400]!;
  await page.goto(`${scene.url}/inspect#/agents/${name}/conversations/${id}/${middle.id}`);
  await list.getByText("message 400 ").waitFor();
  await page.getByRole("link", { name: "To the end of the conversation" }).click();
  await list.getByText("message 9999").waitFor();
});

test("a message is forgotten with its copies", async () => {
  const { agent, open } = await newAgent();
  await agent.send("SAY The code is 4711-violet.");
  const page = await open();
  const reply = page.getByRole("article").filter({ hasText: "agent" }).first();
  await reply.getByRole("button", { name: "Forget this message" }).click();
  await page.getByRole("button", { name: "Show where it is" }).click();
  await page.getByRole("button", { name: /^Forget in/u }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  const { messages } = await scene.runtime.conversations.messages(agent.conversationId);
  expect(JSON.stringify(messages)).not.toContain('The code is 4711-violet."');
});

test("a new conversation begins empty", async () => {
  const { agent, name, open } = await newAgent();
  await agent.send("SAY Hello.");
  const page = await open();
  await page.getByText("Hello.", { exact: true }).waitFor();
  await page.getByRole("button", { name: "New conversation" }).click();
  await page.getByText("No message yet.").waitFor();
  expect(await scene.runtime.conversations.list(name)).toHaveLength(2);
});

test("a conversation is renamed, and has its first words as its name again", async () => {
  const { agent, open } = await newAgent();
  await agent.send("SAY Hello.");
  const page = await open();
  const titles = async () => (await scene.runtime.conversations.find(agent.conversationId)).title;
  const rename = async (name: string, shown: string) => {
    await page.getByRole("button", { name: "Rename" }).click();
    await page.getByLabel("Name of the conversation").fill(name);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: shown, exact: true }).waitFor();
  };
  await rename("Plans <b>of</b> May", "Plans <b>of</b> May");
  await page.getByRole("list", { name: "Conversations" }).getByText("Plans <b>of</b> May").waitFor();
  expect(await titles()).toBe("Plans <b>of</b> May");
  await page.getByRole("button", { name: "Rename" }).click();
  await page.getByLabel("Name of the conversation").fill("x".repeat(201));
  await page.keyboard.press("Enter");
  await page.getByRole("alert").waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await rename(" ", "SAY Hello.");
  expect(await titles()).toBe(null);
});

test("code in a reply is shown in colours, with all of its text", async () => {
  const { agent, open } = await newAgent();
  const code = 'def tide(at):  # "low"\n    return "don\'t" + str(0.5) // https://x.example/a';
  await agent.send(`SAY Here:\n\n\`\`\`python\n${code}\n\`\`\``);
  const page = await open();
  const block = page.getByRole("list", { name: "Messages" }).locator("pre code").last();
  expect(await block.innerText()).toBe(code);
  const marked = (kind: string) => block.locator(`.code-${kind}`).allInnerTexts();
  expect(await marked("keyword")).toEqual(["def", "return"]);
  expect(await marked("comment")).toEqual(['# "low"', "// https://x.example/a"]);
  expect([await marked("string"), await marked("number")]).toEqual([['"don\'t"'], ["0.5"]]);
});

test("all conversations are listed, also more than one request returns", async () => {
  const { name } = await newAgent();
  const page = await scene.open("#/health");
  const at = "2026-11-24T09:00:00.000Z";
  const talks = Array.from({ length: 1500 }, (_, index) => ({
    id: `01906464-cd77-7b2d-b317-${String(index).padStart(12, "0")}`,
    title: `talk ${index}`,
    preview: "",
    messages: 0,
    updatedAt: at,
  }));
  const limits: number[] = [];
  await page.route(/\/conversations\?/u, (route) => {
    const asked = new URL(route.request().url()).searchParams;
    const limit = Number(asked.get("limit"));
    limits.push(limit);
    const start = talks.findIndex(({ id }) => id === asked.get("after")) + 1;
    return route.fulfill({ json: talks.slice(start, start + limit) });
  });
  await page.goto(`${scene.url}/inspect#/agents/${name}/conversations/${talks[0]!.id}`);
  const older = page.getByRole("button", { name: "List older ones" });
  const list = page.getByRole("list", { name: "Conversations" });
  for (const last of [49, 199, 799]) {
    await list.getByText(`talk ${last}`, { exact: true }).waitFor();
    await older.click();
  }
  await list.getByText("talk 1499", { exact: true }).waitFor();
  expect(await older.count()).toBe(0);
  expect(limits).toEqual([50, 200, 800, 1000, 1000]);
});
