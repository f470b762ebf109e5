// Letta's TypeScript client against a server, which `.ci/letta.sh` starts with its scripted model (scripted-model.mjs).
import assert from "node:assert/strict";
import Letta from "@letta-ai/letta-client";
const model = "openai/gpt-4o-mini",
  embedding = "local/use-lite";
const c = new Letta({
  baseURL: process.env.LETTA_BASE_URL,
  apiKey: process.env.LETTA_API_KEY ?? null,
  timeout: 60e3,
  maxRetries: 0,
});
const name = () => "ts-" + Math.random().toString(36).slice(2, 10);
const agent = async (f, more = {}) => {
  const a = await c.agents.create({
    name: name(),
    model,
    embedding,
    memory_blocks: [
      { label: "human", value: "Name: Ada" },
      { label: "persona", value: "I am Bo." },
    ],
    ...more,
  });
  try {
    return await f(a);
  } finally {
    await c.agents.delete(a.id).catch(() => {});
  }
};
const user = (content) => ({ messages: [{ role: "user", content }] });
const text = (m) => (typeof m.content === "string" ? m.content : m.content.map((p) => p.text).join(""));
const seen = {
  async health() {
    assert.equal((await c.health()).status, "ok");
  },
  async "create and send"() {
    await agent(async (a) => {
      const r = await c.agents.messages.create(a.id, user("SAY hi"));
      assert.equal(text(r.messages[0]), "hi");
      assert.equal(r.stop_reason.stop_reason, "end_turn");
    });
  },
  async "step stream"() {
    await agent(async (a) => {
      const k = [];
      for await (const m of await c.agents.messages.stream(
        a.id,
        user('CALL memory_insert {"label":"human","new_string":"T1"}'),
      ))
        if (m.message_type !== "ping") k.push(m.message_type);
      assert.deepEqual(k, [
        "tool_call_message",
        "tool_return_message",
        "assistant_message",
        "stop_reason",
        "usage_statistics",
      ]);
    });
  },
  async "token stream"() {
    await agent(async (a) => {
      let s = "",
        n = 0;
      for await (const m of await c.agents.messages.stream(a.id, { ...user("SAY a b c d"), stream_tokens: true }))
        if (m.message_type === "assistant_message") {
          s += text(m);
          n++;
        }
      assert.equal(s, "a b c d");
      assert.ok(n >= 2);
    });
  },
  async "iterating goes over all pages"() {
    await agent(async (a) => {
      await c.agents.messages.create(a.id, user("SAY 1"));
      await c.agents.messages.create(a.id, user("SAY 2"));
      const ids = [];
      for await (const m of c.agents.messages.list(a.id, { limit: 2, order: "asc" })) ids.push(m.id);
      assert.equal(new Set(ids).size, ids.length);
      assert.ok(ids.length >= 5);
    });
  },
  async "blocks by label"() {
    await agent(async (a) => {
      await c.agents.blocks.update("human", { agent_id: a.id, value: "Name: Eve" });
      assert.equal((await c.agents.blocks.retrieve("human", { agent_id: a.id })).value, "Name: Eve");
    });
  },
  async "not found is NotFoundError"() {
    await assert.rejects(
      c.agents.retrieve("agent-00000000-0000-4000-8000-000000000000"),
      (e) => e instanceof Letta.NotFoundError && e.status === 404,
    );
  },
  async "MCP servers"() {
    const config = { mcp_server_type: "streamable_http", server_url: process.env.MCP_URL, auth_token: "good" };
    const server = await c.mcpServers.create({ server_name: name(), config });
    assert.equal(server.auth_token, null);
    assert.deepEqual(await c.mcpServers.retrieve(server.id), server);
    const [tool, ...others] = await c.mcpServers.tools.list(server.id);
    assert.deepEqual([tool.name, others], [`${server.server_name}__echo`, []]);
    const run = await c.mcpServers.tools.run(tool.id, { mcp_server_id: server.id, args: { word: "hi" } });
    assert.deepEqual([run.status, run.func_return], ["success", "echo: hi"]);
    await agent(async (a) => {
      await c.agents.tools.attach(tool.id, { agent_id: a.id });
      const { items } = await c.agents.tools.list(a.id);
      assert.ok(items.some(({ id }) => id === tool.id));
    });
    await c.mcpServers.update(server.id, { config: { server_url: process.env.MCP_URL } });
    assert.deepEqual((await c.mcpServers.refresh(server.id)).updated, []);
    await c.mcpServers.delete(server.id);
    await assert.rejects(c.mcpServers.retrieve(server.id), (e) => e instanceof Letta.NotFoundError);
  },
  async "agents write to each other"() {
    const ask = "send_message_to_agent_and_wait_for_reply";
    await agent(
      (a) =>
        agent(async (b) => {
          const call = { message: "SAY pong", other_agent_id: b.id };
          const r = await c.agents.messages.create(a.id, user(`CALL ${ask} ${JSON.stringify(call)}`));
          assert.deepEqual(JSON.parse(r.messages[1].tool_return), { agent_id: b.id, response: ["pong"] });
          assert.equal(r.messages[2].message_type, "assistant_message");
        }),
      { tools: [ask] },
    );
  },
  async passages() {
    await agent(async (a) => {
      await c.agents.passages.create(a.id, { text: "Zebras eat grass" });
      assert.equal((await c.agents.passages.search(a.id, { query: "zebras" })).results[0].content, "Zebras eat grass");
    });
  },
};
let bad = 0;
for (const [k, f] of Object.entries(seen)) {
  try {
    await f();
    console.log("ok  ", k);
  } catch (e) {
    bad++;
    console.log("FAIL", k, "-", String(e.message).split("\n").slice(0, 3).join(" | ").slice(0, 300));
  }
}
process.exitCode = bad ? 1 : 0;
