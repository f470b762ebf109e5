// The model's tool `forget`: what a person sees before approving it, and that nothing is left when the turn has ended, also if the
// process died before. On the engine at hand.
import { z } from "zod";
import type { Agent } from "../../src/agent/agent.ts";
import { composeRuntime, type RuntimeOptions } from "../../src/runtime/compose/compose.ts";
import { StoreError } from "../../src/base/errors.ts";
import { createScriptedModel, type ScriptedReplies } from "../../src/model/llm/scripted/scripted-model.ts";
import { createIds } from "../../src/base/ids.ts";
import { createDeferredForgettings } from "../../src/runtime/forgetting/deferred-forgettings.ts";
import type { PendingForgetting } from "../../src/store/port/forgetting-store.ts";
import type { UserStore } from "../../src/store/port/store.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { defineTool } from "../../src/tool/define-tool.ts";
import { openTestStore, type TestStore } from "../support/database.ts";
import { tablesOf } from "../support/isolation-scene.ts";
import { drain, lastOf } from "../support/runtime.ts";
import { append } from "../support/scene.ts";
import { createWordEmbedder } from "../support/word-embedder.ts";

const canary = "Quokka-4711 lives in Setúbal";
// Not within an id, which may contain these digits by chance.
const traces = /quokka|(?<![\da-f-])4711(?![\da-f-])/iu;
const forgetCanary = { toolCalls: [{ name: "forget", arguments: { texts: [canary] } }] };

let test: TestStore;
const opened: Runtime[] = [];

beforeEach(async () => (test = await openTestStore()));
afterEach(async () => {
  for (const runtime of opened.splice(0)) await runtime.close();
  await test.close();
});

/** A process. `broken`: the parts of its store that fail. */
async function open(
  replies: ScriptedReplies,
  {
    broken = () => ({}),
    ...options
  }: RuntimeOptions & { readonly broken?: (store: UserStore) => Partial<UserStore> } = {},
) {
  const model = createScriptedModel({ replies });
  const embedder = createWordEmbedder("words", 64);
  const store = {
    ...test.store,
    as: (userId: string) => {
      const own = test.store.as(userId);
      return { ...own, ...broken(own) };
    },
  };
  const made = { model: "scripted", models: [model], embedder, timeZone: "UTC", ...options };
  const runtime = await composeRuntime(made, { store });
  opened.push(runtime);
  return { runtime, model };
}

const died = async (): Promise<never> => {
  throw new StoreError("store_failed", "The process died.");
};

/** Every row with a trace of the canary. */
async function tracesInDump(): Promise<readonly string[]> {
  const parts = (await tablesOf({ test })).map(
    (table) => `select '${table} ' || to_jsonb(t)::text as dump from "${table}" t`,
  );
  const rows = await test.ownerRows<{ readonly dump: string }>(parts.join(" union all "));
  return rows.map(({ dump }) => dump).filter((dump) => traces.test(dump));
}

/** Tells the canary in one conversation, and asks to forget it in another, where the call then waits. */
async function askToForget(options: Parameters<typeof open>[1] = {}) {
  const answers = Array.from({ length: 12 }, (_, at) => ({ text: `Answer ${at}.` }));
  const process = await open(
    [
      { toolCalls: [append(canary)] },
      { text: "Noted." },
      forgetCanary,
      { text: `I forget that ${canary}.` },
      ...answers,
    ],
    options,
  );
  const told = await process.runtime.agents.open("scout", { create: { human: "" } });
  await drain(told.send(`Remember that ${canary}.`));
  const agent = await process.runtime.agents.open("scout", { conversation: "new" });
  const events = await drain(agent.send(`Forget that ${canary}.`));
  return { ...process, told, agent, events };
}

const waitingId = ({ pendingApprovals }: Agent): string => pendingApprovals[0]?.callId ?? "nothing waits";

