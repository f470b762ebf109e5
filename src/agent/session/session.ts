// Opens a session: the thread in the window and core memory of one conversation, and the commits that change them.
// Invariant: a session matches the store; it changes only after a commit, is reloaded after another session wrote, and writes
// only under a lease. After the undo of a compaction it is reloaded, because it does not hold the restored messages.
import type { SummaryState } from "../../context/compaction/summary-text.ts";
import type { NewCompaction } from "../../store/port/compaction-store.ts";
import type {
  CompactionRecord,
  MemorySnapshot,
  ModuleChange,
  OfferedTool,
  StateEntry,
  StepRecord,
  StoredMessage,
} from "../../store/port/records.ts";
import type { BaseMemory } from "../../memory/core/base-memory.ts";
import type { LoadedConversation } from "../../store/port/opening-store.ts";
import type { SearchableMemory } from "../../store/port/searchable-memory.ts";
import type { VersionedMemory } from "../../memory/core/versioned-memory.ts";
import type { WindowContent } from "../../memory/trust.ts";
import type { ContentPart } from "../../base/message/message.ts";
import type { LeaseOutcome } from "../../store/port/turn-store.ts";
import type { UndoneCompaction } from "../agent-results.ts";
import type { CallApprovals } from "../approval/open-calls.ts";
import type { KeepableLease, LeaseClaim } from "../lease/held-lease.ts";
import { moveThread, type RevertedByMove, type ThreadMove } from "../branching/move-thread.ts";
import { replaceMessage } from "../branching/replace-message.ts";
import {
  append,
  begin,
  type CallAnswer,
  commitAnswers,
  commitMemory,
  commitReply,
  commitToolResult,
  type PreparedReply,
  prepareReply,
  renewSnapshot,
  stateEntry,
  windowContent,
  type CommitDeps,
} from "./session-commits.ts";
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
  /** The id of the last message of the thread, which may have left the window; null in an empty conversation. */
  readonly leafId: string | null;
  /** The summaries of the messages that left the window, oldest first. */
  readonly summaries: readonly SummaryState[];
  /** The compactions that wrote these summaries. */
  readonly compactions: readonly CompactionRecord[];
  /** The position of the last message that left the window; 0 if none has. */
  readonly cut: number;
  readonly memory: BaseMemory;
  /** Core memory as included in the prompt; null before the first request. */
  readonly snapshot: MemorySnapshot | null;
  /** The key of the state entries while there is no snapshot. The first snapshot gets this key. */
  readonly newStateKey: string;
  /** The synopsis as included in the prompt; null if there is none. */
  readonly synopsis: string | null;
  /** Counts and times of what searches could find when the turn began; the counts also include what the turn has added. */
  readonly searchable: SearchableMemory;
  readonly approvals: CallApprovals;
  /** The messages and summaries in the window, and the trust classes of the memory that the model sees. */
  readonly window: WindowContent;
  /** Reloads the thread, core memory and all other parts. */
  reload(): Promise<void>;
  /** Reloads core memory. */
  refreshMemory(): Promise<void>;
  /**
   * Tries to take the lease, and reloads the session if another session wrote meanwhile. Fails while other queued
   * inputs come first: those before the input whose key `claim` contains; without a key, all.
   */
  take(claim?: LeaseClaim): Promise<LeaseOutcome>;
  /** The lease, once it is taken. */
  readonly lease: KeepableLease;
  /**
   * Commits the inputs of a turn, takes the lease in the same commit unless it is held, and returns the last input's
   * message. Returns null, with nothing written, if the lease is not free, another session has written since, or the
   * state `expected` is outdated.
   */
  begin(input: TurnInput): Promise<StoredMessage | null>;
  append(turnId: string, drafts: readonly MessageDraft[]): Promise<void>;
  prepareReply(draft: MessageDraft, step: StepRecord): StoredMessage;
  commitReply(reply: PreparedReply): Promise<void>;
  /** Commits the result of a call with its changes of memory. Throws RevisionConflictError with nothing committed. */
  commitToolResult(draft: ToolResultDraft): Promise<void>;
  /** Commits the results of calls in this message that the caller ran. Throws RequestError `result_not_awaited`. */
  commitAnswers(callMessage: StoredMessage, answers: readonly CallAnswer[]): Promise<void>;
  /** Commits an edit that no tool made, and returns the changes of core memory. Throws like `commitToolResult`. */
  commitMemory(edit: MemoryEdit): Promise<readonly ModuleChange[]>;
  /** Commits compactions that were made together, in this order, and a new snapshot of core memory with these tools. */
  commitCompactions(compactions: readonly NewCompaction[], tools: readonly OfferedTool[]): Promise<void>;
  /** Undoes the newest compaction and returns the restored messages, oldest first. Throws RequestError `undo_refused`. */
  undoCompaction(): Promise<Pick<UndoneCompaction, "compactions" | "messages">>;
  /** Replaces the snapshot in the prompt by the current core memory and these tools, and removes the state entries. */
  renewSnapshot(tools: readonly OfferedTool[]): Promise<void>;
  /** Core memory with its revisions. */
  readonly core: VersionedMemory;
  /** Sets the state entry after the last message, replacing an existing one. */
  state(entry: StateEntry): Promise<void>;
  /**
   * Moves the conversation to another message, reverts memory edits as the move requests, and reloads the window. Throws
   * DependentEditsError with nothing changed.
   */
  move(move: ThreadMove): Promise<RevertedByMove>;
  /** Replaces the content of a message in the window, and returns the new message. */
  replace(message: StoredMessage, content: readonly ContentPart[]): Promise<StoredMessage>;
}

