// A Runtime without a store or a model: agents in a list, turns as scripted events. For tests of front ends.
import { createFakeTransfers } from "./fake-agent-file.ts";
import { textsOf } from "./messages.ts";
import { driveTurn } from "../../src/agent/lease/drive-turn.ts";
import { DependentEditsError, RequestError } from "../../src/base/errors.ts";
import { MessageBuffer } from "../../src/context/buffer/message-buffer.ts";
import type { FileInput } from "../../src/base/message/file-part.ts";
import type { AgentEvent, EventBody } from "../../src/agent/events.ts";
import { ChatMemory } from "../../src/memory/core/chat-memory.ts";
import type { ApprovalRecord } from "../../src/store/port/approval-store.ts";
import type { CreateAgentOptions, OpenAgentOptions } from "../../src/runtime/agents/contract.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import {
  branches,
  compaction,
  fakeTime,
  found,
  humanModule,
  key,
  nodeMemory,
  optimized,
  passage,
  passageHit,
  revision,
} from "./fake-records.ts";
import { createFakeConversations } from "./fake-conversations.ts";
import { createFakeEmbeddings } from "./fake-embeddings.ts";
import { createFakeImports } from "./fake-imports.ts";
import { createFakeSources } from "./fake-sources.ts";
import { fakeMcp, notFaked, refusing } from "./fake-mcp.ts";
import { fakeModules } from "./fake-modules.ts";
import { fakeConsolidations } from "./fake-consolidations.ts";
import { fakeSynopsis } from "./fake-synopsis.ts";
import { fakeSettings } from "./fake-settings.ts";

type Agent = Awaited<ReturnType<Runtime["agents"]["open"]>>;
type AgentRecord = Agent["record"];

const noLog = (): void => undefined;

export interface FakeRuntimeOptions {
  readonly agents?: readonly string[];
  readonly model?: string;
  /** The events of a turn, for what was sent. May throw. */
  readonly turn?: (
    text: string,
    signal: AbortSignal | undefined,
    files: readonly FileInput[],
  ) => AsyncIterable<EventBody> | Iterable<EventBody>;
  readonly former?: Awaited<ReturnType<Runtime["agents"]["former"]>>;
  /** The calls that wait for approval; each is decided about in the agent that is opened. */
  readonly approvals?: readonly ApprovalRecord[];
  /** Objects that a backup does not contain. */
  readonly external?: Awaited<ReturnType<Runtime["backup"]>>["external"];
  /** Replaces operations, by overriding what the fake has. */
  readonly override?: Partial<Runtime>;
}

export interface FakeRuntime extends Runtime {
  /** What was asked of it, in order: names of operations with their arguments. */
  readonly calls: readonly (readonly [string, ...unknown[]])[];
}

/** A turn that says `text` and ends. */
export function reply(text: string): readonly EventBody[] {
  const usage = { inputTokens: 120, outputTokens: 9, cachedInputTokens: 100 };
  return [
    { type: "turn-start", messageId: "message-1" },
    { type: "step-start", step: 1, messageId: "m-2", model: "demo", window: { tokens: 120, limit: 8192 } },
    { type: "text-delta", step: 1, text },
    { type: "step-end", step: 1, usage },
    { type: "turn-end", stopReason: "end-turn", text, steps: 1, usage },
  ];
}