describe("the model's forget", () => {
  it("waits for approval with every place, in the event and in other processes, and changes nothing before", async () => {
    const { agent, events } = await askToForget();
    const asked = events.find(({ type }) => type === "approval-requested");
    expect(asked).toMatchObject({
      name: "forget",
      preview: expect.stringMatching(/^Removes texts for good from \d+ places:/u),
    });
    const { preview } = asked as { readonly preview: string };
    expect(preview).toContain("module human (redacted): Quokka-4711 lives in Setúbal");
    expect(preview).toContain("Remember that Quokka-4711 lives in Setúbal.");
    expect(agent.pendingApprovals).toMatchObject([{ toolName: "forget", preview }]);
    const other = await open([]);
    expect(await other.runtime.approvals.list("scout")).toMatchObject([{ preview }]);
    expect(agent.memory.read("human")).toBe(canary);
    expect(await other.runtime.forget.list()).toEqual([]);
  });

  it("leaves no trace when the turn has ended: not in a row, a search or the next ten prompts", async () => {
    const { runtime, model, agent, told } = await askToForget();
    expect((await tracesInDump()).length).toBeGreaterThan(5);
    const events = await drain(agent.approve(waitingId(agent)));
    expect(events.at(-1)).toMatchObject({ type: "turn-end", stopReason: "end-turn" });
    await runtime.idle();
    expect(await tracesInDump()).toEqual([]);
    expect(agent.memory.read("human")).toBe("[forgotten]");
    expect(await runtime.forget.list()).toEqual([
      expect.objectContaining({
        origin: "model",
        appliedAt: expect.any(Date),
        counts: expect.objectContaining({ module: 1 }),
      }),
    ]);
    expect(JSON.stringify(await runtime.recall.search("scout", "quokka"))).not.toMatch(traces);
    const before = model.requests.length;
    for (let turn = 0; turn < 5; turn += 1) {
      await drain(agent.send(`Question ${turn}?`));
      await drain(told.send(`And ${turn}?`));
    }
    expect(model.requests.length - before).toBe(10);
    expect(JSON.stringify(model.requests.slice(before))).not.toMatch(traces);
    expect(await tracesInDump()).toEqual([]);
  });

  it("removes nothing when denied", async () => {
    const { agent, runtime } = await askToForget();
    await drain(agent.deny(waitingId(agent)));
    expect(agent.memory.read("human")).toBe(canary);
    expect(await runtime.forget.list()).toEqual([]);
  });

  it.each([
    [
      "before the call's result",
      (store: UserStore) => ({
        turns: { ...store.turns, commitToolResult: died },
        forgetting: { ...store.forgetting, apply: died },
      }),
    ],
    ["at the end of the turn", (store: UserStore) => ({ forgetting: { ...store.forgetting, apply: died } })],
  ])("is completed by the next opening if the process died %s", async (_when, broken) => {
    let isDying = false;
    const { agent } = await askToForget({ broken: (store) => deadlyStore(store, () => isDying, broken) });
    isDying = true;
    const whole = (await tracesInDump()).length;
    await expect(drain(agent.approve(waitingId(agent)))).rejects.toThrow("The process died.");
    expect((await tracesInDump()).length).toBeGreaterThanOrEqual(whole);
    const next = await open([{ text: "Done." }, { text: "Yes?" }]);
    const reopened = await next.runtime.agents.open("scout", { conversation: { id: agent.conversationId } });
    expect(await tracesInDump()).toEqual([]);
    expect(JSON.stringify(reopened.context())).not.toMatch(traces);
    if (reopened.unfinished) await drain(reopened.resume());
    await drain(reopened.send("Hello."));
    expect(await tracesInDump()).toEqual([]);
    expect(JSON.stringify(next.model.requests)).not.toMatch(traces);
    const waits = (await next.runtime.forget.list()).map(({ appliedAt }) => appliedAt === null);
    expect([waits.length > 0, waits.includes(true)]).toEqual([true, false]);
  });

  it("empties its own turn also if an exact forgetting of another text comes first", async () => {
    let isDying = false;
    const broken = (store: UserStore) => ({ forgetting: { ...store.forgetting, apply: died } });
    const { agent } = await askToForget({ broken: (store) => deadlyStore(store, () => isDying, broken) });
    isDying = true;
    await expect(drain(agent.approve(waitingId(agent)))).rejects.toThrow("The process died.");
    const { runtime } = await open([]);
    await runtime.forget.apply({ texts: ["the blue bicycle"], exact: true });
    expect(await tracesInDump()).toEqual([]);
    const { messages } = await runtime.conversations.messages(agent.conversationId);
    expect(messages.map(({ text }) => text).join("")).toMatch(/^(?:\[forgotten\])+$/u);
  });

  it("waits for the end of its turn if another turn is just applying one", async () => {
    const pending: PendingForgetting[] = [];
    const store = { defer: async (one: PendingForgetting) => void pending.push(one), pending: async () => pending };
    let during: () => Promise<unknown> = async () => undefined;
    const deferred = createDeferredForgettings({ ids: createIds(), store: { forgetting: store } }, async () => {
      const found = pending.length;
      expect(await deferred.complete()).toBe(false);
      await during();
      pending.splice(0, found);
    });
    await deferred.defer(["one"]);
    during = () => deferred.defer(["other"]);
    await deferred.afterTurn();
    expect(deferred.waits).toBe(true);
    during = died;
    await expect(deferred.afterTurn()).rejects.toThrow("The process died.");
    expect(deferred.waits).toBe(true);
    during = async () => undefined;
    await deferred.afterTurn();
    expect([deferred.waits, pending]).toEqual([false, []]);
  });

  it("fails without a request for approval if a text is too short to be searched for", async () => {
    const { runtime } = await open([
      { toolCalls: [{ name: "forget", arguments: { texts: ["a, b"] } }] },
      { text: "Oh." },
    ]);
    const agent = await runtime.agents.open("scout", { create: { human: "" } });
    const events = await drain(agent.send("Forget it."));
    expect(events.find(({ type }) => type === "tool-result")).toMatchObject({
      status: "failed",
      text: expect.stringContaining("3 letters or digits"),
    });
    expect(events.at(-1)).toMatchObject({ stopReason: "end-turn" });
  });

  it("is not a tool of an ephemeral conversation", async () => {
    const { runtime, model } = await open([{ text: "Hi." }]);
    const agent = await runtime.agents.open("scout", { create: { human: "" }, ephemeral: true });
    await drain(agent.send("Hi."));
    expect(model.requests[0]!.tools.map(({ name }) => name)).not.toContain("forget");
  });
});

