// By which embedder agents are searched, and the steps of a re-embedding as the database takes them. On the engine at hand.
import type { EmbedderRole, VectorKind } from "../../src/store/port/embedder-store.ts";
import { OtherEmbedder } from "../../src/store/port/passage-store.ts";
import type { UserStore } from "../../src/store/port/store.ts";
import { openTestStore, useStore } from "../support/database.ts";
import { fillSource } from "../support/isolation-scene.ts";
import { ids, newAgent, newTalk, say } from "../support/store-builders.ts";

const { test } = useStore();
let ada: UserStore;
let one: string;
let two: string;
let number = 0;

beforeEach(async () => {
  number += 1;
  ada = test.store.as(`ada ${number}`);
  one = (await ada.agents.create(newAgent({ name: "one" }))).id;
  two = (await ada.agents.create(newAgent({ name: "two" }))).id;
});

const old: VectorKind = { embedder: "old", dimensions: 4 };
const next: VectorKind = { embedder: "next", dimensions: 3 };
const third: VectorKind = { embedder: "third", dimensions: 3 };

const begin = (agentIds: readonly string[], to = next) => ada.embedders.begin({ agentIds, to, otherwise: old });
const go = (agentIds: readonly string[], refused: readonly string[] = []) =>
  ada.embedders.switch({ agentIds, to: next, refused });

async function add(agentId: string, content: string): Promise<string> {
  const id = ids.next();
  await ada.passages.add(agentId, [{ id, text: content, tags: [], kind: "memory", at: new Date() }], "user");
  return id;
}

const embed = (archiveId: string, kind: VectorKind, passageIds: readonly string[]) =>
  ada.passages.addVectors(archiveId, {
    ...kind,
    rows: passageIds.map((passageId) => ({
      passageId,
      vector: Array.from({ length: kind.dimensions }, (_, at) => (at === 0 ? 1 : 0)),
    })),
  });

async function embedMessages(agentId: string, kind: VectorKind): Promise<void> {
  const pending = await ada.recall.withoutVector(agentId, { ...kind, limit: 100 });
  const vector = Array.from({ length: kind.dimensions }, (_, at) => (at === 0 ? 1 : 0));
  await ada.recall.addVectors(agentId, { ...kind, rows: pending.map(({ id }) => ({ messageId: id, vector })) });
}

/** `searched old 4, building next 3`. */
async function rolesOf(agentId: string): Promise<string> {
  const rows = await ada.embedders.list(agentId);
  const order: readonly EmbedderRole[] = ["searched", "building", "kept", "dropping"];
  return rows
    .toSorted((a, b) => order.indexOf(a.role) - order.indexOf(b.role))
    .map(({ role, embedder, dimensions }) => `${role} ${embedder} ${dimensions}`)
    .join(", ");
}

async function vectorsOf(kind: VectorKind): Promise<number> {
  const count = (table: string) =>
    test.ownerRows(`select from ${table}_${kind.dimensions} where user_id = $1 and embedder = $2`, [
      ada.userId,
      kind.embedder,
    ]);
  return (await count("passages")).length + (await count("messages")).length;
}

async function dropAll(): Promise<number> {
  for (let deleted = 0; ; ) {
    const step = await ada.embedders.drop(2);
    deleted += step.deleted;
    if (step.isDone) return deleted;
  }
}

