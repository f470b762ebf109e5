// A user's limits per day and of concurrent turns: what is refused, what is written, and that they hold across restarts.
import { composeRuntime, type RuntimeOptions } from "../../src/runtime/compose/compose.ts";
import { createScriptedModel, type ScriptedReply } from "../../src/model/llm/scripted/scripted-model.ts";
import { useStore } from "../support/database.ts";
import { drain, lastOf } from "../support/runtime.ts";
import { append } from "../support/scene.ts";

const { test } = useStore();
let users = 0;

const usage = { inputTokens: 4000, outputTokens: 1000, cachedInputTokens: 0 };
const one: readonly ScriptedReply[] = [{ text: "One.", usage }];
const prices = { "script*": { input: 1, cachedInput: 1, output: 6 } };

function newUser(): string {
  users += 1;
  return `user-${users}`;
}

/** A process of its own, as far as limits are concerned. */
async function openUser(userId: string, replies: readonly ScriptedReply[], options: RuntimeOptions = {}) {
  const model = createScriptedModel({ replies });
  const own = { userId, model: "scripted", models: [model], embedder: null, timeZone: "UTC", ...options };
  const runtime = await composeRuntime(own, { store: test.store });
  return { runtime, model, agent: await runtime.agents.open("diary", { create: {} }) };
}

const tomorrow = { now: () => new Date(Date.now() + 86_400_000), sleep: async () => undefined };

describe("a limit of tokens per day", () => {
  it("refuses the next turn, with the time to wait and nothing written", async () => {
    const { agent, model, runtime } = await openUser(newUser(), [...one, ...one], { maxDailyTokens: 5000 });
    await drain(agent.send("first"));
    const refused: unknown = await drain(agent.send("second")).catch((error: unknown) => error);
    expect(refused).toMatchObject({
      code: "user_limit_reached",
      limit: "daily-tokens",
      retryAfterMs: expect.any(Number),
      message: expect.stringMatching(
        /^The user may use 5,000 tokens a day and has used 5,000\. The next day begins in .+, at midnight UTC\. Nothing was written\.$/u,
      ),
    });
    const { retryAfterMs } = refused as { readonly retryAfterMs: number };
    expect(retryAfterMs).toBeGreaterThan(0);
    expect(retryAfterMs).toBeLessThanOrEqual(86_400_000);
    await expect(agent.ask("aside")).rejects.toMatchObject({ code: "user_limit_reached" });
    expect(model.requests).toHaveLength(1);
    const again = await runtime.agents.open("diary");
    expect(again.messages.map(({ text }) => text)).toEqual(["first", "One."]);
    expect(again.unfinished).toBe(false);
    await runtime.close();
  });

  it("holds in other processes and for all agents of the user, but not for others, and ends with the day", async () => {
    const user = newUser();
    const first = await openUser(user, one, { maxDailyTokens: 5000 });
    await drain(first.agent.send("first"));
    const second = await openUser(user, one, { maxDailyTokens: 5000 });
    const other = await second.runtime.agents.open("other", { create: {} });
    await expect(drain(other.send("hello"))).rejects.toMatchObject({ code: "user_limit_reached" });
    const stranger = await openUser(newUser(), one, { maxDailyTokens: 5000 });
    expect((await lastOf(stranger.agent.send("hello"))).text).toBe("One.");
    const later = await openUser(user, one, { maxDailyTokens: 5000, clock: tomorrow });
    expect((await lastOf(later.agent.send("hello"))).text).toBe("One.");
    for (const { runtime } of [first, second, stranger, later]) await runtime.close();
  });

  it("ends a turn in progress before its next call, with its work kept, and refuses to resume it", async () => {
    const { agent, runtime, model } = await openUser(newUser(), [{ toolCalls: [append("noted")], usage }, ...one], {
      maxDailyTokens: 5000,
    });
    expect(await lastOf(agent.send("note it"))).toMatchObject({
      stopReason: "budget",
      steps: 1,
      error: { code: "user_limit_reached", message: expect.stringContaining("has used 5,000") },
    });
    expect(agent.memory.read("human")).toBe("noted");
    expect(model.requests).toHaveLength(1);
    expect(agent.unfinished).toBe(true);
    await expect(drain(agent.resume())).rejects.toMatchObject({ code: "user_limit_reached" });
    await runtime.close();
  });

  it("counts calls whose provider reports no usage", async () => {
    const { agent, runtime } = await openUser(newUser(), [{ text: "One." }, { text: "Two." }], { maxDailyTokens: 20 });
    await drain(agent.send("first"));
    await expect(drain(agent.send("second"))).rejects.toMatchObject({ code: "user_limit_reached" });
    await runtime.close();
  });
});

