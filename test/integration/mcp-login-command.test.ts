// `palimpsest mcp login` and `logout`, and what the other commands say about a server that needs a sign-in.
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { PassThrough, Writable } from "node:stream";
import { type GuardedServer, guardedMcpServer, visit } from "../support/guarded-mcp-server.ts";
import type { CliOptions } from "../support/fake-world.ts";
import { runMcp, runMcpWith } from "../support/mcp-world.ts";
import { until } from "../support/until.ts";
import { useFolderOfTest } from "../support/folders.ts";

const home = useFolderOfTest();
let guarded: GuardedServer;

beforeEach(async () => {
  guarded = await guardedMcpServer();
  mkdirSync(path.join(home(), ".palimpsest"));
  const content = JSON.stringify({ mcpServers: { guarded: { url: guarded.url } } });
  writeFileSync(path.join(home(), ".palimpsest", "config.json"), content, { mode: 0o600 });
});
afterEach(() => guarded.close());

/** Runs `mcp login` in a terminal; `act` gets the address that it shows and what is typed. */
async function login(act: (address: string, input: PassThrough) => Promise<void>, options: CliOptions = {}) {
  const input = new PassThrough();
  let shown = "";
  const stderr = new Writable({
    write(chunk, _encoding, done) {
      shown += String(chunk);
      const [, address] = /: (http\S+)\n/u.exec(shown) ?? [];
      if (address !== undefined && !acted) {
        acted = true;
        void act(address, input);
      }
      done();
    },
  });
  let acted = false;
  const run = await runMcpWith(home(), { isAttended: true, input, stderr, ...options }, ["login", "guarded"]);
  return { ...run, shown };
}

const states = async () => (await runMcp(home(), "list")).stdout;

test("list and test say how to sign in; after login in a browser the server is connected; logout forgets it", async () => {
  const needs = "guarded  needs sign in";
  expect(await states()).toContain(
    `${needs}  ${guarded.url}\n  it needs a sign-in, with \`palimpsest mcp login guarded\``,
  );
  const tested = await runMcp(home(), "test", "guarded", "--json");
  expect([tested.exitCode, JSON.parse(tested.stdout)]).toEqual([
    1,
    expect.objectContaining({ state: "needs-sign-in" }),
  ]);
  const { exitCode, stdout } = await login(async (address) => void (await fetch(await visit(address))));
  expect([exitCode, stdout]).toEqual([0, 'Signed in to "guarded". Its tools: palimpsest mcp test guarded\n']);
  expect(await states()).toContain("guarded  connected");
  expect((await runMcp(home(), "logout", "guarded")).stdout).toBe('Signed out of "guarded".\n');
  expect((await runMcp(home(), "logout", "guarded")).stdout).toBe('You were not signed in to "guarded".\n');
  expect(await states()).toContain(needs);
});

test("login takes a pasted address, and says why one does not fit", async () => {
  const { exitCode, shown } = await login(async (address, input) => {
    input.write("http://127.0.0.1:1/callback?code=x&state=y\n");
    input.write(`${await visit(address)}\n`);
  });
  expect(exitCode).toBe(0);
  expect(shown).toContain("that address belongs to another sign-in");
});

test("login opens the browser, and an end of the input does not end the wait", async () => {
  const opened = path.join(home(), "opened");
  const opener = [process.execPath, "-e", "require('fs').writeFileSync(process.argv[1], process.argv[2])", opened];
  const leaving = new AbortController();
  const leave = async (): Promise<void> => {
    await until(() => existsSync(opened));
    leaving.abort();
  };
  const { exitCode, shown } = await login(leave, { opener, input: "", signal: leaving.signal });
  expect(exitCode).toBe(130);
  expect(shown).toContain("Sign in on the opened browser page: http://127.0.0.1:");
});

test("login reports a refusal, and without a terminal it says where to run it", async () => {
  guarded.rules.agrees = false;
  const refused = await login(async (address) => void (await fetch(await visit(address))));
  expect(refused.exitCode).toBe(1);
  expect(refused.shown).toContain("did not succeed: you or the authorization server refused the sign-in");
  const headless = await runMcp(home(), "login", "guarded");
  expect(headless).toMatchObject({ exitCode: 2, stdout: "" });
  expect(headless.stderr).toContain("mcp login needs a terminal.");
});

test("remove forgets the sign-in", async () => {
  await login(async (address) => void (await fetch(await visit(address))));
  const folder = path.join(home(), ".palimpsest", "mcp-sign-ins");
  expect(readdirSync(folder)).toHaveLength(1);
  await runMcp(home(), "remove", "guarded");
  expect(readdirSync(folder)).toEqual([]);
});
