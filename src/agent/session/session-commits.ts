// Makes the commits of a session, and updates the session's state after each commit.
// Invariant: every commit is made under the session's lease; the session holds nothing that the store does not have.
import { RevisionConflictError } from "../../base/errors.ts";
import {
  adoptEdit,
  type DraftedEdit,
  moduleChanges,
  newSkills,
  rebaseEdit,
  snapshotOf,
  toldRevision,
  trustedTexts,
  withRestated,
  withTrust,
} from "../../memory/core/versioned-memory.ts";
import type { BaseMemory } from "../../memory/core/base-memory.ts";
import { isReported } from "../../memory/core/memory-module.ts";
import { isSearchable, knowsModule } from "../../context/window/state-entries.ts";
import {
  type ClassOfLine,
  classOfWritten,
  memoryTrust,
  trustOfReply,
  type WindowContent,
  windowTrust,
} from "../../memory/trust.ts";
import type { NewPassage } from "../../store/port/passage-store.ts";
import type { ModuleChange, OfferedTool, StateEntry, StepRecord, StoredMessage } from "../../store/port/records.ts";
import type { SearchableCount } from "../../store/port/searchable-memory.ts";
import { type EventBatch, type InputMessage, noTerms } from "../../store/port/turn-store.ts";
import { filesOf, lowestTrust, type PrintedOutput, type Trust } from "../../base/message/message.ts";
import type { MemoryEdit, SessionOptions, SessionDeps, ToolResultDraft, TurnInput } from "./session-deps.ts";
import type { MessageDraft } from "./thread.ts";
import { entriesIn } from "../../context/window/state-entries.ts";

export type CommitDeps = SessionOptions & SessionDeps;

/** Returns the window's content with its trust. `prompt`: the trust of the snapshot, whose texts of modules may be outdated. */
export function windowContent({ agent, core, thread, synopsis }: CommitDeps): WindowContent {
  return {
    messages: thread.messages,
    summaries: thread.compactions,
    modules: core.current.shown.trust,
    prompt: agent.settings.layout === "inline" ? null : (thread.snapshot?.trust ?? null),
    synopsis: synopsis?.current?.trust ?? null,
    retrieved: entriesIn(thread.messages).flatMap(({ found }) => found?.parts ?? []),
  };
}

export async function begin(
  { agent, conversationId, store, thread, core, lease, leaseMs, searchable, synopsis, load }: CommitDeps,
  { turnId, inputs, adopted = [], terms = noTerms, expected }: TurnInput,
): Promise<StoredMessage | null> {
  const messages = thread.prepare(turnId, inputs.map(draftOfInput));
  const begun = await store.turns.begin({
    agentId: agent.id,
    conversationId,
    lease: lease.held ?? { claimant: lease.claimant },
    ttlMs: leaseMs,
    leafId: thread.leafId,
    messages,
    known: searchable.current,
    terms,
    ...(expected === undefined ? {} : { expected }),
    inputs: inputs.map(({ idempotencyKey }, at) => ({
      idempotencyKey,
      messageId: (messages[at] as StoredMessage).id,
      isAdopted: adopted.includes(idempotencyKey),
    })),
  });
  if (begun === null) return null;
  lease.hold(begun.lease);
  thread.add(messages);
  const { tags } = searchable.current;
  if (begun.searchable !== null) searchable.current = { ...begun.searchable, tags: begun.searchable.tags ?? tags };
  countAdded({ searchable }, messages);
  // Another version shows that another session has compacted the window, or undone a compaction: the session is reloaded.
  if (begun.windowVersion !== thread.windowVersion) {
    await load();
    return messages.at(-1) as StoredMessage;
  }
  const { revisions, versions } = core.current;
  const isOutdated =
    begun.modules.length !== revisions.size ||
    begun.modules.some(({ label, revision, id, version }) => {
      const known = versions.get(label);
      return revisions.get(label) !== revision || known?.id !== id || known.version !== version;
    });
  if (isOutdated) await core.load();
  await synopsis?.refresh();
  return messages.at(-1) as StoredMessage;
}

function draftOfInput({ role = "user", speaker, content, trust = "user" }: InputMessage): MessageDraft {
  return {
    role: "user",
    kind: role === "system" ? "system" : "message",
    ...(speaker === undefined ? {} : { speaker }),
    content,
    // A message with files is external, because a file may contain text that the user did not write.
    trust: filesOf({ content }).length === 0 ? trust : "external",
  };
}

