// An Agent and a Runtime that follow a script, for tests of the terminal: no model, no database.
// Invariant: what they hand out has the shape of the real ones; events carry ids and count up from 0.
import { fakeMcp } from "./fake-mcp.ts";
import { driveTurn } from "../../src/agent/lease/drive-turn.ts";
import type { FileInput } from "../../src/base/message/file-part.ts";
import type { Agent } from "../../src/agent/agent.ts";
import type { RevertedMemory } from "../../src/agent/agent-results.ts";
import { textsOf } from "./messages.ts";
import type { SendOptions, SentMessages } from "../../src/agent/turn-options.ts";
import type { AgentEvent, EventBody } from "../../src/agent/events.ts";
import { RequestError } from "../../src/base/errors.ts";
import { noUsage } from "../../src/base/message/message.ts";
import { ChatMemory } from "../../src/memory/core/chat-memory.ts";
import type { AgentRecord, RevisionRecord, StoredMessage } from "../../src/store/port/records.ts";
import type { BranchRecord, ConversationSummary } from "../../src/store/port/conversation-store.ts";
import type { ApprovalRecord } from "../../src/store/port/approval-store.ts";
import type { ModuleView } from "../../src/runtime/memory/contract.ts";
import { fakeModules } from "./fake-modules.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { fakeSettings } from "./fake-settings.ts";
import type { LoggedStep } from "../../src/store/port/step-store.ts";
import { storedReport } from "./window-state.ts";

const noLog = (): void => undefined;

/** A turn as a script: event bodies, pauses in milliseconds, or an error to throw. */
export type ScriptedTurn = readonly (EventBody | number | Error)[];

export interface FakeAgentOptions {
  /** The tools that it describes; default: none. */
  readonly tools?: ReturnType<Agent["describeTools"]>;
  /** The turns in their order, or a function of what was sent. */
  readonly turns?: readonly ScriptedTurn[] | ((text: string) => ScriptedTurn);
  readonly messages?: readonly StoredMessage[];
  readonly branches?: readonly BranchRecord[];
  readonly conversationId?: string;
  readonly model?: string;
  /** The call that waits for approval until something is decided or sent. */
  readonly waiting?: ApprovalRecord;
  readonly steps?: readonly LoggedStep[];
  readonly undone?: (RevisionRecord & { readonly later?: readonly RevisionRecord[] }) | null;
  /** What a pop takes back of memory. */
  readonly reverted?: Partial<Omit<RevertedMemory, "messages">>;
  /** Why a pop is refused, unless it keeps memory or forces. */
  readonly standsOn?: Error;
}

export interface FakeAgent extends Agent {
  /** What was sent, in order; `/retry` for a retry. */
  /** What went with each of these. */
  readonly sentFiles: readonly (readonly FileInput[])[];
  readonly sent: readonly string[];
  readonly popped: readonly number[];
  /** What was decided, in order: the call and the options. */
  readonly decided: readonly (readonly ["approve" | "deny", string, object])[];
  /** What was to become of memory, for each pop and retry. */
  readonly choices: readonly string[];
  readonly undoWishes: readonly unknown[];
  /** Where it was switched to. */
  readonly switched: readonly string[];
}

export const fakeRecord: AgentRecord = {
  id: "agent-1",
  ownerId: "user-1",
  name: "sam",
  model: "demo",
  protocol: "native",
  memoryType: "chat",
  description: null,
  tags: [],
  metadata: {},
  extensions: {},
  systemPrompt: "",
  settings: fakeSettings,
  createdAt: new Date("2026-11-20T10:00:00Z"),
};

