// What a session is made from and holds: the thread in the window, core memory with its revisions, the lease; and what it
// is given to commit.
// Invariant: core memory is what the store holds; it is replaced whole, after a commit or when it was read again.
import { loadCoreMemory, type VersionedMemory } from "../../memory/core/versioned-memory.ts";
import { type ArchiveCount, createArchiveCount } from "./archive-count.ts";
import { type CallApprovals, createCallApprovals } from "../approval/call-approvals.ts";
import { createHeldLease, type HeldLease } from "../lease/held-lease.ts";
import type { BaseMemory } from "../../memory/core/base-memory.ts";
import type { MemoryRegistry } from "../../memory/core/memory-registry.ts";
import type { AgentRecord, StoredMessage } from "../../memory/records.ts";
import type { NewPassage } from "../../memory/passage-store.ts";
import type { UserStore } from "../../memory/store.ts";
import type { QueuedInput } from "../../memory/turn-store.ts";
import type { FilePart } from "../../message/file-part.ts";
import type { ExternalSource, Trust } from "../../message/message.ts";
import { createPromptSynopsis, type PromptSynopsis } from "./prompt-synopsis.ts";
import { createThread, type Thread, type ThreadDeps } from "./thread.ts";

export interface SessionDeps {
  readonly thread: Thread;
  readonly core: CoreMemory;
  readonly lease: HeldLease;
  readonly archive: ArchiveCount;
  readonly approvals: CallApprovals;
  /** Null for an agent without one. */
  readonly synopsis: PromptSynopsis | null;
  /** For a conversation without a snapshot. */
  readonly newStateKey: string;
  /** Reads all of it again. */
  readonly load: () => Promise<void>;
}

export interface CoreMemory {
  readonly current: VersionedMemory;
  load(): Promise<void>;
  adopt(edited: VersionedMemory): void;
}

/** Nothing is read before `load`. */
export function createSessionDeps(options: SessionOptions): SessionOptions & SessionDeps {
  const { agent, conversationId, store, registry } = options;
  const thread = createThread(options);
  const core = createCoreMemory(async () =>
    loadCoreMemory(registry.classOf(agent.memoryType), await store.modules.list(agent.id)),
  );
  const archive = createArchiveCount((max) => store.passages.count(agent.id, max));
  const lease = createHeldLease(options);
  const approvals = createCallApprovals(store.approvals, lease);
  const synopsis = agent.settings.synopsis === "off" ? null : createPromptSynopsis({ ...options, thread });
  const load = async (): Promise<void> => {
    thread.load(await store.conversations.thread(conversationId));
    await approvals.load(thread.messages);
    await core.load();
    await archive.load();
    await synopsis?.load();
  };
  return { ...options, thread, core, lease, archive, approvals, synopsis, newStateKey: randomKey(options.ids), load };
}

/** The 62 random bits of a new id as 19 decimal digits, so that every key has as many tokens as any other. */
function randomKey(ids: SessionOptions["ids"]): string {
  const random = BigInt(`0x${ids.next().replaceAll("-", "").slice(-16)}`);
  return BigInt.asUintN(62, random).toString().padStart(19, "0");
}

function createCoreMemory(read: () => Promise<VersionedMemory>): CoreMemory {
  const core = {
    // Read before the session is handed out.
    current: null as unknown as VersionedMemory,
    async load() {
      core.current = await read();
    },
    adopt(edited: VersionedMemory) {
      core.current = edited;
    },
  };
  return core;
}

export interface SessionOptions extends ThreadDeps {
  readonly agent: AgentRecord;
  readonly conversationId: string;
  readonly store: UserStore;
  readonly registry: MemoryRegistry;
  /** Milliseconds that a lease holds unless it is renewed. */
  readonly leaseMs: number;
  /** Called with messages that were removed from the thread. */
  readonly onLeftBehind: (messageIds: readonly string[]) => void;
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
  readonly files: readonly FilePart[];
  /** Of the result, and of what the tool wrote. */
  readonly trust: Trust;
  /** What from outside was in the window. */
  readonly external: readonly ExternalSource[];
  /** The memory as the tool left it, and what it put into the archive; null when nothing is to be kept. */
  readonly edits: { readonly memory: BaseMemory; readonly passages: readonly NewPassage[] } | null;
}

/** A change of core memory that comes with no message. */
export interface MemoryEdit {
  /** The assistant's message after which it was made. */
  readonly messageId: string;
  readonly memory: BaseMemory;
  readonly trust: Trust;
  /** What from outside the model was shown. */
  readonly external: readonly ExternalSource[];
}
