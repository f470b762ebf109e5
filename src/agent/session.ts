// One open conversation: the thread in the window and the core memory, and the commits that change them.
// Invariant: what a session holds is what the store holds; it changes only after a commit, and is read again when someone else wrote.
import type { Clock } from "../base/clock.ts";
import type { Ids } from "../base/ids.ts";
import { storableText } from "../base/code-points.ts";
import type { SummaryState } from "../context/compile.ts";
import type { ContentPart, Message } from "../message.ts";
import type { BaseMemory } from "../memory/core/base-memory.ts";
import type { MemoryRegistry } from "../memory/core/memory-registry.ts";
import { loadCoreMemory, moduleChanges, type VersionedMemory } from "../memory/core/versioned-memory.ts";
import type {
  AgentRecord,
  CompactionRecord,
  MessageKind,
  MessageStatus,
  NewPassage,
  ModuleChange,
  StepRecord,
  StoredMessage,
  UserStore,
} from "../memory/store.ts";
import { countMessage } from "../tokens/count-message.ts";
import type { TokenCounter } from "../tokens/token-counter.ts";
import type { ProtocolRules } from "./protocol/protocol.ts";

export interface SessionOptions {
  readonly agent: AgentRecord;
  readonly conversationId: string;
  readonly store: UserStore;
  readonly registry: MemoryRegistry;
  readonly protocol: ProtocolRules;
  readonly counter: TokenCounter;
  readonly ids: Ids;
  readonly clock: Clock;
}

export interface MessageDraft extends Message {
  readonly kind?: MessageKind;
  readonly status?: MessageStatus;
}

export interface ToolResultDraft {
  readonly turnId: string;
  readonly callMessage: StoredMessage;
  readonly callId: string;
  readonly toolName: string;
  readonly status: "ok" | "failed" | "interrupted";
  readonly text: string;
  /** The memory as the tool left it, and what it put into the archive; null when nothing is to be kept. */
  readonly edits: { readonly memory: BaseMemory; readonly passages: readonly NewPassage[] } | null;
}

export interface Session {
  readonly messages: readonly StoredMessage[];
  readonly summary: SummaryState | null;
  readonly memory: BaseMemory;
  /** How often a module was changed; 0 for one that was never. */
  revisionOf(label: string): number;
  /** Reads thread and memory again. */
  reload(): Promise<void>;
  /** Reads core memory again. */
  refreshMemory(): Promise<void>;
  /** Commits what starts a turn. Someone else's writes since the last turn are read first. */
  begin(turn: { readonly turnId: string; readonly drafts: readonly MessageDraft[]; readonly idempotencyKey: string }): Promise<StoredMessage>;
  append(turnId: string, drafts: readonly MessageDraft[]): Promise<void>;
  commitReply(turnId: string, draft: MessageDraft, step: Omit<StepRecord, "turnId">): Promise<StoredMessage>;
  /** Returns the changes of core memory that were committed. Throws RevisionConflictError with nothing committed. */
  commitToolResult(draft: ToolResultDraft): Promise<readonly ModuleChange[]>;
  commitCompaction(compaction: Omit<CompactionRecord, "at" | "id"> & { readonly model: string | null }): Promise<void>;
  /** Moves the leaf back so that the first `kept` messages of the window are left. */
  truncate(kept: number): Promise<readonly StoredMessage[]>;
}

/** Loads the conversation's thread and the agent's memory. */
export async function openSession(options: SessionOptions): Promise<Session> {
  const session = createSession(options);
  await session.reload();
  return session;
}

