// Converts a conversation of another program: the tree of its messages, their times, and the current thread.
// Invariant: in the result, a message comes after its parent; a message in a cycle or with an unknown parent begins a
// thread. Every text has the class `external`, and ids are derived from the ids in the file.
import { appendAll, groupBy, largest, smallest } from "../base/lists.ts";
import { storableText, takeCodePoints } from "../base/code-points.ts";
import type { ContentPart } from "../base/message/message.ts";
import type { TransferredConversation, TransferredMessage } from "../store/port/transfer-store.ts";
import type { MessageDraft, SourceConversation, SourceMessage } from "./export-form.ts";
import type { Remarks } from "./remarks.ts";

export interface TreeOptions {
  readonly idOf: (...keys: readonly string[]) => string;
  /** The time for a conversation without any time, in milliseconds since 1970. */
  readonly now: number;
  readonly remarks: Remarks;
}

export interface ConversationTree {
  readonly conversation: TransferredConversation;
  /** Number of threads besides the current thread. */
  readonly branches: number;
}

/**
 * Maximum length of a message in UTF-16 units. Longer texts are cut, because a message is written in one statement, and
 * a longer text is hardly a message.
 */
const maxText = 10_000_000;
const maxTitle = 200;

/** Returns the conversation in Palimpsest's form; null if it has no text. */
export function conversationTree(source: SourceConversation, options: TreeOptions): ConversationTree | null {
  const { messages, ends } = chained(source, options);
  const last = newest(messages);
  if (last === null) return null;
  const parents = new Set(messages.map(({ parentId }) => parentId));
  const leaves = messages.filter(({ id }) => !parents.has(id));
  const leafId = currentLeaf(source, ends, options.remarks) ?? newest(leaves)?.id ?? last.id;
  const times = messages.map(({ at }) => Date.parse(at));
  const createdAt = source.createdAt ?? smallest(times);
  const updatedAt = Math.max(source.updatedAt ?? largest(times), createdAt);
  return {
    conversation: {
      id: options.idOf(),
      title: titleOf(source),
      leafId,
      createdAt: isoTime(createdAt),
      updatedAt: isoTime(updatedAt),
      messages,
      compactions: [],
    },
    branches: leaves.filter(({ id }) => id !== leafId).length,
  };
}

/** The values that a message passes on to the messages after it. */
interface Place {
  /** The id of the last message so far; null at the beginning. */
  readonly id: string | null;
  readonly turnId: string | null;
  readonly thoughts: readonly string[];
  readonly at: number | null;
}

const beginning: Place = { id: null, turnId: null, thoughts: [], at: null };

function chained(source: SourceConversation, options: TreeOptions) {
  const messages: TransferredMessage[] = [];
  /** The values that each message of the file passes on to its children, by the message's key. */
  const ends = new Map<string, Place>();
  const usual = usualTime(source, options);
  for (const { message, parentKey } of inTreeOrder(source.messages, options.remarks)) {
    const before = (parentKey === null ? undefined : ends.get(parentKey)) ?? beginning;
    const made = withDrafts(message, before, { ...options, usual });
    appendAll(messages, made.messages);
    ends.set(message.key, made.end);
  }
  return { messages, ends };
}

/** Returns the messages that a message of the file becomes. `usual`: the time if it and its ancestors have no time. */
function withDrafts(
  { key, at, drafts, thoughts }: SourceMessage,
  before: Place,
  { idOf, usual, remarks }: TreeOptions & { readonly usual: number },
) {
  const time = at ?? before.at;
  if (at === null && drafts.length > 0) remarks.note("messages without a time, which got the time of the previous one");
  let end: Place = { ...before, at: time, thoughts: [...before.thoughts, ...thoughts] };
  const messages = drafts.map((draft, index): TransferredMessage => {
    const id = idOf(key, String(index));
    const isInput = draft.role === "user" && draft.kind === "message";
    const turnId: string = isInput ? id : (end.turnId ?? id);
    const isReply = draft.role === "assistant";
    const message = messageOf(shortened(draft, remarks), {
      id,
      parentId: end.id,
      turnId,
      at: isoTime(time ?? usual),
      thoughts: isReply ? end.thoughts : [],
    });
    // A reply takes the thoughts before it. A new user message drops thoughts that no reply has followed.
    end = { id, turnId, at: time, thoughts: isReply || isInput ? [] : end.thoughts };
    return message;
  });
  return { messages, end };
}

