// Agents that a server keeps open between turns: what a turn costs then, and that each change by another process is seen by the
// next request. KEPT_TRIALS=84 makes 1,008 changes.
import { composeRuntime, createHost } from "../../src/runtime/compose/compose.ts";
import type { Host } from "../../src/runtime/host.ts";
import type { Model, ModelRequest } from "../../src/model/llm/model.ts";
import { apiDoor } from "../../src/surfaces/http/api/api-door.ts";
import { lettaDoor } from "../../src/surfaces/http/letta/letta-door.ts";
import { openAiDoor } from "../../src/surfaces/http/openai/openai-door.ts";
import { type Ask, createTestApp } from "../support/api-app.ts";
import { openTestStore, type TestStore } from "../support/database.ts";
import { recordingCalls } from "../support/record-store-calls.ts";
import { startSecondHost } from "../support/second-host.ts";

const trials = Number(process.env["KEPT_TRIALS"] ?? "2");
const trialsMs = 30_000 + trials * 5000;
const usage = { inputTokens: 100, outputTokens: 5, cachedInputTokens: 0 };

let opened: TestStore;
/** The host that serves, another one in this process, and one in a process of its own. */
let host: Host;
let other: Host;
let remote: Awaited<ReturnType<typeof startSecondHost>>;
let ask: Ask;
/** The requests that the models got, with the model's name. */
let requests: (ModelRequest & { readonly model: string })[] = [];
let users = 0;
/** Lets the model answer "Wait.". */
let release = (): void => undefined;
const released = new Promise<void>((resolve) => (release = resolve));

const modelNamed = (name: string): Model => ({
  name,
  contextWindow: 1_000_000,
  async *stream(request) {
    requests.push({ ...request, model: name });
    const called = /Call (\w+)/u.exec(JSON.stringify(request.messages.findLast(({ role }) => role === "user")))?.[1];
    if (called !== undefined && request.messages.at(-1)?.role === "user") {
      yield { type: "tool-call", callId: `call_${requests.length}`, name: called, arguments: "{}" };
      yield { type: "end", stopReason: "tool-calls", usage };
      return;
    }
    if (JSON.stringify(request.messages.at(-1)).includes("Wait.")) await released;
    yield { type: "text-delta", text: "Noted." };
    yield { type: "end", stopReason: "end", usage };
  },
});

beforeAll(async () => {
  opened = await openTestStore();
  const { connection } = opened;
  const place = connection.kind === "server" ? { databaseUrl: connection.url } : { dataDir: connection.folder };
  const models = [modelNamed("one"), modelNamed("two")];
  const open = () => createHost({ ...place, model: "one", models, embedder: null, timeZone: "UTC" });
  [host, other] = [await open(), await open()];
  remote = await startSecondHost(place);
}, 60_000);
afterAll(async () => {
  await remote.close();
  await host.close();
  await other.close();
  await opened.close();
});
beforeEach(() => {
  requests = [];
  ask = createTestApp(host, [apiDoor, openAiDoor, lettaDoor]);
});

interface Scene {
  readonly user: string;
  readonly key: string;
  readonly keyId: string;
  readonly agent: string;
  readonly conversation: string;
  /** Sends a text over `/openai/v1`, and returns the status and the code of an error. */
  readonly say: (text?: string) => Promise<{ readonly status: number; readonly code: string | null }>;
}

/** A user with an agent that the server keeps open in a conversation. */
async function newScene(owner?: string): Promise<Scene> {
  const user = `user-${(users += 1)}`;
  const { secret: key, id: keyId } = await other.keys.create(user, { scope: "admin" });
  const { agents, conversations } = other.forUser(user);
  const made = owner === undefined ? await agents.create({ name: "ann", persona: "", human: "" }) : null;
  const agent = made?.id ?? (await shared(owner!, user));
  const { id: conversation } = await conversations.create(agent);
  const say = async (text = "Hello.") => {
    const body = {
      model: agent,
      metadata: { conversation_id: conversation },
      messages: [{ role: "user", content: text }],
    };
    const { status, text: answer } = await ask("POST", "/openai/v1/chat/completions", { key, body });
    return { status, code: (JSON.parse(answer) as { error?: { code: string } }).error?.code ?? null };
  };
  expect(await say("Before.")).toEqual({ status: 200, code: null });
  requests = [];
  return { user, key, keyId, agent, conversation, say };
}

