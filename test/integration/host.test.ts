// One host for many users, and what happens to running turns when a runtime or a host is closed.
import { createHost } from "../../src/runtime/compose/compose.ts";
import type { AgentEvent } from "../../src/agent/events.ts";
import type { Model } from "../../src/model/llm/model.ts";
import { noUsage, textOf } from "../../src/base/message/message.ts";
import type { Host } from "../../src/runtime/host.ts";
import { placeOf, useDatabase } from "../support/database.ts";
import { drain } from "../support/runtime.ts";
import { withResolvers } from "../support/with-resolvers.ts";

const database = useDatabase();
let host: Host;
let model: StreamingModel;

beforeEach(async () => {
  model = createStreamingModel();
  host = await openHost();
});
afterEach(() => host.close());

function openHost(): Promise<Host> {
  const place = placeOf(database);
  return createHost({ ...place, model: model.name, models: [model], embedder: null, timeZone: "UTC" });
}

interface StreamingModel extends Model {
  /** Resolves when a reply has begun. */
  readonly begun: Promise<void>;
  /** Lets the reply end. */
  finish(): void;
}

/** Says "Hello", and the rest once it may finish. */
function createStreamingModel(): StreamingModel {
  const begun = withResolvers<void>();
  const finished = withResolvers<void>();
  return {
    name: "streaming",
    contextWindow: 100_000,
    begun: begun.promise,
    finish: finished.resolve,
    async *stream(_request, { signal }) {
      yield { type: "text-delta", text: "Hello" };
      begun.resolve();
      const aborted = withResolvers<never>();
      signal?.addEventListener("abort", () => aborted.reject(signal.reason), { once: true });
      await Promise.race([finished.promise, aborted.promise]);
      yield { type: "text-delta", text: " and goodbye." };
      yield { type: "end", stopReason: "end", usage: noUsage };
    },
  };
}

const stopReasonOf = (events: readonly AgentEvent[]) => {
  const last = events.at(-1);
  return last?.type === "turn-end" ? last.stopReason : last?.type;
};

async function storedText(user: string, agent: string): Promise<readonly string[]> {
  const again = await openHost();
  const opened = await again.forUser(user).agents.open(agent);
  const texts = opened.messages.map(textOf);
  await again.close();
  return texts;
}

describe("a host", () => {
  it("gives each user a runtime of their own, the same one until it is closed", async () => {
    model.finish();
    const [ada, ben] = [host.forUser("ada"), host.forUser("ben")];
    expect(host.forUser("ada")).toBe(ada);
    const agent = await ada.agents.open("diary", { create: {} });
    await drain(agent.send("a secret"));
    await ben.agents.open("diary", { create: {} });
    expect((await ben.recall.search("diary", "secret")).total).toBe(0);
    expect((await ada.recall.search("diary", "secret")).total).toBe(1);
    await ada.close();
    expect(host.forUser("ada")).not.toBe(ada);
    expect((await host.forUser("ada").agents.list()).map(({ name }) => name)).toEqual(["diary"]);
  });

  it("refuses an invalid user, and every user once it is closed", async () => {
    expect(() => host.forUser("")).toThrow(/user/iu);
    await host.close();
    expect(() => host.forUser("ada")).toThrow("The host is closed");
  });
});

describe("closing", () => {
  it("waits for a running turn, and begins no other", async () => {
    const agent = await host.forUser("cleo").agents.open("waits", { create: {} });
    const other = await host.forUser("cleo").agents.open("refused", { create: {} });
    const turn = drain(agent.send("hi"));
    await model.begun;
    const closing = host.close({ graceMs: 30_000 });
    await expect(drain(other.send("too late"))).rejects.toMatchObject({ code: "runtime_closing" });
    await expect(other.compact()).rejects.toMatchObject({ code: "runtime_closing" });
    model.finish();
    expect(stopReasonOf(await turn)).toBe("end-turn");
    await closing;
    expect(await storedText("cleo", "waits")).toEqual(["hi", "Hello and goodbye."]);
    expect(await storedText("cleo", "refused")).toEqual([]);
  });

  it("hands over a turn that takes longer than the grace period", async () => {
    const agent = await host.forUser("dora").agents.open("cut", { create: {} });
    const turn = drain(agent.send("hi")).catch((error: unknown) => error);
    await model.begun;
    await host.close({ graceMs: 50 });
    expect(await turn).toMatchObject({ code: "runtime_closing" });
    expect(await storedText("dora", "cut")).toEqual(["hi"]);
  });

  it("does not wait for a turn whose events are not read", async () => {
    const agent = await host.forUser("eve").agents.open("unread", { create: {} });
    const turn = agent.send("hi");
    await turn.next();
    await host.close({ graceMs: 0 });
    expect(await storedText("eve", "unread")).toEqual(["hi"]);
  });
});
