// One open conversation: the thread in the window and the core memory, and the commits that change them.
// Invariant: what a session holds is what the store holds; it changes only after a commit, and is read again when someone
// else wrote. It writes under a lease alone.
import type { PassageCount } from "../context/core-memory-view.ts";
import type { SummaryState } from "../context/summary-text.ts";
import type { BaseMemory } from "../memory/core/base-memory.ts";
import { loadCoreMemory } from "../memory/core/versioned-memory.ts";
import type { MemorySnapshot, ModuleChange, StepRecord, StoredMessage } from "../memory/records.ts";
import type { Trust } from "../message.ts";
import type { NewCompaction } from "../memory/store.ts";
import type { LeaseOutcome } from "../memory/turn-store.ts";
import { createHeldLease } from "./held-lease.ts";
import { type CallApprovals, createCallApprovals } from "./call-approvals.ts";
import { createArchiveCount } from "./archive-count.ts";
import { moveThread, type TakenBackMemory, type ThreadMove } from "./move-thread.ts";
import {
  append,
  begin,
  commitCompaction,
  commitMemory,
  type CommitParts,
  commitReply,
  commitToolResult,
  moduleTrust,
  renewSnapshot,
} from "./session-commits.ts";
import {
  createCoreMemory,
  type MemoryEdit,
  type SessionOptions,
  type ToolResultDraft,
  type TurnInput,
} from "./session-parts.ts";
import { createThread, type MessageDraft } from "./thread.ts";

export interface Session {
  readonly messages: readonly StoredMessage[];
  /** What stands for the messages that left the window, oldest first. */
  readonly summaries: readonly SummaryState[];
  readonly memory: BaseMemory;
  /** Core memory as it stands in the prompt; null before the first request. */
  readonly snapshot: MemorySnapshot | null;
  /** Of the archive, as they were when the turn began. */
  readonly passages: PassageCount;
  readonly approvals: CallApprovals;
  /** The classes of the modules, as they stand and as they stand in the prompt. */
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
  /** As `commitToolResult`, for an edit that no tool made. */
  commitMemory(edit: MemoryEdit): Promise<readonly ModuleChange[]>;
  commitCompaction(compaction: Omit<NewCompaction, "id">): Promise<void>;
  /** Lets the prompt show core memory as it is now. */
  renewSnapshot(): Promise<void>;
  /**
   * Stands the conversation on another message, takes back of memory what the move says, and reads the window again. Throws
   * EditsStandOnError with nothing changed.
   */
  move(move: ThreadMove): Promise<TakenBackMemory>;
}

/** Loads the conversation's thread and the agent's memory. */
export async function openSession(options: SessionOptions): Promise<Session> {
  const { agent, conversationId, store, registry } = options;
  const thread = createThread(options);
  const core = createCoreMemory(async () =>
    loadCoreMemory(registry.classOf(agent.memoryType), await store.modules.list(agent.id)),
  );
  const archive = createArchiveCount((most) => store.passages.count(agent.id, most));
  const lease = createHeldLease(options);
  const approvals = createCallApprovals(store.approvals, lease);
  const load = async (): Promise<void> => {
    thread.load(await store.conversations.thread(conversationId));
    await approvals.load(thread.messages);
    await core.load();
    await archive.load();
  };
  await load();
  const parts: CommitParts = { ...options, thread, core, lease, archive };
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
    get snapshot() {
      return thread.snapshot;
    },
    get passages() {
      return archive.current;
    },
    approvals,
    get moduleTrust() {
      return moduleTrust(parts);
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
    commitReply: (draft, step) => commitReply(parts, draft, step),
    commitToolResult: (draft) => commitToolResult(parts, draft),
    commitMemory: (edit) => commitMemory(parts, edit),
    commitCompaction: (compaction) => commitCompaction(parts, compaction),
    renewSnapshot: () => renewSnapshot(parts),
    move: (move) => moveThread({ ...parts, reload: load }, move),
  };
}