async function shared(owner: string, user: string): Promise<string> {
  const { id } = await other.forUser(owner).agents.create({ name: `shared-${user}`, persona: "", human: "" });
  await other.forUser(owner).agents.share(id, user);
  await other.forUser(user).agents.accept(id);
  return id;
}

const textOf = (request: ModelRequest | undefined): string => JSON.stringify(request);

describe("a change by another process is seen by the next request", () => {
  const refusals: readonly [string, (scene: Scene) => Promise<unknown>, { status: number; code: string }][] = [
    ["a revoked key", ({ user, keyId }) => remote.host.keys.revoke(user, keyId), { status: 401, code: "key_invalid" }],
    [
      "a deleted agent",
      ({ user, agent }) => remote.host.forUser(user).agents.delete(agent),
      { status: 404, code: "agent_not_found" },
    ],
    [
      "a deleted conversation",
      ({ user, conversation }) => remote.host.forUser(user).conversations.delete(conversation),
      { status: 404, code: "conversation_not_found" },
    ],
  ];
  it.each(refusals)(
    "%s",
    async (_title, change, refused) => {
      for (let trial = 0; trial < trials; trial += 1) {
        // After 20 wrong keys from one address, a server refuses unknown ones for a while.
        if (trial % 15 === 14) ask = createTestApp(host, [openAiDoor]);
        const scene = await newScene();
        await change(scene);
        expect(await scene.say()).toEqual(refused);
        expect(requests).toEqual([]);
      }
    },
    trialsMs,
  );

  it(
    "a withdrawn grant",
    async () => {
      for (let trial = 0; trial < trials; trial += 1) {
        const owner = `owner-${trial}`;
        const scene = await newScene(owner);
        await remote.host.forUser(owner).agents.unshare(scene.agent, scene.user);
        expect(await scene.say()).toEqual({ status: 403, code: "grant_ended" });
        expect(requests).toEqual([]);
      }
    },
    trialsMs,
  );

  const seen: readonly [string, (scene: Scene, mark: string) => Promise<unknown>][] = [
    [
      "an edited module",
      ({ user, agent }, mark) => remote.host.forUser(user).memory.set(agent, "human", `Knows ${mark}.`),
    ],
    ["another system prompt", ({ user, agent }, mark) => remote.host.forUser(user).agents.setSystemPrompt(agent, mark)],
    ["another model", async ({ user, agent }) => remote.host.forUser(user).agents.setModel(agent, "two")],
    [
      "an attached tool",
      async ({ user, agent }, mark) => {
        const { tools } = remote.host.forUser(user);
        const parameters = { type: "object", properties: {} } as const;
        const { id } = await tools.create({ name: `tool_${mark}`, description: mark, parameters });
        await tools.attach(agent, id);
      },
    ],
    [
      "a turn",
      async ({ user, agent, conversation }, mark) => {
        const open = await remote.host.forUser(user).agents.open(agent, { conversation: { id: conversation } });
        await open.send(mark);
        requests = [];
      },
    ],
  ];
  it.each(seen)(
    "%s",
    async (title, change) => {
      const scene = await newScene();
      for (let trial = 0; trial < trials; trial += 1) {
        const mark = `mark${trial}x`;
        await change(scene, mark);
        expect(await scene.say()).toEqual({ status: 200, code: null });
        expect(title === "another model" ? requests.at(-1)?.model : textOf(requests.at(-1))).toContain(
          title === "another model" ? "two" : mark,
        );
        if (title === "another model") await remote.host.forUser(scene.user).agents.setModel(scene.agent, "one");
        expect(await scene.say()).toEqual({ status: 200, code: null });
      }
    },
    trialsMs,
  );

  it.each(["pop", "switchTo"] as const)(
    "%s",
    async (which) => {
      const scene = await newScene();
      const { agents, conversations } = remote.host.forUser(scene.user);
      for (let trial = 0; trial < trials; trial += 1) {
        const mark = `gone${trial}x`;
        const { leafId } = await conversations.find(scene.conversation);
        await scene.say(mark);
        expect(textOf(requests.at(-1))).toContain(mark);
        const open = await agents.open(scene.agent, { conversation: { id: scene.conversation } });
        await (which === "pop" ? open.pop(2) : open.switchTo(leafId));
        expect(await scene.say("Next.")).toEqual({ status: 200, code: null });
        expect(textOf(requests.at(-1))).not.toContain(mark);
      }
    },
    trialsMs,
  );

  // A prompt offers the tools that it was made with; what is detached since does not run.
  it(
    "a detached tool",
    async () => {
      const scene = await newScene();
      const { tools } = remote.host.forUser(scene.user);
      for (let trial = 0; trial < trials; trial += 1) {
        const name = `tool_${trial}`;
        const { id } = await tools.create({
          name,
          description: "Asks.",
          parameters: { type: "object", properties: {} },
        });
        await tools.attach(scene.agent, id);
        expect(await scene.say()).toEqual({ status: 200, code: null });
        await tools.detach(scene.agent, id);
        expect(await scene.say(`Call ${name}.`)).toEqual({ status: 200, code: null });
        const [result] = requests.at(-1)?.messages.at(-1)?.content ?? [];
        expect(result).toMatchObject({ type: "tool-result", status: "failed" });
        expect(await scene.say()).toEqual({ status: 200, code: null });
      }
    },
    trialsMs,
  );
});

