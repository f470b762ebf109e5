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
import type { UserRuntime } from "../../src/runtime/runtime.ts";
import { serve, type Served, type ServeOptions } from "../../src/surfaces/http/serve.ts";
import { createTestDatabase, placeOf, type TestDatabase } from "../support/database.ts";
import { lines } from "../support/mcp-clients.ts";

const world = { version: "0.0.0", command: "palimpsest" } as World;
let database: TestDatabase;
let host: Host;
let served: Served;
const clients: { close(): Promise<void> }[] = [];

const settings = (of: Host): ServeOptions => ({
  host: of,
  verify: (secret) => host.keys.verify(secret),
  version: "0.0.0",
  hostname: "127.0.0.1",
  port: 0,
  mcp: (request, memory) => serveMcp(world, request, memory),
});

beforeAll(async () => {
  database = await createTestDatabase();
  const place = placeOf(database);
  const models = [createScriptedModel({ replies: [] })];
  host = await createHost({ ...place, model: "scripted", models, embedder: null, timeZone: "UTC" });
  served = await serve(settings(host));
  for (const user of ["ada", "ben"])
    for (const name of ["main", "other"])
      await host.forUser(user).agents.create({ name, persona: "", human: `Name: ${user}` });
});
afterEach(() => Promise.all(clients.splice(0).map((client) => client.close())));
afterAll(async () => {
  await served.close();
  await host.close();
  await database.remove();
});

type Scope = "read" | "chat" | "admin";

interface KeyOf {
  readonly scope?: Scope;
  readonly agent?: string;
}

async function connect(line: (typeof lines)[number], user: string, key: KeyOf = {}, at: string = served.url) {
  const { secret } = await host.forUser(user).keys.create({ scope: "admin", ...key });
  const options = { requestInit: { headers: { authorization: `Bearer ${secret}` } } };
  const url = new URL(`${at}/mcp`);
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

/** Connects to a server whose runtime is partly replaced. Returns the client, and the failures in the server's log. */
async function connectTo(change: (own: UserRuntime) => Partial<UserRuntime>) {
  const failures: unknown[] = [];
  // A server closes its host, which the other tests still need.
  const close = async () => undefined;
  const forUser = (user: string) => ({ ...host.forUser(user), ...change(host.forUser(user)), close });
  const changed: Host = { ...host, forUser, close };
  const server = await serve({ ...settings(changed), onFailure: (_id, error) => failures.push(error) });
  clients.push(server);
  return { client: await connect("2.x", "ada", { scope: "read" }, server.url), failures };
}

test("the error of a call names no address of a model's server", async () => {
  const message = "The server at 10.0.0.7:11434 cannot be reached.";
  const search = () => Promise.reject(new ModelUnavailableError(message, { provider: "ollama" }));
  const { client } = await connectTo((own) => ({ recall: { ...own.recall, search } }));
  expect(await textOf(client, "recall", { query: "x" })).toBe('failed: The provider "ollama" cannot be reached.');
});

test("an error of a prompt or a resource has the words of a program, without functions of the library", async () => {
  const client = await connect("2.x", "ada", { scope: "read" });
  const prompt = client.getPrompt({ name: "load_memory", arguments: { agent: "nobody" } });
  await expect(prompt).rejects.toThrow(/There is no agent "nobody"\.$/u);
});

test("a failure that is the answer of a tool, a prompt or a resource is logged, and an unknown one is not sent", async () => {
  const lost = new Error("connect ECONNREFUSED 10.0.0.9:5432");
  const { client, failures } = await connectTo((own) => ({
    recall: { ...own.recall, search: () => Promise.reject(lost) },
    memory: { ...own.memory, show: () => Promise.reject(lost) },
  }));
  expect(await textOf(client, "recall", { query: "x" })).toBe("failed: The server failed. Its log has the error.");
  await expect(client.getPrompt({ name: "load_memory" })).rejects.toThrow("The server failed.");
  await expect(client.listResources()).rejects.toThrow("The server failed.");
  const uri = "palimpsest://agents/main/core-memory/human";
  await expect(client.readResource({ uri })).rejects.toThrow("The server failed.");
  expect(failures).toEqual([lost, lost, lost, lost]);
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