/** Opens a conversation from its thread and memory, which were just read. */
export async function openSession(options: SessionOptions, loaded: LoadedConversation): Promise<Session> {
  const parts = createSessionDeps(options);
  const { thread, core, lease, searchable, approvals, synopsis, newStateKey, load } = parts;
  await parts.adopt(loaded);
  return {
    get messages() {
      return thread.messages;
    },
    get leafId() {
      return thread.leafId;
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
    get core() {
      return core.current;
    },
    state: (entry) => stateEntry(parts, entry),
    get snapshot() {
      return thread.snapshot;
    },
    get synopsis() {
      return synopsis?.current?.text ?? null;
    },
    get searchable() {
      return searchable.current;
    },
    approvals,
    newStateKey,
    get window() {
      return windowContent(parts);
    },
    reload: load,
    refreshMemory: core.load,
    take: (claim) => takeCurrent(parts, claim),
    lease,
    begin: (input) => begin(parts, input),
    append: (turnId, drafts) => append(parts, turnId, drafts),
    prepareReply: (draft, step) => prepareReply(parts, draft, step),
    commitReply: (reply) => commitReply(parts, reply),
    commitToolResult: (draft) => commitToolResult(parts, draft),
    commitAnswers: (callMessage, answers) => commitAnswers(parts, callMessage, answers),
    commitMemory: (edit) => commitMemory(parts, edit),
    commitCompactions: (compactions, tools) => commitCompactions(parts, compactions, tools),
    undoCompaction: () => undoCompaction(parts),
    renewSnapshot: (tools) => renewSnapshot(parts, tools),
    move: (move) => moveCurrent(parts, move),
    replace: (message, content) => replaceMessage(parts, message, content),
  };
}

async function moveCurrent(deps: CommitDeps, move: ThreadMove): Promise<RevertedByMove> {
  const reverted = await moveThread(deps, move);
  deps.onLeftBehind(move.leftBehind);
  return reverted;
}

async function takeCurrent(
  { lease, thread, load }: ReturnType<typeof createSessionDeps>,
  claim?: LeaseClaim,
): Promise<LeaseOutcome> {
  const outcome = await lease.take(claim);
  if (outcome.type === "taken" && !isCurrent(thread, outcome)) await load();
  return outcome;
}

function isCurrent(
  thread: Pick<Thread, "leafId" | "windowVersion">,
  stored: Pick<Thread, "leafId" | "windowVersion">,
): boolean {
  return stored.leafId === thread.leafId && stored.windowVersion === thread.windowVersion;
}

export async function commitCompactions(
  deps: CommitDeps,
  compactions: readonly NewCompaction[],
  tools: readonly OfferedTool[],
): Promise<void> {
  const { store, lease, thread, clock } = deps;
  const version = await store.compactions.add(lease.current, compactions);
  const at = clock.now();
  thread.compact(
    compactions.map((compaction) => ({ ...compaction, undoneAt: null, at })),
    version,
  );
  // The compaction changes the prompt anyway, so renewing the snapshot now costs nothing extra.
  if (thread.snapshot !== null) await renewSnapshot(deps, tools);
}

export async function undoCompaction({
  store,
  lease,
  thread,
  load,
}: CommitDeps): Promise<Pick<UndoneCompaction, "compactions" | "messages">> {
  const compactions = await store.compactions.undo(lease.current);
  const before = thread.messages.length;
  await load();
  return { compactions, messages: thread.messages.slice(0, thread.messages.length - before) };
}
