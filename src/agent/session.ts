// One open conversation: the thread in the window and the core memory, and the commits that change them.
// Invariant: what a session holds is what the store holds; it changes only after a commit, and is read again when someone
// else wrote. It writes under a lease alone.
import type { SummaryState } from "../context/compile.ts";
import type { BaseMemory } from "../memory/core/base-memory.ts";
import type { MemoryRegistry } from "../memory/core/memory-registry.ts";
import { adoptEdit, loadCoreMemory, moduleChanges } from "../memory/core/versioned-memory.ts";
import type { AgentRecord, ModuleChange, NewPassage, StepRecord, StoredMessage } from "../memory/records.ts";
import { trustOfReply } from "../memory/trust.ts";
import type { Trust } from "../message.ts";
import type { NewCompaction, UserStore } from "../memory/store.ts";
import type { LeaseOutcome, QueuedInput } from "../memory/turn-store.ts";
import type { MemoryChoice, TakenBack } from "./agent.ts";
import { createHeldLease } from "./held-lease.ts";
import { type CallApprovals, createCallApprovals } from "./call-approvals.ts";
import { createCoreMemory, type SessionParts } from "./session-parts.ts";
import { createThread, type MessageDraft, type ThreadParts } from "./thread.ts";
import { truncateThread } from "./truncate-thread.ts";

export interface SessionOptions extends ThreadParts {
  readonly agent: AgentRecord;
  readonly conversationId: string;
  readonly store: UserStore;
  readonly registry: MemoryRegistry;
  /** Milliseconds that a lease holds unless it is renewed. */
  readonly leaseMs: number;
}

export interface TurnInput {
  readonly turnId: string;
  /** One message each, in this order; the turn answers the last one. */
  readonly inputs: readonly QueuedInput[];
}

export interface ToolResultDraft {
  readonly turnId: string;
  readonly callMessage: StoredMessage;
  readonly callId: string;
  readonly toolName: string;
  readonly status: "ok" | "failed" | "interrupted";
  readonly text: string;
  /** Of the result, and of what the tool wrote. */
  readonly trust: Trust;
  /** The memory as the tool left it, and what it put into the archive; null when nothing is to be kept. */
  readonly edits: { readonly memory: BaseMemory; readonly passages: readonly NewPassage[] } | null;
}

export interface Session {
  readonly messages: readonly StoredMessage[];
  /** What stands for the messages that left the window, oldest first. */
  readonly summaries: readonly SummaryState[];
  readonly memory: BaseMemory;
  readonly approvals: CallApprovals;
  /** The classes of the modules, as they stand. */
  readonly moduleTrust: readonly Trust[];
  /** Reads thread and core memory again. */
  reload(): Promise<void>;
  /** Reads core memory again. */
  refreshMemory(): Promise<void>;
  /** Asks for the lease; what others wrote since is then read. With the key of an input of one's own that waits, in its turn. */
  take(idempotencyKey?: string): Promise<LeaseOutcome>;
  /** Throws RequestError `lease_lost` when somebody else has taken it. */
  renew(): Promise<void>;
  /** Lets others have the lease, if it is held. */
  release(): Promise<void>;
  /**
   * Commits what starts a turn, takes the lease with it unless it is held, and returns the last input's message. Null, with
   * nothing written, when the lease is not to be had at once or someone else has written since.
   */
  begin(input: TurnInput): Promise<StoredMessage | null>;
  append(turnId: string, drafts: readonly MessageDraft[]): Promise<void>;
  commitReply(draft: MessageDraft, step: StepRecord): Promise<StoredMessage>;
  /** Returns the changes of core memory that were committed. Throws RevisionConflictError with nothing committed. */
  commitToolResult(draft: ToolResultDraft): Promise<readonly ModuleChange[]>;
  commitCompaction(compaction: Omit<NewCompaction, "id">): Promise<void>;
  /**
   * Moves the leaf back so that the first `kept` messages of the window are left, and takes back with the others what
   * their calls did to memory. Throws EditsStandOnError with nothing changed.
   */
  truncate(kept: number, memory: MemoryChoice): Promise<TakenBack>;
}

