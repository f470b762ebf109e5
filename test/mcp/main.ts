// Clients of MCP that write to one memory at once, of which some are killed: npm run test:mcp
// Runs on the embedded engine, or on the server of TEST_DATABASE_URL: `--clients` processes of `palimpsest mcp`, `--calls` calls
// each, `--killed` of them killed on the way. Every acknowledged write must be there exactly once. With `--reference FILE`, the
// program of another memory server, the same number of clients and calls is run against it, and its losses are printed beside.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { createTestDatabase, isOnServer } from "../support/database.ts";
import { connectClient, type McpClient, memoryServer } from "../support/mcp-clients.ts";

const { values } = parseArgs({
  options: {
    clients: { type: "string", default: "8" },
    calls: { type: "string", default: "200" },
    killed: { type: "string", default: "2" },
    reference: { type: "string" },
  },
});
const [clients, calls, killed] = [Number(values.clients), Number(values.calls), Number(values.killed)];

const home = mkdtempSync(path.join(tmpdir(), "palimpsest-mcp-"));
const factOf = (who: number, number: number): string => `client ${who} wrote line ${number}.`;

/** Writes until all calls are made or the client is gone; returns what was acknowledged. */
async function write(who: number, call: (fact: string) => Promise<boolean>, kill: () => void): Promise<string[]> {
  const acknowledged: string[] = [];
  const last = who < killed ? Math.floor(calls / 3) * (who + 1) : calls;
  for (let number = 0; number < calls; number += 1) {
    const fact = factOf(who, number);
    if (number === last) kill();
    try {
      if (await call(fact)) acknowledged.push(fact);
    } catch {
      return acknowledged;
    }
  }
  return acknowledged;
}

async function ours(): Promise<{ readonly acknowledged: number; readonly lost: number; readonly repeated: number }> {
  const database = await createTestDatabase({ isOwn: true });
  try {
    // The section has room for all lines.
    const flags = ["--core-memory-limit", "1000000"];
    // All at once, also on the first start: one of them creates the agent.
    const all: readonly McpClient[] = await Promise.all(
      Array.from({ length: clients }, (_, index) =>
        connectClient(index % 2 === 0 ? "2.x" : "1.x", memoryServer(database, home, flags)),
      ),
    );
    const written = await Promise.all(
      all.map((client, who) =>
        write(
          who,
          async (content) => !(await client.call("core_memory_append", { section: "human", content })).isError,
          () => process.kill(client.pid, "SIGKILL"),
        ),
      ),
    );
    const reader = await connectClient("2.x", memoryServer(database, home, flags));
    const text = await reader.read("palimpsest://agents/main/core-memory/human");
    await Promise.all([...all.slice(killed), reader].map((client) => client.close()));
    const times = written.flat().map((fact) => text.split(`${fact}\n`).length - 1 + (text.endsWith(fact) ? 1 : 0));
    const lost = times.filter((count) => count === 0).length;
    return { acknowledged: times.length, lost, repeated: times.filter((count) => count > 1).length };
  } finally {
    await database.remove();
  }
}

/** The reference server of the protocol's authors keeps a file; each client starts a process of its own, as here. */
async function reference(program: string): Promise<{ readonly acknowledged: number; readonly lost: number }> {
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, MEMORY_FILE_PATH: path.join(home, "memory.jsonl") };
  const connect = async () => {
    const client = new Client({ name: "trial", version: "1" });
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: [program], env, stderr: "ignore" }),
    );
    return client;
  };
  const all = await Promise.all(Array.from({ length: clients }, connect));
  const written = await Promise.all(
    all.map((client, who) =>
      write(
        who,
        async (fact) => {
          const entities = [{ name: fact, entityType: "fact", observations: [fact] }];
          return (await client.callTool({ name: "create_entities", arguments: { entities } })).isError !== true;
        },
        () => void client.close(),
      ),
    ),
  );
  const reader = await connect();
  const graph = JSON.stringify((await reader.callTool({ name: "read_graph", arguments: {} })).content);
  await Promise.all([...all, reader].map((client) => client.close()));
  const acknowledged = written.flat();
  return { acknowledged: acknowledged.length, lost: acknowledged.filter((fact) => !graph.includes(fact)).length };
}

const started = performance.now();
const found = await ours();
const seconds = (performance.now() - started) / 1000;
process.stdout.write(
  `palimpsest mcp (${isOnServer ? "PostgreSQL" : "embedded"}): ${clients} clients, ${killed} killed: ` +
    `${found.acknowledged} acknowledged, ${found.lost} lost, ${found.repeated} repeated, ${seconds.toFixed(0)} s\n`,
);
if (values.reference !== undefined) {
  const other = await reference(values.reference);
  process.stdout.write(`reference server: ${other.acknowledged} acknowledged, ${other.lost} lost\n`);
}
rmSync(home, { recursive: true, force: true });
const expected = (clients - killed) * calls;
if (found.lost > 0 || found.repeated > 0 || found.acknowledged < expected) process.exitCode = 1;
