// Groups of Letta's API: their records, and what their agents say to each other.
import { z } from "zod";
import type { UserRuntime } from "../../src/runtime/runtime.ts";
import { systemClock } from "../../src/base/clock.ts";
import { textOf } from "../../src/base/message/message.ts";
import { defineTool } from "../../src/tool/define-tool.ts";
import { careful } from "../support/asked-model.ts";
import { createSpeakers, lastText, type Speaker, speakers } from "../support/agent-messages-scene.ts";
import { openLettaServer } from "../support/letta-server.ts";
import { kindsOf, type WireAnswer, type WireMessage, wireMessages } from "../support/letta-scene.ts";
import { createPausedModel } from "../support/paused-model.ts";
import { until } from "../support/until.ts";
import { useScene } from "../support/use-scene.ts";

const said =
  (text: string): Speaker =>
  () => ({ text });
const inOrder =
  (...texts: readonly string[]): Speaker =>
  (_request, index) => ({ text: texts[index] ?? "." });

let bobsId = "";
const scripts: Readonly<Record<string, Speaker>> = {
  ann: said("I am Ann."),
  ben: said("I am Ben."),
  cleo: said("I am Cleo."),
  boss: (_request, index) =>
    index === 0
      ? { toolCalls: [{ name: askTool, arguments: { message: "What is new?", other_agent_id: bobsId } }] }
      : { text: "Bob says: rain." },
  bob: said("Rain."),
  chair: inOrder("ann should go on", "Ben", "nobody"),
  usher: inOrder("Ben", "nobody", "Ann", "Ben", "nobody"),
  host: said("Noted."),
  chief: (request, index) => waitsAt({ 1: "chief" }, "Noted.")(request, index),
  busy: (request, index) => waitsAt({ 0: "busy", 3: "busy again" }, ".")(request, index),
  careful: (_request, index) =>
    index === 0 ? { toolCalls: [{ name: "add_carefully", arguments: { a: 1, b: 2 } }] } : { text: "It is 3." },
};
const askTool = "send_message_to_agent_and_wait_for_reply";

const opened = new Set<string>();
const gate = defineTool({
  name: "wait_for_test",
  description: "Waits until the test opens a gate.",
  parameters: z.object({ gate: z.string() }),
  run: async ({ gate: name }) => {
    await until(() => opened.has(name));
    return "Done.";
  },
});
const waitsAt =
  (gates: Readonly<Record<number, string>>, text: string): Speaker =>
  (_request, index) =>
    index in gates ? { toolCalls: [{ name: gate.name, arguments: { gate: gates[index] } }] } : { text };

const { options, models } = speakers(scripts);
const paused = createPausedModel();
const own = { ...options, models: [...options.models!, paused], model: "ann", tools: { add: [careful, gate] } };
const server = useScene(() => openLettaServer(own as object));
let runtime: UserRuntime;
const ids: Record<string, string> = {};

beforeAll(async () => {
  runtime = server.host.forUser("ada");
  const agents = await createSpeakers(runtime, [...Object.keys(scripts), "paused"], {});
  for (const [name, { record }] of Object.entries(agents)) ids[name] = `agent-${record.id}`;
  bobsId = ids["bob"]!;
});

interface Group {
  readonly id: string;
  readonly agent_ids: readonly string[];
}

type Said = WireMessage & { readonly name?: string; readonly sender_id?: string };

async function ask<Body = Group>(method: string, path: string, body?: unknown): Promise<Body> {
  const answer = await server.ask(method, `/v1${path}`, body);
  if (answer.status !== 200) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body as Body;
}

const agentIds = (...names: readonly string[]) => names.map((name) => ids[name]);
const create = (names: readonly string[], manager_config?: object, more: object = {}) =>
  ask("POST", "/groups/", { agent_ids: agentIds(...names), description: "a talk", ...more, manager_config });
const led = (manager_type: string, manager: string, more: object = {}) => ({
  manager_type,
  manager_agent_id: ids[manager],
  ...more,
});
const say = (group: Group, input: string) => ask<WireAnswer>("POST", `/groups/${group.id}/messages`, { input });
const textsOf = (messages: readonly WireMessage[]) =>
  (messages as readonly Said[]).flatMap(({ name, content, message_type: type }) =>
    type === "assistant_message" ? [`${name}: ${content}`] : [],
  );
const listed = (group: Group, query = "?order=asc&limit=100") =>
  ask<readonly Said[]>("GET", `/groups/${group.id}/messages${query}`);
