// Defines the operations on memories of single nodes of a workflow.
// Invariant: each operation acts for the runtime's user only. This file checks types only: node memory checks the
// values itself, and `forMode` the options that its mode requires.
import { anything, options, record } from "../../base/arguments/argument-checks.ts";
import { form, type RecordOf } from "../../base/arguments/forms.ts";
import { nodeMemoryFields } from "../../store/port/node-memory-store.ts";
import type {
  ConversationMemory,
  NodeMemory,
  NodeMemoryOptions,
  PromptMemoryOptions,
} from "../../memory/node/node-memory.ts";
import { admin, type Contract, read, value } from "../contract.ts";

/** A node memory without its messages. `messages` is their number, `bytes` the size of the memory's object. */
export interface NodeMemorySummary extends RecordOf<typeof nodeMemoryFields> {}

/** Operations on memories of single nodes of a workflow. They need no agent. */
export interface NodeMemoryOperations {
  /** Opens the memory of a node. Throws RequestError `input_invalid` for a part of the key that is not a plain word. */
  open(options: NodeMemoryOptions): NodeMemory;
  /**
   * Returns the memory for a mode: the node's own memory, or the history of the conversation (the default). Throws ConfigError
   * for an unknown mode, and for mode `node` without a conversation.
   */
  forMode(options: PromptMemoryOptions): NodeMemory | ConversationMemory;
  /** Returns the memories that were last written more than `ageMs` milliseconds ago, oldest first. */
  listUnused(ageMs: number): Promise<readonly NodeMemorySummary[]>;
  /** Deletes the memories that `listUnused` returns, and returns them. */
  prune(ageMs: number): Promise<readonly NodeMemorySummary[]>;
}

const nodeOptions = options<NodeMemoryOptions>({
  app: anything,
  conversation: anything,
  node: anything,
  model: anything,
  compressAbove: anything,
});
const inProgram = "The program that runs the workflow opens node memory through the library.";
const ageMs = value("ageMs", form.whole(0, Number.MAX_SAFE_INTEGER));

export const nodeMemoryContract = {
  open: { args: [{ name: "options", check: nodeOptions }], isImmediate: true, http: inProgram },
  forMode: { args: [{ name: "options", check: record }], isImmediate: true, http: inProgram },
  listUnused: {
    args: [ageMs],
    http: read("GET /node-memories", "List the memories of workflow nodes that were not written for `ageMs`", [
      nodeMemoryFields,
    ]),
  },
  prune: {
    args: [ageMs],
    http: admin("DELETE /node-memories", "Delete the memories of workflow nodes that were not written for `ageMs`", [
      nodeMemoryFields,
    ]),
  },
} as const satisfies Contract<NodeMemoryOperations>;
