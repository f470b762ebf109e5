// One engine, host and server for all operations of the contracts; each row of the tables has users of its own on it.
// Invariant: the users of a row have nothing but what their row makes, so that names, lists and counts are literal.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Agent } from "../../src/agent/agent.ts";
import { createClient, type Client } from "../../src/exports/client.ts";
import type { Model } from "../../src/model/llm/model.ts";
import { noUsage, textOf } from "../../src/base/message/message.ts";
import { createHost } from "../../src/runtime/compose/compose.ts";
import type { Host } from "../../src/runtime/host.ts";
import type { Runtime, UserRuntime } from "../../src/runtime/runtime.ts";
import type { AgentSettings, StoredMessage } from "../../src/store/port/records.ts";
import { apiDoor } from "../../src/surfaces/http/api/api-door.ts";
import { createTestApp } from "../support/api-app.ts";
import { askedModel, careful } from "../support/asked-model.ts";
import { twoMerges } from "../support/consolidation-calls.ts";
import { openTestStore, placeOf, type TestStore } from "../support/database.ts";
import { type HttpMcpServer, startHttpMcpServer } from "../support/http-mcp-server.ts";
import { newEmbedders } from "../support/reembedding-standing.ts";
import { both, isSynopsisRequest } from "../support/synopsis-scene.ts";

/** Does what the newest message says, as `askedModel`; writes a synopsis or two consolidations when it is asked for them. */
const model: Model = {
  ...askedModel,
  async *stream(request, streaming) {
    const isConsolidation = request.messages.map(textOf).join("").includes("\nRows:\n");
    if (!isSynopsisRequest(request) && !isConsolidation) return yield* askedModel.stream(request, streaming);
    yield { type: "text-delta", text: isConsolidation ? twoMerges : (both.text ?? "") };
    yield { type: "end", stopReason: "end", usage: noUsage };
  },
};

export interface Parity {
  readonly test: TestStore;
  readonly mcp: HttpMcpServer;
  /** For files. */
  readonly folder: string;
  /** A user with nothing. `suffix` is at the end of the names of what the user has. */
  person(userId: string, suffix?: string): Person;
  /** The typed client of `/api`, with a key of this scope. */
  client(userId: string, scope?: string): Client;
  close(): Promise<void>;
}

/** A conversation with one turn. */
export interface Talk {
  readonly agent: string;
  readonly conversation: string;
  readonly opened: Agent;
  readonly turn: string;
  readonly messages: readonly StoredMessage[];
}

/** A user, and functions that make what the arguments of operations name. */
export interface Person {
  readonly userId: string;
  readonly runtime: UserRuntime;
  /** Another user, with whom things are shared. */
  readonly friend: Pick<UserRuntime, "agents" | "modules" | "userId">;
  readonly mcpUrl: string;
  named(word: string): string;
  /** Writes a file, which is removed with the scene. Returns its path. */
  newFile(name: string, text: string): string;
  /** Creates the agent `main`, and returns its name. */
  agent(options?: Partial<Parameters<UserRuntime["agents"]["create"]>[0]>): Promise<string>;
  talk(text?: string, settings?: Partial<AgentSettings>): Promise<Talk>;
  /** Returns the id of a call that waits for approval. */
  waiting(): Promise<{ readonly talk: Talk; readonly callId: string }>;
  passage(agent: string): Promise<string>;
  module(): Promise<string>;
  identity(): Promise<string>;
  schedule(): Promise<string>;
  makeDue(schedule: string): Promise<unknown>;
  tool(): Promise<string>;
  /** Creates a source with the file `moby.txt`, and returns its name. */
  source(): Promise<string>;
  server(): Promise<string>;
  /** Offers something of the friend's to this user. Returns its id. */
  offer(kind: "agent" | "module"): Promise<string>;
}

