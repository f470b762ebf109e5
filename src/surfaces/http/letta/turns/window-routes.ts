// Routes of `/v1` about the window of an agent's own messages: summarize, reset, and what it contains.
// Invariant: what leaves the window stays in the conversation.
import * as z from "zod";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import { route, type Route } from "../../route.ts";
import { agentPath } from "../ids.ts";
import { compactConversation } from "./compact-conversation.ts";
import { ownConversation, readableConversation } from "./conversation-place.ts";
import { openForReading, openIn } from "../../follow-turn.ts";
import { compiledPrompt } from "./read-messages.ts";
import { compactionShape } from "./shape-schemas.ts";

/** Settings of a compaction in the request have no effect: the agent has its own. */
const anyBody = z.looseObject({}).nullish();

export const windowRoutes: readonly Route[] = [
  route({
    method: "post",
    path: "/agents/:agent/summarize",
    summary: "Summarize older messages of an agent",
    scope: "chat",
    params: agentPath,
    body: anyBody,
    output: compactionShape,
    run: async ({ runtime, params }) => compactConversation(runtime, await ownConversation(runtime, params.agent)),
  }),
  route({
    method: "patch",
    path: "/agents/:agent/reset-messages",
    summary: "Remove all messages of an agent from its window",
    scope: "chat",
    params: agentPath,
    body: anyBody,
    output: z.null(),
    run: async ({ runtime, params }) => {
      const { id, agentId } = await ownConversation(runtime, params.agent);
      await (await openIn(runtime, { agentId, conversationId: id })).clearWindow();
      return null;
    },
  }),
  route({
    method: "post",
    path: "/agents/:agent/recompile",
    summary: "Get the compiled prompt of an agent, which is always up to date",
    scope: "chat",
    params: agentPath,
    query: z.looseObject({}),
    body: anyBody,
    output: z.string(),
    run: async ({ runtime, params }) => compiledPrompt(runtime, await ownConversation(runtime, params.agent)),
  }),
  route({
    method: "get",
    path: "/agents/:agent/context",
    summary: "Get what the window of an agent contains, and how many tokens its parts have",
    scope: "read",
    params: agentPath,
    query: z.looseObject({}),
    output: z.looseObject({ context_window_size_max: z.int(), context_window_size_current: z.int() }),
    run: ({ runtime, params }) => windowOf(runtime, params.agent),
  }),
];

async function windowOf(runtime: UserRuntime, agent: string): Promise<Readonly<Record<string, unknown>>> {
  const opened = await openForReading(runtime, await readableConversation(runtime, `agent-${agent}`, null));
  const { system, report } = opened.context();
  const parts = Object.fromEntries(
    Object.values(report.tiers).flatMap((tier) => Object.entries(tier.parts)),
  ) as Readonly<Partial<Record<string, number>>>;
  const tokens = (...names: readonly string[]): number => names.reduce((sum, name) => sum + (parts[name] ?? 0), 0);
  const tools = opened.describeTools();
  return {
    context_window_size_max: report.window,
    context_window_size_current: report.total,
    num_messages: opened.messages.length + 1,
    num_archival_memory: null,
    num_recall_memory: null,
    num_tokens_external_memory_summary: tokens("synopsis"),
    external_memory_summary: "",
    num_tokens_system: tokens("instructions"),
    system_prompt: system.instructions,
    num_tokens_core_memory: tokens("coreMemory"),
    core_memory: system.memory,
    num_tokens_summary_memory: tokens("summaries"),
    summary_memory: null,
    num_tokens_functions_definitions: tokens("tools"),
    functions_definitions: tools.map(({ name, description }) => ({
      type: "function",
      function: { name, description },
    })),
    num_tokens_messages: tokens("turn", "recentTurns", "olderTurns", "retrieved", "openFiles"),
    messages: [],
  };
}
