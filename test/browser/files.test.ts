// Files of messages in a browser: sent with a message, drawn, read, downloaded, and never opened as a document.
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { accessibilityFaults, openBrowserScene } from "./browser-scene.ts";
import { useScene } from "../support/use-scene.ts";

const scene = useScene(() => openBrowserScene({}, { maxBodyBytes: 100_000 }));

let agents = 0;

async function newAgent() {
  agents += 1;
  const name = `agent-${agents}`;
  await scene.runtime.agents.create({ name, persona: "I am one.", human: "" });
  const agent = await scene.runtime.agents.open(name);
  return { agent, open: () => scene.open(`#/agents/${name}/conversations/${agent.conversationId}`) };
}

/** A picture of one pixel. */
const picture = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const markup = `<!doctype html><script>document.title='run'</script><img src=x onerror="document.title='run'">`;

async function savedText(page: Page, press: () => Promise<void>): Promise<{ name: string; text: string }> {
  const [download] = await Promise.all([page.waitForEvent("download"), press()]);
  return { name: download.suggestedFilename(), text: readFileSync(await download.path(), "utf8") };
}

test("files are chosen, taken back, sent, and shown", async () => {
  const { agent, open } = await newAgent();
  const page = await open();
  await page.getByText("No message yet.").waitFor();
  await page.getByLabel("Attach files").setInputFiles([
    { name: "dot.png", mimeType: "image/png", buffer: picture },
    { name: "page.html", mimeType: "text/html", buffer: Buffer.from(markup) },
    { name: "wrong.txt", mimeType: "text/plain", buffer: Buffer.from("wrong") },
  ]);
  const chosen = page.getByRole("list", { name: "Files to send" });
  await chosen.getByRole("button", { name: "Remove file 3" }).click();
  expect(await chosen.getByRole("listitem").count()).toBe(2);
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByLabel("Message", { exact: true }).fill("SAY thanks");
  await page.keyboard.press("Enter");
  const files = page.getByRole("list", { name: "Files", exact: true });
  await files.getByRole("img", { name: "dot.png" }).waitFor();
  await files.getByText("Text", { exact: true }).click();
  await files.getByText(markup).waitFor();
  expect(await chosen.count()).toBe(0);
  expect(await accessibilityFaults(page)).toEqual([]);
  const { messages } = await scene.runtime.conversations.messages(agent.conversationId);
  const names = messages.flatMap(({ content }) => content.flatMap((part) => (part.type === "file" ? [part.name] : [])));
  expect(names).toEqual(["dot.png", "page.html"]);
  expect(await page.title()).not.toContain("run");
});

test("a file without text is sent too, and downloaded as it was", async () => {
  const { open } = await newAgent();
  const page = await open();
  const buffer = Buffer.from("Low water at 9.");
  await page.getByLabel("Attach files").setInputFiles({ name: "tides.txt", mimeType: "text/plain", buffer });
  await page.getByRole("button", { name: "Send" }).click();
  const download = page.getByRole("button", { name: "Download" });
  await download.waitFor();
  expect(await savedText(page, () => download.click())).toEqual({ name: "tides.txt", text: "Low water at 9." });
});

test("a damaged picture and a hidden direction in a name are shown as such", async () => {
  const { agent, open } = await newAgent();
  // The parts of the file are complete, but the content of one is not what its checksum says.
  const damaged = Buffer.from(picture);
  damaged.fill(0, 43, 53);
  const files = [
    { name: "bad.png", data: damaged, mediaType: "image/png" },
    { name: "a\u202Egnp.txt", data: Buffer.from("text") },
  ];
  await agent.send({ messages: [{ text: "SAY thanks", files }] });
  const page = await open();
  await page.getByText("The picture cannot be decoded.").waitFor();
  await page.getByText(/^a.*gnp\.txt$/u).waitFor();
  const last = page.getByRole("list", { name: "Files", exact: true }).getByRole("listitem").nth(1);
  const { name } = await savedText(page, () => last.getByRole("button", { name: "Download" }).click());
  expect(name).not.toContain("\u202E");
});

test("a message that is refused is there again", async () => {
  const { agent, open } = await newAgent();
  const page = await open();
  await page.getByText("No message yet.").waitFor();
  const buffer = Buffer.alloc(90_000, "x");
  await page.getByLabel("Attach files").setInputFiles({ name: "large.txt", mimeType: "text/plain", buffer });
  await page.getByLabel("Message", { exact: true }).fill("SAY thanks");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").getByText("is longer than 100000 bytes").waitFor();
  expect(await page.getByLabel("Message", { exact: true }).inputValue()).toBe("SAY thanks");
  expect(await page.getByRole("list", { name: "Files to send" }).getByText("large.txt").count()).toBe(1);
  expect((await scene.runtime.conversations.messages(agent.conversationId)).messages).toEqual([]);
});
