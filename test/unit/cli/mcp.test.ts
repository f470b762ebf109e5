// `palimpsest mcp` while its store still opens, and when that fails.
import { PassThrough, Writable } from "node:stream";
import { StoreError } from "../../../src/base/errors.ts";
import type { Runtime } from "../../../src/runtime/runtime.ts";
import { fakeRecord } from "../../support/fake-agent.ts";
import { runInWorld } from "../../support/fake-world.ts";
import { stubRuntime } from "../../support/stub-runtime.ts";

const agents = { list: async () => [{ ...fakeRecord, name: "main" }] };
const listAgents = { method: "tools/call", params: { name: "list_agents", arguments: {} } };

/** A server whose store opens or fails when the test says so, with a client that has sent `initialize`. */
function startServer({ hasOpening = true } = {}) {
  const input = new PassThrough();
  const answers = new Map<number, (answer: Readonly<Record<string, unknown>>) => void>();
  const stdout = new Writable({
    write(chunk: Buffer, _encoding, done) {
      for (const line of String(chunk).trimEnd().split("\n")) {
        const answer = JSON.parse(line) as { readonly id: number; readonly result: Readonly<Record<string, unknown>> };
        answers.get(answer.id)?.(answer.result);
      }
      done();
    },
  });
  let open!: (runtime: Runtime) => void;
  let fail!: (error: Error) => void;
  const runtime = new Promise<Runtime>((resolve, reject) => ([open, fail] = [resolve, reject]));
  const openRuntime = (_flags: object, _log: unknown, onOpening = (): void => undefined) => {
    if (hasOpening) onOpening();
    return runtime;
  };
  const ended = runInWorld(["mcp"], { input, stdout, openRuntime });
  const ask = (id: number, request: object) => {
    input.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...request })}\n`);
    return new Promise<Readonly<Record<string, unknown>>>((resolve) => answers.set(id, resolve));
  };
  const clientInfo = { name: "early", version: "1" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  return { ask, input, open, fail, ended, greeted: ask(1, { method: "initialize", params }) };
}

test("the server greets and lists its tools while the store opens, and a call waits for the store", async () => {
  const { ask, greeted, input, open, ended } = startServer();
  expect(await greeted).toMatchObject({ serverInfo: { name: "palimpsest" } });
  expect((await ask(2, { method: "tools/list" }))["tools"]).toHaveLength(9);
  const called = ask(3, listAgents);
  open(stubRuntime({ agents }));
  expect(await called).toMatchObject({ structuredContent: { agents: [{ name: "main", isDefault: true }] } });
  input.end();
  expect(await ended).toMatchObject({ exitCode: 0, stderr: "" });
});

test("a store that fails to open after the greeting answers the calls that wait with the reason, and ends the server", async () => {
  const { ask, greeted, fail, ended } = startServer();
  await greeted;
  const called = ask(2, listAgents);
  await ask(3, { method: "ping" });
  fail(new StoreError("store_schema_newer", "The database was written by a newer version."));
  expect(await called).toMatchObject({
    isError: true,
    content: [{ text: "The database was written by a newer version." }],
  });
  expect(await ended).toMatchObject({
    exitCode: 1,
    stderr: "palimpsest: The database was written by a newer version.\n",
  });
});

test("a store that fails before it opens, as with wrong settings, ends the server without an answer", async () => {
  const { fail, ended } = startServer({ hasOpening: false });
  fail(new StoreError("store_locked", "The folder is in use."));
  expect(await ended).toMatchObject({ exitCode: 1, stderr: "palimpsest: The folder is in use.\n" });
});

test("an input that ends while the store opens ends the server when the store can be closed", async () => {
  const { greeted, input, open, ended } = startServer();
  await greeted;
  input.end();
  let isClosed = false;
  open(stubRuntime({ agents, close: async () => void (isClosed = true) }));
  expect(await ended).toMatchObject({ exitCode: 0, stderr: "" });
  expect(isClosed).toBe(true);
});
