// Agent files of Palimpsest: what one runtime exports, another imports, and nothing is lost on the way.
import type { AgentFile } from "../../src/runtime/agents/agent-files.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { createScriptedModel, type ScriptedReplies } from "../../src/model/llm/scripted/scripted-model.ts";
import { drain, useRuntimes } from "../support/runtime.ts";
import { append } from "../support/scene.ts";

const runtimes = useRuntimes();

let users = 0;

function newUser(replies: ScriptedReplies = []) {
  users += 1;
  const model = createScriptedModel({ replies });
  return runtimes.open({ userId: `user-${users}`, model: "scripted", models: [model] });
}

/** An agent with everything that a file can hold. */
async function richAgent(): Promise<Runtime> {
  const runtime = await newUser([
    { toolCalls: [append("Lives in Lisbon.")] },
    { text: "I know." },
    { toolCalls: [{ name: "archival_memory_insert", arguments: { content: "The boat is red." } }] },
    { text: "Done." },
    { text: "Blue." },
    { text: "Green." },
    { text: "A summary of the beginning." },
    { text: "Yes." },
  ]);
  const shared = await runtime.modules.create({
    label: "rules",
    value: "Be brief.",
    tags: ["house"],
    metadata: { a: 1 },
  });
  await runtime.modules.update(shared.id, { value: "Be very brief." });
  await runtime.agents.create({
    name: "scout",
    persona: "I am Scout 🧭.",
    human: "Name: Ada",
    modules: [shared.id],
    description: "A guide",
    tags: ["guide", "sea"],
    metadata: { team: "blue" },
    extensions: { other: { x: [1, null] } },
    settings: {
      maxSteps: 7,
      keepLast: 2,
      toolRules: [{ type: "max-count-per-turn", tool: "conversation_search", count: 2 }],
    },
  });
  const agent = await runtime.agents.open("scout");
  await drain(agent.send("I live in Lisbon."));
  await drain(agent.send("Remember the boat."));
  await drain(agent.send("Which colour?"));
  await drain(agent.retry());
  await agent.compact();
  await drain(agent.send("Really?"));
  await runtime.conversations.rename(agent.conversationId, "Boats");
  await runtime.conversations.create("scout", { title: "empty" });
  await runtime.archival.import("scout", [{ text: "Tea at five.", tags: ["daily"], importance: 0.9 }]);
  const tool = await runtime.tools.create({
    name: "look_up",
    description: "Looks a word up.",
    parameters: { type: "object", properties: { word: { type: "string" } }, required: ["word"] },
    tags: ["words"],
  });
  await runtime.tools.attach("scout", tool.id);
  await runtime.tools.setApproval("scout", tool.id, true);
  await runtime.sources.create("handbook", { metadata: { shelf: 1 }, extensions: { other: { y: 2 } } });
  await runtime.sources.add("handbook", "The office closes at six.", { tags: ["hours"] });
  await runtime.sources.load("handbook", [{ name: "leave.md", data: "# Leave\n\nThirty days.\n\n# Pay\n\nMonthly." }]);
  await runtime.sources.attach("scout", "handbook");
  await runtime.idle();
  return runtime;
}

let rich: Runtime;
let file: AgentFile;

beforeAll(async () => {
  rich = await richAgent();
  file = await rich.agents.export("scout");
});

/** Without the time of the export. */
function content({ created_at: _time, ...rest }: AgentFile) {
  return rest;
}

test("an agent that was exported, imported by another user and exported again is equal", async () => {
  const other = await newUser();
  const { agents, counts, notes } = await other.agents.import(JSON.stringify(file), { keepTrust: true });
  expect(notes).toEqual([]);
  expect(counts).toEqual({
    agents: 1,
    modules: 3,
    tools: 1,
    sources: 1,
    files: 1,
    conversations: 2,
    messages: file.palimpsest.agents[0]!.conversations.flatMap(({ messages }) => messages).length,
    passages: 3,
  });
  expect(agents.map(({ name, id }) => [name, id])).toEqual([["scout", file.palimpsest.agents[0]!.id]]);
  expect(content(await other.agents.export("scout"))).toEqual(content(file));
});