it("two hosts that take turns answer each message once, in order", async () => {
  const scene = await newScene();
  const askOther = createTestApp(other, [openAiDoor]);
  const metadata = { conversation_id: scene.conversation };
  const send = async (through: Ask, content: string) => {
    const body = { model: scene.agent, metadata, messages: [{ role: "user", content }] };
    expect((await through("POST", "/openai/v1/chat/completions", { key: scene.key, body })).status).toBe(200);
  };
  const texts = Array.from({ length: 12 }, (_, number) => `message ${number}`);
  for (const [number, text] of texts.entries()) await send(number % 3 === 0 ? askOther : ask, text);
  await Promise.all(["at once a", "at once b", "at once c"].map((text, at) => send(at === 0 ? askOther : ask, text)));
  const { messages } = await other.forUser(scene.user).conversations.messages(scene.conversation, { limit: 100 });
  const inputs = messages.filter(({ role }) => role === "user").map(({ text }) => text);
  const sent = ["Before.", ...texts];
  expect(inputs.length).toBe(sent.length + 3);
  expect(new Set(inputs)).toEqual(new Set([...sent, "at once a", "at once b", "at once c"]));
  expect(messages.filter(({ role }) => role === "assistant")).toHaveLength(inputs.length);
});

it("a revoked key reads no turn of an earlier input, and stores no file", async () => {
  const scene = await newScene();
  const path = `/api/agents/${scene.agent}/conversations/${scene.conversation}/turns`;
  const body = { messages: [{ text: "Keyed.", idempotencyKey: "k" }] };
  expect((await ask("POST", path, { key: scene.key, body })).status).toBe(202);
  await host.forUser(scene.user).idle();
  await scene.say();
  await other.keys.revoke(scene.user, scene.keyId);
  expect((await ask("POST", path, { key: scene.key, body })).status).toBe(401);
  const second = await newScene();
  await other.keys.revoke(second.user, second.keyId);
  const file = { url: "data:text/plain;base64,aGVsbG8=", name: "hello.txt" };
  const place = `/api/agents/${second.agent}/conversations/${second.conversation}/turns`;
  const withFile = { key: second.key, body: { messages: [{ text: "Read.", files: [file] }] } };
  expect((await ask("POST", place, withFile)).status).toBe(401);
  const [count] = await opened.ownerRows<{ n: number }>(
    "select count(*)::int as n from attachments where user_id = $1",
    [second.user],
  );
  expect(count?.n).toBe(0);
});

