// Memories of single nodes of a workflow.
// Invariant: types only; each operation is of the runtime's user alone.
import type { NodeKey, NodeMemoryRecord } from "../memory/node-memory-store.ts";
import type {
  ConversationMemory,
  NodeMemory,
  NodeMemoryOptions,
  PromptMemoryOptions,
} from "../memory/node/node-memory.ts";

/** What is known of a node memory without reading it. `bytes`: of its object. */
export interface NodeMemorySummary extends NodeKey, Pick<NodeMemoryRecord, "messages" | "bytes" | "updatedAt"> {}

/** Memories of single nodes of a workflow, in the user's objects. They need no agent. */
export interface NodeMemoryOperations {
  /** Throws RequestError `input_invalid` for a part of the key that is no plain word. */
  open(options: NodeMemoryOptions): NodeMemory;
  /**
   * What a workflow's configuration asks for: the memory of its node, or the history of the conversation (the default).
   * Throws ConfigError for an unknown mode, and for one that lacks what it needs: `node` has no memory without a
   * conversation.
   */
  forMode(options: PromptMemoryOptions): NodeMemory | ConversationMemory;
  /** Those that were last written longer ago than so many milliseconds, longest ago first. */
  listUnused(ageMs: number): Promise<readonly NodeMemorySummary[]>;
  /** Deletes those, and tells which they were. */
  prune(ageMs: number): Promise<readonly NodeMemorySummary[]>;
}
