// Agents, blocks and models of Letta's API, driven by its official client.
import Letta from "@letta-ai/letta-client";
import { openLettaServer } from "../support/letta-server.ts";
import { useScene } from "../support/use-scene.ts";

const server = useScene(() => openLettaServer());
let client: Letta;
beforeAll(async () => ({ client } = server));

let count = 0;
const name = () => `agent-${(count += 1)}`;
const memory_blocks = [
  { label: "human", value: "Name: Ada", tags: ["person"], metadata: { since: 2026 } },
  { label: "persona", value: "I am Bo." },
];
const newAgent = (more: Letta.AgentCreateParams = {}) => client.agents.create({ name: name(), memory_blocks, ...more });
const toolsOf = ({ tools }: Letta.AgentState) => tools.map((tool) => tool.name);

test("a new agent has its blocks, the base tools and what was set", async () => {
  const sent = { description: "d", tags: ["b", "a"], metadata: { k: [1] }, timezone: "Europe/Berlin", hidden: true };
  const agent = await newAgent({ ...sent, context_window_limit: 20_000, max_tokens: 900, system: "Be kind." });
  expect(agent).toMatchObject({
    ...sent,
    agent_type: "letta_v1_agent",
    system: "Be kind.",
    model: "openai/gpt-4o-mini",
  });
  expect(agent.llm_config).toMatchObject({ context_window: 20_000, max_tokens: 900, handle: "openai/gpt-4o-mini" });
  expect(agent.memory.blocks).toEqual(agent.blocks);
  expect(agent.blocks).toMatchObject([
    { ...memory_blocks[0], limit: 100_000, read_only: false },
    { ...memory_blocks[1], limit: 100_000, tags: [] },
  ]);
  expect(toolsOf(agent).toSorted()).toEqual(["conversation_search", "memory_insert", "memory_replace"]);
  const record = await server.host.forUser("ada").agents.find(agent.id.slice("agent-".length));
  expect(record.settings).toMatchObject({ timeZone: "Europe/Berlin", contextWindow: 20_000, maxOutputTokens: 900 });
});

test("a client of version 1 gets only the relations that it asks for, an older one all", async () => {
  const agent = await newAgent({ tags: ["x"] });
  expect(await client.agents.retrieve(agent.id)).toMatchObject({ blocks: [], tools: [], tags: [] });
  const some = await client.agents.retrieve(agent.id, { include: ["agent.tools", "agent.tags"] });
  expect(some).toMatchObject({ blocks: [], tags: ["x"] });
  expect(some.tools).toHaveLength(3);
  const { body } = await server.ask("GET", `/v1/agents/${agent.id}`);
  expect(body).toMatchObject({ tags: ["x"], blocks: [{ label: "human" }, { label: "persona" }] });
});

test("a change replaces what it names, and keeps the rest", async () => {
  const block = await client.blocks.create({ label: "extra", value: "e" });
  const agent = await newAgent({ description: "old", tags: ["a"], response_format: { type: "text" } });
  const changed = await client.agents.update(agent.id, {
    name: `${agent.name}-new`,
    system: "Short.",
    tags: ["b"],
    block_ids: [block.id],
    tool_ids: [],
    model_settings: { provider_type: "openai", temperature: 0.25, max_output_tokens: 1000 },
  });
  expect(changed).toMatchObject({
    name: `${agent.name}-new`,
    system: "Short.",
    description: "old",
    tags: ["b"],
    response_format: { type: "text" },
    tools: [],
    blocks: [{ id: block.id, label: "extra" }],
    model_settings: { temperature: 0.25, max_output_tokens: 1000 },
  });
});

test("several agents can have one name, and a name may contain a slash", async () => {
  const shared = `team/${name()}`;
  const agents = [await newAgent({ name: shared }), await newAgent({ name: shared })];
  expect(agents.map((agent) => agent.name)).toEqual([shared, shared]);
  const found = await client.agents.list({ name: shared, order: "asc" });
  expect(found.items.map(({ id }) => id)).toEqual(agents.map(({ id }) => id));
});

