// Forgetting in a runtime: a canary is everywhere that a user can put it, and is found nowhere afterwards: not in a dump, not by a
// search, and not in the next prompts, also of other processes that have the conversation open. On the engine at hand.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { z } from "zod";
import { createRuntime, type RuntimeOptions } from "../../src/runtime/compose/compose.ts";
import { createScriptedModel, type ScriptedReplies } from "../../src/model/llm/scripted/scripted-model.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { defineTool } from "../../src/tool/define-tool.ts";
import { openTestStore, placeOf, type TestStore } from "../support/database.ts";
import { tablesOf } from "../support/isolation-scene.ts";
import { keep, nodeExchange } from "../support/node-scene.ts";
import { drain } from "../support/runtime.ts";
import { createWordEmbedder } from "../support/word-embedder.ts";
import { words } from "../support/words.ts";

const canary = "Quokka-4711 lives in Setúbal";
// Not within an id, which may contain these digits by chance.
const traces = /quokka|(?<![\da-f-])4711(?![\da-f-])/iu;

let test: TestStore;
const opened: Runtime[] = [];

beforeEach(async () => (test = await openTestStore()));
afterEach(async () => {
  for (const runtime of opened.splice(0)) await runtime.close();
  await test.close();
});

async function open(replies: ScriptedReplies, options: RuntimeOptions = {}) {
  const place = placeOf(test);
  const model = createScriptedModel({ replies });
  const runtime = await createRuntime({
    ...place,
    model: "scripted",
    models: [model],
    embedder: createWordEmbedder("words", 64),
    timeZone: "UTC",
    ...options,
  });
  opened.push(runtime);
  return { runtime, model };
}

/** Every row with a trace of the canary, in any form in which a row can be shown. */
async function tracesInDump(): Promise<readonly string[]> {
  const parts = (await tablesOf({ test })).map(
    (table) => `select '${table} ' || to_jsonb(t)::text as dump from "${table}" t`,
  );
  const rows = await test.ownerRows<{ readonly dump: string }>(parts.join(" union all "));
  const hex = Buffer.from("Quokka").toString("hex");
  return rows.map(({ dump }) => dump).filter((dump) => traces.test(dump) || dump.includes(hex));
}

const remember = {
  toolCalls: [
    { name: "core_memory_append", arguments: { name: "human", content: `Note: ${canary}` } },
    {
      name: "archival_memory_insert",
      arguments: { content: `Archived: ${canary}`, tags: ["quokka-4711 lives in setúbal"] },
    },
  ],
};

