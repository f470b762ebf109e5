// What a host reports to an operator: its counters after turns of every outcome, and its health.
import { createHost, type HostOptions } from "../../src/runtime/compose/compose.ts";
import { RequestError } from "../../src/base/errors.ts";
import { createScriptedModel, type ScriptedReply } from "../../src/model/llm/scripted/scripted-model.ts";
import type { Host } from "../../src/runtime/host.ts";
import { placeOf, useDatabase } from "../support/database.ts";
import { drain } from "../support/runtime.ts";
import { createWordEmbedder } from "../support/word-embedder.ts";

const database = useDatabase();
let host: Host | null = null;

afterEach(() => host?.close());

async function openHost(replies: readonly ScriptedReply[], options: HostOptions = {}): Promise<Host> {
  const place = placeOf(database);
  const model = createScriptedModel({ replies });
  host = await createHost({ ...place, model: model.name, models: [model], embedder: null, ...options });
  return host;
}

const usage = { inputTokens: 100, outputTokens: 5, cachedInputTokens: 40 };
const none = { waiting: 0, running: 0, refused: 0, failed: 0 };

describe("the counters of a host", () => {
  it("count turns by outcome, model calls and tokens, of all users", async () => {
    const opened = await openHost(
      [
        { text: "One.", usage },
        { text: "Two.", usage, stopReason: "length" },
      ],
      { maxConcurrentTurns: 1 },
    );
    const ada = await opened.forUser("ada").agents.open("a", { create: {} });
    const ben = await opened.forUser("ben").agents.open("b", { create: {} });
    expect(opened.counters().turns).toMatchObject(none);
    const running = ada.send("hi")[Symbol.asyncIterator]();
    await running.next();
    expect(opened.counters()).toMatchObject({ users: 2, turns: { ...none, running: 1 } });
    await expect(drain(ada.send("beside"))).rejects.toBeInstanceOf(RequestError);
    while ((await running.next()).done !== true);
    await drain(ben.send("hi"));
    const { turns, modelCalls, tokens } = opened.counters();
    expect(turns).toMatchObject({ ...none, refused: 1, ended: { "end-turn": 1, length: 1, "model-error": 0 } });
    expect(modelCalls).toBe(2);
    expect(tokens).toEqual({ inputTokens: 200, outputTokens: 10, cachedInputTokens: 80 });
    await opened.forUser("ada").close();
    expect(opened.counters().users).toBe(1);
  });

  it("cannot be changed by their reader", async () => {
    const opened = await openHost([]);
    Object.assign(opened.counters().turns.ended, { "end-turn": 7 });
    expect(opened.counters().turns.ended["end-turn"]).toBe(0);
  });

  it("count connections and the vectors that were made in the background", async () => {
    const opened = await openHost([{ text: "One.", usage }], { embedder: createWordEmbedder("words", 16) });
    const ada = opened.forUser("ada");
    await drain((await ada.agents.open("vectors", { create: {} })).send("The harbour opens at dawn."));
    await ada.idle();
    const { connections, backFill } = opened.counters();
    expect(backFill.running).toBe(0);
    expect(backFill.vectors).toBeGreaterThanOrEqual(2);
    expect(connections.max).toBe(database.connection.kind === "server" ? 10 : 4);
    expect(connections.open).toBeGreaterThan(0);
    expect(connections).toMatchObject({ idle: connections.open, waiting: 0 });
  });
});

describe("the health of a host", () => {
  it("is ok while the host is open, and has failed once it is closed", async () => {
    const opened = await openHost([], { embedder: createWordEmbedder("words", 16) });
    expect(await opened.health()).toMatchObject({
      status: "ok",
      isClosing: false,
      database: { isReachable: true },
      embedder: { name: "words", isAvailable: true },
    });
    await opened.close();
    expect(await opened.health()).toMatchObject({
      status: "failed",
      isClosing: true,
      database: { isReachable: false, error: { code: "store_closed" } },
    });
  });
});
