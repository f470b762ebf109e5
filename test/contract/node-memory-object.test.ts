// The object of a node memory in a folder and in an S3-compatible service: key, JSON, size, damage, clean-up,
// and failures of the service. On the engine at hand.
import { textOf } from "../../src/base/message/message.ts";
import type { NodeMessage } from "../../src/memory/node/node-format.ts";
import { nodeExample } from "../support/node-example.ts";
import type { NodePlace } from "../support/node-places.ts";
import { keep, nodeStart, nodeExchange, openNodeScene, textsOf } from "../support/node-scene.ts";
import { useScene } from "../support/use-scene.ts";

const scene = useScene(() => openNodeScene());

const llm = { app: "support", conversation: "conv-1", node: "llm" };

describe.each(["folder", "s3"] as const)("the object in the %s", (kind) => {
  const place = (): NodePlace => scene.places[kind];
  const open = () => scene.open(kind);
  const own = (node: string) => ({ app: "format", conversation: kind, node });
  const path = (node: string) => `node_memory/format/${kind}/${node}.json`;

  it("is the only one, at the key, with the JSON of format version 1", async () => {
    const { runtime, clock } = await open();
    const memory = runtime.nodeMemory.open(own("exact"));
    expect(memory.key).toBe(path("exact"));
    await keep(memory, nodeExchange("msg-001", null, { assistantMessageId: "msg-002" }));
    await clock.advance(61_000);
    await keep(memory, nodeExchange("msg-003", "msg-002", { assistantMessageId: "msg-004" }));
    const kept = (await place().keys()).filter((key) => key.endsWith(path("exact")));
    expect(kept).toEqual([expect.stringMatching(new RegExp(`^[0-9a-f-]{36}/${path("exact")}$`, "u"))]);
    const first = "2026-01-07T10:00:00.000Z";
    const second = "2026-01-07T10:01:01.000Z";
    const asked = { role: "user", files: [], token_count: expect.any(Number) };
    const answered = { ...asked, role: "assistant" };
    expect(JSON.parse((await place().read(path("exact"))).toString("utf8"))).toEqual({
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

  const messagesAt = async (node: string) => {
    const json = JSON.parse((await place().read(path(node))).toString("utf8"));
    return (json as { readonly messages: readonly NodeMessage[] }).messages;
  };

  it("contains the tokens of each message by the model's counter, and histories are limited by them", async () => {
    const { runtime } = await open();
    const said = { userContent: "船は港に着きました", assistantContent: "いつですか" };
    const totals: number[] = [];
    for (const model of ["openai/gpt-4o", "openai/gpt-4", "anthropic/claude-sonnet-4-5"]) {
      const node = `counted-${totals.length}`;
      const memory = runtime.nodeMemory.open({ ...own(node), model });
      await keep(memory, nodeExchange("m1", null, said));
      const counts = (await messagesAt(node)).map((message) => message.token_count);
      const total = counts[0]! + counts[1]!;
      expect(await textsOf(memory, "m2", total)).toHaveLength(2);
      expect(await textsOf(memory, "m2", total - 1)).toEqual([said.assistantContent]);
      totals.push(total);
    }
    expect(new Set(totals).size).toBe(3);
  });

  it("that another program wrote in format version 1 is read, and keeps its content when messages are added", async () => {
    const { runtime } = await open();
    const memory = runtime.nodeMemory.open(own("foreign"));
    await keep(memory, nodeExchange("first", null));
    await place().overwrite(path("foreign"), Buffer.from(nodeExample));
    const history = await memory.getHistoryPromptMessages("msg-003", { parentMessageId: "msg-002" });
    expect(history.map(({ role }) => role)).toEqual(["user", "assistant"]);
    expect(history.map(textOf)).toEqual([
      "Analyze this image[image: no longer stored]",
      "This is a landscape image...",
    ]);
    await keep(memory, nodeExchange("msg-003", "msg-002"));
    const kept = await messagesAt("foreign");
    expect(kept.slice(0, 2)).toEqual((JSON.parse(nodeExample) as { readonly messages: unknown }).messages);
    expect(kept.slice(2).map((message) => message.content)).toEqual(["ask msg-003", "answer msg-003"]);
  });

  it("is compressed above 65,536 bytes of JSON, or the given size", async () => {
    const { runtime } = await open();
    const keepLetters = async (node: string, letters: number): Promise<Buffer> => {
      await keep(runtime.nodeMemory.open(own(node)), nodeExchange("m1", null, { userContent: "a".repeat(letters) }));
      return place().read(path(node));
    };
    const around = (await keepLetters("short", 60_000)).length - 60_000;
    const longest = await keepLetters("longest", 65_536 - around);
    expect([longest.length, longest.subarray(0, 1).toString()]).toEqual([65_536, "{"]);
    const long = await keepLetters("long", 65_537 - around);
    expect([...long.subarray(0, 2)]).toEqual([0x1f, 0x8b]);
    expect(long.length).toBeLessThan(2000);
    expect((await textsOf(runtime.nodeMemory.open(own("long"))))[0]).toHaveLength(65_537 - around);
    await keep(runtime.nodeMemory.open({ ...own("tiny"), compressAbove: 10 }), nodeExchange("m1", null));
    expect([...(await place().read(path("tiny"))).subarray(0, 2)]).toEqual([0x1f, 0x8b]);
  });

  it.each([-1, 0.5, Number.NaN])("cannot be compressed above %d bytes", async (compressAbove) => {
    const { runtime } = await open();
    expect(() => runtime.nodeMemory.open({ ...own("sized"), compressAbove })).toThrow("Expected `compressAbove`");
  });

  it.each([
    ["half", (bytes: Buffer) => bytes.subarray(0, bytes.length / 2), "it is not JSON"],
    [
      "of a newer version",
      () => Buffer.from('{"version":2,"messages":[]}'),
      "a newer version of Palimpsest wrote it (format 2",
    ],
    ["something else", () => Buffer.from("[1]"), "its JSON has the wrong form ("],
  ])("is not overwritten when it is %s, and added exchanges keep waiting", async (what, damage, told) => {
    const { runtime } = await open();
    const node = `damaged-${what.replaceAll(" ", "-")}`;
    const memory = runtime.nodeMemory.open(own(node));
    await keep(memory, nodeExchange("m1", null));
    const whole = await place().read(path(node));
    const damaged = damage(whole);
    await place().overwrite(path(node), damaged);
    memory.addMessages(nodeExchange("m2", "m1"));
    const failure = { code: "node_memory_invalid", message: expect.stringContaining(told) as string };
    await expect(memory.flush()).rejects.toMatchObject(failure);
    await expect(memory.getHistoryPromptMessages("m2")).rejects.toThrow(path(node));
    expect(await place().read(path(node))).toEqual(damaged);
    await place().overwrite(path(node), whole);
    await memory.flush();
    expect(await textsOf(memory)).toEqual(["ask m1", "answer m1", "ask m2", "answer m2"]);
  });

  it("that is missing is an error until the memory is cleared", async () => {
    const { runtime } = await open();
    const memory = runtime.nodeMemory.open(own("gone"));
    await keep(memory, nodeExchange("m1", null));
    await place().remove(path("gone"));
    await expect(textsOf(memory)).rejects.toThrow(/its object .* is not in the/u);
    await memory.clear();
    expect(await textsOf(memory)).toEqual([]);
  });

  it("is reported as stored elsewhere after a change of the setting", async () => {
    const { runtime, userId } = await open();
    await keep(runtime.nodeMemory.open(own("moved")), nodeExchange("m1", null));
    const moved = (await scene.open("database", userId)).runtime.nodeMemory.open(own("moved"));
    await expect(textsOf(moved)).rejects.toMatchObject({ code: "objects_failed" });
  });

  it("is deleted by clear, and by the runtime's clean-up by age", async () => {
    const { runtime, clock } = await open();
    const [cleared, old, young] = ["cleared", "old", "young"].map((node) => runtime.nodeMemory.open(own(node)));
    await keep(cleared!, nodeExchange("m1", null));
    await cleared!.clear();
    await keep(old!, nodeExchange("m1", null));
    await clock.advance(3_600_000);
    await keep(young!, nodeExchange("m1", null));
    await clock.advance(1000);
    const summary = {
      ...own("old"),
      messages: 2,
      bytes: (await place().read(path("old"))).length,
      updatedAt: new Date(nodeStart),
    };
    expect(await runtime.nodeMemory.listUnused(3_600_000)).toEqual([summary]);
    expect((await place().read(path("old"))).length).toBe(summary.bytes);
    expect(await runtime.nodeMemory.prune(3_600_000)).toEqual([summary]);
    const left = (await place().keys()).map((key) => key.split("/").at(-1));
    expect(left).toContain("young.json");
    expect(left).not.toContain("old.json");
    expect(left).not.toContain("cleared.json");
    await expect(runtime.nodeMemory.prune(-1)).rejects.toMatchObject({ code: "input_invalid" });
  });
});

describe("a service that fails", () => {
  it("keeps added exchanges waiting, and loses no stored one", async () => {
    const { server } = scene.places.faulty;
    const { runtime } = await scene.open(server.setting);
    const memory = runtime.nodeMemory.open({ ...llm, app: "outage" });
    await keep(memory, nodeExchange("m1", null));
    memory.addMessages(nodeExchange("m2", "m1"));
    server.isDown = true;
    await expect(memory.flush()).rejects.toMatchObject({ code: "objects_failed" });
    server.isDown = false;
    expect(await textsOf(runtime.nodeMemory.open({ ...llm, app: "outage" }))).toEqual(["ask m1", "answer m1"]);
    await memory.flush();
    expect(await textsOf(runtime.nodeMemory.open({ ...llm, app: "outage" }))).toHaveLength(4);
  });

  it("does not receive stored exchanges again", async () => {
    const { server } = scene.places.faulty;
    const { runtime } = await scene.open(server.setting);
    const memory = runtime.nodeMemory.open({ ...llm, app: "again" });
    await keep(memory, nodeExchange("m1", null));
    const before = server.requests["PUT"];
    await keep(memory, nodeExchange("m1", null));
    expect(server.requests["PUT"]).toBe(before);
  });

  it("keeps exchanges that are added during a flush for the next one", async () => {
    const { server } = scene.places.faulty;
    const { runtime } = await scene.open(server.setting);
    const memory = runtime.nodeMemory.open({ ...llm, app: "meanwhile" });
    let isFirst = true;
    server.delay = async (method) => {
      if (method !== "PUT" || !isFirst) return;
      isFirst = false;
      memory.addMessages(nodeExchange("m2", "m1"));
    };
    await keep(memory, nodeExchange("m1", null));
    server.delay = async () => undefined;
    expect(await textsOf(runtime.nodeMemory.open({ ...llm, app: "meanwhile" }))).toEqual(["ask m1", "answer m1"]);
    await memory.flush();
    expect(await textsOf(runtime.nodeMemory.open({ ...llm, app: "meanwhile" }))).toHaveLength(4);
  });

  it("returns the new object to a reader whose object is replaced during the read", async () => {
    const { server } = scene.places.faulty;
    const { runtime } = await scene.open(server.setting);
    const key = { ...llm, app: "replaced" };
    await keep(runtime.nodeMemory.open(key), nodeExchange("m1", null));
    let isFirst = true;
    server.delay = async (method) => {
      if (method !== "GET" || !isFirst) return;
      isFirst = false;
      await keep(runtime.nodeMemory.open(key), nodeExchange("m2", "m1"));
    };
    const read = await textsOf(runtime.nodeMemory.open(key));
    server.delay = async () => undefined;
    expect([isFirst, read]).toEqual([false, ["ask m1", "answer m1", "ask m2", "answer m2"]]);
  });

  it("does not let a suspended writer overwrite later writes of others", async () => {
    const { server } = scene.places.faulty;
    const { runtime } = await scene.open(server.setting);
    const key = { ...llm, app: "stalled" };
    await keep(runtime.nodeMemory.open(key), nodeExchange("m1", null));
    let release = (): void => undefined;
    let isFirst = true;
    server.delay = async (method) => {
      if (method !== "PUT" || !isFirst) return;
      isFirst = false;
      await new Promise<void>((resolve) => (release = resolve));
    };
    const stalled = keep(runtime.nodeMemory.open(key), nodeExchange("m2", "m1"));
    while (isFirst) await new Promise((resolve) => setTimeout(resolve, 5));
    await keep(runtime.nodeMemory.open(key), nodeExchange("m3", "m2"));
    release();
    await stalled;
    server.delay = async () => undefined;
    const expected = ["ask m1", "answer m1", "ask m2", "answer m2", "ask m3", "answer m3"];
    expect(await textsOf(runtime.nodeMemory.open(key))).toEqual(expected);
    expect((await scene.places.faulty.keys()).filter((name) => name.includes("node_memory/stalled/"))).toHaveLength(1);
  });
});
