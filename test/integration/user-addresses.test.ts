// Every place where a user of a server can give an address, with addresses of the operator's network: all are refused, and
// nothing connects to them. And every place where a user can name a model, with one that the operator does not allow.
import { type AddressInfo, createServer, type Server } from "node:net";
import { askedModel, otherModel } from "../support/asked-model.ts";
import { type ServedHost, serveTestHost } from "../support/served-host.ts";
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

describe("with allowedModels, a model that users may not choose is refused", () => {
  let limited: ServedHost;
  let id: string;
  let turnsOfMain: string;

  beforeAll(async () => {
    limited = await serveTestHost({
      model: "asked",
      models: [askedModel, otherModel],
      allowedModels: ["openai/gpt-5-mini", "anthropic/*"],
      baseUrl: "http://127.0.0.1:1/v1",
    });
    const runtime = limited.host.forUser("ada");
    ({ id } = await runtime.agents.create({ name: "main", persona: "I am Bo.", human: "" }));
    const conversation = await runtime.conversations.create("main");
    turnsOfMain = `/api/agents/main/conversations/${conversation.id}/turns`;
  });
  afterAll(() => limited.close());

  async function ask(method: string, path: string, body?: object) {
    const response = await fetch(`${limited.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${limited.key}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text() };
  }

  test.each<[string, (model: string) => Request]>([
    ["of a new agent", (model) => ["POST", "/api/agents", { name: "new", model }]],
    ["of an agent", (model) => ["PATCH", "/api/agents/main", { model }]],
    ["that summarizes", (model) => ["PATCH", "/api/agents/main/settings", { summarizer: model }]],
    ["of a turn", (model) => ["POST", turnsOfMain, { messages: [{ text: "SAY hi" }], model }]],
    [
      "of a turn of Letta's API",
      (model) => ["POST", `/v1/agents/agent-${id}/messages`, { input: "SAY hi", override_model: model }],
    ],
    ["of an agent of Letta's API", (model) => ["PATCH", `/v1/agents/agent-${id}`, { model }]],
  ])("as the model %s", async (_, request) => {
    const { status, text } = await ask(...request("other"));
    expect([400, 404, 422]).toContain(status);
    expect(text).toMatch(/asked.*openai\/gpt-5-mini.*anthropic\/\*|must be one of \['asked'\]/u);
    const { text: record } = await ask("GET", "/api/agents/main");
    expect(JSON.parse(record)).toMatchObject({ model: "asked", settings: { summarizer: null } });
  });

  test("except the allowed ones; the list has only these, and an imported agent gets the configured one", async () => {
    expect(await ask("POST", "/api/agents", { name: "mini", model: "openai/gpt-5-mini" })).toMatchObject({
      status: 201,
    });
    expect(await ask("POST", turnsOfMain, { messages: [{ text: "SAY hi" }], model: "asked" })).toMatchObject({
      status: 202,
    });
    const listed = JSON.parse((await ask("GET", "/api/models")).text) as {
      readonly models: readonly { name: string }[];
    };
    expect(listed.models.map(({ name }) => name)).toEqual(["asked"]);
    const runtime = limited.host.forUser("ben");
    const file = await limited.host.forUser("ada").agents.export("main");
    const text = JSON.stringify(file).replaceAll('"asked"', '"other"');
    expect(text).toContain('"summarizer":null');
    const foreign = JSON.parse(text.replaceAll('"summarizer":null', '"summarizer":"other"')) as object;
    const { agents, notes } = await runtime.agents.import(foreign);
    expect(agents).toMatchObject([{ model: "asked", settings: { summarizer: null } }]);
    expect(notes).toEqual([
      expect.stringContaining("its model is not available here, so it uses asked"),
      expect.stringContaining("its summarizer may not be used here"),
    ]);
  });
});