/** The texts of the user's turn in the newest request to a model. */
const heardBy = (name: string) => {
  const { messages } = models[name]!.requests.at(-1)!;
  const spoken = messages.findLastIndex(({ role }) => role === "assistant");
  return messages
    .slice(spoken + 1)
    .map(textOf)
    .join("\n");
};

test("a group is created, found, listed, counted, changed and deleted", async () => {
  const group = await create(["ann", "ben"]);
  const nulls = ["project_id", "template_id", "base_template_id", "deployment_id", "manager_agent_id", "max_turns"];
  const more = ["termination_token", "sleeptime_agent_frequency", "turns_counter", "last_processed_message_id"];
  const rest = ["max_message_buffer_length", "min_message_buffer_length", "hidden"];
  expect(group).toEqual({
    id: expect.stringMatching(/^group-/u),
    manager_type: "round_robin",
    agent_ids: agentIds("ann", "ben"),
    description: "a talk",
    shared_block_ids: [],
    ...Object.fromEntries([...nulls, ...more, ...rest].map((name) => [name, null])),
  });
  const other = await create(["ben"], led("supervisor", "chair"));
  const hidden = await create(["ben"], undefined, { hidden: true });
  const idsOf = async (path: string) => (await ask<readonly Group[]>("GET", path)).map(({ id }) => id);
  expect(await idsOf("/groups/")).toEqual([group.id, other.id]);
  expect(await idsOf("/groups?order=desc&limit=1")).toEqual([other.id]);
  expect(await idsOf("/groups?manager_type=supervisor")).toEqual([other.id]);
  expect(await idsOf(`/agents/${ids["chair"]}/groups`)).toEqual([other.id]);
  expect(await ask("GET", "/groups/count")).toBe(3);
  expect(await ask("GET", `/agents/${ids["chair"]}`)).toMatchObject({ managed_group: { id: other.id } });
  // Another agent leads it now.
  const changed = await ask("PATCH", `/groups/${group.id}`, {
    agent_ids: agentIds("ben", "ann"),
    manager_config: { manager_type: "round_robin", max_turns: 5 },
  });
  expect(changed).toEqual({ ...group, agent_ids: agentIds("ben", "ann"), max_turns: 5 });
  expect(await ask("GET", `/groups/${group.id}`)).toEqual(changed);
  for (const { id } of [group, other, hidden])
    expect(await ask("DELETE", `/groups/${id}`)).toEqual({ message: `Group id=${id} successfully deleted` });
  expect((await server.ask("GET", `/v1/groups/${group.id}`)).status).toBe(404);
});

test("what cannot be done is refused with the reason", async () => {
  const group = await create(["ann"]);
  const sent = { agent_ids: agentIds("ann"), description: "x" };
  const refused = [
    ["POST", "/groups", { ...sent, manager_config: led("voice_sleeptime", "ben") }, 422, "round_robin, supervisor"],
    ["POST", "/groups", { ...sent, manager_config: { manager_type: "dynamic" } }, 422, "manages the group"],
    ["POST", "/groups", { ...sent, shared_block_ids: ["block-1"] }, 422, "attach them to the agents of the group"],
    ["POST", "/groups", { ...sent, agent_ids: [ids["ann"]!.replace(/.$/u, "x")] }, 422, "Expected an id"],
    ["PATCH", `/groups/${group.id}`, { manager_config: led("supervisor", "ben") }, 400, "cannot be changed"],
  ] as const;
  for (const [method, path, body, status, text] of refused) {
    const answer = await server.ask(method, `/v1${path}`, body);
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([status, expect.stringContaining(text)]);
  }
});

test("a group loses an agent that is deleted, and ends with the agent that leads it", async () => {
  for (const name of ["lead", "other"])
    ids[name] = `agent-${(await runtime.agents.create({ name, persona: "", human: "" })).id}`;
  const group = await create(["lead", "other"]);
  await runtime.agents.delete("other");
  expect((await ask("GET", `/groups/${group.id}`)).agent_ids).toEqual(agentIds("lead"));
  await runtime.agents.delete("lead");
  expect((await server.ask("GET", `/v1/groups/${group.id}`)).status).toBe(404);
});

