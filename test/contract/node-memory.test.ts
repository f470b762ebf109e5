// Node memories in the database, in a folder, and in a service that speaks S3 with the faults such services have: the examples of
// Dify's document, and many writers at once. On the engine at hand.
import { RequestError } from "../../src/errors.ts";
import type { Message } from "../../src/message.ts";
import { textOf } from "../../src/message.ts";
import type { AddedTurn, NodeMemory } from "../../src/memory/node/node-memory.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { createManualClock } from "../support/manual-clock.ts";
import { type NodePlace, type NodePlaces, openNodePlaces } from "../support/node-places.ts";
import { createTestRuntimes, type TestRuntimes } from "../support/runtime.ts";

let runtimes: TestRuntimes;
let places: NodePlaces;
let users = 0;

beforeAll(async () => {
  runtimes = await createTestRuntimes();
  places = await openNodePlaces();
});

afterAll(async () => {
  await runtimes.close();
  await places.close();
});

const start = Date.UTC(2026, 0, 7, 10);

const keys = { s3AccessKeyId: "id", s3SecretAccessKey: "secret" };

/** A runtime of a new user. */
async function openRuntime(objects: string, userId = `user-${(users += 1)}`) {
  const clock = createManualClock(start);
  return { clock, userId, runtime: await runtimes.open({ objects, userId, clock, ...keys }) };
}

const llm = { app: "support", conversation: "conv-1", node: "llm" };

function turn(messageId: string, parentMessageId: string | null, more: Partial<AddedTurn> = {}): AddedTurn {
  return {
    messageId,
    parentMessageId,
    userContent: `ask ${messageId}`,
    assistantContent: `answer ${messageId}`,
    ...more,
  };
}

async function keep(memory: NodeMemory, ...turns: readonly AddedTurn[]): Promise<void> {
  for (const one of turns) memory.addMessages(one);
  await memory.flush();
}

async function textsOf(memory: NodeMemory, current = "next", maxTokens = 1_000_000): Promise<readonly string[]> {
  return (await memory.getHistoryPromptMessages(current, { maxTokens })).map(textOf);
}

const settings = { database: () => "database", folder: () => places.folder.setting, s3: () => places.s3.setting };

