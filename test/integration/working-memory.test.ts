// Working memory and the query planner in the turns of a runtime, on a real database: what is kept of them, what reaches a
// request, for whom, and what an outage costs.
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { defineTool } from "../../src/tool/define-tool.ts";
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import { drain, useRuntimes } from "../support/runtime.ts";
import { createManualClock } from "../support/manual-clock.ts";
import { lookedUpIn } from "../support/state-text.ts";
import { asksTimetable, openWorkingScene, timetable, type WorkingSceneOptions } from "../support/working-scene.ts";

const runtimes = useRuntimes();

const open = (...[replies, options]: WorkingSceneOptions) => openWorkingScene(runtimes, replies, options);

const retrievedOf = (model: ReturnType<typeof createScriptedModel>, at = -1): string =>
  lookedUpIn({ messages: model.requests.at(at)?.messages.slice(-1) ?? [] });

describe("hits for an input", () => {
  it("a tool's text is at the end of a later request, after it has left the window, and in its report", async () => {
    const { agent, model, runtime } = await open([asksTimetable, { text: "At nine." }, { text: "From pier two." }]);
    await drain(agent.send("When does the ferry leave?"));
    await agent.compact();
    await runtime.idle();
    await drain(agent.send("Which pier does the ferry to Cacilhas leave from?"));
    expect(retrievedOf(model)).toMatch(
      /^<retrieved>\n.*result of timetable, external: The ferry to Cacilhas leaves at nine from pier two\./u,
    );
    const [step] = await agent.steps(1);
    expect(step?.report.retrieved).toContainEqual(
      expect.objectContaining({ source: "working", trust: "external", tokens: expect.any(Number) }),
    );
    // The system prompt is what it was: nothing of what was looked up is in it.
    expect(JSON.stringify(model.requests.at(-1)?.system)).not.toContain("pier two");
  });

  it("a reply to a request with external text is external", async () => {
    const { agent, runtime } = await open([asksTimetable, { text: "At nine." }, { text: "From pier two." }]);
    await drain(agent.send("When does the ferry leave?"));
    await agent.compact();
    await runtime.idle();
    await drain(agent.send("Which pier does the ferry to Cacilhas leave from?"));
    expect(agent.messages.at(-1)).toMatchObject({ role: "assistant", trust: "external" });
  });

  it("texts in the window are not repeated, and unrelated texts are not retrieved", async () => {
    const { agent, model, runtime } = await open([{ text: "Noted." }, { text: "Yes." }, { text: "Sure." }]);
    await drain(agent.send("The parrot speaks Latin."));
    await runtime.idle();
    await drain(agent.send("Does the parrot speak Latin?"));
    expect(retrievedOf(model)).not.toContain("<retrieved>");
    await agent.compact();
    await drain(agent.send("Granite quarries everywhere, seven of them."));
    expect(retrievedOf(model)).not.toContain("<retrieved>");
  });

  it("popped messages are not retrieved any more", async () => {
    const { agent, model, runtime } = await open([{ text: "Noted." }, { text: "Yes." }]);
    await drain(agent.send("The parrot speaks Latin."));
    await runtime.idle();
    await agent.pop(2);
    await drain(agent.send("Does the parrot speak Latin?"));
    expect(retrievedOf(model)).not.toContain("The parrot speaks");
  });

  it("by default it is off: nothing is stored, retrieved, embedded or offered", async () => {
    const { agent, model, runtime } = await open([{ text: "Noted." }, { text: "Yes." }], { workingMemory: "off" });
    await drain(agent.send("The parrot speaks Latin."));
    await agent.compact();
    await runtime.idle();
    await drain(agent.send("Does the parrot speak Latin?"));
    expect(retrievedOf(model)).not.toContain("<retrieved>");
    expect(model.requests.at(-1)?.tools.map(({ name }) => name)).not.toContain("working_memory_search");
    expect((await agent.steps(1))[0]?.report).not.toHaveProperty("retrieved");
  });
});

