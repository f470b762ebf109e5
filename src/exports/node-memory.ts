// `palimpsest/node-memory`: histories of workflow nodes, opened by `runtime.nodeMemory`, and threads of message trees.
export { extractThread, type ThreadNode } from "../context/extract-thread.ts";
export type {
  AddedExchange,
  ConversationMemory,
  NodeHistoryOptions,
  NodeMemory,
  NodeMemoryOptions,
  PromptHistoryOptions,
  PromptMemoryOptions,
} from "../memory/node/node-memory.ts";
export type { NodeKey } from "../store/port/node-memory-store.ts";
export type { NodeMemoryOperations, NodeMemorySummary } from "../runtime/node-memory/contract.ts";
