// Groups of Letta's API, by a TypeScript client that still has them: node groups.mjs FOLDER, in which the client is installed.
import assert from "node:assert/strict";
import { createRequire } from "node:module";

const { default: Letta } = createRequire(`${process.argv[2]}/`)("@letta-ai/letta-client");
const client = new Letta({ baseURL: process.env.LETTA_BASE_URL, apiKey: process.env.LETTA_API_KEY, maxRetries: 0 });
const options = { model: "openai/gpt-4o-mini", embedding: "local/use-lite" };
const agents = await Promise.all(
  ["one", "two"].map((name) => client.agents.create({ name: `groups-${name}`, ...options })),
);
const [one, two] = agents.map(({ id }) => id);
const said = ({ message_type: type, content, sender_id: sender }) =>
  type === "assistant_message" ? [[sender, content]] : [];
try {
  const group = await client.groups.create({ agent_ids: [one, two], description: "a talk" });
  assert.deepEqual(await client.groups.retrieve(group.id), group);
  const listed = [];
  for await (const { id } of client.groups.list({ limit: 10 })) listed.push(id);
  assert.ok(listed.includes(group.id));
  const answer = await client.groups.messages.create(group.id, { input: "SAY hi" });
  assert.deepEqual(answer.messages.flatMap(said)[0], [one, "hi"]);
  assert.equal(answer.messages.flatMap(said)[1][0], two);
  const streamed = [];
  for await (const message of await client.groups.messages.stream(group.id, { input: "SAY so" }))
    streamed.push(message);
  assert.deepEqual(streamed.flatMap(said)[0], [one, "so"]);
  assert.equal(streamed.at(-1).message_type, "usage_statistics");
  const kept = [];
  for await (const message of client.groups.messages.list(group.id, { limit: 50 })) kept.push(message);
  assert.equal(kept.flatMap(said).length, 4);
  await client.groups.messages.reset(group.id);
  const manager = { manager_type: "supervisor", manager_agent_id: one };
  const led = await client.groups.create({ agent_ids: [two], description: "led", manager_config: manager });
  const call = { message: "SAY pong", other_agent_id: two };
  const input = `CALL send_message_to_agent_and_wait_for_reply ${JSON.stringify(call)}`;
  const { messages } = await client.groups.messages.create(led.id, { input });
  assert.deepEqual(JSON.parse(messages[1].tool_return), { agent_id: two, response: ["pong"] });
  for (const { id } of [group, led]) await client.groups.delete(id);
  await assert.rejects(client.groups.retrieve(group.id), (error) => error instanceof Letta.NotFoundError);
  console.log("ok   groups");
} finally {
  for (const { id } of agents) await client.agents.delete(id);
}
