// One open conversation: the thread in the window and the core memory, and the commits that change them.
// Invariant: what a session holds is what the store holds; it changes only after a commit, and is read again when someone
// else wrote. It writes under a lease alone.
import type { PassageCount } from "../../context/window/core-memory-view.ts";
import type { SummaryState } from "../../context/compaction/summary-text.ts";
import type { NewCompaction } from "../../memory/compaction-store.ts";
import type { BaseMemory } from "../../memory/core/base-memory.ts";
import type {
  CompactionRecord,
  MemorySnapshot,
  ModuleChange,
  StepRecord,
  StoredMessage,
} from "../../memory/records.ts";
import type { WindowContent } from "../../memory/trust.ts";
import type { ContentPart } from "../../message/message.ts";
import type { LeaseOutcome } from "../../memory/turn-store.ts";
import type { UndoneCompaction } from "../agent.ts";
import type { CallApprovals } from "../approval/call-approvals.ts";
import { moveThread, type RevertedByMove, type ThreadMove } from "../branching/move-thread.ts";
import { replaceMessage } from "../branching/replace-message.ts";
import {
  append,
  begin,
  commitMemory,
  commitReply,
  commitToolResult,
  renewSnapshot,
  windowContent,
} from "./session-commits.ts";
import { commitCompactions, undoCompaction } from "./session-compactions.ts";
import {
  createSessionDeps,
  type MemoryEdit,
  type SessionOptions,
  type ToolResultDraft,
  type TurnInput,
} from "./session-deps.ts";
import type { MessageDraft, Thread } from "./thread.ts";

export interface Session {
  readonly messages: readonly StoredMessage[];
  /** What stands for the messages that left the window, oldest first. */
  readonly summaries: readonly SummaryState[];
  /** The compactions that they come from. */
  readonly compactions: readonly CompactionRecord[];
  /** The position of the last message that left the window; 0 when none has. */
  readonly cut: number;
  readonly memory: BaseMemory;
  /** Core memory as it stands in the prompt; null before the first request. */
  readonly snapshot: MemorySnapshot | null;
  /** Marks the state block of requests until there is a snapshot, which has it from then on. */
  readonly newStateKey: string;
  /** The synopsis as it stands in the prompt; null when none does. */
  readonly synopsis: string | null;
  /** Of the archive, as they were when the turn began. */
  readonly passages: PassageCount;
  readonly approvals: CallApprovals;
  /** What the model is sent, by where it comes from. */
  readonly window: WindowContent;
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
  /** Those that are made together, in the order in which they take effect. */
  commitCompactions(compactions: readonly NewCompaction[]): Promise<void>;
  /** Undoes the newest compaction; the messages are those that came back, oldest first. Throws RequestError `undo_refused`. */
  undoCompaction(): Promise<Pick<UndoneCompaction, "compactions" | "messages">>;
  /** Lets the prompt show core memory as it is now. */
  renewSnapshot(): Promise<void>;
  /**
   * Stands the conversation on another message, takes back of memory what the move says, and reads the window again. Throws
   * DependentEditsError with nothing changed.
   */
  move(move: ThreadMove): Promise<RevertedByMove>;
  /** Gives a message of the window another content, and returns the one that then stands in its place. */
  replace(message: StoredMessage, content: readonly ContentPart[]): Promise<StoredMessage>;
}

/** Loads the conversation's thread and the agent's memory. */
export async function openSession(options: SessionOptions): Promise<Session> {
  const parts = createSessionDeps(options);
  const { thread, core, lease, archive, approvals, synopsis, newStateKey, load } = parts;
  await load();
  return {
    get messages() {
      return thread.messages;
    },
    get summaries() {
      return thread.summaries;
    },
    get compactions() {
      return thread.compactions;
    },
    get cut() {
      return thread.cut;
    },
    get memory() {
      return core.current.memory;
    },
    get snapshot() {
      return thread.snapshot;
    },
    get synopsis() {
      return synopsis?.current?.text ?? null;
    },
    get passages() {
      return archive.current;
    },
    approvals,
    newStateKey,
    get window() {
      return windowContent(parts);
    },
    reload: load,
    refreshMemory: core.load,
    async take(idempotencyKey) {
      const outcome = await lease.take(idempotencyKey);
      if (outcome.type === "taken" && !isCurrent(thread, outcome)) await load();
      return outcome;
    },
    renew: lease.renew,
    release: lease.release,
    begin: (input) => begin(parts, input),
    append: (turnId, drafts) => append(parts, turnId, drafts),
    commitReply: (draft, step) => commitReply(parts, draft, step),
    commitToolResult: (draft) => commitToolResult(parts, draft),
    commitMemory: (edit) => commitMemory(parts, edit),
    commitCompactions: (compactions) => commitCompactions(parts, compactions),
    undoCompaction: () => undoCompaction(parts),
    renewSnapshot: () => renewSnapshot(parts),
    async move(move) {
      const reverted = await moveThread(parts, move);
      options.onLeftBehind(move.leftBehind);
      return reverted;
    },
    replace: (message, content) => replaceMessage(parts, message, content),
  };
}

function isCurrent(
  thread: Pick<Thread, "leafId" | "windowVersion">,
  stored: Pick<Thread, "leafId" | "windowVersion">,
): boolean {
  return stored.leafId === thread.leafId && stored.windowVersion === thread.windowVersion;
}
