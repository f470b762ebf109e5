// Tools of Letta's API, driven by its official client.
import type Letta from "@letta-ai/letta-client";
import { openLettaServer } from "../support/letta-server.ts";
import { useScene } from "../support/use-scene.ts";

const server = useScene(() => openLettaServer());
let client: Letta;
beforeAll(async () => ({ client } = server));

let count = 0;

/** A tool that the client runs: the sandbox is off here. */
async function newTool(more: object = {}) {
  count += 1;
  const parameters = { type: "object", properties: { zone: { type: "string" } }, required: ["zone"] };
  const json_schema = { name: `read_clock_${count}`, description: "Reads the clock.", parameters };
  const { body } = await server.ask("POST", "/v1/tools/", { json_schema, ...more });
  return body as Letta.Tool;
}

const serverTools = ["archival_memory_search", "memory_rethink", "web_search", "run_code"];
const newAgent = (more: Letta.AgentCreateParams = {}) => client.agents.create({ name: "a", ...more });
const namesOf = async (agent_id: string) => {
  const { items } = await client.agents.tools.list(agent_id, { order: "asc", limit: 200 });
  return items.map(({ name }) => name);
};

test("a tool with a schema alone is kept as it was sent", async () => {
  const tool = await newTool({
    tags: ["t"],
    return_char_limit: 300,
    default_requires_approval: true,
    pip_requirements: [{ name: "x" }],
  });
  expect(tool).toMatchObject({
    tool_type: "custom",
    description: "Reads the clock.",
    source_code: null,
    tags: ["t"],
    return_char_limit: 300,
    default_requires_approval: true,
    pip_requirements: [{ name: "x" }],
    json_schema: { parameters: { required: ["zone"] } },
  });
  expect(await client.tools.retrieve(tool.id)).toEqual(tool);
  const changed = await client.tools.update(tool.id, { tags: ["u"], metadata_: { m: 1 } });
  expect(changed).toMatchObject({ id: tool.id, tags: ["u"], metadata_: { m: 1 }, pip_requirements: [{ name: "x" }] });
  await client.tools.delete(tool.id);
  await expect(client.tools.retrieve(tool.id)).rejects.toMatchObject({
    status: 404,
    error: { detail: `Tool not found with id='${tool.id}'` },
  });
});

test("the tools with which agents write to each other are attached by name, by id and all at once", async () => {
  const names = [
    "send_message_to_agent_and_wait_for_reply",
    "send_message_to_agent_async",
    "send_message_to_agents_matching_tags",
  ];
  const { items } = await client.tools.list({ tool_types: ["letta_multi_agent_core"] });
  expect(items.map(({ name }) => name).toSorted()).toEqual(names);
  // A field of older clients.
  const every = { include_base_tools: false, include_multi_agent_tools: true };
  const all = await newAgent(every);
  expect((await namesOf(all.id)).toSorted()).toEqual(names);
  const one = await newAgent({ include_base_tools: false, tools: names.slice(1, 2), tool_ids: [items[0]!.id] });
  const other = items[1]!.name === names[1] ? items[2]! : items[1]!;
  await client.agents.tools.attach(other.id, { agent_id: one.id });
  expect(await namesOf(one.id)).toEqual(expect.arrayContaining([names[1], items[0]!.name, other.name]));
});

test("source code is refused while the sandbox is off", async () => {
  const source_code = 'def f() -> str:\n    """\n    A tool.\n    """\n    return "x"\n';
  await expect(client.tools.create({ source_code })).rejects.toMatchObject({
    status: 400,
    error: { detail: expect.stringContaining("set `sandbox` to namespaces") },
  });
  await expect(client.tools.create({ source_code, source_type: "typescript" })).rejects.toMatchObject({ status: 400 });
  expect(await server.ask("POST", "/v1/tools/", {})).toMatchObject({ status: 422 });
});

test("the tools of the server are listed with ids that stay, and cannot be changed", async () => {
  const listed = async () => (await client.tools.list({ limit: 200 })).items;
  const tools = await listed();
  const names = tools.map((tool) => tool.name);
  expect(names).toEqual(
    expect.arrayContaining(["conversation_search", "memory_rethink", "web_search", "fetch_webpage"]),
  );
  expect((await listed()).map(({ id }) => id)).toEqual(tools.map(({ id }) => id));
  const search = tools.find((tool) => tool.name === "conversation_search")!;
  expect(await client.tools.retrieve(search.id)).toEqual(search);
  await expect(client.tools.delete(search.id)).rejects.toMatchObject({ status: 400 });
  expect((await client.tools.list({ names: ["memory_insert", "memory_replace"] })).items).toHaveLength(2);
  expect((await client.tools.list({ tool_types: ["custom"] })).items).toEqual([]);
});