test("a manager keeps its groups if one has lost its only agent, or cannot be read", async () => {
  const { id: only } = await runtime.agents.create({ name: "only", persona: "", human: "" });
  ids["only"] = `agent-${only}`;
  const [lost, other] = [
    await create(["only"], led("supervisor", "host")),
    await create(["ann"], led("dynamic", "host")),
  ];
  await runtime.agents.delete("only");
  const changed = await ask("PATCH", `/groups/${lost.id}`, { description: "new" });
  expect(changed).toEqual({ ...lost, agent_ids: [], description: "new" });
  const { id: host, extensions } = await runtime.agents.find("host");
  const unreadable = { id: "of-a-later-version" };
  const stored = extensions["lettaGroups"] as readonly object[];
  await runtime.agents.setDetails(host, { extensions: { lettaGroups: [unreadable, ...stored] } });
  expect(await ask("GET", `/groups/${lost.id}`)).toEqual(changed);
  const added = await create(["ben"], led("sleeptime", "host", { sleeptime_agent_frequency: 9 }));
  await say(added, "Hello");
  for (const group of [lost, other]) await ask("DELETE", `/groups/${group.id}`);
  expect(await ask("GET", `/groups/${added.id}`)).toEqual({ ...added, turns_counter: 1 });
  expect((await runtime.agents.find("host")).extensions["lettaGroups"]).toEqual([
    unreadable,
    expect.objectContaining({ turns: 1 }),
  ]);
  await ask("DELETE", `/groups/${added.id}`);
});

test("in a round robin each agent speaks in turn and hears the others once, by their trust", async () => {
  const group = await create(["ann", "ben", "cleo"]);
  const answer = await say(group, "Who are you?");
  expect(textsOf(answer.messages)).toEqual(["ann: I am Ann.", "ben: I am Ben.", "cleo: I am Cleo."]);
  expect(answer).toMatchObject({ stop_reason: { stop_reason: "end_turn" }, usage: { step_count: 3 } });
  expect(heardBy("cleo")).toMatch(/Who are you\?.*I am Ann\..*I am Ben\./su);
  expect(models["cleo"]!.requests.at(-1)!.system.instructions).toContain("You speak in a group with ann, ben");
  await say(group, "And again?");
  expect(heardBy("ann")).toMatch(/I am Ben\..*I am Cleo\..*And again\?/su);
  expect(heardBy("ann")).not.toContain("Who are you?");
  expect(heardBy("cleo")).not.toContain("I am Cleo.");
  const all = await listed(group);
  expect(all.filter(({ message_type: type }) => type === "user_message")).toHaveLength(2);
  expect(textsOf(all)).toHaveLength(6);
  const [newest] = await listed(group, "?limit=1");
  const [next] = await listed(group, `?limit=1&after=${newest!.id}`);
  expect([newest!.sender_id, next!.sender_id]).toEqual([ids["cleo"], ids["ben"]]);
  const [conversation] = await runtime.conversations.list(ids["cleo"]!.slice("agent-".length));
  const { messages } = await runtime.conversations.messages(conversation!.id);
  const told = messages.find(({ text }) => text === "I am Ann.");
  expect(told).toMatchObject({ kind: "system", speaker: "ann", trust: "model" });
  await ask("PATCH", `/groups/${group.id}/reset-messages`);
  expect(await listed(group)).toEqual([]);
});

test("the answer of a group is streamed as one answer", async () => {
  const group = await create(["ann", "ben"], { manager_type: "round_robin", max_turns: 3 });
  const body = { input: "Hello", include_pings: false };
  const read = await wireMessages(await server.open(`/v1/groups/${group.id}/messages/stream`, body));
  const spoken = Array.from({ length: 3 }, () => "assistant_message");
  expect(kindsOf(read)).toEqual([...spoken, "stop_reason", "usage_statistics"]);
  expect(textsOf(read)).toEqual(["ann: I am Ann.", "ben: I am Ben.", "ann: I am Ann."]);
});

test("a supervisor asks its agents, and answers", async () => {
  const group = await create(["bob"], led("supervisor", "boss"));
  const answer = await say(group, "What is new?");
  expect(kindsOf(answer.messages)).toEqual(["tool_call_message", "tool_return_message", "assistant_message"]);
  expect(answer.messages[1]!.tool_return).toBe(`{"agent_id":"${bobsId}","response":["Rain."]}`);
  expect(textsOf(answer.messages)).toEqual(["boss: Bob says: rain."]);
  expect(models["boss"]!.requests[0]!.system.instructions).toContain(`- bob (${bobsId})`);
});

test("a manager of a dynamic group chooses who speaks, until it names nobody or the word comes that ends it", async () => {
  const group = await create(["ann", "ben"], led("dynamic", "chair", { max_turns: 9 }));
  const answer = await say(group, "Talk.");
  expect(textsOf(answer.messages)).toEqual(["ann: I am Ann.", "ben: I am Ben."]);
  expect(models["chair"]!.requests).toHaveLength(3);
  expect(lastText(models["chair"]!.requests[1]!)).toContain("Who speaks next: ben?");
  const word = await create(["ann"], led("dynamic", "chair", { termination_token: "Ann", max_turns: 9 }));
  expect(textsOf((await say(word, "Talk.")).messages)).toEqual([]);
});

