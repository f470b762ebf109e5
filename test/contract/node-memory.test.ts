// Node memories in the database, in a folder, and in a service that speaks S3: what they keep, and many writers at once. On the
// engine at hand; the service is the server of TEST_S3_URL where there is one, and else one with the faults that such services have.
import { RequestError } from "../../src/base/errors.ts";
import { type Message, textOf } from "../../src/base/message/message.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { keep, nodeExchange, openNodeScene, textsOf } from "../support/node-scene.ts";
import { useScene } from "../support/use-scene.ts";

const scene = useScene(() => openNodeScene());

const llm = { app: "support", conversation: "conv-1", node: "llm" };

describe.each(["database", "folder", "s3"] as const)("a node memory in the %s", (kind) => {
  const open = (userId?: string) => scene.open(kind, userId);

  it("returns the added exchanges, as messages for a model", async () => {
    const { runtime, userId } = await open();
    await keep(runtime.nodeMemory.open(llm), nodeExchange("m1", null), nodeExchange("m2", "m1"));
    const again = (await open(userId)).runtime.nodeMemory.open(llm);
    const expected: readonly Message[] = [
      { role: "user", content: [{ type: "text", text: "ask m1" }] },
      { role: "assistant", content: [{ type: "text", text: "answer m1" }] },
      { role: "user", content: [{ type: "text", text: "ask m2" }] },
      { role: "assistant", content: [{ type: "text", text: "answer m2" }] },
    ];
    expect(await again.getHistoryPromptMessages("m3")).toEqual(expected);
  });

  it("is separate for each node, conversation, application and user", async () => {
    const { runtime } = await open();
    await keep(runtime.nodeMemory.open(llm), nodeExchange("m1", null));
    for (const change of [{ node: "llm2" }, { conversation: "conv-2" }, { app: "sales" }]) {
      expect(await textsOf(runtime.nodeMemory.open({ ...llm, ...change }))).toEqual([]);
    }
    const other = (await open()).runtime.nodeMemory.open(llm);
    expect(await textsOf(other)).toEqual([]);
    await other.clear();
    expect(await textsOf(runtime.nodeMemory.open(llm))).toEqual(["ask m1", "answer m1"]);
  });

  it("contains all exchanges of eight concurrent writers, in order", async () => {
    const { runtime, userId } = await open();
    const others = await Promise.all([open(userId), open(userId), open(userId)]);
    const all = [runtime, ...others.map((one) => one.runtime)];
    const rounds = 2;
    await Promise.all(
      Array.from({ length: 8 }, async (_, writer) => {
        const memory = all[writer % all.length]!.nodeMemory.open(llm);
        for (let round = 0; round < rounds; round += 1) {
          // A chain over all writers: what comes first is often kept last.
          const number = round * 8 + writer;
          await keep(memory, nodeExchange(`m${number}`, number === 0 ? null : `m${number - 1}`));
        }
      }),
    );
    const expected = Array.from({ length: 8 * rounds }, (_, at) => [`ask m${at}`, `answer m${at}`]).flat();
    expect(await textsOf(runtime.nodeMemory.open(llm), `m${8 * rounds - 1}`)).toEqual(expected);
  });

  it("keeps the exchanges of a writer that read before others wrote", async () => {
    const { runtime, userId } = await open();
    const late = runtime.nodeMemory.open(llm);
    await keep(late, nodeExchange("m1", null));
    const early = (await open(userId)).runtime.nodeMemory.open(llm);
    await keep(early, nodeExchange("m2", "m1"));
    await keep(late, nodeExchange("m3", "m2"));
    expect(await textsOf(early)).toEqual(["ask m1", "answer m1", "ask m2", "answer m2", "ask m3", "answer m3"]);
  });

  it("shows added exchanges before a flush, only to their writer", async () => {
    const { runtime } = await open();
    const memory = runtime.nodeMemory.open(llm);
    memory.addMessages(nodeExchange("m1", null));
    expect(await textsOf(memory)).toEqual(["ask m1", "answer m1"]);
    expect(await textsOf(runtime.nodeMemory.open(llm))).toEqual([]);
    await memory.flush();
    expect(await textsOf(runtime.nodeMemory.open(llm))).toEqual(["ask m1", "answer m1"]);
  });

  it("is empty after clear, including waiting exchanges, and can be used again", async () => {
    const { runtime } = await open();
    const memory = runtime.nodeMemory.open(llm);
    await keep(memory, nodeExchange("m1", null));
    memory.addMessages(nodeExchange("m2", "m1"));
    await memory.clear();
    await memory.flush();
    expect(await textsOf(memory)).toEqual([]);
    await keep(memory, nodeExchange("m9", null));
    expect(await textsOf(memory)).toEqual(["ask m9", "answer m9"]);
  });

  it("stores an exchange once that was added twice, and refuses one with another's id without losing the others", async () => {
    const { runtime } = await open();
    const memory = runtime.nodeMemory.open(llm);
    await keep(memory, nodeExchange("m1", null), nodeExchange("m1", null));
    await keep(memory, nodeExchange("m1", null));
    memory.addMessages(nodeExchange("m1", null, { userContent: "something else" }));
    memory.addMessages(nodeExchange("m2", "m1"));
    await expect(memory.flush()).rejects.toMatchObject({
      code: "input_invalid",
      message: expect.stringContaining('"m1"'),
    });
    expect(await textsOf(runtime.nodeMemory.open(llm))).toEqual(["ask m1", "answer m1", "ask m2", "answer m2"]);
    await expect(memory.flush()).resolves.toBeUndefined();
  });

  it.each(["a".repeat(1_000_000), "写真 👩‍👩‍👧", "</human> %_", "a\u0000b", "\ud800", ""])(
    "keeps the text %#",
    async (words) => {
      const { runtime } = await open();
      await keep(
        runtime.nodeMemory.open(llm),
        nodeExchange("m1", null, { userContent: words, assistantContent: words }),
      );
      expect(await textsOf(runtime.nodeMemory.open(llm))).toEqual([words, words]);
    },
  );
});