/** The parts of a store that fail once `isDying`. */
function deadlyStore(
  store: UserStore,
  isDying: () => boolean,
  broken: (store: UserStore) => Partial<UserStore>,
): Partial<UserStore> {
  const dead = broken(store);
  const switched = <Part extends object>(alive: Part, fails: Part): Part =>
    new Proxy(alive, { get: (own, name) => Reflect.get(isDying() ? fails : own, name) as unknown });
  return {
    ...(dead.turns === undefined ? {} : { turns: switched(store.turns, dead.turns) }),
    ...(dead.forgetting === undefined ? {} : { forgetting: switched(store.forgetting, dead.forgetting) }),
  };
}

describe("a program's tool with a preview", () => {
  const payTool = (preview: (args: { readonly euros: number }) => Promise<string>) =>
    defineTool({
      name: "pay",
      description: "Pays.",
      parameters: z.object({ euros: z.number().describe("How much.") }),
      approval: true,
      preview,
      run: ({ euros }) => `paid ${euros}`,
    });
  const pay = { toolCalls: [{ name: "pay", arguments: { euros: 5 } }] };

  it("shows it with the request for approval", async () => {
    const { runtime } = await open([pay], { tools: { add: [payTool(async ({ euros }) => `Pays Ada ${euros}.`)] } });
    const agent = await runtime.agents.open("payer", { create: { human: "" } });
    await drain(agent.send("Pay."));
    expect(agent.pendingApprovals).toMatchObject([{ preview: "Pays Ada 5." }]);
  });

  it("requests no approval if the preview fails: its error is the call's result", async () => {
    const preview = async () => {
      throw new Error("the account is closed");
    };
    const { runtime, model } = await open([pay, { text: "Sorry." }], { tools: { add: [payTool(preview)] } });
    const agent = await runtime.agents.open("payer", { create: { human: "" } });
    expect(await lastOf(agent.send("Pay."))).toMatchObject({ stopReason: "end-turn" });
    expect(JSON.stringify(model.requests[1]!.messages)).toContain("the account is closed");
  });
});
