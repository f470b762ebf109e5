// Runs the conformance suite of the Model Context Protocol against the built program: `palimpsest serve` as the server, and a
// runtime with a scripted model as the client. The suite is not a dependency: SUITE names its installed program.
// Invariant: exits with 1 if a scenario fails that docs/mcp.md does not explain, or if one that it explains passes.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(import.meta.dirname, "..");
const suite = process.env.SUITE;
/** All that the suite has for clients. */
const clientScenarios = [
  "initialize",
  "tools_call",
  "elicitation-sep1034-client-defaults",
  "sse-retry",
  "auth/metadata-default",
  "auth/metadata-var1",
  "auth/metadata-var2",
  "auth/metadata-var3",
  "auth/basic-cimd",
  "auth/scope-from-www-authenticate",
  "auth/scope-from-scopes-supported",
  "auth/scope-omitted-when-undefined",
  "auth/scope-step-up",
  "auth/scope-retry-limit",
  "auth/token-endpoint-auth-basic",
  "auth/token-endpoint-auth-post",
  "auth/token-endpoint-auth-none",
  "auth/pre-registration",
  "auth/2025-03-26-oauth-metadata-backcompat",
  "auth/2025-03-26-oauth-endpoint-fallback",
  "auth/resource-mismatch",
  "auth/offline-access-scope",
  "auth/offline-access-not-supported",
  "auth/client-credentials-jwt",
  "auth/client-credentials-basic",
  "auth/cross-app-access-complete-flow",
];
let signIns = 0;

if (process.argv[2] === "client") await runClient(process.argv.at(-1));
else if (suite === undefined) fail("Set SUITE to dist/index.js of an installed @modelcontextprotocol/conformance.");
else process.exitCode = await runAll();

async function runAll() {
  const explained = explainedScenarios();
  const failed = [...(await runServer()), ...clientScenarios.filter((name) => !passes(name))];
  const surprises = [
    ...failed.filter((name) => !explained.includes(name)).map((name) => `${name} fails`),
    ...explained
      .filter((name) => !failed.includes(name))
      .map((name) => `${name} passes, but docs/mcp.md says it fails`),
  ];
  for (const line of surprises) process.stdout.write(`mcp-conformance: ${line}\n`);
  process.stdout.write(`mcp-conformance: ${failed.length} scenarios fail, ${explained.length} are explained\n`);
  return surprises.length === 0 ? 0 : 1;
}

/** The scenarios in the table of docs/mcp.md. */
function explainedScenarios() {
  const [, table = ""] = readFileSync(join(root, "docs/mcp.md"), "utf8").split("<!-- conformance -->");
  return [...table.matchAll(/`([a-z][a-z0-9/-]+)`/gu)].map(([, name]) => name);
}

/** Returns the scenarios that fail. */
async function runServer() {
  const home = mkdtempSync(join(tmpdir(), "mcp-conformance-"));
  const env = { ...process.env, HOME: home };
  const program = join(root, "dist/bin/palimpsest.js");
  const serve = spawn(process.execPath, [program, "serve", "--port", "0", "--embedding", "none", "--model", "demo"], {
    env,
  });
  const proxy = createServer();
  try {
    const url = await new Promise((resolve, reject) => {
      let said = "";
      const read = (data) => {
        said += data;
        const found = /http:\/\/127\.0\.0\.1:\d+/u.exec(said);
        if (found !== null) resolve(found[0]);
      };
      serve.stdout.on("data", read);
      serve.stderr.on("data", read);
      serve.once("exit", () => reject(new Error(said)));
    });
    const key = readFileSync(join(home, ".palimpsest", "server-key"), "utf8").trim();
    const port = await startProxy(proxy, `${url}/mcp?agent=main`, key);
    const output = await said([suite, "server", "--url", `http://localhost:${port}/mcp`]);
    return [...output.matchAll(/^✗ ([a-z0-9-]+):/gmu)].map(([, name]) => name);
  } finally {
    proxy.close();
    serve.kill();
    rmSync(home, { recursive: true, force: true });
  }
}

/** The suite sends no key. */
function startProxy(proxy, target, key) {
  proxy.on("request", (incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${key}` };
    const sent = request(target, { method: incoming.method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(sent);
  });
  return new Promise((resolve) => proxy.listen(0, "127.0.0.1", () => resolve(proxy.address().port)));
}

function said(args) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args);
    let text = "";
    child.stdout.on("data", (data) => (text += data));
    child.once("close", () => resolve(text));
  });
}

function passes(scenario) {
  const command = `${process.execPath} ${fileURLToPath(import.meta.url)} client`;
  return spawnSync(process.execPath, [suite, "client", "--command", command, "--scenario", scenario]).status === 0;
}

/** Signs in, calls every tool of the server once, again after another sign-in if it needs one, and accepts what it asks. */
async function runClient(url) {
  const { createRuntime } = await import(join(root, "dist/src/exports/index.js"));
  const { createScriptedModel } = await import(join(root, "dist/src/exports/testing.js"));
  const dataDir = mkdtempSync(join(tmpdir(), "mcp-conformance-"));
  const calls = [];
  const rest = [];
  const replies = () => (rest.length > 0 ? { toolCalls: [rest.shift()] } : { text: "done" });
  const models = [createScriptedModel({ replies })];
  const runtime = await createRuntime({
    dataDir,
    embedder: null,
    model: "scripted",
    models,
    mcpServers: { suite: { url, ...registration() } },
  });
  await signInIfNeeded(runtime);
  runtime.mcp.watchQuestions(({ id }) => void runtime.mcp.answer(id, { action: "accept", content: {} }));
  for (const { tools } of await runtime.mcp.servers()) {
    for (const { name } of tools) {
      await runtime.mcp.trust(name);
      calls.push({ name, arguments: name.endsWith("add_numbers") ? { a: 5, b: 3 } : {} });
    }
  }
  const agent = await runtime.agents.open("main", { create: { human: "" } });
  do {
    rest.push(...calls);
    for await (const event of agent.send("go"))
      if (event.type === "tool-result") process.stderr.write(`${event.text}\n`);
  } while (await signInIfNeeded(runtime));
  await runtime.close();
  rmSync(dataDir, { recursive: true, force: true });
}

/** Returns whether the user signed in. A user tries at most three times. */
async function signInIfNeeded({ mcp }) {
  const [{ state }] = await mcp.servers();
  if (state !== "needs-sign-in" || signIns === 3) return false;
  signIns += 1;
  const { address, ended } = await mcp.signIn("suite");
  const page = await fetch(address, { redirect: "manual" });
  await Promise.all([ended, fetch(page.headers.get("location"))]);
  return true;
}

/** What the scenario has registered for the client, as a user would write it. */
function registration() {
  const { client_id: clientId, client_secret: clientSecret } = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}");
  if (clientId !== undefined) return { oauth: { clientId, ...(clientSecret === undefined ? {} : { clientSecret }) } };
  const isDocument = process.env.MCP_CONFORMANCE_SCENARIO === "auth/basic-cimd";
  return isDocument ? { oauth: { clientId: "https://conformance-test.local/client-metadata.json" } } : {};
}

function fail(message) {
  process.stderr.write(`mcp-conformance: ${message}\n`);
  process.exitCode = 2;
}
