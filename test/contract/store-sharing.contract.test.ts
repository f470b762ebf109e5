// Sharing agents: offers, what they tell whom, who may use an agent from when until when, and processes that decide at once. On
// the engine at hand.
import type { UserStore } from "../../src/store/port/store.ts";
import { useStore } from "../support/database.ts";
import { beginning, callTool, human, ids, newAgent, newMessage, newTalk, say } from "../support/store-builders.ts";

const { test } = useStore();
let ada: UserStore;
let ben: UserStore;
let eve: UserStore;
let number = 0;

beforeEach(() => {
  number += 1;
  [ada, ben, eve] = [user("ada"), user("ben"), user("eve")];
});

/** Of this test alone. */
function user(name: string): UserStore {
  return test.store.as(`${name}${number}`);
}

async function offered(name = "scout"): Promise<string> {
  const { id } = await ada.agents.create(newAgent({ name }));
  await ada.agents.share(id, ben.userId);
  return id;
}

async function accepted(): Promise<string> {
  const id = await offered();
  await ben.agents.accept(id);
  return id;
}

const notFound = { code: "agent_not_found" };
const noOffer = { code: "offer_not_found" };
const ended = { code: "grant_ended" };

describe("an offer", () => {
  it("is listed for the recipient, and does not permit use of the agent", async () => {
    const id = await offered();
    expect(await ben.agents.offers()).toEqual([
      { agentId: id, ownerId: ada.userId, name: `${ada.userId}/scout`, at: expect.any(Date) },
    ]);
    expect(await ben.agents.list()).toEqual([]);
    expect(await ben.agents.former()).toEqual([]);
    for (const name of [id, "scout", `${ada.userId}/scout`]) expect(await ben.agents.find(name)).toBeNull();
    await expect(ben.modules.list(id)).rejects.toMatchObject(notFound);
    await expect(ben.conversations.create({ id: ids.next(), agentId: id })).rejects.toMatchObject(notFound);
    await expect(ben.passages.add(id, [], "user")).rejects.toMatchObject(notFound);
  });

  it("is visible to no one else, and no one else can accept or decline it", async () => {
    const id = await offered();
    expect(await eve.agents.offers()).toEqual([]);
    expect(await ada.agents.offers()).toEqual([]);
    await expect(eve.agents.accept(id)).rejects.toMatchObject(noOffer);
    await expect(eve.agents.decline(id)).rejects.toMatchObject(noOffer);
    expect(await ben.agents.offers()).toHaveLength(1);
  });

  it("to an unknown user looks the same to its owner", async () => {
    await ben.agents.create(newAgent());
    const id = await offered();
    await ada.agents.share(id, `nobody${number}`);
    expect(await ada.agents.recipients(id)).toEqual([
      { userId: ben.userId, state: "offered", at: expect.any(Date) },
      { userId: `nobody${number}`, state: "offered", at: expect.any(Date) },
    ]);
    expect(await ada.agents.unshare(id, ben.userId)).toBe(true);
    expect(await ada.agents.unshare(id, `nobody${number}`)).toBe(true);
    expect(await ada.agents.unshare(id, `unheard${number}`)).toBe(false);
  });

  it("has the agent's current name, and is deleted with the agent", async () => {
    const id = await offered("old");
    await ada.agents.update(id, () => ({ name: "new" }));
    expect(await ben.agents.offers()).toMatchObject([{ name: `${ada.userId}/new` }]);
    await ada.agents.delete(id);
    expect(await ben.agents.offers()).toEqual([]);
    await expect(ben.agents.accept(id)).rejects.toMatchObject(noOffer);
  });

  it("is deleted with its owner, and with its recipient", async () => {
    await offered();
    await ada.agents.share((await ada.agents.create(newAgent())).id, eve.userId);
    await eve.usage.delete();
    expect(await eve.agents.offers()).toEqual([]);
    await ada.usage.delete();
    expect(await ben.agents.offers()).toEqual([]);
    expect(await test.ownerRows("select from offers where owner_id = $1", [ada.userId])).toEqual([]);
  });

  it("can be repeated after it was declined, and not be made to the owner", async () => {
    const id = await offered();
    await ben.agents.decline(id);
    expect(await ben.agents.offers()).toEqual([]);
    await expect(ben.agents.decline(id)).rejects.toMatchObject(noOffer);
    await expect(ben.agents.accept(id)).rejects.toMatchObject(noOffer);
    await ada.agents.share(id, ben.userId);
    await ben.agents.accept(id);
    expect(await ben.agents.list()).toHaveLength(1);
    await expect(ada.agents.share(id, ada.userId)).rejects.toMatchObject({ code: "input_invalid" });
  });

  it("is made to a user with an agent of the same id, who can accept it after deleting that agent", async () => {
    const { id } = await ada.agents.create(newAgent());
    await ben.agents.create(newAgent({ id }));
    await ada.agents.share(id, ben.userId);
    expect(await ada.agents.recipients(id)).toMatchObject([{ userId: ben.userId, state: "offered" }]);
    await expect(ben.agents.accept(id)).rejects.toMatchObject({ code: "agent_exists" });
    expect(await ben.agents.offers()).toMatchObject([{ agentId: id, ownerId: ada.userId }]);
    expect(await ben.agents.update(id, () => ({ model: "other" }))).toMatchObject({
      ownerId: ben.userId,
      model: "other",
    });
    await ben.agents.delete(id);
    await ben.agents.accept(id);
    expect(await ben.agents.list()).toMatchObject([{ id, ownerId: ada.userId }]);
  });

  it.each(["no-uuid", "", "00000000-0000-7000-8000-000000000000"])("is not found under %j", async (id) => {
    await expect(ben.agents.accept(id)).rejects.toMatchObject(noOffer);
    await expect(ben.agents.decline(id)).rejects.toMatchObject(noOffer);
    expect(await ada.agents.unshare(id, ben.userId)).toBe(false);
  });
});