test("an export names the programs that edited, and the sources have the passages that belong to no file", async () => {
  const runtime = await richAgent();
  await runtime.memory.edit("scout", "human", { append: "Likes figs." }, { by: { client: "editor", trust: "user" } });
  const exported = await runtime.agents.export("scout");
  const other = await newUser();
  await other.agents.import(JSON.stringify(exported), { keepTrust: true });
  expect((await other.memory.revisions("scout"))[0]).toMatchObject({ client: "editor", origin: "api" });
  expect(await other.sources.show("handbook")).toMatchObject({
    metadata: { shelf: 1 },
    extensions: { other: { y: 2 } },
    files: 1,
  });
  expect((await other.archival.search("scout", "office closes")).hits[0]).toMatchObject({
    tags: ["hours"],
    trust: "user",
  });
});

test("an exported agent contains its branches, compactions, revisions with their causes, and calls with their results", () => {
  const [agent] = file.palimpsest.agents;
  const [boats] = agent!.conversations.filter(({ title }) => title === "Boats");
  expect(boats!.compactions).toHaveLength(1);
  const leaves = boats!.messages.filter(({ id }) => !boats!.messages.some(({ parentId }) => parentId === id));
  expect(leaves.map(({ text }) => text).toSorted()).toEqual(["Blue.", "Yes."]);
  const calls = boats!.messages.flatMap((message) => message.calls);
  expect(calls.map(({ name, status }) => [name, status])).toEqual([
    ["core_memory_append", "ok"],
    ["archival_memory_insert", "ok"],
  ]);
  const human = file.palimpsest.modules.find(({ label }) => label === "human");
  expect(human!.revisions).toMatchObject([
    {
      before: "Name: Ada",
      origin: "model",
      toolName: "core_memory_append",
      messageId: expect.any(String),
      isByOwner: true,
    },
  ]);
});

test("the imported agent goes on where the original stopped", async () => {
  const model = createScriptedModel({ replies: [{ text: "Still here." }] });
  const other = await runtimes.open({ userId: `user-${(users += 1)}`, model: "scripted", models: [model] });
  await other.agents.import(file, { keepTrust: true });
  const boats = (await other.conversations.list("scout")).find(({ title }) => title === "Boats");
  const agent = await other.agents.open("scout", { conversation: { id: boats!.id } });
  await drain(agent.send("And now?"));
  const sent = JSON.stringify(model.requests[0]);
  expect(sent).toContain("A summary of the beginning.");
  expect(sent).toContain("Lives in Lisbon.");
  expect(sent).toContain("Really?");
  expect(sent).not.toContain("I live in Lisbon.");
  const found = await other.recall.search("scout", "lisbon");
  expect(found.hits.map(({ text }) => text)).toEqual(["I live in Lisbon."]);
  expect((await other.archival.search("scout", "boat")).hits.map(({ text }) => text)).toEqual(["The boat is red."]);
  expect((await other.archival.search("scout", "thirty days")).hits.map(({ text }) => text)).toEqual([
    expect.stringContaining("Thirty days."),
  ]);
  expect(await other.memory.undo("scout", "human")).toMatchObject({ label: "human" });
  expect((await other.memory.show("scout")).find(({ label }) => label === "human")!.value).toBe("Name: Ada");
});

test("without keepTrust every text is external, and open calls and foreign code wait for nobody and for approval", async () => {
  const other = await newUser();
  const changed = structuredClone(file) as unknown as { palimpsest: { tools: object[]; agents: object[] } };
  changed.palimpsest.tools = changed.palimpsest.tools.map((tool) => ({
    ...tool,
    kind: "python",
    source: "def look_up(word: str):\n  return word",
  }));
  await other.agents.import(changed);
  const again = (await other.agents.export("scout")).palimpsest;
  const texts = [
    ...again.modules,
    ...again.modules.flatMap(({ revisions }) => revisions),
    ...again.agents[0]!.passages,
    ...again.agents[0]!.conversations.flatMap(({ messages }) => messages),
    ...again.agents[0]!.conversations.flatMap(({ compactions }) => compactions),
  ];
  expect(new Set(texts.map(({ trust }) => trust))).toEqual(new Set(["external"]));
  expect(again.agents[0]!.tools).toMatchObject([{ requiresApproval: true }]);
});