type Linked = Pick<TransferredMessage, "id" | "parentId" | "turnId" | "at"> & Pick<Place, "thoughts">;

function messageOf({ role, kind, text, speaker }: MessageDraft, { thoughts, ...linked }: Linked): TransferredMessage {
  const words = storableText(text);
  const content: readonly ContentPart[] = [
    ...thoughts.map((thought): ContentPart => ({ type: "thought", text: storableText(thought) })),
    { type: "text", text: words },
  ];
  return {
    ...linked,
    role,
    speaker: speaker === undefined ? null : takeCodePoints(storableText(speaker).trim(), maxTitle),
    kind,
    status: "complete",
    content,
    text: words,
    tokens: 0,
    trust: "external",
    isRecalled: true,
    calls: [],
  };
}

function shortened(draft: MessageDraft, remarks: Remarks): MessageDraft {
  if (draft.text.length <= maxText) return draft;
  remarks.note("texts of more than 10,000,000 characters, which were cut");
  return { ...draft, text: draft.text.slice(0, maxText) };
}

function usualTime({ createdAt, updatedAt, messages }: SourceConversation, { now, remarks }: TreeOptions): number {
  if (createdAt !== null) return createdAt;
  const times = messages.flatMap(({ at }) => (at === null ? [] : [at]));
  if (times.length > 0) return smallest(times);
  if (updatedAt !== null) return updatedAt;
  remarks.note("conversations without any time, which got the time of the import");
  return now;
}

function currentLeaf(
  { currentKey }: SourceConversation,
  ends: ReadonlyMap<string, Place>,
  remarks: Remarks,
): string | null {
  if (currentKey === null) return null;
  const end = ends.get(currentKey);
  if (end === undefined) remarks.note("conversations whose current message is missing, which end with the newest one");
  return end?.id ?? null;
}

function titleOf({ title }: SourceConversation): string | null {
  const line = takeCodePoints(storableText(title).replaceAll(/\s+/gu, " ").trim(), maxTitle).trim();
  return line === "" ? null : line;
}

/** Returns the newest message; if several have the same time, the last of them. */
function newest(messages: readonly TransferredMessage[]): TransferredMessage | null {
  let found: TransferredMessage | null = null;
  for (const message of messages) if (found === null || message.at >= found.at) found = message;
  return found;
}

function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

interface PlacedMessage {
  readonly message: SourceMessage;
  /** The key of the parent; null if the message begins a thread. */
  readonly parentKey: string | null;
}

function inTreeOrder(messages: readonly SourceMessage[], remarks: Remarks): readonly PlacedMessage[] {
  const byKey = new Map<string, SourceMessage>();
  for (const message of messages) {
    if (byKey.has(message.key)) remarks.leaveOut("messages with the same id as another message of their conversation");
    else byKey.set(message.key, message);
  }
  const children = groupBy([...byKey.values()], (message) => knownParent(message, byKey, remarks));
  const ordered: PlacedMessage[] = [];
  const seen = new Set<string>();
  const place = (begin: SourceMessage): void => {
    const waiting: PlacedMessage[] = [{ message: begin, parentKey: null }];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { key } = next.message;
      if (seen.has(key)) continue;
      seen.add(key);
      ordered.push(next);
      // `waiting` is a stack: children are added in reverse, so that they are placed in order.
      for (const child of (children.get(key) ?? []).toReversed()) waiting.push({ message: child, parentKey: key });
    }
  };
  for (const root of children.get(null) ?? []) place(root);
  for (const message of byKey.values()) {
    if (seen.has(message.key)) continue;
    remarks.note("cycles of messages, which were cut");
    place(inCycle(message, byKey));
  }
  return ordered;
}

/** Returns a message of the cycle in which the ancestors of `from` end. There must be such a cycle. */
function inCycle(from: SourceMessage, byKey: ReadonlyMap<string, SourceMessage>): SourceMessage {
  const passed = new Set<string>();
  let message = from;
  while (!passed.has(message.key)) {
    passed.add(message.key);
    message = byKey.get(message.parentKey ?? "") ?? message;
  }
  return message;
}

function knownParent(
  { parentKey }: SourceMessage,
  byKey: ReadonlyMap<string, SourceMessage>,
  remarks: Remarks,
): string | null {
  if (parentKey === null || byKey.has(parentKey)) return parentKey;
  remarks.note("messages whose parent is missing, which begin a thread");
  return null;
}
