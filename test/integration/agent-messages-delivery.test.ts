// The delivery of messages between agents while something else changes: a forgetting, a limit, an approval, a conversation.
import { randomUUID } from "node:crypto";
import { composeRuntime, type RuntimeOptions } from "../../src/runtime/compose/compose.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import type { Store, UserStore } from "../../src/store/port/store.ts";
import {
  createSpeakers,
  first,
  lastText,
  said,
  settled,
  speakers,
  speaksTo,
  write,
} from "../support/agent-messages-scene.ts";
import { useStore } from "../support/database.ts";
import { drain } from "../support/runtime.ts";
import { until } from "../support/until.ts";

const { test: opened } = useStore();
const runtimes: Runtime[] = [];

afterAll(async () => {
  for (const runtime of runtimes) await runtime.close();
});

/** Opens a runtime, which is a process of its own as far as limits and messages are concerned. */
async function open(options: RuntimeOptions, store: Store = opened.store) {
  const logged: string[] = [];
  const log = (line: string): void => void logged.push(line);
  const runtime = await composeRuntime({ ...options, embedder: null, log }, { store });
  runtimes.push(runtime);
  return { runtime, logged };
}

test("an answer that is forgotten while its delivery waits for the lease is not written again", async () => {
  const { options, models } = speakers({
    ada: first(write("bob", "Where?", true), { text: "ok" }),
    bob: said("In Harbour Street, by the mill."),
  });
  let forget: (() => Promise<unknown>) | null = null;
  const forgetting = (own: UserStore): UserStore => ({
    ...own,
    leases: {
      ...own.leases,
      // Only the delivery of an answer comes before the queue.
      take: async (request) => {
        const due = request.goesFirst === true ? forget : null;
        if (due !== null) forget = null;
        await due?.();
        return own.leases.take(request);
      },
    },
  });
  const store = { ...opened.store, as: (userId: string) => forgetting(opened.store.as(userId)) };
  const { runtime } = await open(options, store);
  const { ada } = await createSpeakers(runtime, ["ada", "bob"]);
  forget = () => runtime.forget.apply({ texts: ["Harbour Street"] });
  await drain(ada!.send("Ask Bob."));
  await settled(runtime, "ada");
  expect(forget).toBeNull();
  expect(lastText(models["ada"]!.requests[1]!)).toBe("ok: In [forgotten], by the mill.");
});

test("a message that a turn has taken is not delivered again by a process that did not see it", async () => {
  const { options } = speakers({ ada: first(write("bob", "Hi", false), { text: "ok" }), bob: said("Hello") });
  const { runtime } = await open({ ...options, userId: "taken" });
  const { ada } = await createSpeakers(runtime, ["ada", "bob"]);
  await drain(ada!.send("Tell Bob."));
  await settled(runtime, "ada");
  const [sent] = await opened.ownerRows<{ readonly agent: string; readonly conversation: string }>(
    `update agent_messages set status = 'queued' where user_id = 'taken' and text = 'Hi'
     returning to_agent_id as agent, to_conversation_id as conversation`,
  );
  expect(await opened.store.as("taken").agentMessages.queued(sent!.agent, sent!.conversation)).toEqual([]);
});

test("a message whose text is forgotten before its call runs is not sent", async () => {
  const text = "Meet me in Harbour Street.";
  const { options, models } = speakers({ ada: first(write("bob", text)), bob: said("ok") });
  let forget: (() => Promise<unknown>) | null = null;
  const as: Store["as"] = (userId) => {
    const own = opened.store.as(userId);
    const find: typeof own.agents.find = async (name) => {
      const found = await own.agents.find(name);
      if (name === "bob") await forget?.();
      return found;
    };
    return { ...own, agents: { ...own.agents, find } };
  };
  const { runtime } = await open({ ...options, userId: "hasty" }, { ...opened.store, as });
  const { ada } = await createSpeakers(runtime, ["ada", "bob"]);
  forget = () => runtime.forget.apply({ texts: [text] });
  await expect(drain(ada!.send("Ask Bob."))).rejects.toMatchObject({ code: "lease_lost" });
  forget = null;
  await settled(runtime, "ada");
  expect(models["bob"]!.requests).toEqual([]);
  expect(JSON.stringify(await runtime.agentMessages.list("ada"))).not.toContain("Harbour");
});

