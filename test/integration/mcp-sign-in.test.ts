// The user's sign-in to MCP servers, with a real authorization server.
import { execFile } from "node:child_process";
import { readdir, readFile, stat, utimes, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { systemClock } from "../../src/base/clock.ts";
import { type McpTools, openMcpTools } from "../../src/runtime/compose/open-mcp-tools.ts";
import { type GuardedServer, guardedMcpServer, visit } from "../support/guarded-mcp-server.ts";
import { program } from "../support/mcp-clients.ts";
import { useFolderOfTest } from "../support/folders.ts";

const dataDir = useFolderOfTest();
let guarded: GuardedServer;
const opened: McpTools[] = [];
const log: string[] = [];

beforeEach(async () => (guarded = await guardedMcpServer()));
afterEach(async () => {
  await Promise.all(opened.splice(0).map((mcp) => mcp.close()));
  await guarded.close();
});

async function open(more: object = {}): Promise<McpTools> {
  const mcp = await openMcpTools(
    { mcpServers: { guarded: { url: guarded.url, ...more } }, dataDir: dataDir() },
    { clock: systemClock, log: (line) => log.push(line) },
  );
  opened.push(mcp);
  return mcp;
}

async function signedIn(more: object = {}): Promise<McpTools> {
  const mcp = await open(more);
  await signIn(mcp);
  return mcp;
}

async function signIn(mcp: McpTools): Promise<void> {
  const { address, ended } = await mcp.signIn("guarded");
  await fetch(await visit(address));
  await ended;
}

async function call(mcp: McpTools, name = "say"): Promise<string> {
  await mcp.connect();
  const tool = mcp.tools([]).find((one) => one.name === `guarded__${name}`);
  try {
    return String(await tool?.run({}, { signal: new AbortController().signal } as never));
  } catch (error) {
    return String(error);
  }
}

const folder = (): string => path.join(dataDir(), "mcp-sign-ins");
const stateOf = async (mcp: McpTools) => (await mcp.servers())[0]!;
const failure = async (work: Promise<unknown>) => String(await work.catch((error: unknown) => error));

test("a server that needs a sign-in says so, has its tools after it, and the tokens are in a file of the owner", async () => {
  const mcp = await open();
  expect(await stateOf(mcp)).toMatchObject({
    state: "needs-sign-in",
    problem: 'it needs a sign-in, with `runtime.mcp.signIn("guarded")`',
    tools: [],
  });
  const { address, ended } = await mcp.signIn("guarded");
  const page = await fetch(await visit(address));
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("You are signed in.")]);
  await ended;
  expect(await stateOf(mcp)).toMatchObject({ state: "connected", problem: null });
  expect(await call(mcp)).toBe("did say");
  expect(guarded.seen.scopes).toEqual(["read"]);
  const [file = "", ...others] = await readdir(folder());
  expect(others).toEqual([]);
  expect(file).toMatch(/^guarded-[0-9a-f]{16}\.json$/u);
  const modes = [folder(), path.join(folder(), file)].map(async (place) =>
    ((await stat(place)).mode & 0o777).toString(8),
  );
  expect(await Promise.all(modes)).toEqual(["700", "600"]);
  for (const token of guarded.seen.tokens) expect(log.join("\n")).not.toContain(token);
});

test("a sign-in lasts for later processes, until the user signs out", async () => {
  await signedIn();
  const later = await open();
  expect((await stateOf(later)).state).toBe("connected");
  expect(await later.signOut("guarded")).toBe(true);
  expect(await readdir(folder())).toEqual([]);
  expect(await later.signOut("guarded")).toBe(false);
  expect((await stateOf(await open())).state).toBe("needs-sign-in");
});

test("a sign-out during a renewal of the token lasts", async () => {
  const mcp = await signedIn();
  await mcp.connect();
  guarded.expire();
  guarded.rules.delay = 300;
  const renewing = call(mcp);
  while (guarded.seen.renewals === 0) await delay(5);
  expect(await mcp.signOut("guarded")).toBe(true);
  await renewing;
  expect(await readdir(folder())).toEqual([]);
});

test("an expired token is renewed during a call, and the call is sent once", async () => {
  const mcp = await signedIn();
  await mcp.connect();
  guarded.expire();
  expect(await call(mcp)).toBe("did say");
  expect([guarded.seen.renewals, guarded.seen.calls]).toEqual([1, ["say"]]);
});

