// MCP servers that lose a session or stop answering, with real servers: the next call reconnects, and no other call is lost.
import os from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { systemClock } from "../../src/base/clock.ts";
import { packageRoot } from "../../src/base/package-root.ts";
import { type McpTools, openMcpTools } from "../../src/runtime/compose/open-mcp-tools.ts";
import { type HttpMcpServer, startHttpMcpServer } from "../support/http-mcp-server.ts";

let http: HttpMcpServer;
const opened: McpTools[] = [];

beforeEach(async () => (http = await startHttpMcpServer()));
afterEach(async () => {
  await Promise.all(opened.splice(0).map((mcp) => mcp.close()));
  await http.close();
});

async function open(words: object): Promise<McpTools> {
  const mcp = await openMcpTools(
    { mcpServers: { words } as never, dataDir: os.tmpdir() },
    { clock: systemClock, log: () => undefined },
  );
  opened.push(mcp);
  await mcp.connect();
  return mcp;
}

const openHttp = (more: object = {}) => open({ url: http.url, headers: { authorization: "Bearer good" }, ...more });
const openProgram = (mode: string) =>
  open({
    command: process.execPath,
    args: [path.join(packageRoot(), "test/support/hostile-mcp-server.mjs")],
    env: { MODE: mode, CALLS: "/dev/null" },
  });

async function call(mcp: McpTools, word: string): Promise<string> {
  const tool = mcp.tools([]).find(({ name }) => ["words__echo", "words__say"].includes(name));
  try {
    return String(await tool?.run({ word }, { signal: new AbortController().signal } as never));
  } catch (error) {
    return String(error);
  }
}

test.each([404, 400])("a server that answers %i for a session that it has forgotten gets a new one", async (status) => {
  const mcp = await openHttp();
  expect(await call(mcp, "one")).toBe("echo: one");
  http.forget(status);
  expect(await Promise.all([call(mcp, "two"), call(mcp, "three")])).toEqual(["echo: two", "echo: three"]);
  expect(http.calls.toSorted()).toEqual(["echo one", "echo three", "echo two"]);
  expect(http.openSessions()).toBe(1);
});

test.each([
  ["with tools", { echo: "Repeats a word." }],
  ["without tools", {}],
])("after a resource was read in a forgotten session, a server %s gets a new one", async (_kind, tools) => {
  http.tools = tools;
  const mcp = await openHttp();
  http.forget(404);
  await expect(mcp.readResource("words", "notes:///boat.md")).rejects.toThrow();
  await mcp.servers();
  expect(http.openSessions()).toBe(1);
});

test("a program that hangs between two calls is started anew for the next", async () => {
  expect(await call(await openProgram("hangs"), "hi")).toBe("said hi");
});

test("a program that lists no tools while a call runs is not ended under this call", async () => {
  const mcp = await openProgram("busy");
  const running = call(mcp, "hi");
  await delay(300);
  expect(await call(mcp, "on")).toContain("Nothing was done");
  expect(await running).toBe("said hi");
  expect(await call(mcp, "on")).toBe("said on");
});

test("a call over HTTP that is not answered in time costs no other call", async () => {
  const mcp = await openHttp({ timeoutSeconds: 4 });
  const lost = call(mcp, "never");
  await delay(2000);
  const kept = call(mcp, "wait");
  expect(await lost).toContain("it did not answer in time");
  http.release();
  expect(await kept).toBe("echo: wait");
});
