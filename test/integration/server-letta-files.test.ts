// Agent files through Letta's API, by its official client.
import Letta, { toFile } from "@letta-ai/letta-client";
import { readFileSync } from "node:fs";
import { openLettaServer } from "../support/letta-server.ts";
import { useScene } from "../support/use-scene.ts";

const server = useScene(() => openLettaServer());
let client: Letta;
beforeAll(async () => ({ client } = server));

const asFile = (value: unknown) =>
  toFile(Buffer.from(typeof value === "string" ? value : JSON.stringify(value)), "a.af");
const fixture = readFileSync(new URL("../fixtures/letta/agent-0.16.af", import.meta.url), "utf8");

test("an agent that is exported and imported has the same name, blocks and messages", async () => {
  const agent = await client.agents.create({
    name: "traveller",
    description: "d",
    tags: ["t"],
    memory_blocks: [{ label: "human", value: "Name: Ada" }],
  });
  await client.agents.messages.create(agent.id, { input: "hello" });
  await client.agents.passages.create(agent.id, { text: "The boat is red." });
  const file = await client.agents.exportFile(agent.id);
  const { agent_ids: ids } = await client.agents.importFile({ file: await asFile(file) });
  expect(ids).toHaveLength(1);
  const copy = await client.agents.retrieve(ids[0]!, { include: ["agent.blocks", "agent.tags", "agent.tools"] });
  expect(copy).toMatchObject({
    name: "traveller",
    description: "d",
    tags: ["t"],
    blocks: [{ label: "human", value: "Name: Ada" }],
  });
  expect(copy.id).not.toBe(agent.id);
  const types = async (id: string) =>
    (await client.agents.messages.list(id)).items.map((message) => message.message_type);
  expect(await types(copy.id)).toEqual(await types(agent.id));
  expect((await client.agents.passages.list(copy.id)).map(({ text }) => text)).toEqual(["The boat is red."]);
});

test("options of an import: a name, a suffix, no messages", async () => {
  const agent = await client.agents.create({ name: "plain" });
  await client.agents.messages.create(agent.id, { input: "hello" });
  const file = await client.agents.exportFile(agent.id);
  const named = await client.agents.importFile({ file: await asFile(file), name: "renamed", strip_messages: true });
  expect(await client.agents.retrieve(named.agent_ids[0]!)).toMatchObject({ name: "renamed" });
  expect(
    (await client.agents.messages.list(named.agent_ids[0]!)).items.filter(
      (each) => each.message_type === "user_message",
    ),
  ).toEqual([]);
  const copied = await client.agents.importFile({ file: await asFile(file), append_copy_suffix: true });
  expect(await client.agents.retrieve(copied.agent_ids[0]!)).toMatchObject({ name: "plain_copy" });
});

test("the header that names an embedder is read", async () => {
  const file = await asFile(fixture);
  await expect(
    client.agents.importFile({ file, "x-override-embedding-model": "unknown/embedder" }),
  ).rejects.toMatchObject({ status: 404, message: expect.stringContaining("unknown/embedder") });
});

test("a file of Letta is imported", async () => {
  const { agent_ids: ids } = await client.agents.importFile({ file: await asFile(fixture) });
  const agent = await client.agents.retrieve(ids[0]!, { include: ["agent.blocks"] });
  expect(agent.blocks.length).toBeGreaterThan(0);
});

test.each([
  ["garbage", "garbage"],
  ["a list", []],
  ["no agent", { agents: [] }],
])("%s is refused, and nothing is stored", async (_, content) => {
  const before = await server.ask("GET", "/v1/agents/count");
  await expect(client.agents.importFile({ file: await asFile(content) })).rejects.toMatchObject({ status: 400 });
  expect(await server.ask("GET", "/v1/agents/count")).toEqual(before);
});

test("an agent of another user cannot be exported", async () => {
  const agent = await client.agents.create({ name: "private" });
  const { secret } = await server.host.keys.create("ben", { scope: "admin" });
  const ben = new Letta({ baseURL: server.url, apiKey: secret, maxRetries: 0 });
  await expect(ben.agents.exportFile(agent.id)).rejects.toMatchObject({ status: 404 });
});
