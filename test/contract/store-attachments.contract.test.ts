// Attachments and the objects that hold their contents: what is shared, what a message takes, and what goes with what. On the
// engine at hand.
import type { UserStore } from "../../src/store/port/store.ts";
import { useStore } from "../support/database.ts";
import {
  beginning,
  callTool,
  ids,
  keepFile,
  newFile,
  newMessage,
  newTalk,
  type Talk,
} from "../support/store-builders.ts";

const { test } = useStore();
let ada: UserStore;
let talk: Talk;

beforeEach(async () => {
  ada = test.store.as(`ada ${ids.next()}`);
  talk = await newTalk(ada);
});

type KeptFile = Awaited<ReturnType<typeof keepFile>>["file"];

async function sendFiles(of: Talk, ...files: readonly KeptFile[]): Promise<string> {
  const { messages } = await of.user.conversations.thread(of.conversationId);
  const leafId = messages.at(-1)?.id ?? null;
  const message = newMessage({ parentId: leafId, content: [{ type: "text", text: "look" }, ...files] });
  await of.user.turns.begin(beginning(of, { leafId, messages: [message], key: ids.next() }));
  return message.id;
}

async function keysOf(user: UserStore): Promise<readonly string[]> {
  const rows = await test.ownerRows<{ readonly key: string }>(
    "select distinct key from object_parts where user_id = $1 order by 1",
    [user.userId],
  );
  return rows.map(({ key }) => key);
}

const attachmentsOf = async (user: UserStore): Promise<number> =>
  (await test.ownerRows("select from attachments where user_id = $1", [user.userId])).length;

/** As if its sender had gone a while ago. */
async function age(user: UserStore, hours: number): Promise<void> {
  await test.ownerRows(`update attachments set created_at = now() - interval '${hours} hours' where user_id = $1`, [
    user.userId,
  ]);
}

describe("objects in the database", () => {
  it.each([
    ["one byte", Buffer.from([0])],
    ["exactly a part", Buffer.alloc(524_288, 7)],
    ["a byte more than a part", Buffer.alloc(524_289, 8)],
    ["nothing", Buffer.alloc(0)],
    ["every byte there is", Buffer.from(Array.from({ length: 1024 }, (_, at) => at % 256))],
  ])("are read as they were written: %s", async (_what, bytes) => {
    expect(await ada.objects.create("folder/key.bin", bytes)).toBe(true);
    const found = await ada.objects.get("folder/key.bin");
    expect(Buffer.compare(Buffer.from(found!), bytes)).toBe(0);
    await ada.objects.delete("folder/key.bin");
    expect(await ada.objects.get("folder/key.bin")).toBeNull();
  });

  it("can have 20 MB", async () => {
    const bytes = Buffer.alloc(20_000_000);
    for (let at = 0; at < bytes.length; at += 4096) bytes.writeUInt32LE(at, at);
    await ada.objects.create("large", bytes);
    expect(Buffer.compare(Buffer.from((await ada.objects.get("large"))!), bytes)).toBe(0);
  });

  it("are not overwritten", async () => {
    await ada.objects.create("key", Buffer.alloc(600_000, 1));
    expect(await ada.objects.create("key", Buffer.from("other"))).toBe(false);
    expect((await ada.objects.get("key"))!.length).toBe(600_000);
  });

  it("do not exist under an unwritten key, and deleting such a key does nothing", async () => {
    expect(await ada.objects.get("none")).toBeNull();
    await expect(ada.objects.delete("none")).resolves.toBeUndefined();
  });

  it.each(["", "/", "a//b", "../a", "a/../b", "a/.hidden", "a b", "ä", "a\u0000", "a/", "a".repeat(256)])(
    "refuse the key %j",
    async (key) => {
      const works = [
        () => ada.objects.create(key, Buffer.from("x")),
        () => ada.objects.get(key),
        () => ada.objects.delete(key),
      ];
      for (const work of works) await expect(work()).rejects.toMatchObject({ code: "input_invalid" });
    },
  );
});

