// Agent files of Letta: one that its server 0.16.8 wrote, the older form, and what cannot be moved.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import { drain, useRuntimes } from "../support/runtime.ts";
import { createWordEmbedder } from "../support/word-embedder.ts";

const runtimes = useRuntimes();

let users = 0;

async function newUser(options = {}) {
  users += 1;
  const model = createScriptedModel({ replies: [{ text: "Here I am." }] });
  const runtime = await runtimes.open({ userId: `user-${users}`, model: "scripted", models: [model], ...options });
  return { runtime, model };
}

const written = readFileSync(fileURLToPath(new URL("../fixtures/letta/agent-0.16.af", import.meta.url)), "utf8");

test("a file of Letta's server becomes an agent with its memory, tools, files and conversation", async () => {
  const { runtime, model } = await newUser();
  const { agents, counts, notes } = await runtime.agents.import(written);
  expect(counts).toMatchObject({ agents: 1, modules: 3, tools: 1, sources: 1, conversations: 1, messages: 24 });
  expect(notes).toEqual([
    'agent "Ada agent": openai/gpt-4o-mini needs a key: set `openaiApiKey`, or choose another `model` (demo needs none).',
  ]);
  expect(agents[0]).toMatchObject({
    name: "Ada agent",
    model: "openai/gpt-4o-mini",
    description: "A guide",
    tags: ["guide", "sea"],
    metadata: { k: 1 },
    systemPrompt: "You are Bo, a guide.",
    protocol: "native",
    memoryType: "free",
    settings: {
      timeZone: "Europe/Lisbon",
      contextWindow: 128_000,
      addedTools: ["memory_insert", "memory_replace"],
      removedTools: ["core_memory_append", "core_memory_replace", "core_memory_rewrite"],
      toolRules: [
        { type: "max-count-per-turn", tool: "add_numbers", count: 2 },
        { type: "requires-approval", tool: "add_numbers" },
      ],
    },
  });
  expect((await runtime.memory.show("Ada agent")).map(({ label, value, trust }) => [label, value, trust])).toEqual([
    ["rules", "Be kind.", "external"],
    ["persona", "I am Bo 🧭.", "external"],
    ["human", "Name: Ada\nLives in Lisbon.\nLikes boats.", "external"],
  ]);
  expect(await runtime.tools.ofAgent("Ada agent")).toMatchObject([
    { name: "add_numbers", kind: "python", agentRequiresApproval: true, parameters: { required: ["a", "b"] } },
  ]);
  expect((await runtime.archival.search("Ada agent", "thirty days")).hits[0]!.text).toContain("Thirty days of leave.");
  const agent = await runtime.agents.open("Ada agent", { model: "scripted" });
  expect(agent.conversationId).toBe(agents[0]!.id);
  const page = await runtime.conversations.messages(agent.conversationId, { from: "beginning" });
  expect(page.messages[0]).toMatchObject({ role: "user", text: "I live in Lisbon by the sea.", trust: "external" });
  expect(page.messages[0]!.at.toISOString()).toMatch(/^2026-11-25T09:5/u);
  expect(
    page.messages
      .flatMap(({ calls }) => calls)
      .map(({ name, status, result }) => [name, status, result!.text.slice(0, 24)]),
  ).toEqual([
    ["memory_insert", "ok", "Name: Ada\nLives in Lisbo"],
    ["archival_memory_insert", "ok", "None"],
    ["add_numbers", "ok", "5"],
    ["nothing_like_this", "failed", "[ToolConstraintError] Ca"],
    ["archival_memory_search", "ok", "[{'id': 'passage-a441bb3"],
  ]);
  await drain(agent.send("Are you there?"));
  expect(JSON.stringify(model.requests[0]!.messages)).toContain("Grüße aus Porto 👋");
});

test("the text of a PDF is loaded, and a source without a file that can be loaded has a note", async () => {
  const { runtime } = await newUser();
  const file = JSON.parse(written) as { files: object[]; sources: object[] };
  file.sources.push({ id: "source-1", name: "odd" });
  file.files.push(
    { source_id: "source-0", original_file_name: "report.pdf", content: "The rudder was replaced in June." },
    { source_id: "source-1", original_file_name: "a:b.txt", content: "not loaded" },
  );
  const { agents, notes } = await runtime.agents.import(file);
  expect(agents).toHaveLength(1);
  expect(notes).toContain('file "a:b.txt": its name is not a relative path with / as separator.');
  expect((await runtime.archival.search("Ada agent", "rudder")).hits[0]!.source).toMatchObject({ file: "report.pdf" });
});

test("JSON text that holds the JSON is decoded twice", async () => {
  const { runtime } = await newUser();
  const { counts } = await runtime.agents.import(JSON.stringify(written));
  expect(counts).toMatchObject({ agents: 1, messages: 24 });
});

test("withoutMessages imports no conversation", async () => {
  const { runtime } = await newUser();
  const { counts } = await runtime.agents.import(written, { withoutMessages: true, name: "Bo", suffix: "_copy" });
  expect(counts).toMatchObject({ agents: 1, modules: 3, conversations: 0, messages: 0 });
  expect((await runtime.agents.list()).map(({ name }) => name)).toEqual(["Bo_copy"]);
});