describe("a forgotten text", () => {
  it("is not in what was looked up for a message: with tags in it, cut into numbered lines, or the only copy", async () => {
    const opens = { toolCalls: [{ name: "open_files", arguments: { file_requests: [{ file_name: "note.md" }] } }] };
    for (const [secret, isCopy] of [
      ["<i>Quokka-4711</i> lives in Setúbal", false],
      ["Quokka-4711\nlives in Setúbal", false],
      ["<i>Quokka-4711</i> lives in Setúbal", true],
    ] as const) {
      const name = `reader-${opened.length}`;
      const { runtime, model } = await open([opens, { text: "Read." }, { text: "Go on." }]);
      await runtime.agents.create({ name, persona: "I read.", human: "" });
      await runtime.sources.load(name, [{ name: "note.md", data: `A note.\n\n${secret}\n` }]);
      await runtime.sources.attach(name, name);
      const agent = await runtime.agents.open(name);
      await drain(agent.send("Read it."));
      expect(JSON.stringify(model.requests.at(-1)?.messages)).toMatch(traces);
      if (isCopy) await runtime.sources.delete(name);
      const { places } = await runtime.forget.apply({ texts: [secret] });
      expect(places.length).toBeGreaterThan(0);
      await runtime.idle();
      expect(await tracesInDump()).toEqual([]);
      await drain(agent.send("And now?"));
      expect(JSON.stringify(model.requests.at(-1))).not.toMatch(traces);
    }
  });

  it("is in no row and no object, and no search and no later prompt shows it, also in another process", async () => {
    const { runtime, model } = await open([
      remember,
      { text: `Noted: ${canary.toUpperCase()}!` },
      { text: "Fine." },
      { text: "A summary: Quokka-4711  lives\nin Setúbal." },
      ...Array.from({ length: 10 }, (_, at) => ({ text: `Answer ${at}.` })),
    ]);
    const agent = await runtime.agents.open("scout", { create: { settings: { keepLast: 1 } } });
    const { conversationId } = agent;
    const file = { data: Buffer.from(`A file in which ${canary}.`), name: "note.txt" };
    await drain(agent.send(`Remember that ${canary}.`, { files: [file] }));
    await drain(agent.send("Good."));
    await agent.compact({ focus: canary });
    await runtime.conversations.rename(conversationId, canary);
    const fork = await runtime.conversations.fork(conversationId);
    const memory = runtime.nodeMemory.open({ app: "app", conversation: conversationId, node: "node" });
    await keep(memory, nodeExchange("m1", null, { userContent: canary }));
    await runtime.schedules.create("scout", { text: canary, at: new Date("2030-01-01T00:00:00Z") });
    await runtime.idle();

    const other = await open(Array.from({ length: 10 }, (_, turn) => ({ text: `Other ${turn}.` })));
    const elsewhere = await other.runtime.agents.open("scout", { conversation: { id: conversationId } });
    expect((await tracesInDump()).length).toBeGreaterThan(10);

    const preview = await runtime.forget.preview({ texts: ["quokka-4711 LIVES in Setúbal"] });
    const kinds = new Set(preview.places.map(({ kind }) => kind));
    expect([...kinds].toSorted()).toEqual(
      words("attachment events message module node-memory other passage prompt revision summary"),
    );
    const forgotten = await runtime.forget.apply({ texts: ["quokka-4711 LIVES in Setúbal"] }, { origin: "user" });
    expect(forgotten.places.length).toBe(preview.places.length);
    await runtime.idle();
    expect(await tracesInDump()).toEqual([]);
    expect(await runtime.forget.list()).toEqual([expect.objectContaining({ id: forgotten.id, origin: "user" })]);

    expect(JSON.stringify(await runtime.recall.search("scout", "quokka"))).not.toMatch(traces);
    expect(JSON.stringify(await runtime.archival.search("scout", "quokka lives in Setúbal"))).not.toMatch(traces);
    const asked = [model.requests.length, other.model.requests.length] as const;
    for (let turn = 0; turn < 5; turn += 1) {
      await drain(elsewhere.send(`Question ${turn}?`));
      await drain(agent.send(`And ${turn}?`));
    }
    const forked = await runtime.agents.open("scout", { conversation: { id: fork.id } });
    await drain(forked.send("Which animal?"));
    const requests = [...model.requests.slice(asked[0]), ...other.model.requests.slice(asked[1])];
    expect(requests.length).toBe(11);
    expect(JSON.stringify(requests)).not.toMatch(traces);
    expect(await tracesInDump()).toEqual([]);
  });

  it("is in no object outside of the database, and an object that is written meanwhile is searched, too", async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "palimpsest-forgotten-"));
    try {
      const { runtime } = await open(() => ({ text: "ok" }), { objects: `folder:${folder}` });
      const agent = await runtime.agents.open("scout", { create: {} });
      const file = { data: Buffer.from(`In a file: ${canary}.`), name: "note.txt" };
      await drain(agent.send("Look.", { files: [file] }));
      const memory = runtime.nodeMemory.open({ app: "app", conversation: agent.conversationId, node: "node" });
      await keep(memory, nodeExchange("m1", null, { userContent: canary }));
      expect(tracesInFolder(folder)).toBe(2);
      const writing = keep(memory, nodeExchange("m2", "m1", { userContent: `Again: ${canary}` }));
      const forgotten = await runtime.forget.apply({ texts: [canary] });
      await writing;
      expect(forgotten.places.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["attachment", "node-memory"]));
      // The exchange that was added meanwhile came before the forgetting or after it.
      await runtime.forget.apply({ texts: [canary] });
      expect(tracesInFolder(folder)).toBe(0);
      expect(await tracesInDump()).toEqual([]);
      const [first] = await memory.getHistoryPromptMessages("m1");
      expect(JSON.stringify(first)).toContain("[forgotten]");
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it("is not written by a turn that was running, which can be resumed without it", async () => {
    const reply: { let: () => void } = { let: () => undefined };
    const held = new Promise<void>((resolve) => {
      reply.let = resolve;
    });
    const { runtime } = await open([{ text: "Noted." }]);
    const agent = await runtime.agents.open("scout", { create: {} });
    await drain(agent.send(`Remember that ${canary}.`));
    const wait = defineTool({
      name: "wait",
      description: "Waits.",
      parameters: z.object({}),
      run: async () => {
        await held;
        return canary;
      },
    });
    const running = await open([{ toolCalls: [{ name: "wait", arguments: {} }] }, { text: "Done." }], {
      tools: { add: [wait] },
    });
    const other = await running.runtime.agents.open("scout", { create: {} });
    const turn = other.send("Wait.");
    for await (const event of turn) if (event.type === "tool-call") break;
    await runtime.forget.apply({ texts: [canary] });
    reply.let();
    await running.runtime.idle();
    const reopened = await running.runtime.agents.open("scout");
    await drain(reopened.resume());
    expect(await tracesInDump()).toEqual([]);
    expect(JSON.stringify(running.model.requests.at(-1))).not.toMatch(traces);
  });
});

function tracesInFolder(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.filter((entry) => traces.test(readFileSync(path.join(entry.parentPath, entry.name), "utf8"))).length;
}

it("keeps the program's own prompts, which nobody has said", async () => {
  const { runtime } = await open([]);
  await runtime.agents.create({ name: "scout", persona: "", human: "" });
  await runtime.agents.create({ name: "guide", persona: "", human: "", systemPrompt: "Answer in Lisbon's time." });
  const { places } = await runtime.forget.apply({ texts: ["Lisbon"] }, { origin: "user" });
  expect(places).toEqual([
    { kind: "other", id: "agents: system prompt", excerpt: "Answer in Lisbon's time.", effect: "redacted" },
  ]);
  expect((await runtime.agents.find("scout")).systemPrompt).toContain("Lisbon");
  expect((await runtime.agents.find("guide")).systemPrompt).toBe("Answer in [forgotten]'s time.");
});