describe("a re-embedding", () => {
  it("begins for agents with another embedder, which it records; a repetition changes nothing", async () => {
    expect(await ada.embedders.list()).toEqual([]);
    expect(await begin([one, two])).toEqual({ building: [one, two].toSorted() });
    expect(await rolesOf(one)).toBe("searched old 4, building next 3");
    const rows = await ada.embedders.list();
    expect(await begin([one])).toEqual({ building: [one] });
    expect(await ada.embedders.list()).toEqual(rows);
  });

  it("skips agents that already use the embedder, and records nothing for them", async () => {
    expect(await begin([one], old)).toEqual({ building: [] });
    expect(await ada.embedders.list()).toEqual([]);
    await begin([one]);
    await go([one]);
    expect(await begin([one, two])).toEqual({ building: [two] });
  });

  it.each([
    ["another one is under way", third, /"one" is being re-embedded to next \(3 dimensions\).*embeddings\.abandon/u],
  ] as const)("does not begin for any agent while %s", async (_why, to, message) => {
    await begin([one]);
    await expect(begin([two, one], to)).rejects.toMatchObject({
      code: "reembedding_refused",
      message: expect.stringMatching(message),
    });
    expect(await rolesOf(two)).toBe("");
  });

  it.each([
    [third, /keeps the vectors of old \(4 dimensions\).*dropOld.*rollback/u],
    [old, /still has all vectors of its previous embedder, old.*embeddings\.rollback/u],
  ])("does not begin with %j while an earlier embedder is kept", async (to, message) => {
    await begin([one]);
    await go([one]);
    await expect(begin([one], to)).rejects.toMatchObject({
      code: "reembedding_refused",
      message: expect.stringMatching(message),
    });
    expect(await rolesOf(one)).toBe("searched next 3, kept old 4");
  });

  it("begins for no agent if one of them is not the user's", async () => {
    const ben = test.store.as("ben");
    const his = (await ben.agents.create(newAgent())).id;
    await expect(begin([one, his])).rejects.toMatchObject({ code: "agent_not_found" });
    await expect(begin([one, "no id"])).rejects.toMatchObject({ code: "agent_not_found" });
    expect(await ada.embedders.list()).toEqual([]);
  });

  it("switches all agents at once when no text lacks a vector", async () => {
    const [first, second] = [await add(one, "first"), await add(two, "second")];
    await begin([one, two]);
    await embed(one, next, [first]);
    expect(await go([one, two])).toEqual({ switched: [], missing: 1 });
    expect(await rolesOf(one)).toBe("searched old 4, building next 3");
    await embed(two, next, [second]);
    expect(await go([one, two])).toEqual({ switched: [one, two].toSorted(), missing: 0 });
    expect([await rolesOf(one), await rolesOf(two)]).toEqual(Array(2).fill("searched next 3, kept old 4"));
    expect(await go([one, two])).toEqual({ switched: [], missing: 0 });
  });

  it("counts messages and the passages of sources as well", async () => {
    const talk = await newTalk(ada, one);
    await say(talk, ["Where?", "Here."]);
    const sourceId = await fillSource(test, talk, "a page");
    await begin([one]);
    expect((await go([one])).missing).toBe(3);
    await embedMessages(one, next);
    expect((await go([one])).missing).toBe(1);
    const [page] = await ada.passages.withoutVector(sourceId, { ...next, limit: 5 });
    await embed(sourceId, next, [page!.id]);
    expect((await go([one])).switched).toEqual([one]);
  });

  it("switches without vectors of refused texts, and only of those", async () => {
    const [first, second] = [await add(one, "first"), await add(one, "second")];
    await begin([one]);
    expect(await go([one], [first, "no id"])).toEqual({ switched: [], missing: 1 });
    expect((await go([one], [first, second])).switched).toEqual([one]);
  });

  it("continues without a deleted agent", async () => {
    await add(one, "first");
    await begin([one, two]);
    await ada.agents.delete(one);
    expect(await go([one, two])).toEqual({ switched: [two], missing: 0 });
    expect((await ada.embedders.list()).map(({ agentId }) => agentId)).toEqual([two, two]);
  });

  it("begins once and switches once if two processes run it", async () => {
    const begun = await Promise.all([begin([one]), begin([one]), begin([one])]);
    expect(begun).toEqual(Array(3).fill({ building: [one] }));
    const switched = await Promise.all([go([one]), go([one]), go([one])]);
    expect(switched.map((outcome) => outcome.switched.length).toSorted()).toEqual([0, 0, 1]);
    expect(await rolesOf(one)).toBe("searched next 3, kept old 4");
  });

  it("is refused for one of two concurrent runs with different embedders", async () => {
    const outcomes = await Promise.allSettled([begin([one], next), begin([one], third)]);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(await ada.embedders.list(one)).toHaveLength(2);
  });

  it("is possible to another width of the same name", async () => {
    const wider = { embedder: "old", dimensions: 5 };
    const passageId = await add(one, "first");
    await embed(one, old, [passageId]);
    await begin([one], wider);
    expect((await ada.embedders.switch({ agentIds: [one], to: wider, refused: [] })).missing).toBe(1);
    await embed(one, wider, [passageId]);
    await ada.embedders.switch({ agentIds: [one], to: wider, refused: [] });
    expect(await rolesOf(one)).toBe("searched old 5, kept old 4");
  });

  it("stores any name: %_, quotes, emoji, NUL and a lone surrogate", async () => {
    const embedder = `x%_'"\u0000\ud800🦀`;
    await ada.embedders.begin({ agentIds: [one], to: { embedder, dimensions: 3 }, otherwise: old });
    const stored = (await ada.embedders.list(one)).find(({ role }) => role === "building")!;
    expect(stored.embedder).toBe(`x%_'"\uFFFD\uFFFD🦀`);
    expect(
      (await ada.embedders.switch({ agentIds: [one], to: { embedder, dimensions: 3 }, refused: [] })).switched,
    ).toEqual([one]);
  });
});

