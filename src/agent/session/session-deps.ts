// Defines the parts of a session (the thread in the window, core memory with its revisions, the lease) and its commits' inputs.
// Invariant: core memory matches the store; it is replaced as a whole, after a commit or a reload.
import { loadCoreMemory, type VersionedMemory } from "../../memory/core/versioned-memory.ts";
import { type CallApprovals, createCallApprovals } from "../approval/open-calls.ts";
import { createHeldLease, type HeldLease } from "../lease/held-lease.ts";
import type { BaseMemory } from "../../memory/core/base-memory.ts";
import type { MemoryRegistry } from "../../memory/core/memory-registry.ts";
import type { LoadedConversation } from "../../store/port/opening-store.ts";
import type { AgentRecord, ModuleChange, ModuleRecord, StepRecord, StoredMessage } from "../../store/port/records.ts";
import type { SearchableMemory } from "../../store/port/searchable-memory.ts";
import type { ClassOfLine } from "../../memory/trust.ts";
import type { NewPassage } from "../../store/port/passage-store.ts";
import type { UserStore } from "../../store/port/store.ts";
import type { EventBatch, ExpectedOpening, InputMessage, TurnTerms } from "../../store/port/turn-store.ts";
import type { FilePart } from "../../base/message/file-part.ts";
import type { ExternalSource, PrintedOutput, Trust } from "../../base/message/message.ts";
import { createPromptSynopsis, type PromptSynopsis } from "./prompt-synopsis.ts";
import { createThread, type Thread, type ThreadDeps } from "./thread.ts";

export interface SessionDeps {
  readonly thread: Thread;
  readonly core: CoreMemory;
  readonly lease: HeldLease;
  /** Counts and times of what searches can find, read at the opening and when a turn begins. Commits then raise the counts. */
  readonly searchable: { current: SearchableMemory };
  readonly approvals: CallApprovals;
  /** The synopsis in the prompt; null for an agent without a synopsis. */
  readonly synopsis: PromptSynopsis | null;
  /** The key of the state entries, while the conversation has no snapshot. */
  readonly newStateKey: string;
  /** Reads every part of the session from the store again. */
  readonly load: () => Promise<void>;
  /** Replaces every part of the session by this data, which was just read. */
  readonly adopt: (loaded: LoadedConversation) => Promise<void>;
}

export interface CoreMemory {
  current: VersionedMemory;
  load(): Promise<void>;
}

/** Returns parts that are empty until `load` or `adopt` is called. */
export function createSessionDeps(options: SessionOptions): SessionOptions & SessionDeps {
  const { agent, conversationId, store, registry } = options;
  const thread = createThread(options);
  const memoryOf = (modules: readonly ModuleRecord[]) => loadCoreMemory(registry.classOf(agent.memoryType), modules);
  const core = createCoreMemory(async () => memoryOf(await store.modules.list(agent.id)));
  // Null only until `adopt` sets the value, before the session is returned.
  const searchable = { current: null as unknown as SearchableMemory };
  const lease = createHeldLease(options);
  const approvals = createCallApprovals(store.approvals, lease);
  const synopsis = agent.settings.synopsis === "off" ? null : createPromptSynopsis({ ...options, thread });
  const adopt = async (loaded: LoadedConversation): Promise<void> => {
    thread.load(loaded.thread);
    core.current = memoryOf(loaded.modules);
    searchable.current = loaded.searchable;
    await approvals.load(thread.messages);
    await synopsis?.load();
  };
  const load = async (): Promise<void> => {
    await options.onReload();
    await adopt({
      thread: await store.conversations.thread(conversationId),
      modules: await store.modules.list(agent.id),
      searchable: await store.openings.searchable(agent.id, conversationId),
    });
  };
  const newStateKey = randomKey(options.ids);
  return { ...options, thread, core, lease, searchable, approvals, synopsis, newStateKey, load, adopt };
}

/** Returns the 62 random bits of a new id as 19 decimal digits, so that all keys have the same number of tokens. */
function randomKey(ids: SessionOptions["ids"]): string {
  const random = BigInt(`0x${ids.next().replaceAll("-", "").slice(-16)}`);
  return BigInt.asUintN(62, random).toString().padStart(19, "0");
}

function createCoreMemory(read: () => Promise<VersionedMemory>): CoreMemory {
  const core = {
    // Null only until `adopt` sets the value, before the session is returned.
    current: null as unknown as VersionedMemory,
    async load() {
      core.current = await read();
    },
  };
  return core;
}

export interface SessionOptions extends ThreadDeps {
  readonly agent: AgentRecord;
  readonly conversationId: string;
  readonly store: UserStore;
  readonly registry: MemoryRegistry;
  /** Lifetime of a lease in milliseconds, unless it is renewed. */
  readonly leaseMs: number;
  /**
   * Called before the session reads its conversation again: another session may have changed the conversation, or a
   * forgetting may have removed texts from it.
   */
  readonly onReload: () => Promise<void>;
  /** Called with the ids of messages that were removed from the thread. */
  readonly onLeftBehind: (messageIds: readonly string[]) => void;
}

export interface TurnInput {
  readonly turnId: string;
  /** The messages in their order; the turn answers the last one. */
  readonly inputs: readonly InputMessage[];
  /** The keys of the queued inputs among these messages that their senders may still withdraw. Default: none. */
  readonly adopted?: readonly string[];
  readonly terms?: TurnTerms;
  /** The state that a kept agent was opened in, if the database must still have this state. Default: no check. */
  readonly expected?: ExpectedOpening | undefined;
}

export interface ToolResultDraft {
  readonly turnId: string;
  readonly callMessage: StoredMessage;
  /** The log of the model call that requested this tool call; undefined if the model's message is committed already. */
  readonly step: StepRecord | undefined;
  readonly callId: string;
  readonly toolName: string;
  readonly status: "ok" | "failed" | "interrupted";
  readonly text: string;
  readonly files: readonly FilePart[];
  readonly printed: PrintedOutput | undefined;
  /** The trust of the result and of all text that the tool wrote. */
  readonly trust: Trust;
  /** The references to external texts in the window that the model saw. */
  readonly external: readonly ExternalSource[];
  /** The memory after the tool ran, and the passages that it inserted; null if neither is to be committed. */
  readonly edits: {
    readonly memory: BaseMemory;
    /** Returns the trust class of a line that the tool wrote. */
    readonly classOf: ClassOfLine;
    readonly passages: readonly NewPassage[];
  } | null;
  /** Calls `write` with the turn's events, so that the result, these changes and the events are committed together. */
  readonly withEvents: (
    changes: readonly ModuleChange[],
    write: (events: EventBatch | null) => Promise<void>,
  ) => Promise<void>;
}

/** A change of core memory that no tool call made. */
export interface MemoryEdit {
  /** The assistant's message after which the change was made. */
  readonly messageId: string;
  readonly memory: BaseMemory;
  readonly trust: Trust;
  /** The references to external texts that the model was shown. */
  readonly external: readonly ExternalSource[];
}
