// Collects imported texts and stores them in batches, while the next ones are read.
// Invariant: one batch is stored at a time, in the order of the file; a failed batch fails the call that follows it.
import type { AgentRecord } from "../../../store/port/records.ts";
import type { AddedTexts, TransferredConversation, TransferredPassage } from "../../../store/port/transfer-store.ts";
import type { ImportOptions, ImportReport } from "../../imports.ts";
import type { ConversationTree } from "../../../transfer/conversation-tree.ts";
import type { OperationDeps } from "../operation-deps.ts";
import { countedConversation, counterFor } from "./count-tokens.ts";

export interface TextBatches {
  readonly onBytes: (read: number, total: number | null) => void;
  addConversation(tree: ConversationTree): Promise<void>;
  addPassage(passage: TransferredPassage): Promise<void>;
  /** Stores what is collected, and waits until it is stored. */
  end(): Promise<void>;
  found(): ImportReport["found"];
  added(): ImportReport["added"];
}

/** Limits of a batch: rows, and UTF-16 units of text. */
const maxRows = 500;
const maxLength = 2_000_000;

export function createTextBatches(
  deps: Pick<OperationDeps, "store" | "models">,
  agent: AgentRecord,
  { dryRun = false, onProgress }: Pick<ImportOptions, "dryRun" | "onProgress">,
): TextBatches {
  const found = { conversations: 0, messages: 0, branches: 0, passages: 0 };
  const added = { conversations: 0, messages: 0, passages: 0 };
  const bytes = { bytes: 0, totalBytes: null as number | null };
  const counter = counterFor(deps, agent);
  let batch = emptyBatch();
  let storing: Promise<void> = Promise.resolve();

  async function store({ conversations, passages }: Batch): Promise<void> {
    const { transfers } = deps.store;
    const put = dryRun ? transfers.countNew : transfers.add;
    const counts: AddedTexts = await put(agent.id, { conversations, passages });
    added.conversations += counts.conversations;
    added.messages += counts.messages;
    added.passages += counts.passages;
    onProgress?.({ ...added, ...bytes });
  }

  async function flush(): Promise<void> {
    const full = batch;
    batch = emptyBatch();
    await storing;
    if (full.rows === 0) return;
    storing = store(full);
    // Thrown where it is awaited.
    storing.catch(() => undefined);
  }

  async function count(rows: number, length: number): Promise<void> {
    batch.rows += rows;
    batch.length += length;
    if (batch.rows >= maxRows || batch.length >= maxLength) await flush();
  }

  return {
    onBytes: (read, total) => void Object.assign(bytes, { bytes: read, totalBytes: total }),
    async addConversation({ conversation, branches }) {
      found.conversations += 1;
      found.messages += conversation.messages.length;
      found.branches += branches;
      if (!dryRun) counter.prepare();
      batch.conversations.push(dryRun ? conversation : countedConversation(conversation, agent, counter));
      await count(conversation.messages.length, lengthOf(conversation));
    },
    async addPassage(passage) {
      found.passages += 1;
      batch.passages.push(passage);
      await count(1, passage.text.length);
    },
    async end() {
      await flush();
      await storing;
    },
    found: () => ({ ...found }),
    added: () => ({ ...added }),
  };
}

interface Batch {
  readonly conversations: TransferredConversation[];
  readonly passages: TransferredPassage[];
  rows: number;
  length: number;
}

function emptyBatch(): Batch {
  return { conversations: [], passages: [], rows: 0, length: 0 };
}

function lengthOf({ messages }: TransferredConversation): number {
  return messages.reduce((sum, { text }) => sum + text.length, 0);
}