describe.each(["database", "folder", "s3"] as const)("a node memory in the %s", (kind) => {
  const open = (userId?: string) => openRuntime(settings[kind](), userId);

  it("comes back as it was added, as messages for a model", async () => {
    const { runtime, userId } = await open();
    await keep(runtime.nodeMemory.open(llm), turn("m1", null), turn("m2", "m1"));
    const again = (await open(userId)).runtime.nodeMemory.open(llm);
    const expected: readonly Message[] = [
      { role: "user", content: [{ type: "text", text: "ask m1" }] },
      { role: "assistant", content: [{ type: "text", text: "answer m1" }] },
      { role: "user", content: [{ type: "text", text: "ask m2" }] },
      { role: "assistant", content: [{ type: "text", text: "answer m2" }] },
    ];
    expect(await again.getHistoryPromptMessages("m3")).toEqual(expected);
  });

  it("is each node's own, each conversation's, each application's and each user's", async () => {
    const { runtime } = await open();
    await keep(runtime.nodeMemory.open(llm), turn("m1", null));
    for (const change of [{ node: "llm2" }, { conversation: "conv-2" }, { app: "sales" }]) {
      expect(await textsOf(runtime.nodeMemory.open({ ...llm, ...change }))).toEqual([]);
    }
    const other = (await open()).runtime.nodeMemory.open(llm);
    expect(await textsOf(other)).toEqual([]);
    await other.clear();
    expect(await textsOf(runtime.nodeMemory.open(llm))).toEqual(["ask m1", "answer m1"]);
  });

  it("has all turns of 16 writers at once, in order", async () => {
    const { runtime, userId } = await open();
    const others = await Promise.all([open(userId), open(userId), open(userId)]);
    const all = [runtime, ...others.map((one) => one.runtime)];
    const rounds = 2;
    await Promise.all(
      Array.from({ length: 16 }, async (_, writer) => {
        const memory = all[writer % all.length]!.nodeMemory.open(llm);
        for (let round = 0; round < rounds; round += 1) {
          // A chain over all writers: what comes first is often kept last.
          const number = round * 16 + writer;
          await keep(memory, turn(`m${number}`, number === 0 ? null : `m${number - 1}`));
        }
      }),
    );
    const expected = Array.from({ length: 16 * rounds }, (_, at) => [`ask m${at}`, `answer m${at}`]).flat();
    expect(await textsOf(runtime.nodeMemory.open(llm), `m${16 * rounds - 1}`)).toEqual(expected);
  });

  it("keeps what a writer adds who has read long before others wrote", async () => {
    const { runtime, userId } = await open();
    const late = runtime.nodeMemory.open(llm);
    await keep(late, turn("m1", null));
    const early = (await open(userId)).runtime.nodeMemory.open(llm);
    await keep(early, turn("m2", "m1"));
    await keep(late, turn("m3", "m2"));
    expect(await textsOf(early)).toEqual(["ask m1", "answer m1", "ask m2", "answer m2", "ask m3", "answer m3"]);
  });

  it("shows what was added before it is flushed, to this writer alone", async () => {
    const { runtime } = await open();
    const memory = runtime.nodeMemory.open(llm);
    memory.addMessages(turn("m1", null));
    expect(await textsOf(memory)).toEqual(["ask m1", "answer m1"]);
    expect(await textsOf(runtime.nodeMemory.open(llm))).toEqual([]);
    await memory.flush();
    expect(await textsOf(runtime.nodeMemory.open(llm))).toEqual(["ask m1", "answer m1"]);
  });

  it("is empty after clear, also of what waits, and begins anew", async () => {
    const { runtime } = await open();
    const memory = runtime.nodeMemory.open(llm);
    await keep(memory, turn("m1", null));
    memory.addMessages(turn("m2", "m1"));
    await memory.clear();
    await memory.flush();
    expect(await textsOf(memory)).toEqual([]);
    await keep(memory, turn("m9", null));
    expect(await textsOf(memory)).toEqual(["ask m9", "answer m9"]);
  });

  it("has a turn once that was added twice, and refuses one whose id is another's without losing the others", async () => {
    const { runtime } = await open();
    const memory = runtime.nodeMemory.open(llm);
    await keep(memory, turn("m1", null), turn("m1", null));
    await keep(memory, turn("m1", null));
    memory.addMessages(turn("m1", null, { userContent: "something else" }));
    memory.addMessages(turn("m2", "m1"));
    await expect(memory.flush()).rejects.toMatchObject({
      code: "input_invalid",
      message: expect.stringContaining('"m1"'),
    });
    expect(await textsOf(runtime.nodeMemory.open(llm))).toEqual(["ask m1", "answer m1", "ask m2", "answer m2"]);
    await expect(memory.flush()).resolves.toBeUndefined();
  });

  it.each(["a".repeat(1_000_000), "写真 👩‍👩‍👧", "</human> %_", "a\u0000b", "\ud800", ""])(
    "keeps the words %#",
    async (words) => {
      const { runtime } = await open();
      await keep(runtime.nodeMemory.open(llm), turn("m1", null, { userContent: words, assistantContent: words }));
      expect(await textsOf(runtime.nodeMemory.open(llm))).toEqual([words, words]);
    },
  );
});