/** Loads the conversation's thread and the agent's memory. */
export async function openSession(options: SessionOptions): Promise<Session> {
  const { agent, conversationId, store, registry } = options;
  const thread = createThread(options);
  const core = createCoreMemory(async () =>
    loadCoreMemory(registry.classOf(agent.memoryType), await store.modules.list(agent.id)),
  );
  const lease = createHeldLease(options);
  const approvals = createCallApprovals(store.approvals, lease);
  const load = async (): Promise<void> => {
    thread.load(await store.conversations.thread(conversationId));
    await approvals.load(thread.messages);
    await core.load();
  };
  await load();
  const parts: Parts = { ...options, thread, core, lease };
  return {
    get messages() {
      return thread.messages;
    },
    get summaries() {
      return thread.summaries;
    },
    get memory() {
      return core.current.memory;
    },
    approvals,
    get moduleTrust() {
      return [...core.current.trust.values()];
    },
    reload: load,
    refreshMemory: core.load,
    async take(idempotencyKey) {
      const outcome = await lease.take(idempotencyKey);
      if (outcome.type === "taken" && outcome.leafId !== thread.leafId) await load();
      return outcome;
    },
    renew: lease.renew,
    release: lease.release,
    begin: (input) => begin(parts, input),
    append: (turnId, drafts) => append(parts, turnId, drafts),
    async commitReply(draft, step) {
      const turn = thread.messages.filter(({ turnId }) => turnId === step.turnId).map((message) => message.trust);
      const trust = trustOfReply({ modules: [...core.current.trust.values()], turn });
      const [message] = thread.prepare(step.turnId, [{ ...draft, trust }]) as readonly [StoredMessage];
      await store.turns.commitReply({ agentId: agent.id, lease: lease.current, message, step });
      thread.add([message]);
      return message;
    },
    commitToolResult: (draft) => commitToolResult(parts, draft),
    async commitCompaction(compaction) {
      const id = options.ids.next();
      await store.conversations.compact(lease.current, { id, ...compaction });
      thread.compact({ id, at: options.clock.now(), ...compaction });
    },
    truncate: (kept, memory) => truncateThread(parts, kept, memory),
  };
}

type Parts = SessionOptions & SessionParts;

async function begin(
  { agent, conversationId, store, thread, core, lease, leaseMs }: Parts,
  { turnId, inputs }: TurnInput,
): Promise<StoredMessage | null> {
  const messages = thread.prepare(
    turnId,
    inputs.map(({ content }) => ({ role: "user", content })),
  );
  const begun = await store.turns.begin({
    agentId: agent.id,
    conversationId,
    lease: lease.held ?? { claimant: lease.claimant },
    ttlMs: leaseMs,
    leafId: thread.leafId,
    messages,
    inputs: inputs.map(({ idempotencyKey }, at) => ({ idempotencyKey, messageId: (messages[at] as StoredMessage).id })),
  });
  if (begun === null) return null;
  lease.hold(begun.lease);
  thread.add(messages);
  const isStale = begun.modules.some(({ label, revision }) => core.current.revisions.get(label) !== revision);
  if (isStale) await core.load();
  return messages.at(-1) as StoredMessage;
}

async function append({ store, thread, lease }: Parts, turnId: string, drafts: readonly MessageDraft[]): Promise<void> {
  if (drafts.length === 0) return;
  const messages = thread.prepare(turnId, drafts);
  await store.turns.append(lease.current, messages);
  thread.add(messages);
}

async function commitToolResult(
  { agent, store, thread, core, lease }: Parts,
  draft: ToolResultDraft,
): Promise<readonly ModuleChange[]> {
  const { turnId, callMessage, callId, toolName, status, text, trust, edits } = draft;
  const part = {
    type: "tool-result" as const,
    callId,
    name: toolName,
    status: status === "ok" ? ("ok" as const) : ("failed" as const),
    text,
  };
  const [message] = thread.prepare(turnId, [{ role: "tool", content: [part], trust }]) as readonly [StoredMessage];
  const changes = edits === null ? [] : moduleChanges(core.current, edits.memory);
  const passages = edits?.passages ?? [];
  await store.turns.commitToolResult({
    agentId: agent.id,
    lease: lease.current,
    message,
    callMessageId: callMessage.id,
    callId,
    toolName,
    status,
    changes,
    passages,
    trust,
  });
  thread.add([message]);
  if (edits !== null && changes.length > 0) {
    core.adopt(adoptEdit(core.current, { memory: edits.memory, changes, trust }));
  }
  return changes;
}