export async function openParity(): Promise<Parity> {
  const test = await openTestStore();
  const mcp = await startHttpMcpServer();
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-parity-"));
  mkdirSync(join(folder, "docs"));
  writeFileSync(join(folder, "docs", "a.md"), "Boats float on water.\n");
  writeFileSync(join(folder, "docs", "b.pdf"), "");
  const place = placeOf(test);
  const options = { ...place, model: model.name, models: [model], timeZone: "UTC", log: () => undefined } as const;
  const tools = { add: [careful] };
  const host = await createHost({ ...options, tools, embedder: null, userMcpServers: "network" });
  const [old, next] = newEmbedders();
  const embedding = await createHost({ ...options, embedder: old, embedders: [next] });
  const hostOf = (userId: string): Host => (userId.startsWith("embeddings") ? embedding : host);
  const keys = {
    async verify(secret: string) {
      const [userId = "", scope = "admin"] = secret.split("|");
      return { userId, agentId: null, scope };
    },
  };
  const forUser = (userId: string) => hostOf(userId).forUser(userId);
  const ask = createTestApp({ forUser, keys, health: () => host.health() } as unknown as Host, [apiDoor]);
  return {
    test,
    mcp,
    folder,
    person: (userId, suffix = "") => personOf({ forUser, mcp, folder, test }, userId, suffix),
    client: (userId, scope = "admin") =>
      createClient({
        url: "http://localhost",
        key: `${userId}|${scope}`,
        async fetch(input, init = {}) {
          const { pathname, search } = new URL(input as string);
          const sent = { key: `${userId}|${scope}`, headers: init.headers as Record<string, string> };
          const rawBody = init.body === undefined || init.body === null ? {} : { rawBody: init.body as string };
          const answer = await ask(init.method ?? "GET", `${pathname}${search}`, { ...sent, ...rawBody });
          return new Response(answer.text === "" ? null : answer.text, { status: answer.status });
        },
      }),
    async close() {
      await host.close();
      await embedding.close();
      await mcp.close();
      await test.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** The runtime as a command opens it. */
export const commandRuntime = (runtime: UserRuntime): Runtime =>
  ({ ...runtime, close: async () => undefined }) as Runtime;

const talked = "SAY Ahoy, Ada.";

interface Places {
  readonly forUser: (userId: string) => UserRuntime;
  readonly mcp: HttpMcpServer;
  readonly folder: string;
  readonly test: TestStore;
}

function personOf({ forUser, mcp, folder, test }: Places, userId: string, suffix: string): Person {
  const runtime = forUser(userId);
  const friend = forUser(`${userId}-friend`);
  const named = (word: string) => `${word}${suffix}`;
  const person: Person = {
    userId,
    runtime,
    friend,
    mcpUrl: mcp.url,
    named,
    newFile(name, text) {
      const file = join(folder, name);
      writeFileSync(file, text);
      return file;
    },
    async agent(options = {}) {
      const texts = { persona: "", human: "Name: Ada", systemPrompt: "You are Sam." };
      const { name } = await runtime.agents.create({ name: named("main"), ...texts, ...options });
      return name;
    },
    async talk(text = talked, settings = {}) {
      const agent = await person.agent({ settings });
      const opened = await runtime.agents.open(agent);
      await opened.send(text);
      const { messages } = await runtime.conversations.messages(opened.conversationId);
      const [turn] = await runtime.turns.list({ conversation: opened.conversationId });
      return { agent, opened, conversation: opened.conversationId, turn: turn?.id ?? "", messages };
    },
    async waiting() {
      const talk = await person.talk('CALL add_carefully {"a":1,"b":2}');
      const [call] = await runtime.approvals.list(talk.agent);
      return { talk, callId: call?.callId ?? "" };
    },
    passage: async (agent) => (await runtime.archival.add(agent, "The boat is blue.", { tags: ["boat"] })).id,
    module: async () => (await runtime.modules.create({ label: named("project"), value: "Boats." })).id,
    identity: async () => (await runtime.identities.create({ key: named("ada"), name: "Ada" })).id,
    async schedule() {
      return (await runtime.schedules.create(await person.agent(), { text: "Good morning", cron: "0 9 * * *" })).id;
    },
    makeDue: (id) =>
      test.ownerRows("update schedules set next_at = now() - interval '1 second' where id = $1::uuid", [id]),
    async tool() {
      const parameters = { type: "object", properties: {} };
      return (await runtime.tools.create({ name: named("ring"), description: "Rings.", parameters })).name;
    },
    async source() {
      await runtime.sources.create(named("books"), { description: "All books." });
      await runtime.sources.load(named("books"), [{ name: "moby.txt", data: "Moby Dick is about a whale." }]);
      return named("books");
    },
    async server() {
      const headers = { authorization: "Bearer good" };
      return (await runtime.mcpServers.create({ name: named("words"), url: mcp.url, headers })).server.id;
    },
    async offer(kind) {
      if (kind === "module") {
        const { id } = await friend.modules.create({ label: "plan", value: "Sail." });
        await friend.modules.share(id, userId, "write");
        return id;
      }
      const { id, name } = await friend.agents.create({ name: "lent", persona: "", human: "" });
      await friend.agents.share(name, userId);
      return id;
    },
  };
  return person;
}
