// Makes a conversation of a thread: what was outside of Letta's window is covered by a compaction with Letta's summary.
// Invariant: pure; all messages are kept, whether or not they are in the window.
import { noUsage } from "../../base/message/message.ts";
import type { TransferredCompaction, TransferredConversation } from "../../store/port/transfer-store.ts";
import type { LettaThread } from "./letta-messages.ts";

interface ConversationFacts {
  readonly id: string;
  readonly compactionId: string;
  readonly title: string | null;
  /** The time of a conversation without messages. */
  readonly at: string;
}

export function windowOf(
  { messages, outside, summary }: LettaThread,
  facts: ConversationFacts,
): TransferredConversation {
  const { id, title, at } = facts;
  const times = messages.map((message) => message.at).toSorted();
  return {
    id,
    title,
    leafId: messages.at(-1)?.id ?? null,
    createdAt: times[0] ?? at,
    updatedAt: times.at(-1) ?? at,
    messages,
    compactions: outside === 0 ? [] : [compactionOf({ messages, outside, summary }, facts)],
  };
}

function compactionOf({ messages, outside, summary }: LettaThread, { compactionId }: ConversationFacts) {
  const last = messages[outside - 1]!;
  const compaction: TransferredCompaction = {
    id: compactionId,
    windowVersion: 1,
    strategy: summary === "" ? "truncate" : "recursive",
    fromPosition: 1,
    throughPosition: outside,
    throughId: last.id,
    summary,
    threadMessages: messages.length,
    rangeTokens: 0,
    tokensBefore: 0,
    tokensAfter: 0,
    model: null,
    usage: noUsage,
    dollars: null,
    focus: null,
    trust: "external",
    undoneAt: null,
    at: last.at,
  };
  return compaction;
}