describe("the history of a node", () => {
  const open = async (count: number) => {
    const { runtime } = await scene.open("database");
    const memory = runtime.nodeMemory.open(llm);
    await keep(
      memory,
      ...Array.from({ length: count }, (_, at) => nodeExchange(`m${at}`, at === 0 ? null : `m${at - 1}`)),
    );
    return memory;
  };

  it("has at most 2,000 tokens by default: the newest, without a gap", async () => {
    const memory = await open(200);
    const all = await textsOf(memory);
    expect(all).toHaveLength(400);
    const short = (await memory.getHistoryPromptMessages("next")).map(textOf);
    expect(short.length).toBeGreaterThan(100);
    expect(short.length).toBeLessThan(400);
    expect(short).toEqual(all.slice(-short.length));
    expect(await textsOf(memory, "next", 2000)).toEqual(short);
  });

  it("is limited like the history of a conversation: by messages, and down to nothing", async () => {
    const memory = await open(3);
    const messages = await memory.getHistoryPromptMessages("next", { messageLimit: 3 });
    expect(messages.map(textOf)).toEqual(["answer m1", "ask m2", "answer m2"]);
    expect(await memory.getHistoryPromptMessages("next", { maxTokens: 0 })).toEqual([]);
    const wrong = memory.getHistoryPromptMessages("next", { maxTokens: -1 });
    await expect(wrong).rejects.toMatchObject({ code: "input_invalid" });
  });

  it("accumulates over the iterations of a loop, each with its own id", async () => {
    const { runtime } = await scene.open("database");
    const memory = runtime.nodeMemory.open({ ...llm, node: "loop" });
    await keep(memory, nodeExchange("m1/1", null), nodeExchange("m1/2", "m1/1"), nodeExchange("m1/3", "m1/2"));
    expect(await textsOf(memory, "m1/3")).toHaveLength(6);
  });

  it("is that of the thread: a regenerated answer replaces the previous one", async () => {
    const { runtime } = await scene.open("database");
    const memory = runtime.nodeMemory.open(llm);
    await keep(memory, nodeExchange("A", null, { assistantMessageId: "A'" }), nodeExchange("B", "A'"));
    await keep(
      memory,
      nodeExchange("A", null, { assistantMessageId: "A''", assistantContent: "regenerated" }),
      nodeExchange("C", "A''"),
    );
    expect(await textsOf(memory, "C")).toEqual(["ask A", "regenerated", "ask C", "answer C"]);
    expect(await textsOf(memory, "B")).toEqual(["ask A", "answer A", "ask B", "answer B"]);
  });
});

describe("a mode", () => {
  const forMode = async (options: unknown) => {
    const { runtime } = await scene.open("database");
    return runtime.nodeMemory.forMode(options as Parameters<Runtime["nodeMemory"]["forMode"]>[0]);
  };

  it("`node` is the memory of the node", async () => {
    expect(await forMode({ mode: "node", ...llm })).toMatchObject({
      mode: "node",
      key: "node_memory/support/conv-1/llm.json",
    });
  });

  it("`conversation` is the default: the history of the conversation", async () => {
    const memory = await forMode({ conversation: "conv-1" });
    expect(memory.mode).toBe("conversation");
    await expect(memory.getHistoryPromptMessages("x")).rejects.toMatchObject({ code: "conversation_not_found" });
    expect((await forMode({ mode: "conversation", conversation: "conv-1" })).mode).toBe("conversation");
  });

  it.each([
    [{ mode: "node", app: "a", node: "n" }, 'Expected `conversation` for the mode "node", got none.'],
    [{ mode: "node", app: "a", node: "n", conversation: null }, 'Expected `conversation` for the mode "node"'],
    [{ mode: "node", conversation: "c", node: "n" }, 'Expected `app` for the mode "node"'],
    [{ mode: "node", conversation: "c", app: "a", node: "" }, 'Expected `node` for the mode "node"'],
    [{}, 'Expected `conversation` for the mode "conversation"'],
    [{ mode: "workflow", conversation: "c" }, 'mode: expected "conversation" or "node", got "workflow".'],
  ])("that lacks an option is a configuration error: %j", async (options, told) => {
    const failure = { code: "config_invalid", message: expect.stringContaining(told) as string };
    await expect(forMode(options)).rejects.toMatchObject(failure);
  });

  it.each(["../other", "a/b", ".."])("has no node %j", async (node) => {
    await expect(forMode({ mode: "node", ...llm, node })).rejects.toBeInstanceOf(RequestError);
  });
});
