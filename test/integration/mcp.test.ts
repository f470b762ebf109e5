// The MCP server as the official clients see it: `palimpsest mcp` as a process, on both engines.
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as FirstTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { useDatabase } from "../support/database.ts";
import { connectClient, lines, type McpClient, memoryServer } from "../support/mcp-clients.ts";
import { words } from "../support/words.ts";
import { useFolder } from "../support/folders.ts";

const database = useDatabase({ isOwn: true });
const home = useFolder();
const open: McpClient[] = [];

afterEach(() => Promise.all(open.splice(0).map((client) => client.close())));

async function connect(line: (typeof lines)[number], ...flags: string[]): Promise<McpClient> {
  const client = await connectClient(line, memoryServer(database, home, flags));
  open.push(client);
  return client;
}

const uri = (agent: string) => `palimpsest://agents/${agent}/core-memory/human`;

test.each(lines)("a client of the line %s saves, edits, finds, explains, undoes and forgets", async (line) => {
  const agent = `agent ${line}`;
  const client = await connect(line, "-a", agent);
  expect(await client.tools()).toEqual(
    words(`
      remember core_memory_append core_memory_replace core_memory_rewrite recall list_agents undo why forget
    `),
  );
  expect(await client.call("core_memory_rewrite", { section: "human", content: "Name: Ada" })).toMatchObject({
    isError: false,
    data: { section: "human", revision: 1, text: "Name: Ada" },
  });
  expect((await client.call("remember", { text: "Lives in Lisbon." })).data).toEqual({
    where: "core",
    isNew: true,
    section: "human",
    revision: 2,
  });
  expect((await client.call("remember", { text: "Lives in Lisbon." })).data).toMatchObject({ isNew: false });
  const story = "The boat is called Tern. ".repeat(12);
  expect((await client.call("remember", { text: story, tags: ["boat"] })).data).toEqual({
    where: "archive",
    isNew: true,
  });
  const found = await client.call("recall", { query: "Tern", explain: true });
  expect(found.data).toMatchObject({
    total: 1,
    hits: [{ kind: "passage", trust: "external", tags: ["boat"], reason: expect.stringContaining("words: rank 1") }],
  });
  const why = await client.call("why", { section: "human", text: "Lisbon" });
  expect(why.data).toMatchObject({
    cause: { revision: 2, origin: "api", client: `client ${line}`, trust: "external", message: null },
  });
  expect((await client.call("undo", {})).data).toEqual({ undone: { section: "human", revision: 2 } });
  expect(await client.read(uri(encodeURIComponent(agent)))).toBe("Name: Ada");
  expect(await client.resources()).toContain(uri(encodeURIComponent(agent)));
  expect(await client.prompt("load_memory")).toContain('<human trust="external">\nName: Ada\n</human>');
  const shown = await client.call("forget", { text: "Tern" });
  expect(shown.data).toMatchObject({ isForgotten: false, places: [expect.stringContaining("passage")] });
  expect((await client.call("recall", { query: "Tern" })).data).toMatchObject({ total: 1 });
  expect((await client.call("forget", { text: "Tern", confirm: true })).data).toMatchObject({ isForgotten: true });
  expect((await client.call("recall", { query: "Tern" })).text).toBe("Nothing was found.");
});

test("what a client does wrong is a result that says what to do, and changes nothing", async () => {
  const client = await connect("2.x", "-a", "mistakes");
  const before = await client.read(uri("mistakes"));
  const failures = [
    await client.call("core_memory_append", { section: "work", content: "x" }),
    await client.call("core_memory_replace", { section: "human", old_content: "Porto", new_content: "Faro" }),
    await client.call("core_memory_append", { section: "human", content: "x".repeat(5000) }),
    await client.call("recall", { query: "x", start: "yesterday" }),
    await client.call("recall", { query: "x", agent: "nobody" }),
    await client.call("undo", { revision: 3 }),
    await client.call("forget", {}),
    await client.call("remember", { text: " " }),
  ];
  expect(failures.map(({ isError, text }) => [isError, text.slice(0, 60)])).toEqual(
    [
      'No module of core memory is named "work". Available modules:',
      'Old content was not found in "human". Nothing was changed. o',
      "Edit failed: Exceeds 4000 character limit (requested 5100). ",
      "Input validation error: Invalid arguments for tool recall: s",
      expect.stringContaining('There is no agent "nobody".'),
      "Expected a module and a revision number, 1 or more, got no m",
      "Expected a text, a message or a passage to forget, got none.",
      "Input validation error: Invalid arguments for tool remember:",
    ].map((text) => [true, text]),
  );
  expect(await client.read(uri("mistakes"))).toBe(before);
});