describe("what can pass does not end a message", () => {
  const usage = { inputTokens: 4000, outputTokens: 1000, cachedInputTokens: 0 };
  const free = { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0 };

  /** Ada waits for Bob, whose answer uses up the tokens of the day. */
  async function answeredAtLimit(userId: string) {
    const { options, models } = speakers({
      ada: first({ ...write("bob", "Hi", true), usage: free }, { text: "ok" }),
      bob: () => ({ text: "Hello", usage }),
    });
    const own = { ...options, userId };
    const { runtime, logged } = await open({ ...own, maxDailyTokens: 5000 });
    const { ada } = await createSpeakers(runtime, ["ada", "bob"]);
    await drain(ada!.send("Ask Bob."));
    await runtime.idle();
    return { runtime, logged, models, own };
  }

  const waiting = [
    { from: "bob", status: "queued", outcome: null },
    { from: "ada", status: "delivered", outcome: null },
  ];

  test("a limit per day: the answer comes once it allows a turn, and the log says once that it waits", async () => {
    const { runtime, logged, models, own } = await answeredAtLimit("limited");
    for (let tries = 0; tries < 2; tries += 1) {
      await runtime.agentMessages.deliver();
      await runtime.idle();
    }
    expect(await runtime.agentMessages.list("ada")).toMatchObject(waiting);
    expect(logged).toEqual([
      expect.stringMatching(
        /^A message between agents was not delivered and will be tried again: The user may use 5,000 tokens a day/u,
      ),
    ]);
    const next = await open(own);
    await settled(next.runtime, "ada");
    expect(lastText(models["ada"]!.requests[1]!)).toBe("ok: Hello");
  });

  test("a process without the model of the agent that waits", async () => {
    const { runtime, models, own } = await answeredAtLimit("keyless");
    const other = await open({ ...own, models: [models["bob"]!] });
    for (let tries = 0; tries < 2; tries += 1) {
      await other.runtime.agentMessages.deliver();
      await other.runtime.idle();
    }
    expect(await runtime.agentMessages.list("ada")).toMatchObject(waiting);
    expect(other.logged.filter((line) => line.includes("was not delivered"))).toHaveLength(1);
    const next = await open(own);
    await settled(next.runtime, "ada");
    expect(lastText(models["ada"]!.requests[1]!)).toBe("ok: Hello");
  });
});