describe("an agent of another user", () => {
  it("is found by owner and name, and by its id", async () => {
    const id = await accepted();
    const name = `${ada.userId}/scout`;
    for (const written of [name, id]) {
      expect(await ben.agents.find(written)).toMatchObject({ id, name, ownerId: ada.userId });
    }
    expect(await ben.agents.find("scout")).toBeNull();
    expect(await ada.agents.find(name)).toMatchObject({ id, name: "scout" });
    const own = await ben.agents.create(newAgent({ name: "scout" }));
    expect(await ben.agents.find("scout")).toMatchObject({ id: own.id });
    expect((await ben.agents.list()).map((agent) => agent.name)).toEqual(["scout", name]);
  });

  it("is found if its owner's id has slashes: the last one separates the name", async () => {
    const owner = test.store.as(`team/${number}/ada`);
    const { id } = await owner.agents.create(newAgent({ name: "scout" }));
    await owner.agents.share(id, ben.userId);
    await ben.agents.accept(id);
    expect(await ben.agents.find(`team/${number}/ada/scout`)).toMatchObject({ id });
    await expect(owner.agents.create(newAgent({ name: "ada/scout" }))).rejects.toMatchObject({ code: "input_invalid" });
    await expect(owner.agents.update(id, () => ({ name: "a/b" }))).rejects.toMatchObject({ code: "input_invalid" });
  });

  it("can be changed, shared and deleted only by its owner", async () => {
    const id = await accepted();
    await expect(ben.agents.update(id, () => ({ model: "other" }))).rejects.toMatchObject(notFound);
    await expect(ben.agents.share(id, eve.userId)).rejects.toMatchObject(notFound);
    await expect(ben.agents.recipients(id)).rejects.toMatchObject(notFound);
    await expect(ben.agents.delete(id)).rejects.toMatchObject(notFound);
    expect(await ben.agents.unshare(id, eve.userId)).toBe(false);
  });

  it("is accepted once", async () => {
    const id = await accepted();
    await ben.agents.accept(id);
    await ada.agents.share(id, ben.userId);
    expect(await ben.agents.offers()).toEqual([]);
    expect(await ada.agents.recipients(id)).toMatchObject([{ userId: ben.userId, state: "accepted" }]);
    expect(await ada.usage.count()).toMatchObject({ sharedWith: 1 });
  });
});