test("two users of one database see nothing of each other, and the trust is what the flag says", async () => {
  const ada = await connect("2.x", "--user", "ada", "--trust", "user");
  const bob = await connect("1.x", "--user", "bob");
  await ada.call("remember", { text: "The spare key is under the blue pot." });
  expect((await ada.call("why", { section: "human", text: "blue pot" })).data).toMatchObject({
    cause: { trust: "user" },
  });
  expect(await bob.read(uri("main"))).not.toContain("blue pot");
  expect((await bob.call("recall", { query: "blue pot" })).data).toMatchObject({ total: 0 });
});

test("a client that subscribed to a section is told when another program has changed it", async () => {
  const writer = await connect("2.x", "-a", "watched");
  const client = new FirstClient({ name: "watcher", version: "1.0.0" });
  await client.connect(new FirstTransport(memoryServer(database, home, ["-a", "watched"])));
  try {
    const updated = new Promise((resolve) => {
      client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => resolve(params.uri));
    });
    await client.subscribeResource({ uri: uri("watched") });
    await writer.call("remember", { text: "Likes figs." });
    expect(await updated).toBe(uri("watched"));
  } finally {
    await client.close();
  }
});

test("a client of the protocol of 2026 that listens to sections is told of their changes", async () => {
  const writer = await connect("2.x", "-a", "listened");
  const client = new Client({ name: "listener", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
  await client.connect(new StdioClientTransport(memoryServer(database, home, ["-a", "listened"])));
  try {
    let report: (uri: string) => void = () => undefined;
    const nextNotice = () => new Promise<string>((resolve) => (report = resolve));
    client.setNotificationHandler("notifications/resources/updated", ({ params }) => report(params.uri));
    const first = nextNotice();
    const subscription = await client.listen({ resourceSubscriptions: [uri("nobody"), uri("listened")] });
    expect(subscription.honoredFilter.resourceSubscriptions).toHaveLength(2);
    // The section may have changed while the client asked.
    expect(await first).toBe(uri("listened"));
    const second = nextNotice();
    await writer.call("remember", { text: "Likes figs." });
    expect(await second).toBe(uri("listened"));
    await subscription.close();
  } finally {
    await client.close();
  }
});

test("of writes by four clients at once, of which one is killed, each acknowledged one is there once", async () => {
  const clients = await Promise.all(lines.map((line) => connect(line, "-a", "shared")));
  const doomed = await connectClient("2.x", memoryServer(database, home, ["-a", "shared"]));
  const acknowledged: string[] = [];
  const write = async (client: McpClient, who: number): Promise<void> => {
    for (let number = 0; number < 15; number += 1) {
      const content = `line ${who}-${number}.`;
      const { isError } = await client.call("core_memory_append", { section: "human", content });
      if (!isError) acknowledged.push(content);
      if (client === doomed && number === 5) process.kill(client.pid, "SIGKILL");
    }
  };
  const outcomes = await Promise.allSettled([...clients, doomed].map(write));
  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "fulfilled", "rejected"]);
  const text = await clients[0]!.read(uri("shared"));
  expect(acknowledged.length).toBeGreaterThanOrEqual(3 * 15 + 6);
  for (const line of acknowledged) expect(text.split(line)).toHaveLength(2);
});

test("the server writes nothing but the protocol, survives nonsense, and ends with its input", async () => {
  const { command, args, env } = memoryServer(database, home);
  const child = spawn(command, args, { env, stdio: ["pipe", "pipe", "ignore"] });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  const ended = new Promise((resolve) => child.on("close", resolve));
  child.stdin.write("nonsense\n\n{}\n");
  const initialize = {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bare", version: "1" } },
  };
  child.stdin.write(`${JSON.stringify(initialize)}\n`);
  while (!output.includes('"id":1')) await new Promise((resolve) => setTimeout(resolve, 20));
  child.stdin.end();
  expect(await ended).toBe(0);
  const messages = output
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { readonly jsonrpc: string });
  expect(messages.every(({ jsonrpc }) => jsonrpc === "2.0")).toBe(true);
});

test("a folder that cannot be opened is named on stderr, with exit code 1, also after the greeting", async () => {
  const folder = path.join(home, "not-a-database");
  mkdirSync(path.join(folder, "pgdata"), { recursive: true });
  writeFileSync(path.join(folder, "pgdata", "notes.txt"), "");
  const { command, args, env } = memoryServer(database, home);
  const place = args.slice(0, args.indexOf("--embedding"));
  const child = spawn(command, [...place, "--data-dir", folder], { env });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
  const ended = new Promise((resolve) => child.on("close", resolve));
  // The input stays open.
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })}\n`);
  expect(await ended).toBe(1);
  expect(said).toContain(`The database in ${path.join(folder, "pgdata")} cannot be opened`);
});
