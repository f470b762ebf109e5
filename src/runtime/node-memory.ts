// Memories of single nodes of a workflow.
// Invariant: types only; each operation acts for the runtime's user only.
import type { NodeKey, NodeMemoryRecord } from "../store/port/node-memory-store.ts";
import type {
  ConversationMemory,
  NodeMemory,
  NodeMemoryOptions,
  PromptMemoryOptions,
} from "../memory/node/node-memory.ts";

/** A node memory without its messages. `messages` is their number, `bytes` the size of its object. */
export interface NodeMemorySummary extends NodeKey, Pick<NodeMemoryRecord, "messages" | "bytes" | "updatedAt"> {}

/** Memories of single nodes of a workflow. They need no agent. */
export interface NodeMemoryOperations {
  /** Opens the memory of a node. Throws RequestError `input_invalid` for a key part that is not a plain word. */
  open(options: NodeMemoryOptions): NodeMemory;
  /**
   * Returns the memory for the mode of a workflow: the node's own memory, or the history of the conversation (the default).
   * Throws ConfigError for an unknown mode, and for mode `node` without a conversation.
   */
  forMode(options: PromptMemoryOptions): NodeMemory | ConversationMemory;
  /** Returns the memories that were last written more than `ageMs` milliseconds ago, oldest first. */
  listUnused(ageMs: number): Promise<readonly NodeMemorySummary[]>;
  /** Deletes the memories that `listUnused` returns, and returns them. */
  prune(ageMs: number): Promise<readonly NodeMemorySummary[]>;
}
