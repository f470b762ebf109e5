// Memory over MCP at `/mcp` of the server, by the official clients, with keys.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as FirstTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { serveMcp } from "../../src/surfaces/cli/serve/serve-host.ts";
import type { World } from "../../src/surfaces/cli/world.ts";
import { ModelUnavailableError } from "../../src/base/errors.ts";
import { createHost } from "../../src/runtime/compose/compose.ts";
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import type { Host } from "../../src/runtime/host.ts";
import { serve, type Served } from "../../src/surfaces/http/serve.ts";
import { createTestDatabase, placeOf, type TestDatabase } from "../support/database.ts";
import { lines } from "../support/mcp-clients.ts";

const world = { version: "0.0.0", command: "palimpsest" } as World;
let database: TestDatabase;
let host: Host;
let served: Served;
const clients: { close(): Promise<void> }[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  const place = placeOf(database);
  const models = [createScriptedModel({ replies: [] })];
  host = await createHost({ ...place, model: "scripted", models, embedder: null, timeZone: "UTC" });
  served = await serve({
    host,
    verify: (secret) => host.keys.verify(secret),
    version: "0.0.0",
    hostname: "127.0.0.1",
    port: 0,
    mcp: (request, memory) => serveMcp(world, request, memory),
  });
  for (const user of ["ada", "ben"])
    for (const name of ["main", "other"])
      await host.forUser(user).agents.create({ name, persona: "", human: `Name: ${user}` });
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});
afterAll(async () => {
  await served.close();
  await host.close();
  await database.remove();
});

type Scope = "read" | "chat" | "admin";

async function connect(line: (typeof lines)[number], user: string, key: { scope?: Scope; agent?: string } = {}) {
  const { secret } = await host.forUser(user).keys.create({ scope: "admin", ...key });
  const options = { requestInit: { headers: { authorization: `Bearer ${secret}` } } };
  const url = new URL(`${served.url}/mcp`);
  const info = { name: `client ${line}`, version: "1.0.0" };
  if (line === "1.x") {
    const client = new FirstClient(info);
    await client.connect(new FirstTransport(url, options) as Parameters<FirstClient["connect"]>[0]);
    clients.push(client);
    return client as unknown as Client;
  }
  const client = new Client(info, line === "2.x" ? {} : { versionNegotiation: { mode: "auto" } });
  await client.connect(new StreamableHTTPClientTransport(url, options));
  clients.push(client);
  return client;
}

const toolsOf = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name).toSorted();

async function textOf(client: Client, name: string, args: Readonly<Record<string, unknown>>): Promise<string> {
  const { content, isError } = await client.callTool({ name, arguments: { ...args } });
  const [first] = content as readonly { readonly text: string }[];
  return `${isError === true ? "failed: " : ""}${first!.text}`;
}

test.each(lines)(
  "a client of the line %s writes and finds, and is named where the protocol tells its name",
  async (line) => {
    const client = await connect(line, "ada", { scope: "admin" });
    const fact = `Likes ${line.replaceAll(" ", "-")}.`;
    expect(await textOf(client, "remember", { text: fact })).toBe("Saved in core memory, section human.");
    expect(await textOf(client, "why", { section: "human", text: fact })).toContain(
      line === "2.x with the protocol of 2026" ? `the program client ${line}` : "the program an MCP client",
    );
    expect(await textOf(client, "undo", {})).toContain("Undone");
  },
);

test("a key's scope decides which tools there are", async () => {
  const reading = ["list_agents", "recall", "why"];
  const writing = ["core_memory_append", "core_memory_replace", "core_memory_rewrite", "remember", "undo"];
  expect(await toolsOf(await connect("2.x", "ada", { scope: "read" }))).toEqual(reading);
  expect(await toolsOf(await connect("2.x", "ada", { scope: "chat" }))).toEqual([...reading, ...writing].toSorted());
  expect(await toolsOf(await connect("2.x", "ada", { scope: "admin" }))).toContain("forget");
  const reader = await connect("1.x", "ada", { scope: "read" });
  expect(await textOf(reader, "remember", { text: "x" }).catch((error: unknown) => String(error))).toMatch(
    /remember not found/u,
  );
});

test("a key of one agent reaches that agent only", async () => {
  const client = await connect("2.x", "ada", { scope: "admin", agent: "other" });
  expect(await toolsOf(client)).not.toContain("forget");
  expect(await textOf(client, "list_agents", {})).toBe("other");
  expect(await textOf(client, "recall", { query: "x", agent: "main" })).toBe(
    'failed: There is no agent "main" for this key.',
  );
  expect((await client.listResources()).resources.map(({ name }) => name)).toEqual(["other/persona", "other/human"]);
  const other = "palimpsest://agents/main/core-memory/human";
  await expect(client.readResource({ uri: other })).rejects.toThrow(/not found/iu);
});

test("the error of a call names no address of a model's server", async () => {
  const own = host.forUser("ada");
  const { secret } = await own.keys.create({ scope: "read" });
  const key = (await host.keys.verify(secret))!;
  const message = "The server at 10.0.0.7:11434 cannot be reached.";
  const search = () => Promise.reject(new ModelUnavailableError(message, { provider: "ollama" }));
  const runtime = { ...own, recall: { ...own.recall, search } };
  const client = new Client({ name: "client", version: "1.0.0" });
  const ask = (input: string | URL, init?: RequestInit) => serveMcp(world, new Request(input, init), { runtime, key });
  await client.connect(new StreamableHTTPClientTransport(new URL("http://localhost/mcp"), { fetch: ask }));
  clients.push(client);
  expect(await textOf(client, "recall", { query: "x" })).toBe('failed: The provider "ollama" cannot be reached.');
});

test.each(lines)("a client of the line %s is offered no subscription to resources", async (line) => {
  const client = await connect(line, "ada");
  expect(client.getServerCapabilities()?.resources?.subscribe ?? false).toBe(false);
  const uri = "palimpsest://agents/main/core-memory/human";
  await expect(client.subscribeResource({ uri })).rejects.toThrow();
});

test("a user sees nothing of another, and without a key there is nothing", async () => {
  const ada = await connect("2.x", "ada", { scope: "admin" });
  await ada.callTool({ name: "remember", arguments: { text: "The safe opens with 4711." } });
  const ben = await connect("2.x", "ben", { scope: "admin" });
  expect(await textOf(ben, "why", { section: "human", text: "4711" })).toContain("No stored edit");
  expect(await textOf(ben, "forget", { text: "4711", confirm: true })).toContain("No place holds it");
  const bare = await fetch(`${served.url}/mcp`, { method: "POST", body: "{}" });
  expect(bare.status).toBe(401);
  const garbage = await fetch(`${served.url}/mcp`, {
    method: "POST",
    body: "nonsense",
    headers: { authorization: `Bearer ${(await host.forUser("ben").keys.create({ scope: "admin" })).secret}` },
  });
  expect([400, 406, 415]).toContain(garbage.status);
});