describe("working_memory_search", () => {
  it("is offered, finds texts outside the window, and its result has the class of its hits", async () => {
    const search = { toolCalls: [{ name: "working_memory_search", arguments: { query: "ferry pier" } }] };
    const { agent, model, runtime } = await open([asksTimetable, { text: "At nine." }, search, { text: "Pier two." }]);
    await drain(agent.send("When does the ferry leave?"));
    await agent.compact();
    await runtime.idle();
    const events = await drain(agent.send("And?"));
    const result = events.find((event) => event.type === "tool-result");
    expect(result).toMatchObject({
      status: "ok",
      text: expect.stringContaining("result of timetable, external: The ferry to Cacilhas"),
    });
    expect(model.requests.at(-1)?.tools.map(({ name }) => name)).toContain("working_memory_search");
    expect(agent.messages.at(-2)).toMatchObject({ role: "tool", trust: "external" });
  });

  it("refuses the number of a result that it has not found", async () => {
    const search = { toolCalls: [{ name: "working_memory_search", arguments: { query: "ferry pier", hit: 6 } }] };
    const { agent, runtime } = await open([asksTimetable, { text: "At nine." }, search, { text: "Pier two." }]);
    await drain(agent.send("When does the ferry leave?"));
    await runtime.idle();
    const events = await drain(agent.send("And?"));
    const result = events.find((event) => event.type === "tool-result");
    expect(result).toMatchObject({ text: expect.stringMatching(/^There is no result 6: .* results is \d\.$/u) });
  });
});

describe("users and agents", () => {
  it("are isolated: no text of one reaches the other's request, plan or tool", async () => {
    const ada = await open([{ text: "Noted." }]);
    await drain(ada.agent.send("The password is swordfish."));
    await ada.agent.compact();
    await ada.runtime.idle();
    await ada.runtime.agents.share(ada.name, "guest of Ada");
    const model = createScriptedModel({ replies: [{ text: "No." }] });
    const guest = await runtimes.open({
      userId: "guest of Ada",
      embedder: ada.embedder,
      model: "scripted",
      models: [model],
      workingMemory: "refilled",
      queryPlanner: "on",
    });
    const { name } = await guest.agents.accept(`${ada.runtime.userId}/${ada.name}`);
    const theirs = await guest.agents.open(name);
    await drain(theirs.send("What is the password?"));
    expect(JSON.stringify(model.requests)).not.toContain("swordfish");
    expect(JSON.stringify(await guest.getContext(name, "The password is swordfish"))).not.toContain(
      "The password is s",
    );
    const other = await ada.runtime.agents.open("another", { create: {} });
    expect(JSON.stringify(await ada.runtime.getContext(other.record.name, "password"))).not.toContain("swordfish");
  });

  it.each(["agent", "conversation", "user"] as const)("texts of a deleted %s are not found any more", async (what) => {
    const { agent, runtime, name } = await open([{ text: "Noted." }]);
    await drain(agent.send("The password is swordfish."));
    await runtime.idle();
    const found = async () => JSON.stringify((await runtime.getContext(name, "password", { recent: 0 })).found);
    expect(await found()).toContain("swordfish");
    if (what === "conversation") await runtime.conversations.delete(agent.conversationId);
    if (what === "agent") await runtime.agents.delete(name);
    if (what === "user") await runtime.user.delete();
    if (what !== "conversation") await runtime.agents.create({ name });
    expect(await found()).not.toContain("swordfish");
  });
});