describe("the history of a node", () => {
  const open = async (count: number) => {
    const { runtime } = await openRuntime("database");
    const memory = runtime.nodeMemory.open(llm);
    await keep(memory, ...Array.from({ length: count }, (_, at) => turn(`m${at}`, at === 0 ? null : `m${at - 1}`)));
    return memory;
  };

  it("has 2,000 tokens at most, unless told otherwise: the newest, without a gap", async () => {
    const memory = await open(200);
    const all = await textsOf(memory);
    expect(all).toHaveLength(400);
    const short = (await memory.getHistoryPromptMessages("next")).map(textOf);
    expect(short.length).toBeGreaterThan(100);
    expect(short.length).toBeLessThan(400);
    expect(short).toEqual(all.slice(-short.length));
    expect(await textsOf(memory, "next", 2000)).toEqual(short);
  });

  it("is cut as the history of a conversation is: by messages, and to nothing", async () => {
    const memory = await open(3);
    const messages = await memory.getHistoryPromptMessages("next", { messageLimit: 3 });
    expect(messages.map(textOf)).toEqual(["answer m1", "ask m2", "answer m2"]);
    expect(await memory.getHistoryPromptMessages("next", { maxTokens: 0 })).toEqual([]);
    const wrong = memory.getHistoryPromptMessages("next", { maxTokens: -1 });
    await expect(wrong).rejects.toMatchObject({ code: "input_invalid" });
  });

  it("accumulates over the iterations of a loop, each with an id of its own", async () => {
    const { runtime } = await openRuntime("database");
    const memory = runtime.nodeMemory.open({ ...llm, node: "loop" });
    await keep(memory, turn("m1/1", null), turn("m1/2", "m1/1"), turn("m1/3", "m1/2"));
    expect(await textsOf(memory, "m1/3")).toHaveLength(6);
  });

  it("is that of the thread: a regenerated answer takes the place of the one before", async () => {
    const { runtime } = await openRuntime("database");
    const memory = runtime.nodeMemory.open(llm);
    await keep(memory, turn("A", null, { assistantMessageId: "A'" }), turn("B", "A'"));
    await keep(
      memory,
      turn("A", null, { assistantMessageId: "A''", assistantContent: "regenerated" }),
      turn("C", "A''"),
    );
    expect(await textsOf(memory, "C")).toEqual(["ask A", "regenerated", "ask C", "answer C"]);
    expect(await textsOf(memory, "B")).toEqual(["ask A", "answer A", "ask B", "answer B"]);
  });
});

