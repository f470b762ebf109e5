// Keys that are limited to one agent, at every door: what they get of lists, by names and by headers. Ids: server-key-reach.test.ts.
import { serveMcp } from "../../src/surfaces/cli/serve/serve-host.ts";
import type { World } from "../../src/surfaces/cli/world.ts";
import { askedModel } from "../support/asked-model.ts";
import { serveTestHost } from "../support/served-host.ts";
import { useScene } from "../support/use-scene.ts";

const world = { version: "0.0.0", command: "palimpsest" } as World;
const served = useScene(() =>
  serveTestHost(
    { model: "asked", models: [askedModel] },
    { mcp: (request, memory) => serveMcp(world, request, memory) },
  ),
);
let key: string;
/** Of the agents `mine`, to which the key is limited, and `other`. */
let ids: Readonly<Record<"mine" | "other", { readonly agent: string; readonly conversation: string }>>;

beforeAll(async () => {
  ids = { mine: await newAgent("mine"), other: await newAgent("other") };
  ({ secret: key } = await served.host.forUser("ada").keys.create({ agent: "mine", scope: "admin" }));
});

async function newAgent(name: string) {
  const runtime = served.host.forUser("ada");
  const { id } = await runtime.agents.create({ name, persona: "", human: "" });
  const agent = await runtime.agents.open(name);
  await agent.send(`SAY ${name}`);
  return { agent: id, conversation: agent.conversationId };
}

async function ask(method: string, path: string, body?: unknown, secret = key) {
  const response = await fetch(`${served.url}${path}`, {
    method: method.toUpperCase(),
    headers: {
      authorization: `Bearer ${secret}`,
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
}

test("the agents are the one of the key, whatever is asked for", async () => {
  const names = async (query: string) =>
    JSON.parse((await ask("get", `/api/agents${query}`)).text).map(({ name }: { readonly name: string }) => name);
  expect(await names("")).toEqual(["mine"]);
  expect(await names("?limit=1&order=newest")).toEqual(["mine"]);
  expect(await names("?limit=1&order=oldest")).toEqual(["mine"]);
  expect(await names("?name=other")).toEqual([]);
  expect(await names("?text=mine")).toEqual(["mine"]);
});

test("the passages of the agent are counted, and those of another one are not", async () => {
  expect(await ask("get", "/api/agents/mine/archive/count")).toEqual({ status: 200, text: '{"passages":0}' });
  const { status, text } = await ask("get", "/api/agents/other/archive/count");
  expect([status, JSON.parse(text).code]).toEqual([403, "key_scope"]);
});

test("a message is found if it is of the agent", async () => {
  const idOf = async (name: "mine" | "other") =>
    (await served.host.forUser("ada").conversations.messages(ids[name].conversation)).messages[0]?.id ?? "";
  expect((await ask("get", `/api/messages/${await idOf("mine")}`)).status).toBe(200);
  const { status, text } = await ask("get", `/api/messages/${await idOf("other")}`);
  expect([status, JSON.parse(text).code]).toEqual([404, "message_not_found"]);
  expect(text).not.toContain("SAY other");
});

const user = (content: string) => ({ role: "user", content });

test("the models are those that the key reaches", async () => {
  const { data } = JSON.parse((await ask("get", "/openai/v1/models")).text);
  expect(data.map(({ id }: { id: string }) => id)).toEqual(["mine"]);
});

test.each([["/openai/v1/chat/completions", (model: string) => ({ model, messages: [user("SAY hi")] })]])(
  "%s answers for its agent only",
  async (path, bodyOf) => {
    expect((await ask("post", path, bodyOf("mine"))).status).toBe(200);
    for (const model of ["other", ids.other.agent]) {
      const { status, text } = await ask("post", path, bodyOf(model));
      expect([status, JSON.parse(text).error.code]).toEqual([403, "key_scope"]);
    }
  },
);

test("no conversation of another agent can be named by a header", async () => {
  const response = await fetch(`${served.url}/openai/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "x-conversation-id": ids.other.conversation },
    body: JSON.stringify({ model: "mine", messages: [user("SAY hi")] }),
  });
  expect(response.status).toBe(404);
});

test("a chat answers for its agent only", async () => {
  const body = { id: "c", messages: [{ id: "1", role: "user", parts: [{ type: "text", text: "SAY hi" }] }] };
  expect((await ask("post", "/api/chat/mine", body)).status).toBe(200);
  expect((await ask("post", "/api/chat/other", body)).status).toBe(403);
  // It is not found, and a chat of that id cannot be created.
  expect((await ask("post", "/api/chat/mine", { ...body, id: ids.other.conversation })).status).toBe(400);
});

test("over /v1 a key of the agent changes it, and a key that only reads gets its blocks and tools", async () => {
  const { keys, agents } = served.host.forUser("ada");
  const { secret: reader } = await keys.create({ agent: "mine", scope: "read" });
  const statuses = async (name: "mine" | "other") => {
    const at = `/v1/agents/agent-${ids[name].agent}`;
    const lists = [at, `${at}/core-memory/blocks`, `${at}/core-memory/blocks/human`, `${at}/tools`];
    const answers = [await ask("patch", at, { description: "changed" })];
    for (const secret of [key, reader])
      for (const list of lists) answers.push(await ask("get", list, undefined, secret));
    return new Set(answers.map(({ status }) => status));
  };
  expect(await statuses("mine")).toEqual(new Set([200]));
  expect(await statuses("other")).toEqual(new Set([403]));
  expect((await agents.find("other")).description).toBeNull();
  const { secret: readerOfAll } = await keys.create({ scope: "read" });
  const path = `/v1/agents/agent-${ids.other.agent}`;
  expect((await ask("get", path, undefined, readerOfAll)).status).toBe(200);
});

test("memory over MCP is that of its agent, and another one cannot be named", async () => {
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } };
  const body = { jsonrpc: "2.0", id: 1, method: "initialize", params };
  expect((await ask("post", "/mcp", body)).status).toBe(200);
  expect((await ask("post", "/mcp?agent=mine", body)).status).toBe(200);
  expect((await ask("post", "/mcp?agent=other", body)).status).toBe(403);
  expect((await ask("post", "/mcp?agent=nobody", body)).status).toBe(403);
});

test("another agent and an unknown one are refused in the same words, so the key tells no names", async () => {
  const refusal = async (agent: string) => JSON.parse((await ask("get", `/api/agents/${agent}`)).text) as object;
  expect(await refusal("other")).toMatchObject({ status: 403, code: "key_scope" });
  expect(await refusal("othr")).toEqual({ ...(await refusal("other")), requestId: expect.any(String) });
});

test("a path with another agent is refused for the agent, whatever its conversation is", async () => {
  const refusal = async (agent: string, conversation: string) => {
    const { status, text } = await ask("get", `/api/agents/${agent}/conversations/${conversation}/messages`);
    return [status, (JSON.parse(text) as { readonly code?: string }).code];
  };
  for (const agent of ["other", ids.other.agent, "othr"])
    for (const { conversation } of [ids.mine, ids.other])
      expect([agent, ...(await refusal(agent, conversation))]).toEqual([agent, 403, "key_scope"]);
  expect(await refusal("mine", ids.other.conversation)).toEqual([404, "conversation_not_found"]);
  expect(await refusal(ids.mine.agent, ids.mine.conversation)).toEqual([200, undefined]);
});