test("calls at the same time renew once", async () => {
  const mcp = await signedIn();
  await mcp.connect();
  guarded.expire();
  guarded.rules.delay = 50;
  expect(await Promise.all([call(mcp), call(mcp), call(mcp)])).toEqual(["did say", "did say", "did say"]);
  expect(guarded.seen.renewals).toBe(1);
});

test("two processes that renew at the same time do not lose the sign-in", async () => {
  await signedIn();
  await writeFile(
    path.join(dataDir(), "config.json"),
    JSON.stringify({ mcpServers: { guarded: { url: guarded.url } } }),
  );
  guarded.expire();
  guarded.rules.delay = 1500;
  const env = { PATH: process.env["PATH"], NODE_OPTIONS: process.env["NODE_OPTIONS"], HOME: dataDir() };
  const args = [program, "mcp", "test", "guarded", "--data-dir", dataDir()];
  const run = async (): Promise<string> => (await promisify(execFile)(process.execPath, args, { env })).stdout;
  const outputs = await Promise.all([run(), run()]);
  for (const output of outputs) expect(output).toContain("guarded  connected");
  expect(guarded.seen.renewals).toBe(1);
  guarded.expire();
  expect(await call(await open())).toBe("did say");
});

test("a lock of a process that was killed is taken over", async () => {
  const mcp = await signedIn();
  await mcp.connect();
  guarded.expire();
  const [file = ""] = await readdir(folder());
  const lock = path.join(folder(), `${file}.lock`);
  await writeFile(lock, "");
  await utimes(lock, new Date(0), new Date(0));
  expect(await call(mcp)).toBe("did say");
  expect(await readdir(folder())).toEqual([file]);
});

test("a revoked refresh token asks for a sign-in again, which the model can tell the user", async () => {
  const mcp = await signedIn();
  await mcp.connect();
  guarded.expire();
  guarded.revoke();
  expect(await call(mcp)).toBe(
    "ToolError: Nothing was done, because the MCP server guarded cannot be used: its sign-in has ended. " +
      "Ask the user to sign in to it, and try again after that.",
  );
  expect(guarded.seen.calls).toEqual([]);
  expect((await stateOf(mcp)).state).toBe("needs-sign-in");
  await call(mcp);
  expect(guarded.seen.renewals).toBe(1);
  await signIn(mcp);
  expect(await call(mcp)).toBe("did say");
  expect(await stateOf(mcp)).toMatchObject({ state: "connected", problem: null });
});

test("an authorization server that is down costs the call, not the sign-in", async () => {
  const mcp = await signedIn();
  await mcp.connect();
  guarded.expire();
  guarded.rules.isDown = true;
  expect(await call(mcp)).toContain(
    "Nothing was done, because the MCP server guarded cannot be used: its sign-in cannot be renewed",
  );
  guarded.rules.isDown = false;
  expect(await call(mcp)).toBe("did say");
});

test("a refusal of the user ends the sign-in, and an earlier one stays", async () => {
  const mcp = await signedIn();
  guarded.rules.agrees = false;
  const { address, ended } = await mcp.signIn("guarded");
  const [page, error] = await Promise.all([visit(address).then((to) => fetch(to)), failure(ended)]);
  expect(page.status).toBe(400);
  expect(error).toContain(
    "The sign-in to the MCP server guarded did not succeed: you or the authorization server refused the sign-in.",
  );
  expect(await call(mcp)).toBe("did say");
});

test("an answer with another state is refused, and the sign-in still waits", async () => {
  const mcp = await open();
  const { address, ended, finish } = await mcp.signIn("guarded");
  const right = await visit(address);
  const wrong = new URL(right);
  wrong.searchParams.set("state", "guessed");
  expect((await fetch(wrong)).status).toBe(400);
  expect(await failure(finish(wrong.href))).toContain("that address belongs to another sign-in");
  expect(await failure(finish("code=1"))).toContain("expected the whole URL");
  expect(await readdir(folder()).catch(() => [])).toEqual([]);
  await finish(right);
  await ended;
  expect(await call(mcp)).toBe("did say");
});

test("an answer of another authorization server is refused before its code is used", async () => {
  guarded.rules.sendsIssuer = true;
  const mcp = await open();
  const { address, ended } = await mcp.signIn("guarded");
  const mixed = new URL(await visit(address));
  mixed.searchParams.set("iss", "https://attacker.example.com");
  const [page, error] = await Promise.all([fetch(mixed), failure(ended)]);
  expect([page.status, error]).toEqual([400, expect.stringContaining("did not succeed")]);
  expect(guarded.seen.tokens).toEqual([]);
  await signIn(mcp);
  expect(await call(mcp)).toBe("did say");
});