describe.each(["folder", "s3"] as const)("the object in the %s", (kind) => {
  const place = (): NodePlace => places[kind];
  const open = () => openRuntime(settings[kind]());
  const own = (node: string) => ({ app: "format", conversation: kind, node });
  const path = (node: string) => `node_memory/format/${kind}/${node}.json`;

  it("is one, at the key, with the JSON of format version 1", async () => {
    const { runtime, clock } = await open();
    const memory = runtime.nodeMemory.open(own("exact"));
    expect(memory.key).toBe(path("exact"));
    await keep(memory, turn("msg-001", null, { assistantMessageId: "msg-002" }));
    await clock.advance(61_000);
    await keep(memory, turn("msg-003", "msg-002", { assistantMessageId: "msg-004" }));
    const kept = place()
      .keys()
      .filter((key) => key.endsWith(path("exact")));
    expect(kept).toEqual([expect.stringMatching(new RegExp(`^[0-9a-f-]{36}/${path("exact")}$`, "u"))]);
    const first = "2026-01-07T10:00:00.000Z";
    const second = "2026-01-07T10:01:01.000Z";
    const asked = { role: "user", files: [], token_count: expect.any(Number) };
    const answered = { ...asked, role: "assistant" };
    expect(JSON.parse(place().read(path("exact")).toString("utf8"))).toEqual({
      version: 1,
      messages: [
        { ...asked, message_id: "msg-001", parent_message_id: null, content: "ask msg-001", created_at: first },
        {
          ...answered,
          message_id: "msg-002",
          parent_message_id: "msg-001",
          content: "answer msg-001",
          created_at: first,
        },
        { ...asked, message_id: "msg-003", parent_message_id: "msg-002", content: "ask msg-003", created_at: second },
        {
          ...answered,
          message_id: "msg-004",
          parent_message_id: "msg-003",
          content: "answer msg-003",
          created_at: second,
        },
      ],
    });
  });

  it("is compressed above 65,536 bytes of JSON, or the size that is given", async () => {
    const { runtime } = await open();
    await keep(runtime.nodeMemory.open(own("short")), turn("m1", null, { userContent: "a".repeat(60_000) }));
    expect(place().read(path("short")).subarray(0, 1).toString()).toBe("{");
    await keep(runtime.nodeMemory.open(own("long")), turn("m1", null, { userContent: "a".repeat(70_000) }));
    expect(place().read(path("long")).length).toBeLessThan(2000);
    expect((await textsOf(runtime.nodeMemory.open(own("long"))))[0]).toHaveLength(70_000);
    await keep(runtime.nodeMemory.open({ ...own("tiny"), compressAbove: 10 }), turn("m1", null));
    expect([...place().read(path("tiny")).subarray(0, 2)]).toEqual([0x1f, 0x8b]);
  });

  it.each([
    ["half", (bytes: Buffer) => bytes.subarray(0, bytes.length / 2), "it is no JSON"],
    ["of a newer version", () => Buffer.from('{"version":2,"messages":[]}'), "it has version 2"],
    ["something else", () => Buffer.from("[1]"), "in it"],
  ])("is not written over when it is %s, and what waits goes on waiting", async (what, damage, told) => {
    const { runtime } = await open();
    const node = `damaged-${what.replaceAll(" ", "-")}`;
    const memory = runtime.nodeMemory.open(own(node));
    await keep(memory, turn("m1", null));
    const whole = place().read(path(node));
    const damaged = damage(whole);
    place().overwrite(path(node), damaged);
    memory.addMessages(turn("m2", "m1"));
    const failure = { code: "node_memory_invalid", message: expect.stringContaining(told) as string };
    await expect(memory.flush()).rejects.toMatchObject(failure);
    await expect(memory.getHistoryPromptMessages("m2")).rejects.toThrow(path(node));
    expect(place().read(path(node))).toEqual(damaged);
    place().overwrite(path(node), whole);
    await memory.flush();
    expect(await textsOf(memory)).toEqual(["ask m1", "answer m1", "ask m2", "answer m2"]);
  });

  it("that is gone is an error that says so, until the memory is cleared", async () => {
    const { runtime } = await open();
    const memory = runtime.nodeMemory.open(own("gone"));
    await keep(memory, turn("m1", null));
    place().remove(path("gone"));
    await expect(textsOf(memory)).rejects.toThrow(/its object .* is not in the/u);
    await memory.clear();
    expect(await textsOf(memory)).toEqual([]);
  });

  it("is told to be elsewhere when the setting was changed", async () => {
    const { runtime, userId } = await open();
    await keep(runtime.nodeMemory.open(own("moved")), turn("m1", null));
    const moved = (await openRuntime("database", userId)).runtime.nodeMemory.open(own("moved"));
    await expect(textsOf(moved)).rejects.toMatchObject({ code: "objects_failed" });
  });

  it("goes with clear, and with the runtime's clean-up of what is old", async () => {
    const { runtime, clock } = await open();
    const [cleared, old, young] = ["cleared", "old", "young"].map((node) => runtime.nodeMemory.open(own(node)));
    await keep(cleared!, turn("m1", null));
    await cleared!.clear();
    await keep(old!, turn("m1", null));
    await clock.advance(3_600_000);
    await keep(young!, turn("m1", null));
    await clock.advance(1000);
    const summary = { ...own("old"), messages: 2, bytes: place().read(path("old")).length, updatedAt: new Date(start) };
    expect(await runtime.nodeMemory.listUnused(3_600_000)).toEqual([summary]);
    expect(place().read(path("old")).length).toBe(summary.bytes);
    expect(await runtime.nodeMemory.prune(3_600_000)).toEqual([summary]);
    const left = place()
      .keys()
      .map((key) => key.split("/").at(-1));
    expect(left).toContain("young.json");
    expect(left).not.toContain("old.json");
    expect(left).not.toContain("cleared.json");
    await expect(runtime.nodeMemory.prune(-1)).rejects.toMatchObject({ code: "input_invalid" });
  });
});