describe("a limit of money per day", () => {
  it("counts by the configured prices", async () => {
    const { agent, runtime } = await openUser(newUser(), [...one, ...one], { maxDailyDollars: 0.02, prices });
    await drain(agent.send("first"));
    await drain(agent.send("second"));
    await expect(drain(agent.send("third"))).rejects.toMatchObject({
      limit: "daily-dollars",
      message: expect.stringContaining("may spend $0.02 a day and has spent $0.0200"),
    });
    await runtime.close();
  });

  it("is a ConfigError without a price, with nothing written", async () => {
    const { agent, runtime } = await openUser(newUser(), one, { maxDailyDollars: 1 });
    await expect(drain(agent.send("first"))).rejects.toMatchObject({
      code: "config_invalid",
      message: expect.stringContaining('"scripted"'),
    });
    expect(agent.messages).toEqual([]);
    await runtime.close();
  });
});

describe("a limit of concurrent turns", () => {
  it("refuses a turn beside a running one, in any conversation of the user, and no later one", async () => {
    const { agent, runtime } = await openUser(newUser(), [...one, ...one], { maxConcurrentTurns: 1 });
    const other = await runtime.agents.open("other", { create: {} });
    const running = agent.send("first")[Symbol.asyncIterator]();
    await running.next();
    await expect(drain(other.send("beside"))).rejects.toMatchObject({
      code: "user_limit_reached",
      limit: "concurrent-turns",
      retryAfterMs: 1000,
    });
    expect(other.messages).toEqual([]);
    while ((await running.next()).done !== true);
    expect((await lastOf(other.send("after"))).text).toBe("One.");
    await runtime.close();
  });
});

describe("userLimits", () => {
  it("gives a user other limits than all others, also in a host where the others have none", async () => {
    const [limited, free, other] = [newUser(), newUser(), newUser()];
    const userLimits = { [limited]: { maxDailyTokens: 5000 }, [free]: { maxDailyTokens: null } };
    const ofOne = await openUser(limited, [...one, ...one], { userLimits });
    const ofFree = await openUser(free, [...one, ...one], { maxDailyTokens: 5000, userLimits });
    const ofOther = await openUser(other, [...one, ...one], { userLimits });
    for (const { agent } of [ofOne, ofFree, ofOther]) await drain(agent.send("first"));
    await expect(drain(ofOne.agent.send("second"))).rejects.toMatchObject({ limit: "daily-tokens" });
    for (const { agent } of [ofFree, ofOther]) expect((await lastOf(agent.send("second"))).text).toBe("One.");
    for (const { runtime } of [ofOne, ofFree, ofOther]) await runtime.close();
  });
});

describe("limitsFor", () => {
  it("gives each user other limits than the configured ones, from the next turn on", async () => {
    const user = newUser();
    const limits = { maxDailyTokens: 5000 };
    const asked: string[] = [];
    const { agent, runtime } = await openUser(user, [...one, ...one], {
      maxDailyTokens: 1,
      limitsFor: (userId) => {
        asked.push(userId);
        return limits;
      },
    });
    await drain(agent.send("first"));
    await expect(drain(agent.send("second"))).rejects.toMatchObject({ code: "user_limit_reached" });
    limits.maxDailyTokens = 5001;
    expect((await lastOf(agent.send("second"))).text).toBe("One.");
    expect(new Set(asked)).toEqual(new Set([user]));
    await runtime.close();
  });

  it("is refused with a value that is no limit", async () => {
    const { agent, runtime } = await openUser(newUser(), one, { limitsFor: () => ({ maxDailyTokens: 0 }) });
    await expect(drain(agent.send("first"))).rejects.toMatchObject({
      code: "config_invalid",
      message: expect.stringContaining("maxDailyTokens of `limitsFor`"),
    });
    expect(agent.messages).toEqual([]);
    await runtime.close();
  });
});
