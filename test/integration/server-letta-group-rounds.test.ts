// Rounds of Letta's groups whose server is killed: they are completed once, by the same request or by the next message.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { UserRuntime } from "../../src/runtime/runtime.ts";
import { textOf } from "../../src/base/message/message.ts";
import { ModelRequestError } from "../../src/base/errors.ts";
import { createSpeakers, lastText, said, type Speaker, speakers } from "../support/agent-messages-scene.ts";
import { createTestDatabase } from "../support/database.ts";
import { createHeldModelServer } from "../support/held-model-server.ts";
import { openLettaServer } from "../support/letta-server.ts";
import type { WireAnswer, WireMessage } from "../support/letta-scene.ts";
import { ended, printed, startProgram } from "../support/started-program.ts";
import { useScene } from "../support/use-scene.ts";

let isBroken = false;
const scripts: Readonly<Record<string, Speaker>> = {
  ann: said("I am Ann."),
  ben: said("I am Ben."),
  cleo: () => (isBroken ? { error: new ModelRequestError("broken", { provider: "test" }) } : { text: "I am Cleo." }),
  chair: (request) => ({
    text: lastText(request).includes("ann") ? "ann" : lastText(request).includes("ben") ? "ben" : "nobody",
  }),
};
const { options, models } = speakers(scripts);
const server = useScene(() => openLettaServer({ ...options, model: "ann" }));
let runtime: UserRuntime;
const ids: Record<string, string> = {};

beforeAll(async () => {
  runtime = server.host.forUser("ada");
  const agents = await createSpeakers(runtime, Object.keys(scripts), {});
  for (const [name, { record }] of Object.entries(agents)) ids[name] = record.id;
});

afterEach(() => (isBroken = false));

type Said = WireMessage & { readonly name?: string };

async function ask<Body>(method: string, at: string, body?: unknown): Promise<Body> {
  const answer = await server.ask(method, `/v1${at}`, body);
  if (answer.status !== 200) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body as Body;
}

const send = (group: string, content: object | string, otid: string) =>
  ask<WireAnswer>("POST", `/groups/${group}/messages`, { messages: [{ role: "user", content, otid }] });
const spoken = (messages: readonly WireMessage[]) =>
  (messages as readonly Said[]).flatMap(({ name, message_type: type }) => (type === "assistant_message" ? [name] : []));
const listed = async (group: string) => ask<readonly Said[]>("GET", `/groups/${group}/messages?order=asc&limit=100`);
const asked = (name: string) => models[name]!.requests.length;

/** Makes the round with this key one that its server left, as the server had stored it. */
async function leave(group: string, leader: string, key: string): Promise<void> {
  const { extensions } = await runtime.agents.find(leader);
  const stored = extensions["lettaGroups"] as readonly { readonly id: string }[];
  const changed = stored.map((one) => (`group-${one.id}` === group ? { ...one, round: [key], maxTurns: null } : one));
  await runtime.agents.setDetails(leader, { extensions: { lettaGroups: changed } });
}

/** Starts a round, of which the server is killed after the first agent has spoken. */
async function leftRound(names: readonly string[], key: string, content: object | string = "Who are you?") {
  const manager_config = { manager_type: "round_robin", max_turns: 1 };
  const agent_ids = names.map((name) => `agent-${ids[name]}`);
  const { id } = await ask<{ readonly id: string }>("POST", "/groups/", {
    agent_ids,
    description: "x",
    manager_config,
  });
  expect(spoken((await send(id, content, key)).messages)).toEqual(names.slice(0, 1));
  await leave(id, names[0]!, key);
  return id;
}

/** What an agent was told in its newest turn. */
function told(name: string): string {
  const { messages } = models[name]!.requests.at(-1)!;
  const before = messages.findLastIndex(({ role }) => role === "assistant");
  return messages
    .slice(before + 1)
    .map(textOf)
    .join("\n");
}

test("the same request completes the round, and has the whole answer", async () => {
  const group = await leftRound(["ann", "ben", "cleo"], "round-1");
  const before = asked("ann");
  const answer = await send(group, "Who are you?", "round-1");
  expect(spoken(answer.messages)).toEqual(["ann", "ben", "cleo"]);
  expect(asked("ann")).toBe(before);
  expect(told("cleo")).toMatch(/Who are you\?.*I am Ann\..*I am Ben\./su);
  expect(spoken((await send(group, "Who are you?", "round-1")).messages)).toEqual(["ann", "ben", "cleo"]);
  expect(spoken(await listed(group))).toEqual(["ann", "ben", "cleo"]);
  expect(asked("ann")).toBe(before);
});

test("the next message completes the round first, with its files, and then begins its own", async () => {
  const source = { type: "base64", media_type: "text/plain", data: Buffer.from("the tide table").toString("base64") };
  const content = [
    { type: "text", text: "Who are you?" },
    { type: "image", source },
  ];
  const group = await leftRound(["ann", "ben"], "round-1", content);
  const [ann, ben] = [asked("ann"), asked("ben")];
  const answer = await send(group, "And now?", "round-2");
  expect(spoken(answer.messages)).toEqual(["ann", "ben"]);
  expect([asked("ann") - ann, asked("ben") - ben]).toEqual([1, 2]);
  const first = models["ben"]!.requests.at(-2)!.messages.map(textOf).join("\n");
  expect(first).toMatch(/Who are you\?.*I am Ann\./su);
  expect(first).not.toContain("And now?");
  expect(
    models["ben"]!.requests.at(-2)!.messages.flatMap(({ content: parts }) =>
      parts.filter(({ type }) => type === "file"),
    ),
  ).toHaveLength(1);
  expect(told("ann")).toMatch(/I am Ben\..*And now\?/su);
  expect(spoken(await listed(group))).toEqual(["ann", "ben", "ann", "ben"]);
  await send(group, "And then?", "round-3");
  expect(spoken(await listed(group))).toHaveLength(6);
});

