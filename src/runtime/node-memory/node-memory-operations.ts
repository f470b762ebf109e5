// The runtime's operations on node memories: open one by its key or by a workflow's mode, and delete unused ones.
// Invariant: if a mode lacks a required option, the error names mode and option; no other memory is used.
import { ConfigError } from "../../base/errors.ts";
import type { ConversationMemory, NodeMemory, PromptMemoryOptions } from "../../memory/node/node-memory.ts";
import type { NodeMemoryRecord } from "../../store/port/node-memory-store.ts";
import type { NodeMemoryOperations, NodeMemorySummary } from "./contract.ts";
import { deleteObjects } from "../operations/delete-objects.ts";
import { historyFor } from "../conversations/history-for.ts";
import type { OperationDeps } from "../operations/operation-deps.ts";
import { createNodeMemory } from "./create-node-memory.ts";

type NodeMemoryDeps = Pick<OperationDeps, "store" | "defaults" | "models" | "files" | "ids" | "clock" | "log">;

export function createNodeMemoryOperations(deps: NodeMemoryDeps): NodeMemoryOperations {
  const { nodeMemories } = deps.store;
  return {
    open: (options) => createNodeMemory(deps, options),
    forMode: (options) => memoryForMode(deps, options),
    listUnused: async (ageMs) => (await nodeMemories.listUnused(timeBefore(deps, ageMs))).map(summaryOf),
    prune: async (ageMs) => {
      const gone = await nodeMemories.deleteUnused(timeBefore(deps, ageMs));
      await deleteObjects(deps);
      return gone.map(summaryOf);
    },
  };
}

function memoryForMode(deps: NodeMemoryDeps, options: PromptMemoryOptions): NodeMemory | ConversationMemory {
  // The mode is checked at run time, because it may come from a configuration file, which has no types.
  const { mode = "conversation" } = options as { readonly mode?: string };
  if (mode !== "conversation" && mode !== "node") {
    throw new ConfigError(`mode: expected "conversation" or "node", got ${JSON.stringify(mode)}.`);
  }
  requireOption(mode, "conversation", options.conversation);
  if (options.mode !== "node") return conversationMemory(deps, options.conversation);
  requireOption(mode, "app", options.app);
  requireOption(mode, "node", options.node);
  return createNodeMemory(deps, options);
}

function requireOption(mode: string, name: string, value: unknown): void {
  if (value !== undefined && value !== null && value !== "") return;
  throw new ConfigError(
    `Expected \`${name}\` for the mode "${mode}", got none. Pass \`${name}\`, or choose another mode.`,
  );
}

function conversationMemory(
  deps: Pick<OperationDeps, "store" | "defaults" | "models">,
  conversation: string,
): ConversationMemory {
  return {
    mode: "conversation",
    async getHistoryPromptMessages(currentMessageId, limits = {}) {
      const leaf = currentMessageId === null ? {} : { leaf: currentMessageId };
      const { messages } = await historyFor(deps, { conversation, ...leaf, ...limits });
      return messages.map(({ role, content }) => ({ role, content }));
    },
  };
}

function timeBefore({ clock }: Pick<OperationDeps, "clock">, ageMs: number): Date {
  return new Date(Math.max(0, clock.now().getTime() - ageMs));
}

function summaryOf({ app, conversation, node, messages, bytes, updatedAt }: NodeMemoryRecord): NodeMemorySummary {
  return { app, conversation, node, messages, bytes, updatedAt };
}