test("a list of a dynamic group has each message of the user once, whichever agents the manager chose", async () => {
  const group = await create(["ann", "ben"], led("dynamic", "usher", { max_turns: 9 }));
  await say(group, "Only to Ben.");
  await say(group, "To both.");
  const all = await listed(group);
  expect(all.map(({ content }) => content)).toEqual([
    "Only to Ben.",
    "I am Ben.",
    "To both.",
    "I am Ann.",
    "I am Ben.",
  ]);
  const { id } = all[2]!;
  expect((await listed(group, `?order=asc&after=${id}`)).map(({ content }) => content)).toEqual([
    "I am Ann.",
    "I am Ben.",
  ]);
});

test("agents of a sleeptime group review the conversation in the background", async () => {
  const group = await create(["ben"], led("sleeptime", "host", { sleeptime_agent_frequency: 2 }));
  const before = models["ben"]!.requests.length;
  expect(textsOf((await say(group, "I like tea.")).messages)).toEqual(["host: Noted."]);
  expect(await ask("GET", `/groups/${group.id}`)).toMatchObject({ turns_counter: 1 });
  await say(group, "I live in Rome.");
  for (let tries = 0; tries < 400 && models["ben"]!.requests.length === before; tries += 1) await systemClock.sleep(50);
  expect(models["ben"]!.requests).toHaveLength(before + 1);
  expect(heardBy("ben")).toMatch(/I like tea\..*Noted\..*I live in Rome\./su);
  expect(textsOf(await listed(group))).toEqual(["host: Noted.", "host: Noted."]);
});

test("an agent of a sleeptime group hears once what was said during its turns and while they were queued", async () => {
  const group = await create(["busy"], led("sleeptime", "chief", { sleeptime_agent_frequency: 1 }));
  const ended = (count: number) =>
    until(async () => (await runtime.turns.list({ agent: "busy", states: ["completed"] })).length === count);
  await say(group, "I like tea.");
  // The agent's turn ends during the manager's answer.
  const answer = say(group, "I live in Rome.");
  await until(() => models["chief"]!.requests.length === 2);
  opened.add("busy");
  await ended(1);
  opened.add("chief");
  await answer;
  await ended(2);
  for (const text of ["I have a dog.", "I have a cat.", "I sail."]) await say(group, text);
  opened.add("busy again");
  await ended(5);
  const heard = models["busy"]!.requests.at(-1)!.messages.map(textOf).join("\n");
  const words = ["tea", "Noted", "Rome", "Noted", "dog", "Noted", "cat", "Noted", "sail", "Noted"];
  expect(heard.match(/tea|Rome|dog|cat|sail|Noted/gu)).toEqual(words);
});

test("what is changed in a sleeptime group during a turn of its manager stays so", async () => {
  ids["other"] =
    `agent-${(await runtime.agents.create({ name: "other", model: "paused", persona: "", human: "" })).id}`;
  const leading = (manager: string) => create(["ben"], led("sleeptime", manager, { sleeptime_agent_frequency: 3 }));
  const [changed, deleted] = [await leading("paused"), await leading("other")];
  const answers = [say(changed, "Hello"), say(deleted, "Hello")];
  for (const group of [changed, deleted]) await until(async () => (await listed(group)).length > 0);
  const change = { agent_ids: agentIds("ben", "ann"), description: "another talk" };
  await ask("PATCH", `/groups/${changed.id}`, change);
  await ask("DELETE", `/groups/${deleted.id}`);
  paused.go();
  await Promise.all(answers);
  expect(await ask("GET", `/groups/${changed.id}`)).toMatchObject({ ...change, turns_counter: 1 });
  expect((await server.ask("GET", `/v1/groups/${deleted.id}`)).status).toBe(404);
});

test("a call of an agent in a group waits for a decision, which the group passes on", async () => {
  const group = await create(["careful", "ann"]);
  const paused = await say(group, "Add.");
  expect(paused.stop_reason.stop_reason).toBe("requires_approval");
  const { tool_call_id } = paused.messages.at(-1)!.tool_call!;
  const messages = [{ type: "approval", approvals: [{ type: "approval", tool_call_id, approve: true }] }];
  const answer = await ask<WireAnswer>("POST", `/groups/${group.id}/messages`, { messages });
  expect(textsOf(answer.messages)).toEqual(["careful: It is 3."]);
  expect(await server.ask("POST", `/v1/groups/${group.id}/messages`, { messages })).toMatchObject({ status: 400 });
});