/** An agent whose nth turn is the nth script; after the last, it answers "ok". */
export function createFakeAgent(options: FakeAgentOptions = {}): FakeAgent {
  const sent: string[] = [];
  const sentFiles: FileInput[][] = [];
  const popped: number[] = [];
  const decided: ["approve" | "deny", string, object][] = [];
  let waiting = options.waiting;
  const choices: string[] = [];
  const undoWishes: unknown[] = [];
  const switched: string[] = [];
  const messages = [...(options.messages ?? [])];
  const conversationId = options.conversationId ?? "01941f29-7c00-7000-8000-000000000001";
  const { turns = [] } = options;
  const scripts = typeof turns === "function" ? [] : [...turns];

  async function* run(sendOptions: SendOptions, text = ""): AsyncGenerator<AgentEvent, void> {
    const script = typeof turns === "function" ? turns(text) : (scripts.shift() ?? replyScript("ok"));
    let sequence = 0;
    const header = () => ({ agentId: fakeRecord.id, conversationId, turnId: "turn-1", sequence: sequence++ });
    for (const entry of script) {
      if (entry instanceof Error) throw entry;
      if (typeof entry === "number") await pause(entry, sendOptions.signal);
      else yield { ...header(), ...entry };
      if (sendOptions.signal?.aborted === true) {
        yield { ...header(), type: "turn-end", stopReason: "interrupted", text: "", steps: 1, usage: noUsage };
        return;
      }
    }
  }

  return {
    sent,
    sentFiles,
    popped,
    decided,
    choices,
    undoWishes,
    switched,
    record: { ...fakeRecord, model: options.model ?? "demo" },
    userId: "user-1",
    conversationId,
    messages,
    memory: new ChatMemory({ human: "Name: Ada" }),
    window: { tokens: 3932, limit: 32768 },
    tools: ["core_memory_append", "core_memory_replace"],
    describeTools: () => options.tools ?? [],
    ask: async (question) => ({ text: `About "${question}": ok.`, usage: noUsage }),
    price: { input: 0, cachedInput: 0, output: 0 },
    context: () => ({
      system: { instructions: "", memory: "" },
      messages: [],
      retrieved: "",
      state: "",
      report: storedReport,
    }),
    steps: async () => options.steps ?? [],
    step: async () => {
      throw new RequestError("step_not_found", "The fake agent has no steps.");
    },
    pendingResults: [],
    answer: () => {
      throw new RequestError("result_not_awaited", "The fake agent has no client tools.");
    },
    get pendingApprovals() {
      return waiting === undefined ? [] : [waiting];
    },
    approve(callId, { signal, ...told } = {}) {
      decided.push(["approve", callId, told]);
      waiting = undefined;
      return driveTurn(run(signal === undefined ? {} : { signal }), noLog);
    },
    deny(callId, { signal, ...told } = {}) {
      decided.push(["deny", callId, told]);
      waiting = undefined;
      return driveTurn(run(signal === undefined ? {} : { signal }), noLog);
    },
    send: ((input: string | SentMessages, sendOptions?: SendOptions) => {
      const text = textsOf(input);
      sent.push(text);
      sentFiles.push([...(sendOptions?.files ?? [])]);
      waiting = undefined;
      return driveTurn(run(sendOptions ?? {}, text), noLog);
    }) as Agent["send"],
    resume(sendOptions = {}) {
      sent.push("/resume-turn");
      return driveTurn(run(sendOptions), noLog);
    },
    unfinished: false,
    stop: async () => false,
    close: async () => undefined,
    start: async () => {
      throw new RequestError("turn_not_found", "The fake agent starts no turns.");
    },
    events: () => {
      throw new RequestError("turn_not_found", "The fake agent stores no events.");
    },
    raise(event, sendOptions = {}) {
      sent.push(`/raise ${event}`);
      return driveTurn(run(sendOptions), noLog);
    },
    retry({ memory = "revert", ...sendOptions } = {}) {
      sent.push("/retry");
      choices.push(memory);
      return driveTurn(run(sendOptions), noLog);
    },
    regenerate(messageId, { memory = "revert", ...sendOptions } = {}) {
      sent.push(`/regenerate ${messageId}`);
      choices.push(memory);
      return driveTurn(run(sendOptions), noLog);
    },
    branches: async () => options.branches ?? [],
    async switchTo(messageId) {
      if (messageId !== null) switched.push(messageId);
    },
    async pop(count = 3, { memory = "revert" } = {}) {
      if (count > messages.length - 2)
        throw new RequestError(
          "pop_refused",
          `Agent only has ${messages.length} messages in stack, cannot pop more than ${messages.length - 2}.`,
        );
      if (options.standsOn !== undefined && memory === "revert") throw options.standsOn;
      popped.push(count);
      choices.push(memory);
      const { edits = [], passages = [] } = memory === "keep" ? {} : (options.reverted ?? {});
      return { messages: messages.splice(-count), edits, passages };
    },
    async compact({ focus } = {}) {
      sent.push(focus === undefined ? "/compact" : `/compact ${focus}`);
      const figures = { messages: 12, tokensBefore: 6012, tokensAfter: 1204, summary: "They spoke of sailing." };
      return { id: "compaction-1", strategy: "recursive", ...figures, warnings: [] };
    },
    async undoCompaction() {
      sent.push("/compact undo");
      if (!sent.some((line) => line.startsWith("/compact") && line !== "/compact undo"))
        throw new RequestError("undo_refused", "There is no compaction to undo: every message is in the window.");
      return { compactions: [], messages: messages.slice(0, 2), tokensBefore: 1204, tokensAfter: 6012 };
    },
    clearWindow: async () => null,
    compactions: async () => [],
    rewrite: async (after) => ({ messageId: "message-9", before: "ok", after }),
    rethink: async (after) => ({ messageId: "message-9", before: "hm", after }),
    undoEdit: async (label, undoOptions = {}) => {
      undoWishes.push({ label, ...undoOptions });
      return options.undone === undefined || options.undone === null ? null : { later: [], ...options.undone };
    },
  };
}

/** The events of a turn that answers with a text. */
export function replyScript(text: string): ScriptedTurn {
  return [
    { type: "turn-start", messageId: "message-1" },
    stepStart(),
    { type: "text-delta", step: 1, text },
    { type: "step-end", step: 1, usage: noUsage },
    turnEnd(),
  ];
}

/** The beginning of a step. */
export function stepStart(step = 1): EventBody {
  return { type: "step-start", step, messageId: "m-2", model: "demo", window: { tokens: 4000, limit: 32768 } };
}