describe("an attachment", () => {
  it("is found with its object only by its id", async () => {
    const { file, objectKey } = await keepFile(talk, "content");
    expect(await ada.attachments.objectOf(file.location.id)).toEqual({
      place: "database",
      objectKey,
      conversationId: talk.conversationId,
      name: "content.txt",
      mediaType: "text/plain",
    });
    expect(await ada.attachments.objectOf(ids.next())).toBeNull();
    expect(await ada.attachments.objectOf("%_' no uuid")).toBeNull();
  });

  it("is refused for an unknown conversation", async () => {
    const reserve = ada.attachments.reserve(ids.next(), "database", [newFile("x")]);
    await expect(reserve).rejects.toMatchObject({ code: "conversation_not_found" });
  });

  it.each(["写真.png", "🙂.txt", "\ud800.txt", "a\u0000b", "%_", "</human>", "x".repeat(10_000)])(
    "can be named %j",
    async (name) => {
      const [reserved] = await ada.attachments.reserve(talk.conversationId, "database", [{ ...newFile("n"), name }]);
      expect(reserved!.isStored).toBe(false);
    },
  );

  it("shares its object with attachments of the same content, also in another conversation, but not of another user", async () => {
    const first = await keepFile(talk, "same");
    const second = await keepFile(await newTalk(ada, talk.agentId), "same");
    expect(second).toMatchObject({ objectKey: first.objectKey, isStored: true });
    expect(await keysOf(ada)).toEqual([first.objectKey]);
    const bens = await keepFile(await newTalk(test.store.as(`ben ${ids.next()}`)), "same");
    expect(bens.isStored).toBe(false);
    expect(bens.objectKey).not.toBe(first.objectKey);
  });

  it("does not share an incomplete object", async () => {
    await ada.attachments.reserve(talk.conversationId, "database", [newFile("cut")]);
    expect((await keepFile(talk, "cut")).isStored).toBe(false);
  });

  it("does not share an object of another storage", async () => {
    await keepFile(talk, "moved");
    const [reserved] = await ada.attachments.reserve(talk.conversationId, "folder", [newFile("moved")]);
    expect(reserved!.isStored).toBe(false);
  });
});

describe("a message with files", () => {
  it("has them from its commit on, and so does a tool's result", async () => {
    const { file } = await keepFile(talk, "mine");
    const messageId = await sendFiles(talk, file);
    const result = await callTool(talk);
    const returned = await keepFile(talk, "a tool's");
    const [part] = result.message.content;
    await ada.turns.commitToolResult({
      ...result,
      message: { ...result.message, content: [{ ...part!, files: [returned.file] } as never] },
    });
    const rows = await test.ownerRows<{ readonly id: string; readonly message_id: string }>(
      "select id, message_id from attachments where user_id = $1 order by created_at, id",
      [ada.userId],
    );
    expect(new Map(rows.map((row) => [row.id, row.message_id]))).toEqual(
      new Map([
        [file.location.id, messageId],
        [returned.file.location.id, result.message.id],
      ]),
    );
    const { messages } = await ada.conversations.thread(talk.conversationId);
    expect(messages[0]!.content[1]).toEqual(file);
  });

  it.each([
    ["was never made", async () => ({ ...(await keepFile(talk, "x")).file, location: at(ids.next()) })],
    ["is no id", async () => ({ ...(await keepFile(talk, "x")).file, location: at("' or true --") })],
    ["is another conversation's", async () => (await keepFile(await newTalk(ada, talk.agentId), "x")).file],
    ["is another user's", async () => (await keepFile(await newTalk(test.store.as(`eve ${ids.next()}`)), "x")).file],
    ["was discarded", discarded],
    ["was never written as a whole", unwritten],
    ["stands on a message already", taken],
  ])("is not written when a file %s", async (_what, make) => {
    const file = await make();
    const before = await ada.conversations.thread(talk.conversationId);
    await expect(sendFiles(talk, file as KeptFile)).rejects.toMatchObject({ code: "attachment_not_found" });
    expect(await ada.conversations.thread(talk.conversationId)).toEqual(before);
  });

  function at(id: string) {
    return { type: "attachment", id } as const;
  }

  async function discarded(): Promise<KeptFile> {
    const { file } = await keepFile(talk, "x");
    await ada.attachments.discard([file.location.id]);
    return file;
  }

  async function unwritten(): Promise<KeptFile> {
    const { file } = await keepFile(talk, "y");
    const fresh = newFile("z");
    await ada.attachments.reserve(talk.conversationId, "database", [fresh]);
    return { ...file, location: at(fresh.id) };
  }

  async function taken(): Promise<KeptFile> {
    const { file } = await keepFile(talk, "x");
    await sendFiles(talk, file);
    return file;
  }
});

