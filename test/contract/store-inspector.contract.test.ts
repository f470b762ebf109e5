// A store looked at piece by piece, on the engine at hand: its versions, its schema, its role.
import { randomBytes } from "node:crypto";
import postgres from "postgres";
import { createStoreInspector } from "../../src/store/inspection/create-store-inspector.ts";
import { useStore } from "../support/database.ts";
import { onEngine } from "../support/on-engine.ts";
import { callTool, newAgent, newTalk, say } from "../support/store-builders.ts";
import { useScene } from "../support/use-scene.ts";

const { test } = useStore();
const inspected = useScene(() => createStoreInspector({ connection: test.connection }).open());

describe("the details of a database", () => {
  it("are its versions, and whether its schema is that of this version", async () => {
    expect(await inspected.facts()).toEqual({
      serverVersion: expect.stringMatching(/^\d+/u),
      vectorVersion: expect.stringMatching(/^\d+\.\d+/u),
      schema: "current",
      newestMigration: expect.stringMatching(/^\d{4}_/u),
    });
    await expect(inspected.requireIsolation()).resolves.toBeUndefined();
  });

  it.each([
    [
      "older",
      "delete from drizzle.__drizzle_migrations where created_at = (select max(created_at) from drizzle.__drizzle_migrations)",
    ],
    ["newer", "insert into drizzle.__drizzle_migrations (hash, created_at) values ('x', 9999999999999)"],
    ["unknown", "insert into drizzle.__drizzle_migrations (hash, created_at) values ('x', 1)"],
    ["missing", "alter schema drizzle rename to elsewhere"],
  ])("identify a schema that is %s", async (schema, change) => {
    await test.ownerRows("create schema kept");
    await test.ownerRows("create table kept.journal as table drizzle.__drizzle_migrations");
    await test.ownerRows(change);
    const found = await inspected.facts();
    if (schema === "missing") await test.ownerRows("alter schema elsewhere rename to drizzle");
    await test.ownerRows("delete from drizzle.__drizzle_migrations");
    await test.ownerRows("insert into drizzle.__drizzle_migrations table kept.journal");
    await test.ownerRows("drop schema kept cascade");
    expect(found.schema).toBe(schema);
    expect((await inspected.facts()).schema).toBe("current");
  });
});

describe("unfinished turns", () => {
  it("are counted with their calls, and not for other users", async () => {
    const ada = test.store.as("ada");
    expect(await ada.conversations.countUnfinished()).toEqual({ conversations: 0, calls: 0 });
    const talk = await newTalk(ada);
    await say(talk, ["hello"]);
    expect(await ada.conversations.countUnfinished()).toEqual({ conversations: 1, calls: 0 });
    const result = await callTool(talk);
    expect(await ada.conversations.countUnfinished()).toEqual({ conversations: 1, calls: 1 });
    await ada.turns.commitToolResult(result);
    expect(await ada.conversations.countUnfinished()).toEqual({ conversations: 1, calls: 0 });
    await say(talk, ["go on", "Done."]);
    expect(await ada.conversations.countUnfinished()).toEqual({ conversations: 0, calls: 0 });
    await say(await newTalk(ada), ["anybody?"]);
    expect(await test.store.as("ben").conversations.countUnfinished()).toEqual({ conversations: 0, calls: 0 });
  });

  it("do not count a tool's result at the end of a heartbeat conversation, nor what was popped", async () => {
    const cleo = test.store.as("cleo");
    const { id } = await cleo.agents.create(newAgent({ protocol: "heartbeat" }));
    const talk = await newTalk(cleo, id);
    await cleo.turns.commitToolResult(await callTool(talk));
    expect(await cleo.conversations.countUnfinished()).toEqual({ conversations: 0, calls: 0 });
    const [said] = await say(talk, ["hello"]);
    await callTool(talk);
    const leaf = (await cleo.conversations.find(talk.conversationId))!.leafId;
    await cleo.conversations.moveLeaf(talk.lease, { from: leaf, to: said!.parentId });
    expect(await cleo.conversations.countUnfinished()).toEqual({ conversations: 0, calls: 0 });
  });
});

describe("passages without a vector", () => {
  it("are counted by agent and by embedder, and not for other users", async () => {
    const dora = test.store.as("dora");
    const [one, two] = [await dora.agents.create(newAgent()), await dora.agents.create(newAgent())];
    const add = (agentId: string, id: string) =>
      dora.passages.add(agentId, [{ id, text: id, tags: [], kind: "memory", at: new Date() }], "user");
    const passageId = "00000000-0000-7000-8000-000000000001";
    const inDefault = { roles: ["searched"], isDefault: true } as const;
    await add(one.id, passageId);
    await add(one.id, "00000000-0000-7000-8000-000000000002");
    await add(two.id, "00000000-0000-7000-8000-000000000003");
    const count = (embedder: string) => dora.passages.countWithoutVector({ embedder, dimensions: 512, ...inDefault });
    const counts = async (embedder: string) =>
      Object.fromEntries((await count(embedder)).map(({ archiveId, passages }) => [archiveId, passages]));
    expect(await counts("a")).toEqual({ [one.id]: 2, [two.id]: 1 });
    const vector = Array.from({ length: 512 }, () => 0.1);
    await dora.passages.addVectors(one.id, { embedder: "a", dimensions: 512, rows: [{ passageId, vector }] });
    expect(await counts("a")).toEqual({ [one.id]: 1, [two.id]: 1 });
    expect(await counts("b")).toEqual({ [one.id]: 2, [two.id]: 1 });
    expect(
      await test.store.as("ben").passages.countWithoutVector({ embedder: "a", dimensions: 512, ...inDefault }),
    ).toEqual([]);
    expect(await dora.passages.countWithoutVector({ embedder: "a", dimensions: 3, ...inDefault })).toHaveLength(2);
  });
});

onEngine("server", "the embedded engine has one role, which owns all")("a role that does not own the tables", () => {
  const login = `palimpsest_test_${randomBytes(6).toString("hex")}`;

  it("gets no report on other users' rows, and a complete one with the owner's URL", async () => {
    const { connection } = test;
    if (connection.kind !== "server") throw new RangeError("Expected a server.");
    const administrator = postgres(connection.url, { max: 1 });
    await administrator.unsafe(`create role "${login}" login password 'secret' in role palimpsest_runtime`);
    const url = Object.assign(new URL(connection.url), { username: login, password: "secret" }).href;
    const alone = await createStoreInspector({ connection: { kind: "server", url } }).open();
    const both = await createStoreInspector({
      connection: { kind: "server", url },
      migrationUrl: connection.url,
    }).open();
    try {
      expect(await alone.orphans()).toBeNull();
      expect(await both.orphans()).toEqual([]);
      expect((await both.facts()).schema).toBe("current");
      await expect(alone.requireIsolation()).resolves.toBeUndefined();
    } finally {
      await alone.close();
      await both.close();
      await administrator.unsafe(`drop role "${login}"`);
      await administrator.end();
    }
  });
});