test("a server that changes its authorization server gets no refresh token there, and asks for a sign-in", async () => {
  const mcp = await signedIn();
  await mcp.connect();
  guarded.rules.issuer = "/two";
  expect(await call(mcp)).toContain("its sign-in has ended");
  expect(guarded.seen.renewals).toBe(0);
  await signIn(mcp);
  expect(await call(mcp)).toBe("did say");
  expect(guarded.seen.registrations).toBe(2);
});

test("a call that needs a further scope is not run, and the next sign-in asks for it", async () => {
  const mcp = await signedIn();
  expect(await call(mcp, "write")).toContain("its sign-in does not permit this request. Ask the user to sign in to it");
  expect((await stateOf(mcp)).state).toBe("needs-sign-in");
  expect(await call(mcp)).toBe("did say");
  await signIn(mcp);
  expect(guarded.seen.scopes).toEqual(["read", "read write"]);
  expect(await call(mcp, "write")).toBe("did write");
});

test("a client that the user has registered is used, with its secret, which is in no other file", async () => {
  Object.assign(guarded.rules, { registers: false, secret: "s3cret" });
  expect(await failure((await open()).signIn("guarded"))).toContain("did not succeed");
  const wrong = await open({ oauth: { clientId: "given", clientSecret: "wrong" } });
  const { address, ended } = await wrong.signIn("guarded");
  expect(await Promise.all([failure(ended), visit(address).then((to) => fetch(to))])).toEqual([
    expect.stringContaining("did not succeed"),
    expect.objectContaining({ status: 400 }),
  ]);
  const mcp = await signedIn({ oauth: { clientId: "given", clientSecret: "s3cret", scopes: "read write" } });
  guarded.expire();
  expect(await call(mcp, "write")).toBe("did write");
  expect(guarded.seen.scopes.at(-1)).toBe("read write");
  const [file = ""] = await readdir(folder());
  expect(await readFile(path.join(folder(), file), "utf8")).not.toContain("s3cret");
});

test("a port in use is named, and nothing waits", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => taken.once("listening", resolve));
  const { port } = taken.address() as AddressInfo;
  const mcp = await open({ oauth: { callbackPort: port } });
  expect(await failure(mcp.signIn("guarded"))).toContain(
    `The sign-in cannot listen on port ${port} of this machine (\`callbackPort\`): another program uses the port.`,
  );
  await new Promise((resolve) => taken.close(resolve));
  const { address, cancel } = await mcp.signIn("guarded");
  expect(new URL(address).searchParams.get("redirect_uri")).toBe(`http://127.0.0.1:${port}/callback`);
  cancel();
});

test("a second sign-in replaces the first, and one that is cancelled ends", async () => {
  const mcp = await open();
  const first = await mcp.signIn("guarded");
  const second = await mcp.signIn("guarded");
  expect(await failure(first.ended)).toContain("it was cancelled");
  second.cancel();
  expect(await failure(second.ended)).toContain("it was cancelled");
  await expect(visit(second.address).then((to) => fetch(to))).rejects.toThrow("fetch failed");
});

test("tokens go to no other URL of the same name, and a damaged file is named", async () => {
  await signedIn();
  const other = await guardedMcpServer();
  try {
    const moved = await open({ url: other.url });
    expect((await stateOf(moved)).state).toBe("needs-sign-in");
    expect(other.seen.refused).toEqual([null]);
  } finally {
    await other.close();
  }
  const [file = ""] = await readdir(folder());
  await writeFile(path.join(folder(), file), "{");
  expect((await stateOf(await open())).problem).toMatch(
    /guarded-\w+\.json is damaged\. Remove the file, and sign in again$/u,
  );
});

test.each([
  [{ headers: { authorization: "Bearer KEY" } }, "its configuration has the header Authorization"],
  [{ url: undefined, command: "true" }, "it is a program on this machine"],
])("a server with %j has no sign-in", async (more, reason) => {
  expect(await failure((await open(more)).signIn("guarded"))).toContain(reason);
});

test("an unknown server, and a server without sign-in, are named", async () => {
  const mcp = await open({ url: new URL("/nothing", guarded.url).href });
  expect(await failure(mcp.signIn("other"))).toContain('There is no MCP server "other". Servers: guarded.');
  expect(await failure(mcp.signIn("guarded"))).toContain("The sign-in to the MCP server guarded did not succeed");
});
