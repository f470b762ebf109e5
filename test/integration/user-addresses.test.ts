// Every place where a user of a server can give an address, with addresses of the operator's network: all are refused, and
// nothing connects to them.
import { type AddressInfo, createServer, type Server } from "node:net";
import { askedModel } from "../support/asked-model.ts";
import { serveTestHost } from "../support/served-host.ts";
import { useScene } from "../support/use-scene.ts";

const served = useScene(() =>
  serveTestHost({
    model: "openai/any",
    models: [askedModel],
    baseUrl: "http://127.0.0.1:1/v1",
    openaiApiKey: "sk-operator",
  }),
);
let listener: Server;
let port: number;
let connections = 0;
let turns: string;
let agentId: string;

beforeAll(async () => {
  listener = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  ({ port } = listener.address() as AddressInfo);
  const runtime = served.host.forUser("ada");
  ({ id: agentId } = await runtime.agents.create({ name: "main", persona: "I am Bo.", human: "" }));
  const conversation = await runtime.conversations.create("main");
  turns = `/api/agents/main/conversations/${conversation.id}/turns`;
});
afterAll(async () => listener.close());

const hosts = [
  "127.0.0.1",
  "127.1",
  "0x7f000001",
  "2130706433",
  "0.0.0.0",
  "10.0.0.1",
  "192.168.0.1",
  "169.254.169.254",
  "100.64.0.1",
  "[::1]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[64:ff9b::7f00:1]",
  "[fd00::1]",
  "[fe80::1]",
  "localhost",
  "localhost.",
  "app.localhost",
  "metadata.google.internal",
  "printer.local",
  "intranet",
];

type Request = readonly [method: string, path: string, body: object];
const file = { id: "m1", role: "user" };
const doors: Readonly<Record<string, (url: string) => Request>> = {
  "baseUrl of a new agent": (url) => ["POST", "/api/agents", { name: "other", settings: { baseUrl: url } }],
  "baseUrl of an agent": (url) => ["PATCH", "/api/agents/main", { baseUrl: url }],
  "settings of an agent": (url) => ["PATCH", "/api/agents/main/settings", { baseUrl: url }],
  "file of a message": (url) => ["POST", turns, { messages: [{ text: "See", files: [{ url }] }] }],
  "file of a chat": (url) => [
    "POST",
    "/api/chat/main",
    {
      id: "chat-1",
      trigger: "submit-message",
      messages: [{ ...file, parts: [{ type: "file", mediaType: "image/png", url }] }],
    },
  ],
  "image of a completion": (url) => [
    "POST",
    "/openai/v1/chat/completions",
    { model: "main", messages: [{ role: "user", content: [{ type: "image_url", image_url: { url } }] }] },
  ],
  "image of Letta's API": (url) => [
    "POST",
    `/v1/agents/agent-${agentId}/messages`,
    { messages: [{ role: "user", content: [{ type: "image", source: { type: "url", url } }] }] },
  ],
  "MCP server": (url) => [
    "POST",
    "/v1/mcp-servers",
    { server_name: "inner", config: { mcp_server_type: "streamable_http", server_url: url } },
  ],
};

describe.each(Object.keys(doors))("%s", (door) => {
  test.each(hosts)("at %s is refused", async (host) => {
    for (const protocol of ["http", "https"]) {
      const [method, path, body] = doors[door]!(`${protocol}://${host}:${port}/a.png`);
      const response = await fetch(`${served.url}${path}`, {
        method,
        headers: { authorization: `Bearer ${served.key}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      const text = await response.text();
      expect(text).toMatch(/at a public host|`baseUrl`: expected|MCP server was refused/u);
      expect([400, 403, 422]).toContain(response.status);
      expect(text).not.toContain("sk-operator");
    }
    expect(connections).toBe(0);
  });
});

test("a public server of models is refused too, because the host's key would be sent to it", async () => {
  const response = await fetch(`${served.url}/api/agents/main`, {
    method: "PATCH",
    headers: { authorization: `Bearer ${served.key}` },
    body: JSON.stringify({ baseUrl: "https://models.example.com/v1" }),
  });
  expect([response.status, await response.text()]).toEqual([400, expect.stringContaining("userModelServers")]);
});