export function createFakeRuntime(options: FakeRuntimeOptions = {}): FakeRuntime {
  const calls: [string, ...unknown[]][] = [];
  const records = (options.agents ?? []).map((name) => record(name, options.model ?? "demo"));
  const find = (name: string): AgentRecord => {
    const found = records.find((agent) => agent.name === name || agent.id === name);
    if (found === undefined) throw new RequestError("agent_not_found", `There is no agent "${name}".`);
    return found;
  };
  const create = (made: CreateAgentOptions): AgentRecord => {
    records.push(record(made.name, made.model ?? options.model ?? "demo"));
    return records.at(-1)!;
  };
  const open = (name: string, { create: made, ...rest }: OpenAgentOptions = {}): Agent => {
    calls.push(["agents.open", name, { ...rest, create: made }]);
    if (made !== undefined && !records.some((agent) => agent.name === name)) create({ name, ...made });
    return openAgent(find(name), options, (decision) => calls.push(decision));
  };
  const runtime: Runtime = {
    userId: "local",
    defaultModel: options.model ?? "demo",
    agentMessages: { list: async () => [], deliver: async () => undefined },
    agents: {
      list: async (query) => {
        if (query !== undefined) calls.push(["agents.list", query]);
        return records;
      },
      count: async () => records.length,
      tags: async () => [],
      openForTurn: async (_conversation, { agent = "main" } = {}) => open(agent),
      setDetails: async (name, details) => {
        calls.push(["agents.setDetails", name, details]);
        const agent = find(name);
        return { ...agent, ...details, extensions: {} };
      },
      setModel: async (name, model, setting) => {
        calls.push(["agents.setModel", name, model, setting]);
        return { ...find(name), model };
      },
      find: async (name) => find(name),
      create: async (made) => {
        calls.push(["agents.create", made]);
        return create(made);
      },
      update: async (name, settings) => {
        calls.push(["agents.update", name, settings]);
        const agent = find(name);
        return { ...agent, settings: { ...agent.settings, ...settings } };
      },
      setSystemPrompt: async (name, systemPrompt) => {
        calls.push(["agents.setSystemPrompt", name]);
        return { ...find(name), systemPrompt };
      },
      open: async (name, opening) => open(name, opening),
      delete: async (name) => void calls.push(["agents.delete", name]),
      share: async (name, user) => void calls.push(["agents.share", find(name).name, user]),
      unshare: async (name, user) => calls.push(["agents.unshare", find(name).name, user]) > 0,
      recipients: async () => [{ userId: "grace", state: "accepted", at: fakeTime }],
      offers: async () => [{ agentId: "agent-9", ownerId: "ada", name: "ada/critic", at: fakeTime }],
      accept: async (name) => {
        calls.push(["agents.accept", name]);
        return { ...record(name, "demo"), ownerId: "ada" };
      },
      decline: async (name) => void calls.push(["agents.decline", name]),
      leave: async (name) => void calls.push(["agents.leave", name]),
      former: async () => options.former ?? [],
      ...createFakeTransfers({ record: (...call) => void calls.push(call), find, create }),
    },
    conversations: createFakeConversations(
      (...call) => void calls.push(call),
      (name) => find(name).name,
    ),
    user: {
      usage: async () => ({ agents: 2, sharedWith: 1, conversations: 3, messages: 40, passages: 5, sources: 6 }),
      delete: async () => void calls.push(["user.delete"]),
    },
    turns: refusing("turns"),
    mcp: fakeMcp(),
    keys: {
      create: async (options) => {
        calls.push(["keys.create", options]);
        return { ...key, secret: "pk_secret" };
      },
      list: async () => [
        key,
        { ...key, id: "key-2", agentId: "agent-main", lastUsedAt: fakeTime, revokedAt: fakeTime },
      ],
      revoke: async (id) => void calls.push(["keys.revoke", id]),
    },
    approvals: { list: async (name) => (find(name), options.approvals ?? []) },
    forget: refusing("forget"),
    retention: refusing("retention"),
    tools: refusing("tools"),
    mcpServers: refusing("mcpServers"),
    identities: refusing("identities"),
    modules: fakeModules(),
    models: refusing("models"),
    schedules: refusing("schedules"),
    nodeMemory: refusing("nodeMemory", {
      listUnused: async (ageMs) => (calls.push(["nodeMemory.listUnused", ageMs]), [nodeMemory]),
      prune: async (ageMs) => (calls.push(["nodeMemory.prune", ageMs]), [nodeMemory]),
    }),
    consolidation: fakeConsolidations(calls),
    synopsis: fakeSynopsis(calls, (name) => find(name).name),
    memoryFiles: refusing("memoryFiles"),
    memory: {
      show: async (name) => (find(name), [humanModule]),
      at: async (name, label, number) => {
        calls.push(["memory.at", find(name).name, label, number]);
        return { ...humanModule, label, value: "Name: Ada", length: 9, revision: number };
      },
      diff: async (name, label, range) => {
        calls.push(["memory.diff", find(name).name, label, range]);
        return { label, from: 0, to: 1, before: "", after: humanModule.value };
      },
      set: async (name, label, value) => {
        calls.push(["memory.set", find(name).name, label, value]);
        return { ...humanModule, label, value, revision: 2 };
      },
      edit: () => notFaked("memory.edit"),
      remember: async (name, fact) => {
        calls.push(["memory.remember", find(name).name, fact]);
        return { label: "human", revision: 2, before: "", after: fact, limit: 2000 };
      },
      revisions: async (name, which) => {
        calls.push(["memory.revisions", find(name).name, which]);
        return [revision];
      },
      cause: () => notFaked("memory.cause"),
      undo: async (name, label, undoing) => {
        calls.push(["memory.undo", find(name).name, label, ...(undoing === undefined ? [] : [undoing])]);
        if (undoing?.revision === undefined) return null;
        if (undoing.force !== true) throw new DependentEditsError([{ label: "human", revisions: [1], later: [2, 3] }]);
        return {
          ...revision,
          later: [
            { ...revision, revision: 3 },
            { ...revision, revision: 2 },
          ],
        };
      },
    },
    recall: {
      search: async (name, query, page) => {
        calls.push(["recall.search", find(name).name, query, page]);
        return found;
      },
      searchDate: async (name, days, page) => {
        calls.push(["recall.searchDate", find(name).name, days, page]);
        return { ...found, hits: [], total: 0 };
      },
    },
    createMessageBuffer: (parts = {}) => new MessageBuffer(parts),
    getContext: async (name, query, options) => {
      calls.push(["getContext", find(name).name, query, options]);
      return { synopsis: null, recent: [], found: [], tokens: 0, explanation: [], sources: [], warnings: [] };
    },
    archival: {
      list: async (name, at) => (calls.push(["archival.list", find(name).name, at]), [passage]),
      count: async () => 1,
      search: async (name, query, page) => {
        calls.push(["archival.search", find(name).name, query, page]);
        return { ...found, hits: [passageHit] };
      },
      add: async (name, text, details) => (
        calls.push(["archival.add", find(name).name, text, details]), { id: "passage-1", isNew: true }
      ),
      import: async (name, passages) => {
        calls.push(["archival.import", find(name).name, passages]);
        return passages.length - 1;
      },
      export: async function* () {
        yield passage;
      },
      setTags: async (name, id) => (find(name), id === passage.id),
      delete: async (name, id) => (find(name), id === passage.id),
    },
    imports: createFakeImports((...call) => void calls.push(call), find),
    sources: createFakeSources((...call) => void calls.push(call)),
    embeddings: createFakeEmbeddings((...call) => void calls.push(call)),
    files: {
      describe: async (file) => {
        if (!("path" in file)) throw new RequestError("file_invalid", "The fake knows paths alone.");
        if (!file.path.endsWith(".png")) {
          throw new RequestError("file_unreadable", `${file.path} cannot be attached: there is no such file.`);
        }
        return { kind: "image", mediaType: "image/png", name: file.path, bytes: 240_000, width: 1024, height: 768 };
      },
    },
    starters: {
      personas: async () => [
        { name: "companion", text: "I am the default." },
        { name: "archivist", text: "I file things." },
      ],
      humans: async () => [{ name: "unknown", text: "I know nobody yet." }],
    },
    listUsers: async () => [
      { userId: "ada", createdAt: new Date("2026-03-01T08:00:00Z"), agents: 2, lastMessageAt: null },
      {
        userId: "bob",
        createdAt: new Date("2026-03-02T08:00:00Z"),
        agents: 0,
        lastMessageAt: new Date("2026-03-04T05:06:00Z"),
      },
    ],
    backup: async (file) => {
      calls.push(["backup", file]);
      return { rows: 1, external: options.external ?? [] };
    },
    restore: async (file) => {
      calls.push(["restore", file]);
      return { rows: 1, external: options.external ?? [] };
    },
    optimize: async ({ minVectors, log } = {}) => {
      calls.push(["optimize", minVectors ?? null]);
      log?.("Building the index of passages_512: 60,000 vectors.");
      return optimized;
    },
    idle: async () => undefined,
    close: async () => void calls.push(["close"]),
  };
  return { ...runtime, ...options.override, calls };
}