function createSession({ agent, conversationId, store, registry, protocol, counter, ids, clock }: SessionOptions): Session {
  let messages: readonly StoredMessage[] = [];
  let compaction: CompactionRecord | null = null;
  let core: VersionedMemory = { memory: registry.restore({ type: agent.memoryType, modules: [] }), revisions: new Map() };
  const address = { agentId: agent.id, conversationId };

  const leafId = (): string | null => messages.at(-1)?.id ?? null;

  const loadMemory = async (): Promise<void> => {
    core = loadCoreMemory(registry.classOf(agent.memoryType), await store.modules.list(agent.id));
  };

  const reload = async (): Promise<void> => {
    const thread = await store.conversations.thread(conversationId);
    messages = thread.messages;
    compaction = thread.compaction;
    await loadMemory();
  };

  const toStored = (turnId: string, drafts: readonly MessageDraft[]): readonly StoredMessage[] => {
    let parentId = leafId();
    return drafts.map((draft) => {
      const content = draft.content.map(storablePart);
      const { role, kind = "message", status = "complete" } = draft;
      const text = kind === "event" ? "" : protocol.shownText({ role, content });
      const stored = { id: ids.next(), parentId, turnId, role, kind, status, content, text, tokens: countMessage(counter, { role, content }), at: clock.now() };
      parentId = stored.id;
      return stored;
    });
  };

  return {
    get messages() {
      return messages;
    },
    get summary() {
      return compaction === null ? null : { text: compaction.summary, messages: compaction.messages };
    },
    get memory() {
      return core.memory;
    },
    revisionOf: (label) => core.revisions.get(label) ?? 0,

    reload,
    refreshMemory: loadMemory,

    async begin({ turnId, drafts, idempotencyKey }) {
      for (;;) {
        const stored = toStored(turnId, drafts);
        const versions = await store.turns.begin({ ...address, leafId: leafId(), messages: stored, idempotencyKey });
        if (versions === null) {
          await reload();
          continue;
        }
        messages = [...messages, ...stored];
        if (versions.some(({ label, revision }) => core.revisions.get(label) !== revision)) await loadMemory();
        return stored.at(-1) as StoredMessage;
      }
    },

    async append(turnId, drafts) {
      if (drafts.length === 0) return;
      const stored = toStored(turnId, drafts);
      await store.turns.append(conversationId, stored);
      messages = [...messages, ...stored];
    },

    async commitReply(turnId, draft, step) {
      const [message] = toStored(turnId, [draft]) as readonly [StoredMessage];
      await store.turns.commitReply({ ...address, message, step: { ...step, turnId } });
      messages = [...messages, message];
      return message;
    },

    async commitToolResult({ turnId, callMessage, callId, toolName, status, text, edits }) {
      const part = { type: "tool-result" as const, callId, name: toolName, status: status === "ok" ? ("ok" as const) : ("failed" as const), text };
      const [message] = toStored(turnId, [{ role: "tool", content: [part] }]) as readonly [StoredMessage];
      const changes = edits === null ? [] : moduleChanges(core, edits.memory);
      await store.turns.commitToolResult({
        ...address,
        message,
        callMessageId: callMessage.id,
        callId,
        toolName,
        status,
        changes,
        passages: edits?.passages ?? [],
      });
      messages = [...messages, message];
      if (edits !== null && changes.length > 0) core = { memory: edits.memory, revisions: advanced(core.revisions, changes) };
      return changes;
    },

    async commitCompaction(record) {
      const id = ids.next();
      await store.conversations.compact(conversationId, { id, ...record });
      const through = messages.findIndex((message) => message.id === record.throughId);
      messages = messages.slice(through + 1);
      compaction = { id, at: clock.now(), ...record };
    },

    async truncate(kept) {
      const removed = messages.slice(kept);
      const to = messages[kept - 1]?.id ?? null;
      await store.conversations.moveLeaf(conversationId, { from: leafId(), to: to ?? compaction?.throughId ?? null });
      messages = messages.slice(0, kept);
      return removed;
    },
  };
}

function advanced(revisions: ReadonlyMap<string, number>, changes: readonly ModuleChange[]): ReadonlyMap<string, number> {
  return new Map([...revisions, ...changes.map(({ label, revision }) => [label, revision + 1] as const)]);
}

function storablePart(part: ContentPart): ContentPart {
  switch (part.type) {
    case "text":
    case "thought":
    case "tool-result":
      return { ...part, text: storableText(part.text) };
    case "tool-call":
      return { ...part, name: storableText(part.name), arguments: storableText(part.arguments) };
  }
}