// Adds the turn's new messages and passages to the counts in `searchable`. The times in `searchable` stay as they were when
// the turn began.
function countAdded(
  { searchable }: Pick<CommitDeps, "searchable">,
  added: readonly StoredMessage[],
  passages: readonly NewPassage[] = [],
): void {
  const { current } = searchable;
  searchable.current = {
    ...current,
    messages: plus(current.messages, added.filter(isSearchable).length),
    passages: plus(current.passages, passages.length),
  };
}

function plus(counted: SearchableCount, more: number): SearchableCount {
  return counted.isMore ? counted : { ...counted, count: counted.count + more };
}

export async function append(
  { store, thread, lease }: CommitDeps,
  turnId: string,
  drafts: readonly MessageDraft[],
): Promise<void> {
  if (drafts.length === 0) return;
  const messages = thread.prepare(turnId, drafts);
  await store.turns.append(lease.current, messages);
  thread.add(messages);
}

export async function commitToolResult(deps: CommitDeps, draft: ToolResultDraft): Promise<void> {
  const { agent, store, thread, lease } = deps;
  const { turnId, callMessage, step, callId, toolName, status, text, files, printed } = draft;
  const { trust, external, edits, withEvents } = draft;
  const part = {
    type: "tool-result" as const,
    callId,
    name: toolName,
    status: status === "ok" ? ("ok" as const) : ("failed" as const),
    text,
    ...(files.length === 0 ? {} : { files }),
    ...(printed === undefined ? {} : { printed }),
  };
  const results = thread.prepare(turnId, [{ role: "tool", content: [part], trust }], step && callMessage.id);
  const [prepared] = results as readonly [StoredMessage];
  let message = prepared;
  const passages = edits?.passages ?? [];
  const reply = step === undefined ? {} : { reply: { message: callMessage, step } };
  const result = {
    ...reply,
    callMessageId: callMessage.id,
    callId,
    toolName,
    status,
    passages,
    trust,
    external,
  };
  await commitEdit(deps, edits, (changes) =>
    withEvents(changes, (events) => {
      message = withReported(deps, prepared, { changes, text });
      return store.turns.commitToolResult({
        ...result,
        message,
        agentId: agent.id,
        lease: lease.current,
        changes: withRestated(changes, thread.messages, turnId),
        events,
      });
    }),
  );
  const replies = step === undefined ? [] : [callMessage];
  thread.add([...replies, message]);
  countAdded(deps, replies, passages);
}

/**
 * Returns the tool's message, marked with the modules whose new text its result shows, so that no state entry repeats this
 * text. A module is marked only if the model knew the module's former text.
 */
function withReported(
  { thread: { snapshot, messages }, agent, core }: Pick<CommitDeps, "thread" | "agent" | "core">,
  message: StoredMessage,
  { changes, text }: { readonly changes: readonly ModuleChange[]; readonly text: string },
): StoredMessage {
  const shown = { snapshot, messages, layout: agent.settings.layout };
  const told = (label: string, revision: number): number => toldRevision(core.current, label, revision);
  const reported = changes.filter(
    ({ label, before: value, after, revision }) =>
      isReported(text, { label, value: after }) &&
      knowsModule({ label, value, revision: told(label, revision) }, shown),
  );
  if (reported.length === 0) return message;
  const revisions = reported.map(({ label, revision }) => [label, told(label, revision + 1)] as const);
  return { ...message, stated: { reported: Object.fromEntries(revisions) } };
}

/** The result of a call that the caller ran, or that another agent answered. */
export interface CallAnswer {
  readonly callId: string;
  readonly toolName: string;
  readonly status: "ok" | "failed";
  readonly text: string;
  readonly printed?: PrintedOutput;
  /** The trust class of the text; default `external`. */
  readonly trust?: Trust;
}

export async function commitAnswers(
  { store, thread, lease }: CommitDeps,
  callMessage: StoredMessage,
  answers: readonly CallAnswer[],
): Promise<void> {
  const drafts = answers.map(({ toolName: name, callId, status, text, printed, trust }): MessageDraft => {
    const output = printed === undefined ? {} : { printed };
    return {
      role: "tool",
      content: [{ type: "tool-result", callId, name, status, text, ...output }],
      trust: trust === undefined ? "external" : lowestTrust([trust, callMessage.trust]),
    };
  });
  const messages = thread.prepare(callMessage.turnId, drafts);
  await store.approvals.answer(lease.current, { callMessageId: callMessage.id, messages, results: answers });
  thread.add(messages);
}