it.each(["passages", "recall"] as const)("%s are not searched by the vector of another embedder", async (items) => {
  const search = ({ embedder, dimensions }: VectorKind) => {
    const meaning = { embedder, dimensions, vector: Array.from({ length: dimensions }, () => 1), floor: 0 };
    const asked = { agentId: one, text: "boat", meaning, page: 0, pageSize: 5 };
    return items === "recall" ? ada.recall.search(asked) : ada.passages.search({ ...asked, now: new Date() });
  };
  const none = { rows: [], total: 0 };
  expect([await search(old), await search(next)]).toEqual([none, none]);
  await begin([one]);
  await expect(search(next)).rejects.toBeInstanceOf(OtherEmbedder);
  await go([one]);
  await expect(search(old)).rejects.toBeInstanceOf(OtherEmbedder);
  expect(await search(next)).toEqual(none);
  expect(await ada.embedders.searched(one, "now")).toMatchObject(next);
});

describe("a rollback", () => {
  it("swaps the searched and the kept embedder, any number of times, and changes nothing if none is kept", async () => {
    await begin([one]);
    expect(await ada.embedders.rollBack([one, two])).toEqual([]);
    expect(await rolesOf(one)).toBe("searched old 4, building next 3");
    await go([one]);
    for (const expected of [
      "searched old 4, kept next 3",
      "searched next 3, kept old 4",
      "searched old 4, kept next 3",
    ]) {
      expect(await ada.embedders.rollBack([one, two])).toEqual([one]);
      expect(await rolesOf(one)).toBe(expected);
    }
  });
});

describe("abandoning", () => {
  it("deletes the vectors in batches, and then the embedder's row", async () => {
    const passages = [await add(one, "a"), await add(one, "b"), await add(one, "c")];
    await embed(one, old, passages);
    await say(await newTalk(ada, one), ["Where?", "Here."]);
    await embedMessages(one, old);
    await begin([one]);
    await embed(one, next, passages);
    await embedMessages(one, next);
    await go([one]);
    expect(await ada.embedders.retire([one, two], "kept")).toEqual([one]);
    expect(await rolesOf(one)).toBe("searched next 3, dropping old 4");
    expect(await ada.embedders.drop(2)).toEqual({ deleted: 2, isDone: false });
    expect(await vectorsOf(old)).toBe(3);
    expect(await dropAll()).toBe(3);
    expect([await vectorsOf(old), await vectorsOf(next), await rolesOf(one)]).toEqual([0, 5, "searched next 3"]);
  });

  it("keeps vectors that another agent needs in any role, and those of agents without a row", async () => {
    const four = (await ada.agents.create(newAgent({ name: "four" }))).id;
    const holders = [one, two, four];
    for (const [at, holder] of holders.entries()) await embed(holder, old, [await add(holder, `text ${at}`)]);
    await begin([one]);
    await ada.embedders.switch({ agentIds: [one], to: next, refused: await pendingIds(one) });
    await ada.embedders.begin({ agentIds: [two], to: old, otherwise: next });
    await ada.embedders.retire([one, two, four], "kept");
    expect(await dropAll()).toBe(1);
    expect(await vectorsOf(old)).toBe(2);
  });

  it.each([
    ["searches by it", [old]],
    ["has none of its own", null],
  ] as const)("keeps the vectors of a source with an attached agent that %s", async (_what, other) => {
    const talk = await newTalk(ada, one);
    const sourceId = await fillSource(test, talk, "a page");
    await ada.sources.attach(two, sourceId);
    const refused = (await ada.passages.withoutVector(sourceId, { ...old, limit: 9 })).map(({ id }) => id);
    await embed(sourceId, old, refused);
    if (other !== null) {
      await ada.embedders.begin({ agentIds: [two], to: third, otherwise: old });
    }
    await begin([one]);
    await ada.embedders.switch({ agentIds: [one], to: next, refused });
    await ada.embedders.retire([one], "kept");
    expect(await dropAll()).toBe(0);
    await ada.sources.detach(two, sourceId);
    await ada.embedders.begin({ agentIds: [one], to: old, otherwise: old });
    await ada.embedders.retire([one], "building");
    expect(await dropAll()).toBe(1);
  });

  it("can be reverted by building the embedder again", async () => {
    const passageId = await add(one, "a");
    await begin([one]);
    await embed(one, next, [passageId]);
    await ada.embedders.retire([one], "building");
    expect(await rolesOf(one)).toBe("searched old 4, dropping next 3");
    expect(await begin([one])).toEqual({ building: [one] });
    expect(await dropAll()).toBe(0);
    expect((await go([one])).switched).toEqual([one]);
  });
});

async function pendingIds(holder: string): Promise<readonly string[]> {
  return (await ada.passages.withoutVector(holder, { ...next, limit: 100 })).map(({ id }) => id);
}