it("a user who keeps many agents open evicts none of another's, nor one whose turn runs", async () => {
  const ann = await newScene();
  const eve = await newScene();
  let verified = 0;
  const keys = { ...host.keys, verify: async (secret: string) => ((verified += 1), host.keys.verify(secret)) };
  const counted = createTestApp({ ...host, keys }, [openAiDoor]);
  const send = async ({ key, agent }: Scene, conversation_id: string, content = "Hello.") => {
    const before = verified;
    const body = { model: agent, metadata: { conversation_id }, messages: [{ role: "user", content }] };
    expect((await counted("POST", "/openai/v1/chat/completions", { key, body })).status).toBe(200);
    return verified - before;
  };
  for (const { say, ...scene } of [ann, eve]) await send({ say, ...scene }, scene.conversation);
  const running = send(eve, eve.conversation, "Wait.");
  const { id: first } = await other.forUser(eve.user).conversations.create(eve.agent);
  await send(eve, first);
  expect(await send(eve, first)).toBe(0);
  // 8 MB, of which each takes about a tenth of one.
  for (let number = 0; number < 90; number += 1)
    await send(eve, (await other.forUser(eve.user).conversations.create(eve.agent)).id);
  expect(await send(eve, first)).toBe(1);
  release();
  await running;
  expect(await send(eve, eve.conversation)).toBe(0);
  expect(await send(ann, ann.conversation)).toBe(0);
}, 120_000);

describe("a served text turn", () => {
  const bodies = {
    "/openai/v1": (agent: string, id: string) => ({
      path: "/openai/v1/chat/completions",
      body: { model: agent, metadata: { conversation_id: id }, messages: [{ role: "user", content: "Hello." }] },
    }),
    "an agent's messages at /v1": (agent: string) => ({
      path: `/v1/agents/agent-${agent}/messages`,
      body: { messages: [{ role: "user", content: "Hello." }] },
    }),
    "a conversation at /v1": (_agent: string, id: string) => ({
      path: `/v1/conversations/conv-${id}/messages`,
      body: { streaming: false, messages: [{ role: "user", content: "Hello." }] },
    }),
    "/api": (agent: string, id: string) => ({
      path: `/api/agents/${agent}/conversations/${id}/turns`,
      body: { messages: [{ text: "Hello." }] },
    }),
    "/api, with its events": (agent: string, id: string) => ({
      path: `/api/agents/${agent}/conversations/${id}/turns/events`,
      body: { messages: [{ text: "Hello." }] },
    }),
  } as const;
  it.each(Object.entries(bodies))(
    "takes two transactions, and a later reading of its events one: %s",
    async (title, requestOf) => {
      const calls: string[] = [];
      const userId = `counted-${(users += 1)}`;
      const options = { userId, model: "one", models: [modelNamed("one")], embedder: null };
      const runtime = await composeRuntime(options, { store: recordingCalls(opened.store, calls) });
      const verify = async (secret: string) => {
        calls.push("keys.verify");
        return host.keys.verify(secret);
      };
      const counted = { ...host, forUser: () => runtime, keys: { ...host.keys, verify } };
      const asked = createTestApp(counted, [apiDoor, openAiDoor, lettaDoor]);
      const { secret: key } = await host.keys.create(userId, { scope: "chat" });
      const { id: agent } = await runtime.agents.create({ name: "ann", persona: "", human: "" });
      const { id } = await runtime.conversations.create(agent);
      const { path, body } = requestOf(agent, id);
      for (let turn = 0; turn < 3; turn += 1) {
        calls.length = 0;
        const { status, text } = await asked("POST", path, { key, body });
        expect([200, 202]).toContain(status);
        if (title === "/api, with its events") expect(text).toContain("turn-end");
        if (title !== "/api") continue;
        const { turnId } = JSON.parse(text) as { turnId: string };
        const events = await asked("GET", `${path}/${turnId}/events`, { key });
        expect(events.text).toContain("turn-end");
      }
      const reads = calls.filter((call) => call === "events.read");
      expect(reads).toEqual(title === "/api" ? ["events.read"] : []);
      expect(calls.filter((call) => call !== "events.read")).toEqual(["turns.begin", "turns.commitReply"]);
      await runtime.close();
    },
  );
});