describe("a forgotten text", () => {
  it("is not added again by a turn that had read it and lost its lease", async () => {
    const reply: { let: () => void } = { let: () => undefined };
    const held = new Promise<void>((resolve) => {
      reply.let = resolve;
    });
    const run = async () => {
      await held;
      return "Waited.";
    };
    const wait = defineTool({ name: "wait", description: "Waits.", parameters: z.object({}), run });
    const waits = { toolCalls: [{ name: "wait", arguments: {} }] };
    const { agent, runtime, name } = await open([waits, { text: "Noted." }, { text: "Yes." }, { text: "Good." }], {
      tools: { add: [wait] },
    });
    const found = async () => JSON.stringify((await runtime.getContext(name, "password", { recent: 0 })).found);
    const other = await runtime.agents.open(name, { conversation: "new" });
    for await (const event of agent.send("The password is swordfish.")) if (event.type === "tool-call") break;
    await runtime.forget.apply({ texts: ["swordfish"] });
    await drain(other.send("Hello."));
    reply.let();
    await runtime.idle();
    expect(await found()).not.toContain("swordfish");
    await drain(agent.send("The password is marlin."));
    await runtime.idle();
    expect(await found()).toContain("marlin");
  });
});

describe("a text that is deleted before it has a vector", () => {
  it.each(["agent", "user"] as const)("is removed with its %s: no vector of it is computed any more", async (what) => {
    const clock = createManualClock();
    const { agent, runtime, name, embedder } = await open([{ text: "Noted." }], { clock });
    embedder.isDown = true;
    await drain(agent.send("The password is swordfish."));
    await clock.advance(60_000);
    if (what === "agent") await runtime.agents.delete(name);
    else await runtime.user.delete();
    // What a query had read for its vector before the deletion is tried once more, and fails. On a server, its rows may
    // arrive later than the answer to the deletion, so this waits in real time as well.
    for (let time = 0; time < 3; time += 1) {
      await clock.advance(5 * 60_000);
      await sleep(50);
    }
    const before = embedder.calls.length;
    embedder.isDown = false;
    for (let time = 0; time < 4; time += 1) await clock.advance(5 * 60_000);
    expect(embedder.calls.slice(before).flat().join(" ")).not.toContain("swordfish");
  });
});

describe("a restart", () => {
  it.each([
    ["refilled", true],
    ["process", false],
  ] as const)("with %s, stored texts of the conversation are available again: %s", async (workingMemory, isThere) => {
    const first = await open([asksTimetable, { text: "At nine." }], { workingMemory });
    await drain(first.agent.send("When does the ferry leave?"));
    await first.agent.compact();
    await first.runtime.close();
    const model = createScriptedModel({ replies: [{ text: "From pier two." }] });
    const runtime = await runtimes.open({
      userId: first.userId,
      embedder: first.embedder,
      tools: { add: [timetable] },
      model: "scripted",
      models: [model],
      workingMemory,
    });
    const agent = await runtime.agents.open(first.name);
    await runtime.idle();
    await drain(agent.send("Which pier does the ferry to Cacilhas leave from?"));
    expect(retrievedOf(model).includes("from pier two")).toBe(isThere);
  });
});

describe("the planner in a turn", () => {
  it("also searches archival memory, within its tokens", async () => {
    const { agent, model, runtime, name } = await open([{ text: "Yes." }, { text: "Yes." }], { queryPlanner: "on" });
    await runtime.archival.add(name, "The parrot speaks Latin.");
    await runtime.idle();
    await drain(agent.send("Does the parrot speak Latin?"));
    expect(retrievedOf(model)).toMatch(/<retrieved>\n.*saved by the user, id [0-9a-f]{8}: The parrot speaks Latin\./u);
    expect((await agent.steps(1))[0]?.report.retrieved).toMatchObject([{ source: "archival" }]);
  });

  it("an embedder that is down disables meaning: the turn continues with hits by words, and a warning", async () => {
    const { agent, model, runtime, name, embedder } = await open([{ text: "Yes." }], { queryPlanner: "on" });
    embedder.isDown = true;
    await runtime.archival.add(name, "The parrot speaks Latin.");
    const events = await drain(agent.send("Does the parrot speak Latin?"));
    expect(events.filter(({ type }) => type === "warning")).toMatchObject([
      {
        code: "lookup-incomplete",
        message: "archival: search by meaning is not available now, only words were compared",
      },
    ]);
    expect(retrievedOf(model)).toContain("The parrot speaks Latin.");
    expect(events.at(-1)).toMatchObject({ type: "turn-end", stopReason: "end-turn" });
  });
});
