// A forgetting takes its own turn with it: the user's request, the searches for it, the call and the reply, and what names
// only the subject. On the engine at hand.
import { composeRuntime } from "../../src/runtime/compose/compose.ts";
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { openTestStore, type TestStore } from "../support/database.ts";
import { tablesOf } from "../support/isolation-scene.ts";
import { drain } from "../support/runtime.ts";
import { append } from "../support/scene.ts";
import { createWordEmbedder } from "../support/word-embedder.ts";

const note = "Karin Dahl, getting divorced. She told me in confidence.";
const sentences = ["getting divorced", "She told me in confidence"];
const traces = /karin|dahl|divorc|confidence/iu;

let test: TestStore;
let runtime: Runtime;

beforeEach(async () => (test = await openTestStore()));
afterEach(async () => {
  await runtime.close();
  await test.close();
});

async function tracesInDump(): Promise<readonly string[]> {
  const parts = (await tablesOf({ test })).map(
    (table) => `select '${table} ' || to_jsonb(t)::text as dump from "${table}" t`,
  );
  const rows = await test.ownerRows<{ readonly dump: string }>(parts.join(" union all "));
  return rows.map(({ dump }) => dump).filter((dump) => traces.test(dump));
}

const call = (name: string, args: object) => ({ toolCalls: [{ name, arguments: args }] });

/** Tells it in one conversation, and asks in another to forget it: there, the call waits. */
async function askToForget() {
  const model = createScriptedModel({
    replies: [
      { toolCalls: [append(`Likes tea.\n${note}`), call("archival_memory_insert", { content: note }).toolCalls[0]!] },
      { text: "Noted." },
      call("conversation_search", { query: "Karin's divorce" }),
      call("forget", { texts: sentences }),
      { text: "I have removed what you told me about Karin's divorce. Anything else I can do for you?" },
      { text: "Anything else I can do for you?" },
      { text: "Hello." },
    ],
  });
  const made = { model: "scripted", models: [model], embedder: createWordEmbedder("words", 64), timeZone: "UTC" };
  runtime = await composeRuntime(made, { store: test.store });
  const told = await runtime.agents.open("scout", { create: { human: "" } });
  await drain(told.send(note));
  const agent = await runtime.agents.open("scout", { conversation: "new" });
  await drain(agent.send("Please forget what I told you about Karin's divorce."));
  return { model, told, agent, callId: agent.pendingApprovals[0]!.callId };
}

describe("the turn that asks to forget something", () => {
  it("is shown in the preview, and leaves with the request, its searches, the call, the reply and the bare name", async () => {
    const { model, told, agent, callId } = await askToForget();
    const { preview } = agent.pendingApprovals[0]!;
    expect(preview).toContain("(emptied): Please forget what I told you about Karin's divorce.");
    expect(preview).toMatch(/- passage \S+ \(removed\): Karin Dahl, getting divorced/u);
    await drain(agent.approve(callId));
    await runtime.idle();
    expect(await tracesInDump()).toEqual([]);
    expect(agent.memory.read("human")).toBe("Likes tea.\n[forgotten]");
    await drain(agent.send("Good."));
    await drain(told.send("Hi."));
    expect(JSON.stringify(model.requests.slice(-2))).not.toMatch(traces);
    // A sentence of the reply is no copy of what was forgotten.
    expect(JSON.stringify(model.requests.at(-2))).not.toContain("Anything else");
    expect((await test.ownerRows("select 1 from messages where text like 'Anything else%'")).length).toBe(1);
  });

  it("goes with a later forgetting by the user, too, if its call was denied; also in a fork", async () => {
    const { agent, callId } = await askToForget();
    await drain(agent.deny(callId, { reason: "Karin would not mind." }));
    await runtime.conversations.fork(agent.conversationId);
    expect((await tracesInDump()).length).toBeGreaterThan(8);
    await runtime.forget.apply({ texts: sentences });
    await runtime.idle();
    expect(await tracesInDump()).toEqual([]);
  });

  it("stays, as the name does, in an exact forgetting", async () => {
    const { agent, callId } = await askToForget();
    await drain(agent.deny(callId));
    const request = { texts: sentences, exact: true };
    const { places } = await runtime.forget.preview(request);
    expect(places.map(({ effect }) => effect)).not.toContain("emptied");
    await runtime.forget.apply(request);
    await runtime.idle();
    expect((await runtime.archival.list("scout")).map(({ text }) => text)).toEqual([
      "Karin Dahl, [forgotten]. [forgotten].",
    ]);
    expect(JSON.stringify(await runtime.conversations.messages(agent.conversationId))).toContain(
      "Please forget what I",
    );
    const left = (await tracesInDump()).join("\n");
    expect(left).not.toMatch(/getting divorced|confidence/iu);
  });
});
