// Rows of node memories and the objects that they name: what moves, what goes with what, and what is left of a broken-off write.
// On the engine at hand.
import type { UserStore } from "../../src/store/port/store.ts";
import type { NodeMemoryChange } from "../../src/store/port/node-memory-store.ts";
import { useStore } from "../support/database.ts";
import { ids, keepFile, newMessage, newTalk, beginning, type Talk } from "../support/store-builders.ts";
import { nextMillisecond } from "../support/until.ts";

const { test } = useStore();
let ada: UserStore;
let talk: Talk;

beforeEach(async () => {
  ada = test.store.as(`ada ${ids.next()}`);
  talk = await newTalk(ada);
});

const at = new Date("2026-01-07T10:00:00Z");

function change(more: Partial<NodeMemoryChange> = {}): NodeMemoryChange {
  const key = { app: "app", conversation: talk.conversationId, node: "llm" };
  const data = Buffer.from("an object");
  return {
    ...key,
    place: "database",
    objectKey: ids.next(),
    messages: 2,
    bytes: 9,
    updatedAt: at,
    from: null,
    data,
    ...more,
  };
}

const elsewhere = (more: Partial<NodeMemoryChange> = {}) => change({ place: "folder", data: null, ...more });

async function keepElsewhere(more: Partial<NodeMemoryChange> = {}): Promise<NodeMemoryChange> {
  const made = elsewhere(more);
  await ada.nodeMemories.reserve("folder", made.objectKey);
  expect(await ada.nodeMemories.replace(made)).toBe(true);
  return made;
}

async function due(): Promise<readonly string[]> {
  await nextMillisecond();
  return (await ada.attachments.dueDeletions("folder")).map(({ objectKey }) => objectKey);
}

const objectsOf = async (user: UserStore): Promise<number> =>
  (await test.ownerRows("select from object_parts where user_id = $1", [user.userId])).length;

describe("a row", () => {
  it("names the object that was written with it, and moves to another", async () => {
    const first = change();
    expect(await ada.nodeMemories.replace(first)).toBe(true);
    const { data, from: _from, ...record } = first;
    expect(await ada.nodeMemories.find(first)).toEqual({ ...record, revision: 1 });
    expect(Buffer.from((await ada.objects.get(first.objectKey))!)).toEqual(data);
    const second = change({ from: 1, messages: 4 });
    expect(await ada.nodeMemories.replace(second)).toBe(true);
    expect(await ada.nodeMemories.find(first)).toMatchObject({ revision: 2, messages: 4, objectKey: second.objectKey });
    expect(await ada.objects.get(first.objectKey)).toBeNull();
    expect(await objectsOf(ada)).toBe(1);
  });

  it.each([
    ["it has moved on", 1],
    ["it is there already", null],
    ["it was never so far", 7],
  ])("does not move when %s, and the object is not written", async (_what, from) => {
    await ada.nodeMemories.replace(change());
    await ada.nodeMemories.replace(change({ from: 1 }));
    const late = change({ from });
    expect(await ada.nodeMemories.replace(late)).toBe(false);
    expect(await ada.nodeMemories.find(late)).toMatchObject({ revision: 2 });
    expect(await ada.objects.get(late.objectKey)).toBeNull();
  });

  it("moves for one of many concurrent writers", async () => {
    const results = await Promise.all(Array.from({ length: 8 }, () => ada.nodeMemories.replace(change())));
    expect(results.filter(Boolean)).toHaveLength(1);
    expect(await objectsOf(ada)).toBe(1);
  });

  it("is separate for each user, whatever the key", async () => {
    const ben = test.store.as(`ben ${ids.next()}`);
    const made = change();
    await ada.nodeMemories.replace(made);
    expect(await ben.nodeMemories.find(made)).toBeNull();
    await ben.nodeMemories.delete(made);
    expect(await ben.nodeMemories.deleteUnused(new Date("2030-01-01"))).toEqual([]);
    expect(await ben.nodeMemories.replace(change({ messages: 9 }))).toBe(true);
    expect(await ada.nodeMemories.find(made)).toMatchObject({ messages: 2, objectKey: made.objectKey });
  });
});