test("tools are attached to an agent and detached, whatever they are", async () => {
  const tool = await newTool();
  const agent = await newAgent({ include_base_tools: false });
  expect(await namesOf(agent.id)).toEqual([]);
  const [search] = (await client.tools.list({ name: "archival_memory_search" })).items;
  const [absent] = (await client.tools.list({ name: "web_search" })).items;
  for (const { id } of [tool, search!, absent!, tool])
    expect(await client.agents.tools.attach(id, { agent_id: agent.id })).toBeNull();
  expect((await namesOf(agent.id)).toSorted()).toEqual(["archival_memory_search", tool.name, "web_search"]);
  const settings = async () => (await server.host.forUser("ada").agents.find(agent.id.slice(6))).settings;
  expect((await settings()).removedTools).not.toContain("archival_memory_search");
  for (const { id } of [tool, search!, absent!]) await client.agents.tools.detach(id, { agent_id: agent.id });
  expect(await namesOf(agent.id)).toEqual([]);
  expect((await settings()).removedTools).toContain("archival_memory_search");
  const { body } = await server.ask("PATCH", `/v1/agents/${agent.id}/tools/attach/${tool.id}`);
  expect(body).toMatchObject({ id: agent.id, tools: [{ id: tool.id }] });
});

describe("tools that are attached and detached at the same time are all attached and detached", () => {
  test.each([
    ["of the server", async () => (await client.tools.list({ names: serverTools })).items],
    ["of the client", () => Promise.all(Array.from({ length: 5 }, () => newTool()))],
  ])("%s", async (_of, toolsOf) => {
    const agent = await newAgent({ include_base_tools: false });
    const [first, ...rest] = await toolsOf();
    const change = (verb: "attach" | "detach", tools: readonly Letta.Tool[]) =>
      tools.map(({ id }) => client.agents.tools[verb](id, { agent_id: agent.id }));
    await Promise.all(change("attach", rest));
    expect((await namesOf(agent.id)).toSorted()).toEqual(rest.map(({ name }) => name).toSorted());
    await Promise.all([...change("detach", rest), ...change("attach", [first!])]);
    expect(await namesOf(agent.id)).toEqual([first!.name]);
  });
});

test("a tool is named or given by its id when an agent is created", async () => {
  const tool = await newTool();
  const agent = await newAgent({ tool_ids: [tool.id], tools: ["memory_rethink", "web_search"] });
  expect((await namesOf(agent.id)).toSorted()).toEqual(
    ["conversation_search", "memory_insert", "memory_replace", "memory_rethink", tool.name!, "web_search"].toSorted(),
  );
});

test("approval is set for a tool of an agent", async () => {
  const tool = await newTool();
  const agent = await newAgent({ tool_ids: [tool.id] });
  const set = (name: string, requires_approval: boolean) =>
    client.agents.tools.updateApproval(name, { agent_id: agent.id, body_requires_approval: requires_approval });
  await set(tool.name!, true);
  await set("memory_insert", true);
  const runtime = server.host.forUser("ada");
  const uuid = agent.id.slice(6);
  expect(await runtime.tools.ofAgent(uuid)).toMatchObject([{ agentRequiresApproval: true }]);
  expect((await runtime.agents.find(uuid)).settings.approvals).toEqual(["memory_insert"]);
  await set("memory_insert", false);
  expect((await runtime.agents.find(uuid)).settings.approvals).toEqual([]);
  await expect(set("none", true)).rejects.toMatchObject({ status: 400 });
});

test("each rule about tools becomes one of ours, and is shown as it was sent", async () => {
  const tool_rules = [
    { type: "run_first", tool_name: "a" },
    { type: "exit_loop", tool_name: "a" },
    { type: "continue_loop", tool_name: "a" },
    { type: "constrain_child_tools", tool_name: "a", children: ["b"] },
    { type: "parent_last_tool", tool_name: "a", children: ["b"] },
    { type: "conditional", tool_name: "a", child_output_mapping: { yes: "b" }, default_child: "c" },
    { type: "max_count_per_step", tool_name: "a", max_count_limit: 2 },
    { type: "required_before_exit", tool_name: "a" },
    { type: "requires_approval", tool_name: "a" },
  ] as const;
  const agent = await newAgent({ tool_rules: tool_rules as unknown as Letta.AgentCreateParams["tool_rules"] & object });
  expect(agent.tool_rules).toEqual(tool_rules);
  const { settings } = await server.host.forUser("ada").agents.find(agent.id.slice(6));
  expect(settings.toolRules).toEqual([
    { type: "run-first", tool: "a" },
    { type: "exit-loop", tool: "a" },
    { type: "continue-loop", tool: "a" },
    { type: "constrain-child-tools", tool: "a", children: ["b"] },
    { type: "parent-last-tool", tool: "a", children: ["b"] },
    { type: "conditional", tool: "a", children: { yes: "b" }, otherwise: "c" },
    { type: "max-count-per-turn", tool: "a", count: 2 },
    { type: "required-before-exit", tool: "a" },
    { type: "requires-approval", tool: "a" },
  ]);
});

test("tools are searched by words", async () => {
  const found = await client.tools.search({ query: "archival insert" });
  expect(found[0]).toMatchObject({ tool: { name: "archival_memory_insert" } });
});