describe("a grant that ends", () => {
  it("refuses a turn's next commit, and every later turn, with nothing written", async () => {
    const id = await accepted();
    await ben.modules.addMissing(id, [human]);
    const talk = await newTalk(ben, id);
    const result = await callTool(talk);
    await ada.agents.unshare(id, ben.userId);
    const before = await ben.conversations.thread(talk.conversationId);
    await expect(ben.turns.commitToolResult(result)).rejects.toMatchObject(ended);
    await expect(ben.leases.renew(talk.lease, 1000)).rejects.toMatchObject(ended);
    await expect(
      ben.leases.take({ conversationId: talk.conversationId, claimant: "another process", ttlMs: 1000 }),
    ).rejects.toMatchObject(ended);
    const again = { conversationId: talk.conversationId, agentId: id };
    const message = newMessage({ parentId: before.messages.at(-1)!.id });
    const turn = beginning(talk, { leafId: message.parentId, messages: [message], key: "later" });
    await expect(ben.turns.begin({ ...turn, lease: { claimant: "another process" } })).rejects.toMatchObject(ended);
    await expect(
      ben.inputs.enqueue(talk.conversationId, { messages: [{ idempotencyKey: "later", content: [] }] }),
    ).rejects.toMatchObject(ended);
    await expect(ben.conversations.create({ ...again, id: ids.next() })).rejects.toMatchObject(ended);
    await expect(
      ben.conversations.fork({ conversationId: talk.conversationId, id: ids.next(), newId: () => ids.next() }),
    ).rejects.toMatchObject(ended);
    expect(await ben.conversations.thread(talk.conversationId)).toEqual(before);
  });

  it("is deleted if there is nothing to keep", async () => {
    const id = await accepted();
    await ben.modules.addMissing(id, [human]);
    await ada.agents.unshare(id, ben.userId);
    expect(await ben.agents.former()).toEqual([]);
    expect(await test.ownerRows("select from grants where user_id = $1", [ben.userId])).toEqual([]);
  });

  it("hides the persona, and later changes by the owner", async () => {
    const id = await accepted();
    await ben.modules.addMissing(id, [human]);
    await newTalk(ben, id);
    await ben.agents.unshare(id, ben.userId);
    expect((await ben.modules.list(id)).map(({ label, readOnly }) => [label, readOnly])).toEqual([["human", true]]);
    const change = { label: "human", scope: "user", revision: 0, before: "", after: "changed" } as const;
    await expect(ben.modules.change(id, [change], { origin: "user" })).rejects.toMatchObject(ended);
    expect(await ada.agents.recipients(id)).toEqual([]);
    expect(await ben.agents.list()).toEqual([]);
  });

  it("is not ended again by the agent's deletion: the first end counts", async () => {
    const id = await accepted();
    await newTalk(ben, id);
    await ben.agents.unshare(id, ben.userId);
    const [left] = await ben.agents.former();
    await ada.agents.delete(id);
    expect(await ben.agents.former()).toEqual([left]);
  });
});

describe("concurrent processes", () => {
  it("accept together, and both succeed", async () => {
    const id = await offered();
    await Promise.all(Array.from({ length: 4 }, () => ben.agents.accept(id)));
    expect(await ben.agents.list()).toHaveLength(1);
    expect(await ben.agents.offers()).toEqual([]);
  });

  it("accept and decline: one of them gets the offer", async () => {
    const id = await offered();
    const outcomes = await Promise.allSettled([ben.agents.accept(id), ben.agents.decline(id)]);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(await ben.agents.offers()).toEqual([]);
    expect(await ben.agents.list()).toHaveLength(outcomes[0]!.status === "fulfilled" ? 1 : 0);
  });

  it("accept while the owner stops sharing: afterwards the recipient cannot use it", async () => {
    for (let trial = 0; trial < 5; trial += 1) {
      const id = await offered(`scout ${trial}`);
      await Promise.allSettled([ben.agents.accept(id), ada.agents.unshare(id, ben.userId)]);
      expect(await ben.agents.find(id)).toBeNull();
      expect(await ada.agents.recipients(id)).toEqual([]);
    }
  });

  it("accept while the owner deletes the agent: afterwards there is no grant", async () => {
    for (let trial = 0; trial < 5; trial += 1) {
      const id = await offered(`scout ${trial}`);
      await Promise.allSettled([ben.agents.accept(id), ada.agents.delete(id)]);
      expect(await test.ownerRows("select from grants where agent_id = $1::uuid", [id])).toEqual([]);
    }
  });

  it("begin conversations and turns while the owner stops sharing: afterwards none is open", async () => {
    const id = await accepted();
    const talk = await newTalk(ben, id);
    const begun = Array.from({ length: 5 }, async () => newTalk(ben, id));
    const said = say(talk, ["one", "two", "three"]);
    await Promise.allSettled([...begun, said, ada.agents.unshare(id, ben.userId)]);
    const open =
      "select from conversations where agent_id = $1::uuid and user_id = $2 and (is_open or lease_holder is not null)";
    expect(await test.ownerRows(open, [id, ben.userId])).toEqual([]);
    await expect(say(talk, ["four"])).rejects.toMatchObject(ended);
  });
});
