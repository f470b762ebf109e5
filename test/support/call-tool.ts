// Calls a memory's tool as the loop does, without a loop.
import type { BaseMemory } from "../../src/memory/core/base-memory.ts";
import { runToolCall, type ToolOutcome } from "../../src/tool/run-tool-call.ts";
import type { Tool, ToolContext } from "../../src/tool/tool.ts";

/** A context whose searches find nothing. */
export function emptyContext(memory: BaseMemory): ToolContext {
  const nothing = async () => ({ hits: [], page: 0, pageSize: 5, total: 0, wordsAlone: false });
  return {
    agent: { id: "agent", name: "test" },
    user: { id: "user" },
    conversationId: "conversation",
    callId: "call",
    userText: () => "",
    idempotencyKey: "message:call",
    core: memory,
    archival: { insert: async () => ({ id: "id", closest: [] }), search: nothing },
    recall: { search: nothing, searchDate: nothing },
    working: { search: nothing },
    files: {
      open: async () => ({ opened: [], closed: [] }),
      findLines: async () => ({ files: 0, total: 0, lines: [] }),
    },
    timeZone: "UTC",
    now: () => new Date(0),
    signal: new AbortController().signal,
  };
}

export const callTool = async (memory: BaseMemory, name: string, args: object | string): Promise<ToolOutcome> =>
  callToolOf(memory.tools(), { memory, name, args });

export interface ToolCallOptions {
  readonly memory: BaseMemory;
  readonly name: string;
  readonly args: object | string;
  readonly cut?: boolean;
  readonly context?: Partial<ToolContext>;
  readonly resultLimit?: number;
}

export function callToolOf(tools: readonly Tool[], options: ToolCallOptions): Promise<ToolOutcome> {
  const { memory, name, args, cut = false, context = {}, resultLimit = 3000 } = options;
  return runToolCall({
    call: {
      type: "tool-call",
      callId: "call",
      name,
      arguments: typeof args === "string" ? args : JSON.stringify(args),
    },
    tools,
    context: { ...emptyContext(memory), ...context },
    cut,
    resultLimit,
    reservedParameters: [],
  });
}