test("a second import by the same user makes a copy with ids of its own and leaves the original alone", async () => {
  const before = content(await rich.agents.export("scout"));
  await expect(rich.agents.import(file, { keepTrust: true })).rejects.toMatchObject({ code: "agent_exists" });
  const { agents, counts, notes } = await rich.agents.import(file, { keepTrust: true, suffix: "_copy" });
  expect(agents[0]!.name).toBe("scout_copy");
  expect(agents[0]!.id).not.toBe(file.palimpsest.agents[0]!.id);
  expect(counts).toMatchObject({ agents: 1, modules: 3, tools: 0, sources: 0, conversations: 2, passages: 2 });
  expect(notes).toEqual([
    'tool "look_up": the stored tool of this name was kept.',
    'source "handbook": the source of this name was kept.',
  ]);
  expect(content(await rich.agents.export("scout"))).toEqual(before);
  const copy = (await rich.agents.export("scout_copy")).palimpsest.agents[0]!;
  expect(copy.conversations.map(({ messages }) => messages.length)).toEqual(
    file.palimpsest.agents[0]!.conversations.map(({ messages }) => messages.length),
  );
  await rich.agents.delete("scout_copy");
  expect(content(await rich.agents.export("scout"))).toEqual(before);
});

test("a source whose name was changed since the export is imported with its own passages again", async () => {
  const other = await newUser();
  await other.agents.import(file, { keepTrust: true });
  await other.agents.delete("scout");
  await other.sources.update("handbook", { name: "old handbook" });
  const { counts } = await other.agents.import(file, { keepTrust: true });
  expect(counts).toMatchObject({ sources: 1, files: 1, passages: 3 });
  const [source] = (await other.agents.export("scout")).palimpsest.sources;
  expect(source!.name).toBe("handbook");
  expect(source!.passages.map(({ text }) => text)).toEqual(["The office closes at six."]);
});

test("a file that is cut anywhere is refused, and one with odd characters is imported", async () => {
  const runtime = await newUser();
  const text = JSON.stringify(file);
  for (const share of [0.2, 0.5, 0.9, 0.999]) {
    await expect(runtime.agents.import(text.slice(0, Math.floor(text.length * share)))).rejects.toMatchObject({
      code: "import_invalid",
    });
  }
  expect(await runtime.agents.list()).toEqual([]);
  // A NUL, and half of a pair of surrogates: the database takes neither.
  const odd = text.replaceAll("Lives in Lisbon.", String.raw`Lives in \u0000 Lisbon \ud83d.`);
  expect(odd).not.toBe(text);
  const { agents } = await runtime.agents.import(odd);
  const [human] = (await runtime.memory.show(agents[0]!.id)).filter(({ label }) => label === "human");
  expect(human!.value).toContain("Lisbon");
  expect(human!.value).not.toContain("\0");
});

test("the import says that the contents of attached files are not in the file", async () => {
  const runtime = await newUser([{ text: "Seen." }]);
  const agent = await runtime.agents.open("viewer", { create: {} });
  const photos = ["a.txt", "b.txt"].map((name) => ({ name, data: Buffer.from(name) }));
  await drain(agent.send("Look", { files: photos }));
  const exported = await runtime.agents.export("viewer");
  const note = "2 attached file(s): an agent file does not contain their contents.";
  const other = await newUser();
  expect((await other.agents.import(exported)).notes).toContain(note);
  const without = await other.agents.import(exported, { name: "empty", withoutMessages: true });
  expect(without.notes).not.toContain(note);
});