describe("a service that fails", () => {
  it("keeps what was added waiting, and loses nothing of what was there", async () => {
    const { server } = places.s3;
    const { runtime } = await openRuntime(server.setting);
    const memory = runtime.nodeMemory.open({ ...llm, app: "outage" });
    await keep(memory, turn("m1", null));
    memory.addMessages(turn("m2", "m1"));
    server.isDown = true;
    await expect(memory.flush()).rejects.toMatchObject({ code: "objects_failed" });
    server.isDown = false;
    expect(await textsOf(runtime.nodeMemory.open({ ...llm, app: "outage" }))).toEqual(["ask m1", "answer m1"]);
    await memory.flush();
    expect(await textsOf(runtime.nodeMemory.open({ ...llm, app: "outage" }))).toHaveLength(4);
  });

  it("does not let a writer who stood still while writing undo what others wrote meanwhile", async () => {
    const { server } = places.s3;
    const { runtime } = await openRuntime(server.setting);
    const key = { ...llm, app: "stalled" };
    await keep(runtime.nodeMemory.open(key), turn("m1", null));
    let release = (): void => undefined;
    let isFirst = true;
    server.delay = async (method) => {
      if (method !== "PUT" || !isFirst) return;
      isFirst = false;
      await new Promise<void>((resolve) => (release = resolve));
    };
    const stalled = keep(runtime.nodeMemory.open(key), turn("m2", "m1"));
    while (isFirst) await new Promise((resolve) => setTimeout(resolve, 5));
    await keep(runtime.nodeMemory.open(key), turn("m3", "m2"));
    release();
    await stalled;
    server.delay = async () => undefined;
    const expected = ["ask m1", "answer m1", "ask m2", "answer m2", "ask m3", "answer m3"];
    expect(await textsOf(runtime.nodeMemory.open(key))).toEqual(expected);
    expect(places.s3.keys().filter((name) => name.includes("node_memory/stalled/"))).toHaveLength(1);
  });
});

describe("a mode", () => {
  const forMode = async (options: unknown) => {
    const { runtime } = await openRuntime("database");
    return runtime.nodeMemory.forMode(options as Parameters<Runtime["nodeMemory"]["forMode"]>[0]);
  };

  it("`node` is the memory of the node, whatever it is in the file", async () => {
    expect(await forMode({ mode: "node", ...llm })).toMatchObject({
      mode: "node",
      key: "node_memory/support/conv-1/llm.json",
    });
  });

  it("`conversation` is the default, and the history of the conversation", async () => {
    const memory = await forMode({ conversation: "conv-1" });
    expect(memory.mode).toBe("conversation");
    await expect(memory.getHistoryPromptMessages("x")).rejects.toMatchObject({ code: "conversation_not_found" });
    expect((await forMode({ mode: "conversation", conversation: "conv-1" })).mode).toBe("conversation");
  });

  it.each([
    [{ mode: "node", app: "a", node: "n" }, 'mode: "node" needs `conversation`, and there is none.'],
    [{ mode: "node", app: "a", node: "n", conversation: null }, 'mode: "node" needs `conversation`'],
    [{ mode: "node", conversation: "c", node: "n" }, 'mode: "node" needs `app`'],
    [{ mode: "node", conversation: "c", app: "a", node: "" }, 'mode: "node" needs `node`'],
    [{}, 'mode: "conversation" needs `conversation`'],
    [{ mode: "workflow", conversation: "c" }, 'mode: expected "conversation" or "node", got "workflow".'],
  ])("that lacks what it needs is an error of the configuration: %j", async (options, told) => {
    const failure = { code: "config_invalid", message: expect.stringContaining(told) as string };
    await expect(forMode(options)).rejects.toMatchObject(failure);
  });

  it.each(["../other", "a/b", ".."])("has no node %j", async (node) => {
    await expect(forMode({ mode: "node", ...llm, node })).rejects.toBeInstanceOf(RequestError);
  });
});