test("lists are filtered by tags and text, and paged by cursors", async () => {
  const tags = [name()];
  const made = [];
  for (let at = 0; at < 3; at += 1) made.push((await newAgent({ tags })).id);
  const ids = async (query: Letta.AgentListParams) =>
    (await client.agents.list({ tags, ...query })).items.map(({ id }) => id);
  expect(await ids({ order: "asc" })).toEqual(made);
  expect(await ids({})).toEqual(made.toReversed());
  expect(await ids({ order: "asc", limit: 2 })).toEqual(made.slice(0, 2));
  expect(await ids({ order: "asc", after: made[1]! })).toEqual(made.slice(2));
  expect(await ids({ order: "asc", before: made[2]!, limit: 1 })).toEqual([made[1]]);
  expect(await ids({ tags: [...tags, "other"], match_all_tags: true })).toEqual([]);
  expect(await client.tags.list()).toContain(tags[0]);
});

test("an agent of MemGPT's kind answers with its own tools", async () => {
  const agent = await newAgent({ agent_type: "memgpt_agent" });
  expect(toolsOf(agent)).toEqual(
    expect.arrayContaining(["send_message", "core_memory_append", "archival_memory_search"]),
  );
});

test.each([
  ["an unknown model", { model: "openai/none" }, 404, "Handle openai/none not found, must be one of"],
  ["an unknown embedder", { embedding: "openai/none" }, 404, "Handle openai/none not found, must be one of"],
  ["an unknown tool", { tools: ["none"] }, 400, "Tools not found: none"],
  ["a missing block", { block_ids: ["block-00000000-0000-4000-8000-000000000000"] }, 404, "no module with"],
  ["secrets", { secrets: { KEY: "x" } }, 400, "stores no secrets of agents"],
  [
    "a text over its limit",
    { memory_blocks: [{ label: "x", value: "long", limit: 2 }] },
    422,
    "Exceeds 2 character limit",
  ],
  ["a label that the prompt cannot have", { memory_blocks: [{ label: "a/b", value: "" }] }, 400, "module label"],
  ["an unknown zone", { timezone: "Nowhere" }, 400, "IANA time zone"],
  ["an unknown rule", { tool_rules: [{ type: "never", tool_name: "x" }] }, 400, "Unknown type of a tool rule"],
])("%s is refused, and no agent is created", async (_what, body, status, text) => {
  const before = await client.agents.list({ query_text: "refused" });
  const { status: answered, body: error } = await server.ask("POST", "/v1/agents/", { name: "refused", ...body });
  expect([answered, (error as { detail: string }).detail]).toEqual([status, expect.stringContaining(text)]);
  expect((await client.agents.list({ query_text: "refused" })).items).toEqual(before.items);
});

test("a malformed id and body are reported with their places", async () => {
  expect(await server.ask("GET", "/v1/agents/nonsense")).toEqual({
    status: 422,
    body: {
      trace_id: "",
      detail: expect.stringContaining("('path', 'agent')"),
      examples: ["agent-123e4567-e89b-42d3-8456-426614174000"],
    },
  });
  const { status, body } = await server.ask("POST", "/v1/agents/", { name: 5, memory_blocks: "no" });
  expect([status, body]).toEqual([422, { trace_id: "", detail: expect.stringContaining("('body', 'name')") }]);
});

test("a deleted agent is gone", async () => {
  const { id } = await newAgent();
  const counted = (await server.ask("GET", "/v1/agents/count")).body as number;
  await client.agents.delete(id);
  expect((await server.ask("GET", "/v1/agents/count")).body).toBe(counted - 1);
  const detail = `Agent with ID ${id} not found`;
  await expect(client.agents.retrieve(id)).rejects.toMatchObject({ status: 404, error: { detail } });
  await expect(client.agents.delete(id)).rejects.toMatchObject({ status: 404, error: { detail } });
});