/** The end of a turn that went well. */
export function turnEnd(): EventBody {
  return { type: "turn-end", stopReason: "end-turn", text: "", steps: 1, usage: noUsage };
}

/** A call of `pay` that waits. */
export const waitingCall: ApprovalRecord = {
  awaits: "approval",
  conversationId: "01941f29-7c00-7000-8000-000000000001",
  messageId: "message-2",
  callId: "call-1",
  toolName: "pay",
  arguments: '{"euros":5}',
  preview: null,
  requestedAt: new Date("2026-11-21T10:00:00Z"),
  expiresAt: new Date("2026-11-22T10:00:00Z"),
  decision: null,
};

/** A message as the store has it. */
export const storedMessage = (role: "user" | "assistant", text: string, index = 0): StoredMessage => ({
  id: `message-${index}`,
  parentId: null,
  turnId: "turn-1",
  role,
  kind: "message",
  status: "complete",
  content: [{ type: "text", text }],
  text,
  tokens: 10,
  trust: role === "user" ? "user" : "model",
  at: new Date("2026-11-20T10:00:00Z"),
});

export interface FakeRuntimeOptions {
  readonly modules?: readonly ModuleView[];
  readonly revisions?: readonly RevisionRecord[];
  readonly conversations?: readonly ConversationSummary[];
  readonly hits?: readonly string[];
  readonly total?: number;
  /** What was said in a conversation, by its id. */
  readonly history?: (id: string) => Promise<readonly { readonly role: "user" | "assistant"; readonly text: string }[]>;
  /** Opens what `agents.open` is asked for. */
  readonly open?: (conversation: unknown) => Agent;
}

/** A revision of the human module. */
export const revision = (change: Partial<RevisionRecord> = {}): RevisionRecord => ({
  label: "human",
  moduleId: "module",
  editorId: "ada",
  agentId: "agent",
  revision: 1,
  before: "",
  after: "Name: Ada",
  origin: "model",
  client: null,
  toolName: "core_memory_append",
  callId: "call-1",
  messageId: null,
  conversationId: null,
  undoes: null,
  trust: "model",
  lineTrust: null,
  external: [],
  at: new Date("2026-11-21T10:00:00Z"),
  ...change,
});

/** A runtime for the operations that slash commands use; the others reject. */
export function createFakeRuntime(options: FakeRuntimeOptions = {}): Runtime {
  const modules = options.modules ?? [
    {
      label: "persona",
      scope: "agent",
      description: null,
      value: "I am Sam.",
      length: 9,
      limit: 2000,
      readOnly: false,
      revision: 0,
      trust: "user",
      lineTrust: null,
    },
    {
      label: "human",
      scope: "user",
      description: null,
      value: "Name: Ada",
      length: 9,
      limit: 2000,
      readOnly: false,
      revision: 1,
      trust: "model",
      lineTrust: null,
    },
  ];
  const hits = (options.hits ?? []).map((text, index) => ({
    id: `hit-${index}`,
    text,
    role: "user" as const,
    trust: "user" as const,
    at: new Date("2026-11-20T10:00:00Z"),
  }));
  const explanation = { score: 1.25, words: { rank: 1, score: 0.5, context: 0.25 }, meaning: null, literal: true };
  const said = hits.map((hit) => ({ ...hit, explanation }));
  const page = async () => ({ hits, page: 0, pageSize: 10, total: options.total ?? hits.length });
  const passages = async () => ({
    ...(await page()),
    hits: hits.map(({ role: _role, ...hit }, index) => ({
      ...hit,
      tags: ["boat"],
      kind: "memory",
      importance: 0.5,
      explanation: { ...explanation, words: { rank: index + 1, score: 0.0608 }, identifier: false, importance: 0.5 },
    })),
  });
  const revisions = options.revisions ?? [revision()];
  const parts = {
    userId: "user-1",
    defaultModel: "demo",
    agents: {
      open: async (_agent: string, { conversation }: { readonly conversation?: unknown } = {}) => {
        if (options.open === undefined) throw new RequestError("conversation_not_found", "No such conversation.");
        return options.open(conversation);
      },
    },
    conversations: {
      list: async () => options.conversations ?? [],
      history: async ({ conversation }: { readonly conversation: string }) => ({
        messages: (await options.history?.(conversation)) ?? [],
      }),
    },
    memory: {
      show: async () => modules.map((module) => ({ ownerId: "user-1", ...module })),
      revisions: async (_agent: string, { label }: { readonly label?: string } = {}) =>
        revisions.filter((candidate) => label === undefined || candidate.label === label),
    },
    modules: fakeModules(),
    mcp: fakeMcp(),
    recall: { search: async () => ({ ...(await page()), hits: said }) },
    archival: {
      search: passages,
      list: async () =>
        hits.map(({ id, text, at }) => ({
          id,
          text,
          tags: ["boat"],
          kind: "memory",
          origin: "model",
          trust: "model",
          at,
        })),
      count: async () => options.total ?? hits.length,
    },
  };
  return parts as unknown as Runtime;
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener("abort", end);
  });
}
