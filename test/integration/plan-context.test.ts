// The query planner over the memories of an agent, on a real database: what it gives for a question, of which conversation, for
// whom, and what a dead source costs.
import { drain, useRuntimes } from "../support/runtime.ts";
import type { Clock } from "../../src/base/clock.ts";
import { createFailingEmbedder } from "../support/failing-embedder.ts";
import { createManualClock, settle } from "../support/manual-clock.ts";
import { asksTimetable, openWorkingScene, timetable, type WorkingSceneOptions } from "../support/working-scene.ts";

const runtimes = useRuntimes();

const open = (...[replies, options]: WorkingSceneOptions) => openWorkingScene(runtimes, replies, options);

describe("getContext", () => {
  it("has the synopsis of an agent that shows one, without a model call", async () => {
    const answer = {
      identity: { name: "Ada", preferences: [], traits: [] },
      context: { recentTopics: [], currentGoals: [] },
    };
    const { model, runtime, name } = await open([{ text: JSON.stringify(answer) }]);
    await runtime.archival.add(name, "The user is called Ada.");
    await runtime.synopsis.refresh(name);
    expect((await runtime.getContext(name, "who")).synopsis).toBeNull();
    await runtime.agents.update(name, { synopsis: "on" });
    expect((await runtime.getContext(name, "who")).synopsis).toContain("Ada");
    expect(model.requests).toHaveLength(1);
  });

  it("returns the last messages, the best hits of both memories, and the reasons", async () => {
    const { agent, runtime, name } = await open([asksTimetable, { text: "At nine." }, { text: "Noted." }]);
    await drain(agent.send("When does the ferry leave?"));
    await drain(agent.send("I get seasick."));
    await runtime.archival.add(name, "Ada sails on the ferry since May.");
    await runtime.idle();
    const context = await runtime.getContext(name, "the ferry to Cacilhas leaves");
    expect(context.recent.map(({ text }) => text)).toEqual([
      "When does the ferry leave?",
      "At nine.",
      "I get seasick.",
      "Noted.",
    ]);
    expect(new Set(context.found.map(({ text, foundIn }) => `${foundIn}: ${text}`))).toEqual(
      new Set([
        "working: The ferry to Cacilhas leaves at nine from pier two.",
        "archival: Ada sails on the ferry since May.",
      ]),
    );
    expect(context.sources.map(({ name: source, status }) => [source, status])).toEqual([
      ["recent", "ok"],
      ["working", "ok"],
      ["archival", "ok"],
    ]);
    expect(context.explanation.filter(({ outcome }) => outcome === "taken")).toHaveLength(6);
    expect(context.tokens).toBeLessThanOrEqual(4000);
    expect(context.warnings).toEqual([]);
    const short = await runtime.getContext(name, "ferry", { maxTokens: 60 });
    expect(short.tokens).toBeLessThanOrEqual(60);
    expect(short.explanation.some(({ reason }) => reason.startsWith("no room"))).toBe(true);
  });

  it("finds texts by their words while the embedder fails, whatever its floor", async () => {
    const options = { embedder: createFailingEmbedder("down"), embeddingFloor: 0.9 };
    const { agent, runtime, name } = await open([asksTimetable, { text: "At nine." }], options);
    await drain(agent.send("When?"));
    const { found } = await runtime.getContext(name, "the ferry leaves early");
    expect(found.map(({ text }) => text)).toEqual(["The ferry to Cacilhas leaves at nine from pier two."]);
  });

  it("returns the end of the given conversation, only of the agent's own", async () => {
    const { agent, runtime, name } = await open([{ text: "Noted." }, { text: "Sure." }]);
    await drain(agent.send("The parrot speaks Latin."));
    const later = await runtime.agents.open(name, { conversation: "new" });
    await drain(later.send("The ferry is blue."));
    const recentOf = async (conversation?: string) => {
      const { recent } = await runtime.getContext(name, "q", conversation === undefined ? {} : { conversation });
      return recent.map(({ text }) => text);
    };
    expect(await recentOf()).toEqual(["The ferry is blue.", "Sure."]);
    expect(await recentOf(agent.conversationId)).toEqual(["The parrot speaks Latin.", "Noted."]);
    const other = await runtime.agents.open(`${name} the second`, { create: {} });
    const guest = await open([]);
    for (const conversation of [other.conversationId, guest.agent.conversationId, "none", "' or 1=1", ""]) {
      await expect(recentOf(conversation)).rejects.toMatchObject({ code: "conversation_not_found" });
    }
  });

  it.each([
    ["refilled", ["The ferry to Cacilhas leaves at nine from pier two."]],
    ["process", []],
  ] as const)("after a restart, without an open agent, working memory has by %s: %j", async (workingMemory, there) => {
    const first = await open([asksTimetable, { text: "At nine." }], { workingMemory });
    await drain(first.agent.send("When does it sail?"));
    await first.runtime.close();
    const { userId, embedder } = first;
    // Its model is nowhere, and is not asked for.
    const runtime = await runtimes.open({ userId, embedder, tools: { add: [timetable] }, workingMemory });
    const plan = () => runtime.getContext(first.name, "the ferry to Cacilhas leaves at nine", { recent: 0 });
    await plan();
    await runtime.idle();
    const { found, warnings } = await plan();
    expect(found.map(({ text }) => text)).toEqual(there);
    expect(warnings).toEqual([]);
  });

  it("refuses invalid queries", async () => {
    const { runtime, name } = await open([]);
    await expect(runtime.getContext("nobody", "q")).rejects.toMatchObject({ code: "agent_not_found" });
    await expect(runtime.getContext(name, "q", { k: 0 })).rejects.toMatchObject({ code: "input_invalid" });
    expect((await runtime.getContext(name, "")).found).toEqual([]);
  });
});