test("a stored tool of the same name is kept, or replaced on request", async () => {
  const { runtime } = await newUser();
  const before = await runtime.tools.create({
    name: "add_numbers",
    description: "Mine.",
    parameters: { type: "object" },
  });
  const first = await runtime.agents.import(written);
  expect(first.notes).toContain('tool "add_numbers": the stored tool of this name was kept.');
  expect(await runtime.tools.ofAgent("Ada agent")).toMatchObject([
    { id: before.id, description: "Mine.", kind: "client" },
  ]);
  await runtime.agents.import(written, { name: "other", existingTools: "replace" });
  expect(await runtime.tools.find("add_numbers")).toMatchObject({ id: before.id, kind: "python" });
});

test("an embedder can be chosen for the agents of a file", async () => {
  const [one, other] = [createWordEmbedder("one", 8), createWordEmbedder("other", 16)];
  const { runtime } = await newUser({ embedder: one, embedders: [other] });
  await expect(runtime.agents.import(written, { embedding: "nowhere" })).rejects.toMatchObject({
    code: "config_invalid",
  });
  expect(await runtime.agents.count()).toBe(0);
  await runtime.agents.import(written, { embedding: "other" });
  expect(await runtime.embeddings.list()).toMatchObject([{ searched: { embedder: "other", missing: 0 } }]);
});

const older = {
  agent_type: "memgpt_agent",
  name: "sam",
  system: "You are Sam.",
  version: "0.7.20",
  timezone: "nowhere",
  llm_config: { model: "gpt-4", model_endpoint_type: "openai", context_window: 8192 },
  core_memory: [
    { label: "human", value: "Chad", limit: 3, created_at: "2025-01-01T00:00:00" },
    { label: "1 odd/label", value: "x", limit: 10, created_at: "2025-01-01T00:00:00" },
  ],
  tags: [{ tag: "old" }],
  tools: [
    { name: "send_message", tool_type: "letta_core" },
    { name: "core_memory_append", tool_type: "letta_core" },
    {
      name: "roll",
      tool_type: "custom",
      source_type: "python",
      source_code: "def roll():\n  return 4",
      json_schema: {
        parameters: {
          type: "object",
          properties: { request_heartbeat: { type: "boolean" } },
          required: ["request_heartbeat"],
        },
      },
    },
  ],
  tool_rules: [
    { tool_name: "send_message", type: "TerminalToolRule" },
    { tool_name: "roll", type: "InitToolRule" },
  ],
  in_context_message_indices: [0, 3, 4, 5, 6],
  messages: [
    { role: "system", content: [{ type: "text", text: "You are Sam. Compiled." }], created_at: "2025-01-01T10:00:00" },
    {
      role: "user",
      content: [{ type: "text", text: '{"type": "login", "last_login": "Never"}' }],
      created_at: "2025-01-01T10:00:01",
    },
    {
      role: "user",
      text: '{"type": "user_message", "message": "Hello Sam", "name": "Chad", "time": "x"}',
      created_at: "2025-01-01T10:00:02",
    },
    {
      role: "user",
      content:
        '{"type": "system_alert", "message": "Note: prior messages (2 of 4 total messages) have been hidden from view due to conversation memory constraints.\\nThe following is a summary of the previous 2 messages:\\n They met."}',
      created_at: "2025-01-01T10:00:03",
    },
    {
      role: "assistant",
      content: [{ type: "text", text: "Greet back." }],
      tool_calls: [
        { id: "c1", type: "function", function: { name: "send_message", arguments: '{"message": "Hi Chad"}' } },
      ],
      created_at: "2025-01-01T10:00:04",
    },
    {
      role: "tool",
      tool_call_id: "c1",
      name: "send_message",
      content: [{ type: "text", text: '{"status": "OK", "message": "None"}' }],
      created_at: "2025-01-01T10:00:05",
    },
    {
      role: "assistant",
      tool_calls: [
        {
          id: "c2",
          type: "function",
          function: { name: "core_memory_append", arguments: '{"label":"human","content":"x"}' },
        },
      ],
      created_at: "2025-01-01T10:00:06",
    },
  ],
};