describe("an unneeded attachment", () => {
  it("is deleted with its conversation, and its object with the last attachment that names it", async () => {
    const other = await newTalk(ada, talk.agentId);
    const { file, objectKey } = await keepFile(talk, "same");
    await sendFiles(talk, file);
    await sendFiles(other, (await keepFile(other, "same")).file);
    await ada.conversations.delete(talk.conversationId);
    expect(await keysOf(ada)).toEqual([objectKey]);
    expect(await attachmentsOf(ada)).toBe(1);
    await ada.conversations.delete(other.conversationId);
    expect(await keysOf(ada)).toEqual([]);
    expect(await attachmentsOf(ada)).toBe(0);
  });

  it("is deleted with an agent, and another user's when that user deletes the agent", async () => {
    const ben = test.store.as(`ben ${ids.next()}`);
    await ada.agents.share(talk.agentId, ben.userId);
    await ben.agents.accept(talk.agentId);
    const bens = await newTalk(ben, talk.agentId);
    await sendFiles(bens, (await keepFile(bens, "ben's")).file);
    await ada.agents.delete(talk.agentId);
    expect(await attachmentsOf(ada)).toBe(0);
    expect(await attachmentsOf(ben)).toBe(1);
    await ben.agents.delete(talk.agentId);
    expect(await keysOf(ben)).toEqual([]);
    expect(await attachmentsOf(ben)).toBe(0);
  });

  it("is deleted with messages that retention deletes", async () => {
    const { file } = await keepFile(talk, "old");
    const messageId = await sendFiles(talk, file);
    await ada.conversations.moveLeaf(talk.lease, { from: messageId, to: null });
    expect(await attachmentsOf(ada)).toBe(1);
    const sweep = {
      id: ids.next(),
      agentId: talk.agentId,
      at: new Date(Date.now() + 9e7),
      limits: { messages: { days: 1 } },
    };
    await ada.retention.begin({ ...sweep, unlessAfter: null });
    expect((await ada.retention.drop({ ...sweep, kind: "messages", batch: 10 })).rows).toBe(1);
    expect(await attachmentsOf(ada)).toBe(0);
    expect(await keysOf(ada)).toEqual([]);
  });

  it("is discarded if no message and no waiting input has it", async () => {
    const lost = await keepFile(talk, "lost");
    const sent = await keepFile(talk, "sent");
    const waiting = await keepFile(talk, "waiting");
    await sendFiles(talk, sent.file);
    await ada.inputs.enqueue(talk.conversationId, { messages: [{ idempotencyKey: "k", content: [waiting.file] }] });
    await ada.attachments.discard([lost, sent, waiting].map(({ file }) => file.location.id));
    expect(await keysOf(ada)).toEqual([sent.objectKey, waiting.objectKey].toSorted());
    await ada.inputs.withdraw(talk.conversationId, "k");
    await ada.attachments.discard([waiting.file.location.id]);
    expect(await keysOf(ada)).toEqual([sent.objectKey]);
  });

  it("is deleted by the next attachment after a day, and not before", async () => {
    const lost = await keepFile(talk, "lost");
    await age(ada, 23);
    const next = await keepFile(talk, "next");
    expect(await keysOf(ada)).toEqual([lost.objectKey, next.objectKey].toSorted());
    await age(ada, 25);
    const last = await keepFile(talk, "last");
    expect(await keysOf(ada)).toEqual([last.objectKey]);
  });

  it("is recorded as due in an external storage, once, until it is deleted", async () => {
    const reserve = () => ada.attachments.reserve(talk.conversationId, "folder", [newFile("far")]);
    const { id, objectKey } = (await reserve())[0]!;
    await ada.attachments.markStored([id]);
    const [second] = await reserve();
    expect(second).toMatchObject({ objectKey, isStored: true });
    await ada.attachments.discard([id]);
    expect(await ada.attachments.dueDeletions("folder")).toEqual([]);
    await ada.attachments.discard([second!.id]);
    expect(await ada.attachments.dueDeletions("folder")).toEqual([{ place: "folder", objectKey }]);
    expect(await ada.attachments.count()).toEqual({ missing: 0, due: 1 });
    await ada.attachments.deletionDone({ place: "folder", objectKey });
    expect(await ada.attachments.dueDeletions("folder")).toEqual([]);
  });
});

describe("a count of faults", () => {
  it("finds a message's file whose content is missing", async () => {
    const { file, objectKey } = await keepFile(talk, "content");
    await sendFiles(talk, file);
    expect(await ada.attachments.count()).toEqual({ missing: 0, due: 0 });
    await ada.objects.delete(objectKey);
    expect(await ada.attachments.count()).toEqual({ missing: 1, due: 0 });
  });
});