/** Maximum number of times that a commit is repeated, because another writer has committed first (a conflict). */
const maxRebases = 20;

interface EditToCommit {
  readonly memory: BaseMemory;
  readonly classOf: ClassOfLine;
}

/**
 * Commits the changes of an edited draft, which then becomes the session's memory. After a conflict, reloads core memory and
 * applies the edit again. Throws RevisionConflictError, with nothing committed, if the edit no longer applies.
 */
async function commitEdit(
  { agent, store, core }: CommitDeps,
  draft: EditToCommit | null,
  commit: (changes: readonly ModuleChange[]) => Promise<void>,
): Promise<readonly ModuleChange[]> {
  if (draft === null) {
    await commit([]);
    return [];
  }
  const { memory, classOf } = draft;
  const original: DraftedEdit = {
    memory,
    changes: withTrust(core.current, moduleChanges(core.current, memory), classOf),
  };
  const added = newSkills(core.current.revisions, original.changes);
  if (added.length > 0) await store.modules.addMissing(agent.id, added);
  let edit = original;
  for (let rebases = 0; ; rebases += 1) {
    try {
      await commit(edit.changes);
      break;
    } catch (error) {
      if (!(error instanceof RevisionConflictError) || rebases === maxRebases) throw error;
      await core.load();
      const rebased = rebaseEdit(original, core.current, classOf);
      if (rebased === null) throw error;
      edit = rebased;
    }
  }
  if (edit.changes.length > 0) core.current = adoptEdit(core.current, edit);
  return edit.changes;
}

/** Returns a model's reply as the message that is committed next. */
export function prepareReply(deps: CommitDeps, draft: MessageDraft, { turnId }: StepRecord): StoredMessage {
  const content = windowContent(deps);
  const trust = trustOfReply({ modules: memoryTrust(content), window: windowTrust(content) });
  const [message] = deps.thread.prepare(turnId, [{ ...draft, trust }]) as readonly [StoredMessage];
  return message;
}

/** A model's reply, as `prepareReply` returned it, and the log of the model call. */
export interface PreparedReply {
  readonly message: StoredMessage;
  readonly step: StepRecord;
  /** Whether the commit also releases the lease, because the turn writes nothing more. */
  readonly releasesLease: boolean;
  /** The turn's events so far that are not yet stored; null for none. */
  readonly events: EventBatch | null;
}

export async function commitReply(
  { agent, store, thread, lease, searchable }: CommitDeps,
  { message, step, releasesLease, events }: PreparedReply,
): Promise<void> {
  await store.turns.commitReply({ agentId: agent.id, lease: lease.current, message, step, releasesLease, events });
  if (releasesLease) lease.drop();
  thread.add([message]);
  countAdded({ searchable }, [message]);
}

export async function renewSnapshot(
  { store, thread, core, lease, synopsis, newStateKey }: CommitDeps,
  tools: readonly OfferedTool[],
): Promise<void> {
  // The new snapshot must include the changes that other writers made since the turn began.
  await core.load();
  const stateKey = thread.snapshot?.stateKey ?? newStateKey;
  const snapshot = snapshotOf(core.current, {
    synopsis: (await synopsis?.read()) ?? null,
    stateKey,
    tools: JSON.stringify(tools),
  });
  thread.show(await store.conversations.saveSnapshot(lease.current, snapshot));
}

export async function stateEntry({ store, thread, lease }: CommitDeps, entry: StateEntry): Promise<void> {
  const leaf = thread.messages.at(-1);
  if (leaf === undefined) return;
  await store.conversations.saveEntry(lease.current, leaf.id, entry);
  thread.state(entry);
}

export async function commitMemory(
  deps: CommitDeps,
  { messageId, memory, trust, external }: MemoryEdit,
): Promise<readonly ModuleChange[]> {
  const { agent, store, core, lease } = deps;
  if (moduleChanges(core.current, memory).length === 0) return [];
  const seen = { window: windowContent(deps), texts: trustedTexts(core.current), hasOthers: false };
  return commitEdit(deps, { memory, classOf: classOfWritten(trust, seen) }, (changes) =>
    store.turns.commitMemory({ agentId: agent.id, lease: lease.current, messageId, changes, trust, external }),
  );
}