test("the older form becomes an agent that speaks through send_message, with its window and the summary before it", async () => {
  const { runtime, model } = await newUser();
  const { agents, notes } = await runtime.agents.import(older);
  expect(notes).toEqual([expect.stringContaining('agent "sam": openai/gpt-4 needs a key')]);
  expect(agents[0]).toMatchObject({
    name: "sam",
    model: "openai/gpt-4",
    protocol: "heartbeat",
    tags: ["old"],
    settings: { contextWindow: 8192, toolRules: [{ type: "run-first", tool: "roll" }], timeZone: "UTC" },
  });
  expect(await runtime.memory.show("sam")).toMatchObject([
    { label: "human", value: "Chad", limit: 4 },
    { label: "odd_label", value: "x" },
  ]);
  expect((await runtime.tools.find("roll")).parameters).toMatchObject({ properties: {}, required: [] });
  const { conversationId } = await runtime.agents.open("sam", { model: "scripted" });
  const { messages } = await runtime.conversations.messages(conversationId, { from: "beginning" });
  expect(messages.map(({ kind, role, text, speaker }) => [kind, role, text, speaker])).toEqual([
    ["event", "user", '{"type": "login", "last_login": "Never"}', undefined],
    ["message", "user", "Hello Sam", "Chad"],
    ["message", "assistant", "Hi Chad", undefined],
    ["message", "assistant", "", undefined],
  ]);
  // Nothing is run that Letta has left open.
  expect(messages.at(-1)!.calls).toMatchObject([
    { name: "core_memory_append", status: "failed", result: { text: expect.stringContaining("not run") } },
  ]);
  const agent = await runtime.agents.open("sam");
  await drain(agent.send("Still there?"));
  const request = JSON.stringify(model.requests[0]);
  expect(request).toContain("They met.");
  expect(request).not.toContain("Hello Sam");
  expect(request).toContain("Hi Chad");
});

test("groups, skills and MCP servers have notes, and several agents share a block", async () => {
  const { runtime } = await newUser();
  const { agents, notes } = await runtime.agents.import({
    agents: [
      { id: "agent-0", name: "one/two", block_ids: ["block-0"], agent_type: "letta_v1_agent" },
      {
        id: "agent-1",
        name: "three",
        block_ids: ["block-0"],
        agent_type: "letta_v1_agent",
        messages: [
          {
            role: "user",
            content:
              '{"type":"system_alert","message":"Note: prior messages have been hidden from view due to conversation memory constraints.\\nThe following is a summary of the previous messages:\\n Long ago."}',
          },
        ],
      },
    ],
    blocks: [{ id: "block-0", label: "human", value: "Ada" }],
    groups: [{ id: "group-0" }],
    skills: [{ name: "pdf" }],
    mcp_servers: [{ id: "mcp_server-0" }],
  });
  expect(agents.map(({ name }) => name)).toEqual(["one-two", "three"]);
  expect(notes.slice(0, 3)).toEqual([
    "1 group(s) of agents: not moved.",
    "1 MCP server(s): not moved.",
    "1 skill(s): not moved.",
  ]);
  const [block] = await runtime.memory.show("three");
  expect((await runtime.modules.holders(block!.id)).map(({ agentName }) => agentName)).toEqual(["one-two", "three"]);
  const { conversationId } = await runtime.agents.open("three");
  // The messages that it stands for are not in the file.
  expect((await runtime.conversations.messages(conversationId)).messages).toMatchObject([
    { kind: "event", text: "[Summary of earlier messages] Long ago." },
  ]);
});

test("what an agent file of Palimpsest says in Letta's form is read by Letta's rules again", async () => {
  const { runtime } = await newUser();
  await runtime.agents.import(written);
  const { palimpsest: _own, ...file } = await runtime.agents.export("Ada agent");
  const { runtime: other } = await newUser();
  const { counts } = await other.agents.import(file);
  expect(counts).toMatchObject({ agents: 1, modules: 3, tools: 1, sources: 1, conversations: 1, messages: 24 });
  expect(await other.memory.show("Ada agent")).toMatchObject([
    { label: "rules" },
    { label: "persona" },
    { label: "human" },
  ]);
  const texts = async (one: typeof runtime) => {
    const { conversationId } = await one.agents.open("Ada agent", { model: "scripted" });
    const { messages } = await one.conversations.messages(conversationId);
    return messages.map(({ role, text, calls }) => [
      role,
      text,
      calls.map(({ name, arguments: json, result }) => [name, json, result!.text]),
    ]);
  };
  expect(await texts(other)).toEqual(await texts(runtime));
});

test("labels that are reduced to one label stay apart, and only a label that occurs twice is refused", async () => {
  const { runtime } = await newUser();
  const long = (last: string) => `1${"x".repeat(70)}${last}`;
  const fileOf = (labels: readonly string[]) => ({
    agents: [{ id: "agent-0", name: "ada", block_ids: labels.map((_, index) => `block-${index}`) }],
    blocks: labels.map((label, index) => ({ id: `block-${index}`, label, value: label })),
  });
  const { notes } = await runtime.agents.import(fileOf(["用户信息", "项目", "block", "1 odd", long("a"), long("b")]));
  const memory = await runtime.memory.show("ada");
  const labels = new Map(memory.map(({ label, value }) => [value, label]));
  expect(labels.get("block")).toBe("block");
  expect(labels.get("1 odd")).toBe("odd");
  expect(labels.get("用户信息")).toMatch(/^block_[0-9a-f]{8}$/u);
  expect(labels.get("项目")).toMatch(/^block_[0-9a-f]{8}$/u);
  expect(labels.get(long("a"))).toMatch(/^x{55}_[0-9a-f]{8}$/u);
  expect(new Set(labels.values()).size).toBe(6);
  expect(notes.filter((note) => note.startsWith("label "))).toHaveLength(4);
  await expect(runtime.agents.import(fileOf(["用户信息", "用户信息"]))).rejects.toMatchObject({
    code: "import_invalid",
    message: expect.stringContaining("two blocks with the label block (block-1)"),
  });
});
