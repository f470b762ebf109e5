// An agent file in the form that Letta's server writes, imported, exported and imported again. On the engine at hand.
import { useRuntimes } from "../support/runtime.ts";

const runtimes = useRuntimes();
let users = 0;

const newUser = () => runtimes.open({ userId: `user-${(users += 1)}`, model: "demo" });

const message = (id: number, role: string, text: string, more: object = {}) => ({
  type: "message",
  id: `message-${id}`,
  role,
  content: [{ type: "text", text, signature: null }],
  name: null,
  otid: null,
  agent_id: "agent-0",
  tool_calls: null,
  tool_call_id: null,
  tool_returns: [],
  created_at: `2026-03-04T05:06:0${id}.120000+00:00`,
  approvals: [],
  ...more,
});

const call = {
  id: "call-1",
  type: "function",
  function: { name: "memory_insert", arguments: '{"label":"human","new_string":"Likes: tea"}' },
};

const agent = (more: object = {}) => ({
  id: "agent-0",
  name: "harbour",
  system: "You keep the harbour's log.",
  agent_type: "letta_v1_agent",
  description: "A keeper of logs",
  tags: ["harbour", "log"],
  metadata: { owner: "wren" },
  timezone: "Europe/Lisbon",
  memory_blocks: [],
  tools: [],
  tool_ids: ["tool-0", "tool-1"],
  source_ids: [],
  block_ids: ["block-0", "block-1"],
  tool_rules: [{ type: "max_count_per_step", tool_name: "memory_insert", max_count_limit: 2 }],
  llm_config: { model: "gpt-4o-mini", model_endpoint_type: "openai", context_window: 128_000, handle: "demo" },
  embedding_config: { embedding_model: "text-embedding-3-small", embedding_dim: 1536, embedding_chunk_size: 300 },
  tool_exec_environment_variables: {},
  secrets: null,
  in_context_message_ids: ["message-0", "message-1", "message-2", "message-3", "message-4"],
  messages: [
    message(0, "system", "You keep the harbour's log."),
    message(1, "user", "I like tea."),
    message(2, "assistant", "Noted.", { tool_calls: [call] }),
    message(3, "tool", '{"status":"OK","message":"None","time":"2026-03-04T05:06:03.120Z"}', {
      tool_call_id: "call-1",
      tool_returns: [{ tool_call_id: "call-1", status: "success", func_response: "None" }],
    }),
    message(4, "assistant", "I have written it down."),
  ],
  files_agents: [],
  group_ids: [],
  ...more,
});

const block = (id: number, label: string, value: string) => ({
  id: `block-${id}`,
  label,
  value,
  limit: 100_000,
  description: `The ${label} block.`,
  read_only: false,
  metadata: {},
  tags: null,
});

const tool = (id: number, name: string, tool_type: string) => ({
  id: `tool-${id}`,
  name,
  tool_type,
  source_type: "python",
  source_code: null,
  description: `${name}.`,
  json_schema: { name, description: `${name}.`, parameters: { type: "object", properties: {}, required: [] } },
  tags: [tool_type],
});

const written = (more: object = {}) => ({
  agents: [agent(more)],
  groups: [],
  blocks: [block(0, "human", "Name: Ada"), block(1, "persona", "I am Bo.")],
  files: [],
  sources: [],
  tools: [tool(0, "conversation_search", "letta_core"), tool(1, "memory_insert", "letta_sleeptime_core")],
  mcp_servers: [],
  metadata: { revision_id: "1c28e167b74f" },
  created_at: "2026-03-04T06:00:00.000000+00:00",
});

/** What both files have to say, without ids, forms of times and what Letta derives. */
function saidBy({ agents, blocks, tools }: Record<"agents" | "blocks" | "tools", readonly Record<string, unknown>[]>) {
  const [one] = agents;
  const { name, system, description, tags, metadata, timezone, agent_type: type, tool_rules: rules } = one!;
  const messages = (one!["messages"] as readonly Record<string, unknown>[]).slice(1).map((stored) => ({
    role: stored["role"],
    at: new Date(String(stored["created_at"])).toISOString(),
    text: (stored["content"] as readonly { readonly text?: string }[]).map(({ text }) => text).join(""),
    calls:
      (stored["tool_calls"] as readonly { readonly function: object }[] | null)?.map((made) => made.function) ?? [],
  }));
  return {
    facts: { name, system, description, tags, metadata, timezone, type },
    rules: (rules as readonly Record<string, unknown>[]).map((rule) => [rule["type"], rule["tool_name"]]),
    blocks: blocks.map(({ label, value, limit, description: about }) => [label, value, limit, about]),
    tools: tools.map(({ name: of, tool_type: as }) => [of, as]),
    messages,
    window: (one!["in_context_message_ids"] as readonly string[]).length,
  };
}

test("an exported agent says what the file of Letta said, and a second import keeps it", async () => {
  const file = written();
  const ada = await newUser();
  const { agents, notes } = await ada.agents.import(file);
  expect([agents.map(({ name }) => name), notes]).toEqual([["harbour"], []]);
  const exported = await ada.agents.export("harbour");
  expect(saidBy(exported as never)).toEqual(saidBy(file));
  const { palimpsest: _own, ...ofLetta } = exported as unknown as Record<string, unknown>;
  const ben = await newUser();
  await ben.agents.import(ofLetta);
  expect(saidBy((await ben.agents.export("harbour")) as never)).toEqual(saidBy(file));
});

test.each([
  ["as an object", { secrets: { API_KEY: "hidden-1" }, tool_exec_environment_variables: { URL: "hidden-2" } }],
  [
    "as a list",
    {
      secrets: [
        { key: "API_KEY", value: "hidden-1" },
        { key: "URL", value: null },
      ],
    },
  ],
])("secrets %s are named in the report and not imported", async (_, secrets) => {
  const runtime = await newUser();
  const { notes } = await runtime.agents.import(written(secrets));
  expect(notes).toEqual(['agent "harbour": 2 secret(s) not moved: API_KEY, URL.']);
  const everything = JSON.stringify([await runtime.agents.export("harbour"), await runtime.agents.find("harbour")]);
  expect(everything).not.toContain("hidden-");
});
