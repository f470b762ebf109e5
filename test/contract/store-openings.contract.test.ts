// What opening an agent reads is what the separate reads give, whatever conversation is wanted. On the engine at hand.
import type { OpeningRequest } from "../../src/store/port/opening-store.ts";
import type { UserStore } from "../../src/store/port/store.ts";
import { useStore } from "../support/database.ts";
import {
  compactThrough,
  fillStoredTool,
  ids,
  newAgent,
  newMessage,
  newStep,
  newTalk,
  persona,
  say,
} from "../support/store-builders.ts";
import { nextMillisecond } from "../support/until.ts";

const { ada, ben } = useStore();

const read = (user: UserStore, request: Partial<OpeningRequest> & Pick<OpeningRequest, "agent">) =>
  user.openings.read({ conversation: "last", maxSamples: 2, ...request });

const unknownId = "00000000-0000-7000-8000-000000000000";

describe("an opening", () => {
  it("has everything that the separate reads give", async () => {
    const talk = await newTalk(ada);
    const { agentId, conversationId } = talk;
    const said = await say(talk, ["One \u2028 \u{1f600} <b>\\u0041", "two", "three", "four"]);
    await compactThrough(talk, said[1]!.id, { summary: "first", dollars: 0.1 + 0.2 });
    const reply = newMessage({ parentId: said[3]!.id, role: "assistant", at: new Date("2026-01-02T03:04:05.678Z") });
    const steps = [7, 8, 9].map((inputTokens) => ({
      ...newStep(reply.turnId),
      usage: { inputTokens, outputTokens: 1, cachedInputTokens: 0 },
      report: { ...newStep(reply.turnId).report, counted: 10 },
    }));
    await ada.turns.commitReply({ ...talk, message: reply, step: steps[0]! });
    const memory = { stateKey: "1", text: "<persona>", values: { persona: "I" }, trust: "user" } as const;
    await ada.conversations.saveSnapshot(talk.lease, memory);
    for (const n of [1, 2, 3, 4]) {
      const passage = { id: ids.next(), text: `passage ${n}`, tags: [], kind: "memory", at: new Date() } as const;
      await ada.passages.add(agentId, [passage], "api");
    }
    await fillStoredTool(talk, "a tool");
    const agent = await ada.agents.find(agentId);
    const separate = {
      agent,
      conversation: await ada.conversations.find(conversationId),
      thread: await ada.conversations.thread(conversationId),
      modules: await ada.modules.list(agentId),
      searchable: await ada.openings.searchable(agentId, conversationId),
      samples: await ada.steps.usageSamples("demo", 2),
      tools: await ada.tools.ofAgent(agentId),
      hasFiles: (await ada.attachedFiles.list(agentId)).length > 0,
      forgettingWaits: (await ada.forgetting.pending()).length > 0,
      version: expect.any(String),
    };
    expect(separate.thread).toMatchObject({ snapshot: memory, compactions: [{ dollars: 0.1 + 0.2 }] });
    expect(separate.thread.messages).toEqual([said[2], said[3], reply]);
    expect(separate.samples).toHaveLength(1);
    expect(separate.tools).toMatchObject([{ description: "a tool", agentRequiresApproval: null }]);
    expect(await read(ada, { agent: agent!.name })).toEqual(separate);
    expect(await read(ada, { agent: agentId, conversation: { id: conversationId } })).toEqual(separate);
  });

  it("reads the conversation that was used last, a given one, or none", async () => {
    const first = await newTalk(ada);
    const { agentId: agent } = first;
    const second = await newTalk(ada, agent);
    await say(second, ["later"]);
    await nextMillisecond();
    await say(first, ["last"]);
    const textsOf = async (conversation: OpeningRequest["conversation"]) =>
      (await read(ada, { agent, conversation }))!.thread.messages.map(({ text }) => text);
    expect(await textsOf("last")).toEqual(["last"]);
    expect(await textsOf({ id: second.conversationId })).toEqual(["later"]);
    expect(await read(ada, { agent, conversation: "new" })).toMatchObject({
      conversation: null,
      searchable: { passages: { count: 0, isMore: false } },
    });
    expect(await textsOf("new")).toEqual([]);
  });

  it("has no conversation that is unknown or another agent's", async () => {
    const { agentId: agent } = await newTalk(ada);
    const other = await newTalk(ada);
    for (const id of [other.conversationId, unknownId, "no id"]) {
      expect(await read(ada, { agent, conversation: { id } })).toMatchObject({
        agent: { id: agent },
        conversation: null,
        thread: { messages: [], compactions: [], snapshot: null, windowVersion: 0 },
      });
    }
  });

  it("is null for an agent that the user may not use", async () => {
    const { agentId } = await newTalk(ada);
    for (const agent of [agentId, unknownId, "nobody", "ada/nobody", "a\u0000b", ""]) {
      expect(await read(ben, { agent })).toBeNull();
    }
  });

  it("prefers the user's own agent, and finds a shared one by its owner's name and by its id", async () => {
    const name = `shared ${ids.next()}`;
    const { id } = await ada.agents.create(newAgent({ name }));
    await ada.agents.share(id, "ben");
    await ben.agents.accept(id);
    expect(await read(ben, { agent: `ada/${name}` })).toMatchObject({
      agent: { id, name: `ada/${name}`, ownerId: "ada" },
      conversation: null,
      modules: [{ label: persona.label, readOnly: true }],
    });
    expect((await read(ben, { agent: id }))?.agent.id).toBe(id);
    expect(await read(ben, { agent: name })).toBeNull();
    // A name of the form of an id.
    const own = await ben.agents.create(newAgent({ name: id }));
    expect((await read(ben, { agent: id }))?.agent.id).toBe(own.id);
  });
});
