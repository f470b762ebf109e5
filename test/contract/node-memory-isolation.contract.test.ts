// Node memories of users who know each other's keys and the ids of each other's objects, and what goes with a user, an agent or a
// conversation, rows and objects both. On the engine at hand.
import { openDatabase } from "../../src/store/connection/database.ts";
import { createTestDatabase, placeOf, type TestDatabase } from "../support/database.ts";
import { createRuntime } from "../../src/runtime/compose/compose.ts";
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { keep, nodeExchange, s3Keys, textsOf } from "../support/node-scene.ts";
import { type NodePlaces, openNodePlaces } from "../support/node-places.ts";

let database: TestDatabase;
let places: NodePlaces;
const opened: Runtime[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  places = await openNodePlaces();
});

afterAll(async () => {
  for (const runtime of opened) await runtime.close();
  await places.close();
  await database.remove();
});

async function open(userId: string, kind: "database" | "folder"): Promise<Runtime> {
  const place = placeOf(database);
  const objects = kind === "folder" ? places.folder.setting : kind;
  const models = [createScriptedModel({ replies: () => ({ text: "ok" }) })];
  const runtime = await createRuntime({
    ...place,
    objects,
    userId,
    model: "scripted",
    models,
    embedder: null,
    ...s3Keys,
  });
  opened.push(runtime);
  return runtime;
}

/** A statement in the runtime's role, as a user. */
async function asUser<Row>(userId: string, statement: string, parameters: readonly string[]): Promise<readonly Row[]> {
  const { connection } = database;
  const client = await openDatabase({ connection });
  try {
    return await client.transaction(userId, (tx) => tx.run<Row>(statement, parameters));
  } finally {
    await client.close();
  }
}

describe.each(["database", "folder"] as const)("node memories in the %s", (kind) => {
  const key = { app: "app", conversation: `conv-${kind}`, node: "llm" };

  it("show nothing to another user with the same key, or with a row that names the object", async () => {
    const [ada, eve] = [await open(`ada-${kind}`, kind), await open(`eve-${kind}`, kind)];
    const mine = ada.nodeMemory.open(key);
    await keep(mine, nodeExchange("m1", null, { userContent: "ada's secret" }));
    const theirs = eve.nodeMemory.open(key);
    expect(await textsOf(theirs, "m1")).toEqual([]);
    const find = "select object_key from node_memories where conversation = $1";
    expect(await asUser(`eve-${kind}`, find, [key.conversation])).toEqual([]);
    const [row] = await asUser<{ readonly object_key: string }>(`ada-${kind}`, find, [key.conversation]);
    const insert = `
      insert into node_memories (user_id, app, conversation, node, place, object_key, messages, bytes, updated_at, revision)
      values ($1, 'app', $2, 'llm', $3, $4, 2, 9, now(), 1)`;
    const forged = [key.conversation, kind, row!.object_key];
    const asAda = asUser(`eve-${kind}`, insert, [`ada-${kind}`, ...forged]);
    await expect(asAda).rejects.toMatchObject({ cause: { code: "42501" } });
    await eve.agents.open("her", { create: {} });
    await asUser(`eve-${kind}`, insert, [`eve-${kind}`, ...forged]);
    await expect(textsOf(theirs, "m1")).rejects.toMatchObject({ code: "node_memory_invalid" });
    await theirs.clear();
    await eve.nodeMemory.prune(0);
    await eve.user.delete();
    expect(await textsOf(mine, "m1")).toEqual(["ada's secret", "answer m1"]);
  });

  it.each(["user", "agent", "conversation"] as const)(
    "are deleted with their %s, rows and objects, and no others",
    async (what) => {
      const [ada, ben] = [await open(`ada-${kind}-${what}`, kind), await open(`ben-${kind}-${what}`, kind)];
      const agent = await ada.agents.open("keeper", { create: {} });
      const conversation = agent.conversationId;
      const own = { app: what, conversation, node: "own" };
      for (const memory of [ada.nodeMemory.open(own), ada.nodeMemory.open({ ...own, node: "second" })]) {
        await keep(memory, nodeExchange("m1", null), nodeExchange("m2", "m1"));
      }
      await keep(ada.nodeMemory.open({ ...own, conversation: "elsewhere" }), nodeExchange("m1", null));
      await keep(ben.nodeMemory.open(own), nodeExchange("m1", null));
      if (what === "user") await ada.user.delete();
      else if (what === "agent") await ada.agents.delete("keeper");
      else await ada.conversations.delete(conversation);
      const left = async (runtime: Runtime) =>
        (await runtime.nodeMemory.listUnused(0)).map((found) => found.conversation);
      const elsewhere = what === "user" ? [] : ["elsewhere"];
      expect([await left(ada), await left(ben)]).toEqual([elsewhere, [conversation]]);
      const objects =
        kind === "database"
          ? await asUser<object>(`ada-${kind}-${what}`, "select distinct key from object_parts where user_id = $1", [
              `ada-${kind}-${what}`,
            ])
          : (await places.folder.keys()).filter((name) => name.includes(`node_memory/${what}/`));
      // In the folder Ben's is among them.
      expect(objects).toHaveLength(elsewhere.length + (kind === "database" ? 0 : 1));
      expect(await textsOf(ben.nodeMemory.open(own))).toEqual(["ask m1", "answer m1"]);
    },
  );
});

it("no deletion is pending after a memory was written twice and cleared", async () => {
  const ada = await open("tidy", "folder");
  const memory = ada.nodeMemory.open({ app: "tidy", conversation: "conv", node: "llm" });
  await keep(memory, nodeExchange("m1", null));
  await keep(memory, nodeExchange("m2", "m1"));
  const due = () => asUser("tidy", "select object_key from object_deletions where user_id = $1", ["tidy"]);
  expect(await due()).toEqual([]);
  await memory.clear();
  expect(await due()).toEqual([]);
  expect((await places.folder.keys()).filter((name) => name.includes("node_memory/tidy/"))).toEqual([]);
});

it("a guest's node memories are kept with the guest's conversation, and deleted with it", async () => {
  const [owner, guest] = [await open("owner", "folder"), await open("guest", "folder")];
  await owner.agents.open("host", { create: {} });
  await owner.agents.share("host", "guest");
  const { name } = await guest.agents.accept("owner/host");
  const agent = await guest.agents.open(name);
  const key = { app: "shared", conversation: agent.conversationId, node: "own" };
  await keep(guest.nodeMemory.open(key), nodeExchange("m1", null));
  await owner.agents.delete("host");
  expect(await textsOf(guest.nodeMemory.open(key), "m1")).not.toEqual([]);
  await guest.agents.delete(name);
  expect(await textsOf(guest.nodeMemory.open(key), "m1")).toEqual([]);
  expect(await guest.nodeMemory.prune(0)).toEqual([]);
  expect((await places.folder.keys()).filter((name) => name.includes("node_memory/shared/"))).toEqual([]);
});
