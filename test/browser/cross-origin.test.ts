// A page of another origin in a real browser: `--cors` lets it send messages and read streams, and other pages do neither.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type Browser, chromium, type Page } from "playwright-core";
import { textOf } from "../../src/base/message/message.ts";
import { askedModel } from "../support/asked-model.ts";
import { type ServedHost, serveTestHost } from "../support/served-host.ts";
import { launchOptions } from "./browser-scene.ts";

let browser: Browser;
let pages: Server;
let served: ServedHost;
/** The page's origin, as the browser names it. */
let named: string;
/** A UUID is also the id of the conversation. */
const chatId = "6f9f3c0e-8a77-4b3e-9d53-0e9b1f4f2a10";
let other: string;

beforeAll(async () => {
  pages = createServer((_, response) => response.setHeader("content-type", "text/html").end("<!doctype html>Page"));
  await new Promise<void>((resolve) => pages.listen(0, "127.0.0.1", resolve));
  const { port } = pages.address() as AddressInfo;
  named = `http://localhost:${port}`;
  other = `http://127.0.0.1:${port}`;
  served = await serveTestHost({ model: askedModel.name, models: [askedModel] }, { origins: [named] });
  await served.host.forUser("ada").agents.create({ name: "main" });
  browser = await chromium.launch(launchOptions);
});
afterAll(async () => {
  await browser.close();
  await served.close();
  pages.close();
});

/** What `useChat` does: a POST with the key, whose response is read piece by piece. */
async function sendFrom(page: Page, text: string): Promise<unknown> {
  const sent = { url: served.url, key: served.key, text, id: chatId };
  return page.evaluate(async ({ url, key, text: asked, id }) => {
    try {
      const message = { id: crypto.randomUUID(), role: "user", parts: [{ type: "text", text: asked }] };
      const response = await fetch(`${url}/api/chat/main`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ id, trigger: "submit-message", messages: [message] }),
      });
      const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
      let read = "";
      for (let piece = await reader.read(); !piece.done; piece = await reader.read()) read += piece.value;
      return { status: response.status, requestId: response.headers.get("x-request-id"), read };
    } catch (error) {
      return String(error);
    }
  }, sent);
}

test("a page of the named origin sends with its key and reads the stream", async () => {
  const page = await browser.newPage();
  await page.goto(named);
  expect(await sendFrom(page, "SAY good day")).toEqual({
    status: 200,
    requestId: expect.stringMatching(/^[\w-]+$/u),
    read: expect.stringMatching(/good[\s\S]*day[\s\S]*\[DONE\]/u),
  });
});

test("a page of another origin reads nothing, and its message does not arrive", async () => {
  const page = await browser.newPage();
  await page.goto(other);
  expect(await sendFrom(page, "SAY from elsewhere")).toBe("TypeError: Failed to fetch");
  const { messages } = await served.host.forUser("ada").conversations.messages(chatId);
  expect(messages.filter(({ role }) => role === "user").map((message) => textOf(message))).toEqual(["SAY good day"]);
});