function openAgent(
  agent: AgentRecord,
  { turn = (text) => reply(`You said: ${text}`), approvals = [] }: FakeRuntimeOptions,
  decided: (decision: [string, ...unknown[]]) => void,
): Agent {
  const refuse = (): never => {
    throw new RequestError("input_invalid", "The fake runtime only sends.");
  };
  async function* run(
    text: string,
    signal?: AbortSignal,
    files: readonly FileInput[] = [],
  ): AsyncGenerator<AgentEvent, void> {
    let sequence = 0;
    for await (const body of turn(text, signal, files)) {
      yield { agentId: agent.id, conversationId: "conversation-1", turnId: "turn-1", sequence, ...body };
      sequence += 1;
    }
  }
  return {
    record: agent,
    userId: "local",
    conversationId: "conversation-1",
    messages: [],
    memory: new ChatMemory({ persona: "I am the default.", human: "" }),
    tools: ["core_memory_append", "core_memory_replace"],
    price: agent.model === "demo" ? { input: 0, cachedInput: 0, output: 0 } : null,
    window: { tokens: 0, limit: 8192 },
    context: refuse,
    steps: refuse,
    start: refuse,
    events: refuse,
    step: refuse,
    send: ((...[text, { signal, files, ...told } = {}]: Parameters<Agent["send"]>) => {
      if (Object.keys(told).length > 0) decided(["agent.send", told]);
      return driveTurn(run(textsOf(text), signal, files), noLog);
    }) as Agent["send"],
    describeTools: () => [],
    ask: refuse,
    pendingApprovals: approvals,
    pendingResults: [],
    answer: refuse,
    approve(callId, { signal, ...told } = {}) {
      decided(["agent.approve", callId, told]);
      return driveTurn(run("approved", signal), noLog);
    },
    deny(callId, { signal, ...told } = {}) {
      decided(["agent.deny", callId, told]);
      return driveTurn(run("denied", signal), noLog);
    },
    resume: refuse,
    unfinished: false,
    stop: async () => false,
    close: async () => undefined,
    retry: refuse,
    regenerate: refuse,
    branches: async () => branches,
    async switchTo(messageId) {
      decided(["agent.switchTo", messageId]);
    },
    pop: refuse,
    compact: refuse,
    clearWindow: async () => null,
    async undoCompaction() {
      decided(["agent.undoCompaction"]);
      return { compactions: [compaction], messages: [], tokensBefore: 100, tokensAfter: 400 };
    },
    async compactions(limit) {
      decided(["agent.compactions", limit]);
      return [{ ...compaction, undoneAt: fakeTime, dollars: null }, compaction];
    },
    undoEdit: refuse,
    raise: refuse,
    rewrite: refuse,
    rethink: refuse,
  };
}

function record(name: string, model: string): AgentRecord {
  return {
    id: `agent-${name}`,
    ownerId: "local",
    name,
    model,
    protocol: "native",
    memoryType: "chat",
    description: null,
    tags: [],
    metadata: {},
    extensions: {},
    systemPrompt: "You are an agent.",
    settings: fakeSettings,
    createdAt: fakeTime,
  };
}