test("a block is shared by the agents that have it", async () => {
  const block = await client.blocks.create({ label: "shared", value: "before", description: "d", metadata: { a: 1 } });
  const [one, other] = [await newAgent({ block_ids: [block.id] }), await newAgent()];
  const attached = await client.agents.blocks.attach(block.id, { agent_id: other.id });
  expect(attached.blocks.map(({ label }) => label)).toEqual(["human", "persona", "shared"]);
  await client.agents.blocks.update("shared", { agent_id: one.id, value: "after", tags: ["t"] });
  expect(await client.agents.blocks.retrieve("shared", { agent_id: other.id })).toMatchObject({
    id: block.id,
    value: "after",
    description: "d",
    metadata: { a: 1 },
    tags: ["t"],
  });
  const holders = await client.blocks.agents.list(block.id, { order: "asc" });
  expect(holders.items.map(({ id }) => id)).toEqual([one.id, other.id]);
  await client.agents.blocks.detach(block.id, { agent_id: other.id });
  const detail = `No block with label 'shared' found for agent '${other.id}'`;
  await expect(client.agents.blocks.retrieve("shared", { agent_id: other.id })).rejects.toMatchObject({
    status: 404,
    error: { detail },
  });
  await client.blocks.delete(block.id);
  await expect(client.blocks.retrieve(block.id)).rejects.toMatchObject({ status: 404 });
});

test("blocks are found by label, tags and parts of their texts", async () => {
  const label = `label${(count += 1)}`;
  const [first, second] = [
    await client.blocks.create({ label, value: "alpha", tags: ["x", "y"] }),
    await client.blocks.create({ label, value: "beta", tags: ["x"] }),
  ];
  const ids = async (query: Letta.BlockListParams) => (await client.blocks.list(query)).items.map(({ id }) => id);
  expect(await ids({ label, order: "asc" })).toEqual([first.id, second.id]);
  expect(await ids({ label, value_search: "ALP" })).toEqual([first.id]);
  expect(await ids({ label, tags: ["x", "y"], match_all_tags: true })).toEqual([first.id]);
  expect(await ids({ label, tags: ["x", "y"] })).toEqual([second.id, first.id]);
  expect(await ids({ label, connected_to_agents_count_gt: 0 })).toEqual([]);
});

test("a change of two clients at once loses neither field", async () => {
  const block = await client.blocks.create({ label: "busy", value: "v" });
  await Promise.all([
    client.blocks.update(block.id, { value: "new" }),
    client.blocks.update(block.id, { description: "described" }),
  ]);
  expect(await client.blocks.retrieve(block.id)).toMatchObject({ value: "new", description: "described" });
});

test("models and embedders are listed by their handles", async () => {
  const models = await client.models.list();
  expect(models).toMatchObject([{ handle: "openai/gpt-4o-mini", provider_type: "openai", context_window: 100_000 }]);
  expect((await client.models.embeddings.list()).map(({ handle }) => handle)).toContain("local/use-lite");
});

test("what belongs to another user does not exist", async () => {
  const { id, blocks } = await newAgent();
  const block = String(blocks[0]?.id);
  const { secret } = await server.host.keys.create("ben", { scope: "admin" });
  const ben = new Letta({ baseURL: server.url, apiKey: secret, maxRetries: 0 });
  await expect(ben.agents.retrieve(id)).rejects.toMatchObject({ status: 404 });
  await expect(ben.agents.update(id, { name: "mine" })).rejects.toMatchObject({ status: 404 });
  await expect(ben.blocks.update(block, { value: "mine" })).rejects.toMatchObject({ status: 404 });
  await expect(ben.agents.delete(id)).rejects.toMatchObject({ status: 404 });
  expect((await ben.agents.list()).items).toEqual([]);
  expect((await client.blocks.retrieve(block)).value).toBe("Name: Ada");
});
