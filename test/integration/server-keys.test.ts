// The key of a server on this machine: its file, its reuse, and its replacement. And requests of other users and addresses.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { localKey } from "../../src/surfaces/cli/commands/serve.ts";
import { createHost } from "../../src/runtime/compose/compose.ts";
import type { Host } from "../../src/runtime/host.ts";
import { isLoopback, serve, type Served } from "../../src/surfaces/http/serve.ts";
import { askedModel } from "../support/asked-model.ts";
import { createTestDatabase, placeOf, type TestDatabase } from "../support/database.ts";

let database: TestDatabase;
let host: Host;
/** Another one on the same database: a server closes its own. */
let newHost: () => Promise<Host>;
let users = 0;
const folders: string[] = [];
const served: Served[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  const place = placeOf(database);
  newHost = () => createHost({ ...place, model: "demo", models: [askedModel], embedder: null, timeZone: "UTC" });
  host = await newHost();
});
afterAll(async () => {
  for (const one of served) await one.close();
  await host.close();
  await database.remove();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function newPlace() {
  const folder = mkdtempSync(path.join(tmpdir(), "palimpsest-key-"));
  folders.push(folder);
  return { dataDir: path.join(folder, "data"), userId: `user-${(users += 1)}` };
}

const secretIn = (file: string) => readFileSync(file, "utf8").trim();

describe("the key of a server on this machine", () => {
  it("is written to a file that only its owner can read, and used again by the next start", async () => {
    const place = newPlace();
    const first = await localKey(host.keys, place);
    expect(first).toEqual({ file: path.join(place.dataDir, "server-key"), isNew: true });
    expect(statSync(first.file).mode & 0o777).toBe(0o600);
    expect(await host.keys.verify(secretIn(first.file))).toMatchObject({ userId: place.userId, scope: "admin" });
    const secret = secretIn(first.file);
    expect(await localKey(host.keys, place)).toEqual({ ...first, isNew: false });
    expect(secretIn(first.file)).toBe(secret);
    expect(await host.keys.list(place.userId)).toHaveLength(1);
  });

  it("is replaced if it was revoked, is of another user, or the file holds something else", async () => {
    const place = newPlace();
    const { file } = await localKey(host.keys, place);
    const [key] = await host.keys.list(place.userId);
    await host.keys.revoke(place.userId, key!.id);
    const other = (await host.keys.create(newPlace().userId, { scope: "admin" })).secret;
    for (const content of [secretIn(file), `${other}\n`, "nonsense", ""]) {
      writeFileSync(file, content, { mode: 0o644 });
      expect(await localKey(host.keys, place)).toEqual({ file, isNew: true });
      expect(await host.keys.verify(secretIn(file))).toMatchObject({ userId: place.userId });
      expect(statSync(file).mode & 0o777).toBe(0o600);
    }
  });
});

describe("a request", () => {
  async function start(hostname: string): Promise<string> {
    const own = await newHost();
    const one = await serve({
      host: own,
      verify: (secret) => own.keys.verify(secret),
      version: "0.0.0",
      hostname,
      port: 0,
    });
    served.push(one);
    return one.url;
  }

  const doors = [
    ["GET", "/api/agents"],
    ["GET", "/v1/agents/"],
    ["GET", "/openai/v1/models"],
    ["POST", "/api/chat/main"],
  ] as const;

  async function statuses(url: string, headers: Readonly<Record<string, string>> = {}): Promise<readonly number[]> {
    const sent = doors.map(([method, at]) =>
      fetch(`${url}${at}`, { method, headers, ...(method === "POST" ? { body: "{}" } : {}) }),
    );
    return (await Promise.all(sent)).map(({ status }) => status);
  }

  it("without a key, with a wrong or a revoked one is refused at every door, on every address", async () => {
    const { userId } = newPlace();
    const { id, secret } = await host.keys.create(userId, { scope: "admin" });
    await host.keys.revoke(userId, id);
    for (const hostname of ["127.0.0.1", "0.0.0.0"]) {
      const url = (await start(hostname)).replace("0.0.0.0", "127.0.0.1");
      for (const headers of [{}, { authorization: "Bearer wrong" }, { authorization: `Bearer ${secret}` }])
        expect(await statuses(url, headers)).toEqual([401, 401, 401, 401]);
      expect((await fetch(`${url}/v1/health/`)).status).toBe(200);
    }
    expect(["127.0.0.1", "localhost", "::1", "0.0.0.0", "192.168.1.2"].map(isLoopback)).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
  });

  it("that is revoked ends its streams, also those that wait", async () => {
    const url = await start("127.0.0.1");
    const { userId } = newPlace();
    const runtime = host.forUser(userId);
    const { id: agent } = await runtime.agents.create({ name: "main", model: "asked", persona: "", human: "" });
    const { id, secret } = await host.keys.create(userId);
    const headers = { authorization: `Bearer ${secret}` };
    const body = JSON.stringify({ messages: [{ role: "user", content: "SLOW 600" }], streaming: true });
    const sent = await fetch(`${url}/v1/agents/agent-${agent}/messages`, { method: "POST", headers, body });
    await host.keys.revoke(userId, id);
    // The turn takes 30 seconds.
    expect(await sent.text()).toContain("Unauthorized");
    await (await runtime.agents.open(agent, { conversation: { id: agent } })).stop();
  });

  it("acts for the user of its key, whatever it says, and its use is recorded", async () => {
    const url = await start("127.0.0.1");
    const [ada, ben] = [newPlace().userId, newPlace().userId];
    await host.forUser(ben).agents.create({ name: "bens", persona: "" });
    const { id, secret } = await host.keys.create(ada, { scope: "admin" });
    const headers = { authorization: `Bearer ${secret}`, user_id: ben, "x-user-id": ben };
    const agents = await fetch(`${url}/api/agents?user=${ben}`, { headers });
    expect([400, 422]).toContain(agents.status);
    for (const at of ["/api/agents", "/v1/agents/"])
      expect(await (await fetch(`${url}${at}`, { headers })).json()).toEqual([]);
    const created = await fetch(`${url}/v1/agents/`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify({ name: "mine", user_id: ben, organization_id: ben, model: "demo" }),
    });
    expect(created.status).toBe(200);
    expect((await host.forUser(ada).agents.list()).map(({ name }) => name)).toEqual(["mine"]);
    expect((await host.forUser(ben).agents.list()).map(({ name }) => name)).toEqual(["bens"]);
    expect(await host.keys.list(ada)).toMatchObject([{ id, lastUsedAt: expect.any(Date) }]);
    const listed = await fetch(`${url}/api/keys`, { headers });
    expect(await listed.text()).not.toContain(secret.slice(12));
    expect((await fetch(`${url}/api/keys/${id}`, { method: "DELETE", headers })).status).toBe(204);
    expect((await fetch(`${url}/api/agents`, { headers })).status).toBe(401);
  });
});