describe("the texts that need vectors of an embedder", () => {
  const counted = async (kind: VectorKind, roles: readonly EmbedderRole[], isDefault: boolean) =>
    (await ada.passages.countWithoutVector({ ...kind, roles, isDefault })).map(({ archiveId }) => archiveId).toSorted();

  it("are those of agents with the embedder, for the default also of agents without a row, and their sources", async () => {
    const talk = await newTalk(ada, one);
    const shared = await fillSource(test, talk, "of one");
    const nobodys = await fillSource(test, talk, "of nobody");
    await ada.sources.detach(one, nobodys);
    await add(one, "a");
    await add(two, "b");
    const all = [one, two, shared, nobodys].toSorted();
    expect(await counted(old, ["searched"], true)).toEqual(all);
    expect(await counted(old, ["searched"], false)).toEqual([]);
    await begin([one]);
    expect(await counted(old, ["searched"], true)).toEqual(all);
    expect(await counted(old, ["searched"], false)).toEqual([one, shared].toSorted());
    expect(await counted(next, ["building"], false)).toEqual([one, shared].toSorted());
    expect(await counted(next, ["searched", "kept"], true)).toEqual([two, nobodys].toSorted());
    await ada.sources.attach(two, shared);
    expect(await counted(next, ["searched"], true)).toEqual([two, nobodys, shared].toSorted());
    const only = { ...next, roles: ["building"] as const, isDefault: false, agentIds: [two] };
    expect(await ada.passages.countWithoutVector(only)).toEqual([]);
  });

  it("of a source follow the embedders of its attached agents", async () => {
    const sourceId = await fillSource(test, await newTalk(ada, one), "a page");
    expect(await ada.embedders.ofSource(sourceId)).toEqual({ kinds: [], usesDefault: true });
    await begin([one]);
    expect(await ada.embedders.ofSource(sourceId)).toEqual({ kinds: [old], usesDefault: false });
    await ada.embedders.switch({ agentIds: [one], to: next, refused: await pendingIds(sourceId) });
    expect(await ada.embedders.ofSource(sourceId)).toEqual({ kinds: [next, old], usesDefault: false });
    await ada.sources.attach(two, sourceId);
    expect(await ada.embedders.ofSource(sourceId)).toEqual({ kinds: [next, old], usesDefault: true });
    await ada.sources.detach(one, sourceId);
    await ada.sources.detach(two, sourceId);
    expect(await ada.embedders.ofSource(sourceId)).toEqual({ kinds: [], usesDefault: true });
  });

  it("are counted for each agent, with the missing ones", async () => {
    const talk = await newTalk(ada, one);
    await say(talk, ["Where?", "Here."]);
    await fillSource(test, talk, "a page");
    const passageId = await add(one, "a");
    await embed(one, old, [passageId]);
    expect(await ada.embedders.coverage(old, [one, two, ids.next(), "no id"])).toEqual(
      [
        { agentId: one, texts: 4, missing: 3 },
        { agentId: two, texts: 0, missing: 0 },
      ].toSorted((a, b) => (a.agentId < b.agentId ? -1 : 1)),
    );
  });

  it("can be limited to the newest passages", async () => {
    const passages = [await add(one, "a"), await add(one, "b"), await add(one, "c")];
    const pending = async (among?: number) =>
      (await ada.passages.withoutVector(one, { ...old, limit: 9, ...(among === undefined ? {} : { among }) })).map(
        ({ id }) => id,
      );
    expect(await pending()).toEqual(passages);
    expect(await pending(2)).toEqual(passages.slice(1));
    await embed(one, old, [passages[2]!]);
    expect(await pending(2)).toEqual([passages[1]]);
  });
});

describe("a shared agent", () => {
  it("is searched with the embedder that each of its users has chosen", async () => {
    const ben = test.store.as(`ben ${number}`);
    await ada.agents.share(one, ben.userId);
    await ben.agents.accept(one);
    await ben.embedders.begin({ agentIds: [one], to: next, otherwise: old });
    expect(await ben.embedders.list(one)).toHaveLength(2);
    expect(await ada.embedders.list()).toEqual([]);
    await ada.agents.delete(one);
    expect(await ben.embedders.list()).toEqual([]);
  });
});

describe("a backup", () => {
  it("contains the embedders of agents", async () => {
    await begin([one]);
    const target = await openTestStore();
    try {
      const file = `${process.env["TMPDIR"] ?? "/tmp"}/palimpsest-embedders-${process.pid}.gz`;
      await test.store.backup(file);
      await target.store.restore(file);
      expect(await target.store.as(ada.userId).embedders.list()).toEqual(await ada.embedders.list());
    } finally {
      await target.close();
    }
  });
});
