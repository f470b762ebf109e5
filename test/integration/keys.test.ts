// Keys: their secrets identify a user once and for all, and cannot be read from the database.
import type { Host } from "../../src/runtime/host.ts";
import { createHost } from "../../src/runtime/compose/compose.ts";
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import { openTestStore, placeOf, type TestStore } from "../support/database.ts";

let test: TestStore;
let host: Host;

beforeAll(async () => {
  test = await openTestStore();
  const located = placeOf(test);
  host = await createHost({
    ...located,
    model: "scripted",
    models: [createScriptedModel({ replies: [] })],
    embedder: null,
  });
});

afterAll(async () => {
  await host.close();
  await test.close();
});

let users = 0;
const newUser = () => `user-${(users += 1)}`;

const setUse = (id: string, ago: string) =>
  test.ownerRows(`update keys set last_used_at = now() - interval '${ago}' where id = $1::uuid`, [id]);

describe("a key", () => {
  it("has a secret of 256 random bits, of which only the hash and the beginning are stored", async () => {
    const ada = newUser();
    const { secret, ...key } = await host.keys.create(ada);
    expect(secret).toMatch(/^pk_[\w-]{43}$/u);
    expect(key).toMatchObject({ name: "key", scope: "chat", agentId: null, lastUsedAt: null, revokedAt: null });
    expect(secret.startsWith(key.prefix)).toBe(true);
    expect(await host.keys.list(ada)).toEqual([key]);
    const rows = JSON.stringify(await test.ownerRows("select * from keys"));
    expect(rows).not.toContain(secret.slice(key.prefix.length));
    expect((await host.keys.create(ada)).secret).not.toBe(secret);
  });

  it("identifies its user with what it allows", async () => {
    const ada = newUser();
    const { id: agentId } = await host.forUser(ada).agents.create({ name: "main" });
    const { id, secret } = await host.keys.create(ada, { scope: "read", agent: "main", name: "phone" });
    expect(await host.keys.verify(secret)).toEqual({ userId: ada, keyId: id, scope: "read", agentId });
  });

  it.each([[""], ["pk_"], ["pk_" + "A".repeat(43)], ["x".repeat(100_000)], ["\u0000".repeat(40)]])(
    "is not known by another secret: %#",
    async (secret) => {
      expect(await host.keys.verify(secret)).toBeNull();
    },
  );

  it("is not known by its hash, and not by a secret that differs in one character", async () => {
    const { id, secret } = await host.keys.create(newUser());
    const [{ hash }] = (await test.ownerRows<{ hash: string }>("select hash from keys where id = $1::uuid", [id])) as [
      { hash: string },
    ];
    const last = secret.endsWith("A") ? "B" : "A";
    expect([await host.keys.verify(hash), await host.keys.verify(secret.slice(0, -1) + last)]).toEqual([null, null]);
  });

  it("records its last use, at most once a minute", async () => {
    const ada = newUser();
    const { id, secret } = await host.keys.create(ada);
    const used = async () => (await host.keys.list(ada))[0]!.lastUsedAt!.getTime();
    await host.keys.verify(secret);
    expect(Math.abs((await used()) - Date.now())).toBeLessThan(60_000);
    await setUse(id, "50 seconds");
    const before = await used();
    await host.keys.verify(secret);
    expect(await used()).toBe(before);
    await setUse(id, "70 seconds");
    await host.keys.verify(secret);
    expect(await used()).toBeGreaterThan(before);
  });

  it("is verified by many at once", async () => {
    const ada = newUser();
    const { secret } = await host.keys.create(ada);
    const found = await Promise.all(Array.from({ length: 20 }, () => host.keys.verify(secret)));
    expect(found.map((key) => key?.userId)).toEqual(Array.from({ length: 20 }, () => ada));
  });

  it("identifies nobody after it is revoked, and stays in the list", async () => {
    const ada = newUser();
    const { id, secret } = await host.keys.create(ada);
    await host.keys.revoke(ada, id);
    expect(await host.keys.verify(secret)).toBeNull();
    const [revoked] = await host.keys.list(ada);
    expect(revoked).toMatchObject({ id, revokedAt: expect.any(Date), lastUsedAt: null });
    await host.keys.revoke(ada, id);
    expect(await host.keys.list(ada)).toEqual([revoked]);
  });

  it("is of one user: another can neither list nor revoke it", async () => {
    const [ada, ben] = [newUser(), newUser()];
    const { id, secret } = await host.keys.create(ada);
    expect(await host.keys.list(ben)).toEqual([]);
    await expect(host.keys.revoke(ben, id)).rejects.toMatchObject({ code: "key_not_found" });
    await expect(host.keys.revoke(ada, "nothing")).rejects.toMatchObject({ code: "key_not_found" });
    expect(await host.keys.verify(secret)).toMatchObject({ userId: ada });
  });

  it("is deleted with its agent, or with its user", async () => {
    const ada = newUser();
    const runtime = host.forUser(ada);
    await runtime.agents.create({ name: "main" });
    const [ofAgent, ofUser] = [await runtime.keys.create({ agent: "main" }), await runtime.keys.create()];
    await runtime.agents.delete("main");
    expect((await runtime.keys.list()).map(({ id }) => id)).toEqual([ofUser.id]);
    await runtime.user.delete();
    expect([await host.keys.verify(ofAgent.secret), await host.keys.verify(ofUser.secret)]).toEqual([null, null]);
  });

  it("takes a given secret, which no other key has", async () => {
    const [ada, ben] = [newUser(), newUser()];
    const secret = `given-${"s".repeat(40)}`;
    expect(await host.keys.create(ada, { secret })).toMatchObject({ secret, prefix: secret.slice(0, 9) });
    await expect(host.keys.create(ben, { secret })).rejects.toMatchObject({ code: "input_invalid", field: "secret" });
    expect(await host.keys.list(ben)).toEqual([]);
  });

  it("identifies neither of two users who have its hash", async () => {
    const [ada, ben] = [newUser(), newUser()];
    const { id, secret } = await host.keys.create(ada);
    await host.keys.create(ben);
    await test.ownerRows(
      "update keys set hash = (select k.hash from keys k where k.id = $1::uuid) where user_id = $2",
      [id, ben],
    );
    expect(await host.keys.verify(secret)).toBeNull();
  });

  it.each([
    [{ secret: "short" }, "secret"],
    [{ secret: `with space ${"s".repeat(40)}` }, "secret"],
    [{ name: " " }, "name"],
    [{ name: "two\nlines" }, "name"],
    [{ name: "n".repeat(101) }, "name"],
  ])("is refused with nothing written: %j", async (options, field) => {
    const ada = newUser();
    await expect(host.keys.create(ada, options)).rejects.toMatchObject({ code: "input_invalid", field });
    expect(await host.keys.list(ada)).toEqual([]);
  });

  it("is refused for an agent that the user does not have, and for an unknown scope", async () => {
    const ada = newUser();
    await expect(host.keys.create(ada, { agent: "none" })).rejects.toMatchObject({ code: "agent_not_found" });
    const unknown = { scope: "all" } as unknown as { readonly scope: "read" };
    await expect(host.keys.create(ada, unknown)).rejects.toMatchObject({ code: "input_invalid" });
  });

  it("keeps working when its name is forgotten", async () => {
    const ada = newUser();
    const { secret } = await host.keys.create(ada, { name: "Lisbon laptop" });
    await host.forUser(ada).forget.apply({ texts: ["Lisbon"] });
    expect((await host.keys.list(ada))[0]!.name).not.toContain("Lisbon");
    expect(await host.keys.verify(secret)).toMatchObject({ userId: ada });
  });
});