describe("a failing source", () => {
  const told = "The ferry to Cacilhas leaves at nine from pier two.";
  const meaningless = "search by meaning is not available now, only words were compared";

  it("an embedder that is down: the last messages, the synopsis, hits by words, and a warning for each search", async () => {
    const identity = { name: "Ada", preferences: [], traits: [] };
    const synopsis = { identity, context: { recentTopics: [], currentGoals: [] } };
    const { agent, runtime, name, embedder } = await open([
      asksTimetable,
      { text: "At nine." },
      { text: JSON.stringify(synopsis) },
    ]);
    await drain(agent.send("When does it sail?"));
    await runtime.archival.add(name, "Ada sails on the ferry since May.");
    await runtime.idle();
    await runtime.synopsis.refresh(name);
    await runtime.agents.update(name, { synopsis: "on" });
    embedder.isDown = true;
    const context = await runtime.getContext(name, "ferry");
    expect(context.synopsis).toContain("Name: Ada");
    expect(context.recent.map(({ text }) => text)).toEqual(["When does it sail?", "At nine."]);
    expect(new Set(context.found.map(({ text, foundIn }) => `${foundIn}: ${text}`))).toEqual(
      new Set([`working: ${told}`, "archival: Ada sails on the ferry since May."]),
    );
    expect(context.warnings).toEqual([`working: ${meaningless}`, `archival: ${meaningless}`]);
    expect(context.sources.map(({ name: source, status }) => [source, status])).toEqual([
      ["synopsis", "ok"],
      ["recent", "ok"],
      ["working", "ok"],
      ["archival", "ok"],
    ]);
  });

  it("an object store that is down: the result is complete, since memory's texts are not in it", async () => {
    const dead = { objects: "s3:http://127.0.0.1:1/bucket", s3AccessKeyId: "a", s3SecretAccessKey: "s" };
    const { agent, runtime, name } = await open([asksTimetable, { text: "At nine." }], dead);
    await drain(agent.send("When does it sail?"));
    await runtime.archival.add(name, "Ada sails on the ferry since May.");
    await runtime.idle();
    const { recent, found, warnings } = await runtime.getContext(name, told);
    expect([recent.length, found.length, warnings]).toEqual([2, 2, []]);
  });

  it("an embedder that hangs delays the searches that wait for it by two seconds, and nothing else", async () => {
    const clock = createManualClock();
    const asked: AbortSignal[] = [];
    const sleep: Clock["sleep"] = (ms, signal, options) => {
      if (ms === 2000 && signal !== undefined) asked.push(signal);
      return clock.sleep(ms, signal, options);
    };
    const { agent, runtime, name, embedder } = await open([{ text: "Noted." }], { clock: { ...clock, sleep } });
    await drain(agent.send("When does it sail?"));
    asked.splice(0);
    embedder.embed = () => new Promise(() => undefined);
    const planned = runtime.getContext(name, "sail");
    // Each of the three has its two seconds, and one has answered.
    while (asked.length < 3 || !asked.some(({ aborted }) => aborted)) await settle();
    await clock.advance(2000);
    const { recent, found, warnings, sources } = await planned;
    expect([recent.map(({ text }) => text), found]).toEqual([["When does it sail?", "Noted."], []]);
    expect(warnings).toEqual([
      "working was left out: no answer in 2000 ms",
      "archival was left out: no answer in 2000 ms",
    ]);
    expect(sources.map(({ name: source, status, ms }) => [source, status, ms])).toEqual([
      ["recent", "ok", 0],
      ["working", "late", 2000],
      ["archival", "late", 2000],
    ]);
  });
});