describe("a call that waits for approval", () => {
  const asks = { toolCalls: [{ name: "core_memory_append", arguments: { name: "human", content: "x" } }] };
  const settings = { ...speaksTo, approvals: ["core_memory_append"] };

  /** Ends the time for the decision about a call of this agent. */
  async function expire(agentId: string): Promise<void> {
    const expired = await opened.ownerRows(
      "update tool_calls set expires_at = now() - interval '1 hour' where agent_id = $1::uuid and status = 'awaiting-approval' returning 1",
      [agentId],
    );
    expect(expired).toHaveLength(1);
  }

  test("and expires does not hold up the agent that waits for its turn", async () => {
    const { options, models } = speakers({
      ada: first(write("bob", "Hi", true), { text: "ok" }),
      bob: first(asks, { text: "Not noted" }),
    });
    const { runtime } = await open({ ...options, userId: "expiring" });
    const { ada, bob } = await createSpeakers(runtime, ["ada", "bob"], settings);
    await drain(ada!.send("Ask Bob."));
    await runtime.idle();
    expect(await runtime.agentMessages.list("ada")).toMatchObject([{ status: "delivered", outcome: null }]);
    await expire(bob!.record.id);
    await settled(runtime, "ada");
    expect(lastText(models["bob"]!.requests[1]!)).toContain("nobody decided in time");
    expect(lastText(models["ada"]!.requests[1]!)).toBe("ok: Not noted");
  });

  test("and expires does not block later messages to its conversation", async () => {
    const { options, models } = speakers({
      ada: first(write("bob", "Hi"), { text: "done" }),
      bob: first(asks, { text: "Hello" }),
    });
    const { runtime } = await open({ ...options, userId: "blocked" });
    const { ada, bob } = await createSpeakers(runtime, ["ada", "bob"], settings);
    await drain(bob!.send("Note it."));
    await drain(ada!.send("Write to Bob."));
    await runtime.idle();
    expect(await runtime.agentMessages.list("ada")).toMatchObject([{ status: "queued", outcome: null }]);
    await expire(bob!.record.id);
    expect(await settled(runtime, "ada")).toMatchObject([{ outcome: "end-turn" }]);
    expect(lastText(models["bob"]!.requests[1]!)).toContain("Hi");
  });

  test("ends with the grant of its agent: the agent that waits reads why", async () => {
    const { options, models } = speakers({
      joes: first(write("eve/bob", "Hi", true), { text: "ok" }),
      bob: first(asks),
    });
    const eve = await open({ ...options, userId: "eve" });
    await createSpeakers(eve.runtime, ["bob"], settings);
    const { runtime } = await open({ ...options, userId: "joe" });
    const { joes } = await createSpeakers(runtime, ["joes"]);
    await eve.runtime.agents.share("bob", "joe");
    await runtime.agents.accept("eve/bob");
    await drain(joes!.send("Ask Bob."));
    await runtime.idle();
    expect(await runtime.agentMessages.list("joes")).toMatchObject([{ status: "delivered", outcome: null }]);
    await eve.runtime.agents.unshare("bob", "joe");
    await settled(runtime, "joes");
    expect(lastText(models["joes"]!.requests[1]!)).toContain("gave no answer (grant_ended).");
  });
});

test("a message to a deleted conversation does not end the messages to other conversations of its agent", async () => {
  const { options, models } = speakers({ ada: said("ok"), bob: said("Hi") });
  const userId = "deleting";
  const { runtime } = await open({ ...options, userId });
  const { ada, bob } = await createSpeakers(runtime, ["ada", "bob"]);
  const other = await runtime.agents.open("ada", { conversation: "new" });
  await drain(bob!.send("Hello"));
  const { agentMessages, leases } = opened.store.as(userId);
  const { conversationId: talk } = bob!;
  await leases.take({ conversationId: talk, claimant: "bob's turn", ttlMs: 600_000 });
  for (const { conversationId } of [ada!, other]) {
    const call = { conversationId: talk, messageId: bob!.messages.at(-1)!.id, callId: conversationId };
    const to = { agentId: ada!.record.id };
    await agentMessages.send({ id: randomUUID(), agentId: bob!.record.id, call, text: "Hi", waits: false, to });
    await agentMessages.queued(ada!.record.id, conversationId);
  }
  await runtime.conversations.delete(ada!.conversationId);
  // Another process is busy in the other conversation.
  const held = await leases.take({ conversationId: other.conversationId, claimant: "another process", ttlMs: 600_000 });
  if (held.type !== "taken") throw new Error("the lease is not free");
  await runtime.agentMessages.deliver();
  const outcomes = async () => (await runtime.agentMessages.list("ada")).map(({ outcome }) => outcome);
  await until(async () => (await outcomes()).includes("conversation_not_found"));
  expect(await outcomes()).toEqual([null, "conversation_not_found"]);
  await leases.release(held.lease, null);
  await settled(runtime, "ada");
  expect(await outcomes()).toEqual(["end-turn", "conversation_not_found"]);
  expect(models["ada"]!.requests).toHaveLength(1);
});