test("options change the name and the model, and leave the messages out", async () => {
  const other = await newUser();
  const { agents } = await other.agents.import(file, { name: "pilot", model: "demo", withoutMessages: true });
  expect(agents).toMatchObject([{ name: "pilot", model: "demo", description: "A guide", tags: ["guide", "sea"] }]);
  expect(agents[0]!.settings).toMatchObject({ maxSteps: 7, keepLast: 2 });
  expect(await other.conversations.list("pilot")).toEqual([]);
  expect(await other.archival.count("pilot")).toBe(2);
  expect(await other.memory.revisions("pilot", { label: "human" })).toMatchObject([
    { messageId: null, conversationId: null },
  ]);
});

test("the address of a server in a file is taken only from one's own file", async () => {
  const changed = structuredClone(file) as unknown as {
    palimpsest: { agents: { model: string; settings: { baseUrl: string } }[] };
  };
  changed.palimpsest.agents[0]!.model = "openai/gpt-4o-mini";
  changed.palimpsest.agents[0]!.settings.baseUrl = "https://elsewhere.example/v1";
  const one = await newUser();
  expect((await one.agents.import(changed)).agents[0]!.settings.baseUrl).toBeNull();
  const other = await newUser();
  expect((await other.agents.import(changed, { keepTrust: true })).agents[0]!.settings.baseUrl).toBe(
    "https://elsewhere.example/v1",
  );
});

test.each([
  ["no JSON", "{", "not JSON"],
  ["a number", 7, "expected an agent file"],
  ["null", "null", "expected an agent file"],
  ["an array", [], "expected an agent file"],
  ["no agents", { agents: [] }, "agents: a value out of range"],
  ["an agent without a name", { agents: [{ id: "agent-0" }] }, "agents[0].name: expected string"],
  [
    "a message of another shape",
    { agents: [{ id: "a", name: "a", messages: [7] }] },
    "agents[0].messages[0]: expected object",
  ],
  ["a block that is not there", { agents: [{ id: "a", name: "a", block_ids: ["b"] }] }, "names a block"],
  ["another version", { agents: [], palimpsest: { version: 2 } }, "version 2"],
  [
    "an own part of another shape",
    { agents: [], palimpsest: { version: 1, agents: 3 } },
    "palimpsest.modules: expected array",
  ],
])("%s is refused with a message that says what was expected", async (_what, given, text) => {
  const runtime = await newUser();
  const failed = runtime.agents.import(given);
  await expect(failed).rejects.toMatchObject({ code: "import_invalid", message: expect.stringContaining(text) });
  expect(await runtime.agents.count()).toBe(0);
});

type Mutable = {
  palimpsest: {
    modules: object[];
    agents: {
      conversations: { leafId: string; messages: { parentId: string | null }[] }[];
      memoryType: string;
      settings: object;
    }[];
  };
};

test.each([
  [
    "a parent that is not there",
    (own: Mutable["palimpsest"]) =>
      void (own.agents[0]!.conversations[0]!.messages[0]!.parentId = "01a2110d-0f21-7000-8622-e6996a1670d3"),
    "input_invalid",
  ],
  [
    "a leaf that is not there",
    (own: Mutable["palimpsest"]) =>
      void (own.agents[0]!.conversations[0]!.leafId = "01a2110d-0f21-7000-8622-e6996a1670d3"),
    "input_invalid",
  ],
  ["a module that is not there", (own: Mutable["palimpsest"]) => void own.modules.pop(), "input_invalid"],
  [
    "an unknown memory class",
    (own: Mutable["palimpsest"]) => void (own.agents[0]!.memoryType = "other"),
    "memory_type_unregistered",
  ],
  [
    "an unknown setting",
    (own: Mutable["palimpsest"]) => void (own.agents[0]!.settings = { colour: 1 }),
    "config_invalid",
  ],
])("a file with %s is refused, and nothing is stored", async (_what, change, code) => {
  const runtime = await newUser();
  const changed = structuredClone(file) as unknown as Mutable;
  change(changed.palimpsest);
  await expect(runtime.agents.import(changed, { keepTrust: true })).rejects.toMatchObject({ code });
  // Not even the user has a row.
  expect(await runtime.user.usage()).toBeNull();
  expect(await runtime.modules.list()).toEqual([]);
  expect(await runtime.tools.list()).toEqual([]);
});