test("two requests that complete a round at the same time run each turn once", async () => {
  const group = await leftRound(["ann", "ben", "cleo"], "round-1");
  const before = [asked("ben"), asked("cleo")];
  await Promise.allSettled([send(group, "Who are you?", "round-1"), send(group, "Who are you?", "round-1")]);
  const answer = await send(group, "Who are you?", "round-1");
  expect(spoken(answer.messages)).toEqual(["ann", "ben", "cleo"]);
  expect([asked("ben"), asked("cleo")]).toEqual(before.map((count) => count + 1));
});

test("a round that can no longer be completed does not stand in the way of the next message", async () => {
  const group = await leftRound(["ann", "cleo", "ben"], "round-1");
  isBroken = true;
  const failed = await server.ask("POST", `/v1/groups/${group}/messages`, { input: "Now?" });
  expect(failed.status).toBe(400);
  isBroken = false;
  expect(spoken((await send(group, "And now?", "round-3")).messages)).toEqual(["ann", "cleo", "ben"]);
  const lost = await leftRound(["ben", "ann"], "round-1");
  await leave(lost, "ben", "never stored");
  expect(spoken((await send(lost, "Hello", "round-2")).messages)).toEqual(["ben", "ann"]);
});

test("in a dynamic group, the manager is not asked again about what it has chosen", async () => {
  const manager_config = { manager_type: "dynamic", manager_agent_id: `agent-${ids["chair"]}`, max_turns: 1 };
  const body = { agent_ids: [`agent-${ids["ann"]}`, `agent-${ids["ben"]}`], description: "x", manager_config };
  const { id: group } = await ask<{ readonly id: string }>("POST", "/groups/", body);
  expect(spoken((await send(group, "Talk.", "round-1")).messages)).toEqual(["ann"]);
  await leave(group, "chair", "round-1");
  const before = [asked("chair"), asked("ann"), asked("ben")];
  expect(spoken((await send(group, "Talk.", "round-1")).messages)).toEqual(["ann", "ben"]);
  expect([asked("chair"), asked("ann"), asked("ben")]).toEqual([before[0]! + 1, before[1], before[2]! + 1]);
});

test("a server that is killed while the second of three agents speaks leaves a round that the next one completes, and then answers", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "palimpsest-round-"));
  const database = await createTestDatabase({ isOwn: true });
  const model = await createHeldModelServer();
  const { connection } = database;
  const start = async () => {
    const place = connection.kind === "server" ? ["--database-url", connection.url] : ["--data-dir", connection.folder];
    const flags = ["--port", "0", "--base-url", model.url, ...place];
    const served = startProgram("serve", flags, { home: folder, env: { PALIMPSEST_SERVER_KEY: "" } });
    const url = await printed(served, /Serving (\S+)/u);
    const file = await printed(served, /(?:in|to) (\S+server-key)/u);
    const authorization = `Bearer ${readFileSync(file.replace("~", folder), "utf8").trim()}`;
    const call = async (method: string, at: string, body?: object): Promise<never> => {
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      return (await (await fetch(`${url}${at}`, { method, headers: { authorization }, ...sent })).json()) as never;
    };
    return { served, call };
  };
  const first = await start();
  const members: string[] = [];
  for (const [name, of] of [
    ["one", "demo"],
    ["two", "openai/held"],
    ["three", "demo"],
  ] as const) {
    const { id } = (await first.call("POST", "/api/agents", { name, model: of })) as { readonly id: string };
    members.push(`agent-${id}`);
  }
  const group = (await first.call("POST", "/v1/groups/", { agent_ids: members, description: "x" })) as {
    readonly id: string;
  };
  const at = `/v1/groups/${group.id}/messages`;
  const broken = first.call("POST", at, { input: "Hello" }).catch((error: unknown) => error);
  await model.asked();
  first.served.child.kill("SIGKILL");
  await ended(first.served);
  expect(String(await broken)).toContain("fetch failed");

  const second = await start();
  const answering = setInterval(() => model.finish(), 50);
  const answer = (await second.call("POST", at, { input: "And now?" })) as WireAnswer;
  clearInterval(answering);
  expect(spoken(answer.messages)).toEqual(["one", "two", "three"]);
  const all = (await second.call("GET", `${at}?order=asc&limit=100`)) as readonly Said[];
  expect(spoken(all)).toEqual(["one", "two", "three", "one", "two", "three"]);
  expect(all.filter(({ message_type: type }) => type === "user_message")).toHaveLength(2);
  second.served.child.kill("SIGTERM");
  expect(await ended(second.served)).toBe(0);
  await model.close();
  await database.remove();
  rmSync(folder, { recursive: true, force: true });
}, 120_000);