describe("an object elsewhere", () => {
  it("is due for deletion after its row has moved, and not before", async () => {
    const first = await keepElsewhere();
    expect(await due()).toEqual([]);
    const second = await keepElsewhere({ from: 1 });
    expect(await due()).toEqual([first.objectKey]);
    await ada.nodeMemories.delete(second);
    expect((await due()).toSorted()).toEqual([first.objectKey, second.objectKey].toSorted());
  });

  it("is due at once if its row had already moved", async () => {
    await keepElsewhere();
    const late = elsewhere({ from: null });
    await ada.nodeMemories.reserve("folder", late.objectKey);
    expect(await ada.nodeMemories.replace(late)).toBe(false);
    expect(await due()).toEqual([late.objectKey]);
  });

  it("is due a day after an interrupted write, and cannot be named in the hour before that", async () => {
    const broken = elsewhere();
    await ada.nodeMemories.reserve("folder", broken.objectKey);
    expect(await due()).toEqual([]);
    expect(await ada.attachments.count()).toMatchObject({ due: 0 });
    await age(broken.objectKey, "23 hours 30 minutes");
    expect(await ada.nodeMemories.replace(broken)).toBe(false);
    expect(await ada.nodeMemories.find(broken)).toBeNull();
    expect(await due()).toEqual([broken.objectKey]);
    const other = elsewhere();
    await ada.nodeMemories.reserve("folder", other.objectKey);
    await age(other.objectKey, "24 hours");
    await nextMillisecond();
    expect(await ada.attachments.count()).toMatchObject({ due: 2 });
  });

  it("is not named without a reservation", async () => {
    expect(await ada.nodeMemories.replace(elsewhere())).toBe(false);
  });

  async function age(objectKey: string, by: string): Promise<void> {
    await test.ownerRows(`update object_deletions set due_at = due_at - interval '${by}' where object_key = $1`, [
      objectKey,
    ]);
  }
});

describe("node memories", () => {
  it("are deleted with their conversation, and others stay", async () => {
    const other = await newTalk(ada, talk.agentId);
    await ada.nodeMemories.replace(change());
    await keepElsewhere({ node: "two" });
    await ada.nodeMemories.replace(change({ conversation: other.conversationId }));
    await ada.nodeMemories.replace(change({ conversation: "conv-1" }));
    const ben = test.store.as(`ben ${ids.next()}`);
    await ben.nodeMemories.replace(change());
    await ada.conversations.delete(talk.conversationId);
    const left = await ada.nodeMemories.listUnused(new Date("2030-01-01"));
    expect(left.map(({ conversation }) => conversation).toSorted()).toEqual(
      [other.conversationId, "conv-1"].toSorted(),
    );
    expect(await due()).toHaveLength(1);
    expect([await objectsOf(ada), await objectsOf(ben)]).toEqual([2, 1]);
  });

  it.each(["agent", "user"])("are deleted with their %s", async (what) => {
    await ada.nodeMemories.replace(change());
    await keepElsewhere({ node: "two" });
    await (what === "agent" ? ada.agents.delete(talk.agentId) : ada.usage.delete());
    expect(await ada.nodeMemories.listUnused(new Date("2030-01-01"))).toEqual([]);
    expect([await objectsOf(ada), (await due()).length]).toEqual([0, 1]);
  });

  it("that were not written for long are found and deleted, oldest first", async () => {
    const times = ["2026-01-03T00:00:00Z", "2026-01-01T00:00:00Z", "2026-01-05T00:00:00Z"];
    for (const [node, time] of times.entries()) {
      await ada.nodeMemories.replace(change({ node: `n${node}`, updatedAt: new Date(time) }));
    }
    const since = new Date("2026-01-05T00:00:00Z");
    const nodes = (found: readonly { readonly node: string }[]) => found.map(({ node }) => node);
    expect(nodes(await ada.nodeMemories.listUnused(since))).toEqual(["n1", "n0"]);
    expect(nodes(await ada.nodeMemories.deleteUnused(since))).toEqual(["n1", "n0"]);
    expect(nodes(await ada.nodeMemories.listUnused(new Date("2030-01-01")))).toEqual(["n2"]);
    expect(await objectsOf(ada)).toBe(1);
  });
});

describe("files by their ids", () => {
  it("are returned as in their message, or with their known metadata; missing ones are left out", async () => {
    const sent = await keepFile(talk, "sent");
    const waiting = await keepFile(talk, "waiting");
    const [reserved] = await ada.attachments.reserve(talk.conversationId, "database", [
      { id: ids.next(), name: "half", mediaType: "text/plain", size: 4, sha256: "0" },
    ]);
    const message = newMessage({ parentId: null, content: [{ type: "text", text: "look" }, sent.file] });
    await ada.turns.begin(beginning(talk, { leafId: null, messages: [message], key: ids.next() }));
    const asked = [sent.file, waiting.file].map(({ location }) => location.id);
    const found = await ada.attachments.filesOf([...asked, reserved!.id, ids.next(), "file-uuid-123", "' or true --"]);
    const facts = ({ file }: typeof sent) => ({
      id: file.location.id,
      name: file.name,
      mediaType: file.mediaType,
      bytes: file.bytes,
    });
    expect(found).toHaveLength(2);
    expect(found).toContainEqual({ ...facts(sent), part: sent.file });
    expect(found).toContainEqual({ ...facts(waiting), part: null });
  });
});
