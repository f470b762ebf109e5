// What a browser needs before it lets a page of another origin use the server (`--cors`).
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { askedModel } from "../support/asked-model.ts";
import { serveTestHost } from "../support/served-host.ts";
import { ended, startProgram } from "../support/started-program.ts";
import { useScene } from "../support/use-scene.ts";

const origin = "https://app.example.com";
const served = useScene(() => serveTestHost({ model: askedModel.name, models: [askedModel] }, { origins: [origin] }));
let chat: string;

beforeAll(async () => {
  await served.host.forUser("ada").agents.create({ name: "main" });
  chat = `${served.url}/api/chat/main`;
});

const preflight = (url: string, from: string, method = "POST") =>
  fetch(url, {
    method: "OPTIONS",
    headers: {
      origin: from,
      "access-control-request-method": method,
      "access-control-request-headers": "authorization,content-type",
    },
  });

test.each(["/api/agents", "/api/chat/main", "/v1/agents", "/openai/v1/models", "/mcp"])(
  "a preflight of %s needs no key",
  async (at) => {
    const { status, headers } = await preflight(`${served.url}${at}`, origin, "DELETE");
    expect([status, headers.get("access-control-allow-origin")]).toEqual([204, origin]);
    expect(headers.get("access-control-allow-methods")!.split(",")).toEqual(expect.arrayContaining(["POST", "DELETE"]));
    expect(headers.get("access-control-allow-headers")).toBe("authorization,content-type");
    expect(headers.get("access-control-allow-credentials")).toBeNull();
    expect(headers.get("vary")).toContain("Origin");
  },
);

test.each(["https://evil.example", "https://app.example.com.evil.example", "http://app.example.com", "null"])(
  "the origin %s gets no permission, and its requests are refused",
  async (other) => {
    expect((await preflight(chat, other)).headers.get("access-control-allow-origin")).toBeNull();
    const headers = { origin: other, authorization: `Bearer ${served.key}` };
    const refused = await fetch(`${served.url}/api/agents`, { headers });
    expect([refused.status, refused.headers.get("access-control-allow-origin")]).toEqual([403, null]);
  },
);

test("a page that a proxy serves may change things, and a page of another origin may not", async () => {
  const change = (from: string) =>
    fetch(`${served.url}/api/agents`, {
      method: "POST",
      headers: {
        origin: from,
        // What the proxy received; it sends 127.0.0.1 and the port as the host.
        "x-forwarded-host": "agents.example.org, 10.0.0.2",
        authorization: `Bearer ${served.key}`,
        "content-type": "application/json",
      },
      body: JSON.stringify({ name: "proxied" }),
    });
  expect((await change("https://evil.example")).status).toBe(403);
  expect((await change("https://agents.example.org")).status).toBe(201);
});

test("a stream and an error can be read, with the headers that clients need", async () => {
  const message = { id: "m1", role: "user", parts: [{ type: "text", text: "SAY good day" }] };
  const send = (key: string) =>
    fetch(chat, {
      method: "POST",
      headers: { origin, authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ id: "chat-1", trigger: "submit-message", messages: [message] }),
    });
  const stream = await send(served.key);
  expect([stream.status, stream.headers.get("access-control-allow-origin")]).toEqual([200, origin]);
  expect(await stream.text()).toContain("day");
  const refused = await send("pal_wrong");
  expect([refused.status, refused.headers.get("access-control-allow-origin")]).toEqual([401, origin]);
  const exposed = refused.headers.get("access-control-expose-headers")!.split(",");
  expect(exposed).toEqual(expect.arrayContaining(["x-request-id", "retry-after", "content-disposition"]));
});

test("without --cors, no response has a header of CORS", async () => {
  const closed = await serveTestHost({ model: askedModel.name, models: [askedModel] });
  try {
    const { status, headers } = await preflight(`${closed.url}/api/agents`, origin);
    expect([status, [...headers.keys()].filter((name) => name.startsWith("access-control"))]).toEqual([403, []]);
  } finally {
    await closed.close();
  }
});

test.each(["https://app.example.com/chat", "app.example.com", "*", "file:///tmp/page.html"])(
  "--cors %s, which no page has as its origin, is refused",
  async (text) => {
    const home = mkdtempSync(path.join(tmpdir(), "palimpsest-cors-"));
    try {
      const refused = startProgram("serve", ["--port", "0", "--cors", text], { home });
      const code = await ended(refused);
      expect([code, refused.output()]).toEqual([2, expect.stringContaining("--cors: expected the origin of a page")]);
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  },
);
