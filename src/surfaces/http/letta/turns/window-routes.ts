// Defines the routes of `/v1` that summarize, reset, compile or return the window of an agent or a conversation.
// Invariant: messages that leave the window stay in the conversation; a window that is too short to be summarized stays
// unchanged, without an error.
import * as z from "zod";
import { RequestError } from "../../../../base/errors.ts";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import { openForReading, openIn } from "../../follow-turn.ts";
import type { Route } from "../../route.ts";
import { on } from "../letta-routes.ts";
import type { ConversationRecord } from "../runtime-records.ts";
import { conversationOf, namedPath, namedQuery, ownConversation, readableConversation } from "./conversation-place.ts";
import { compiledPrompt } from "./read-messages.ts";

/** A compaction always uses the agent's settings: settings in the request have no effect. */
const anyBody = z.looseObject({}).nullish();
const named = {
  params: namedPath,
  query: namedQuery,
  body: z.looseObject({ agent_id: z.string().nullish() }).nullish(),
};

const compactionShape = z.looseObject({
  summary: z.string(),
  num_messages_before: z.int(),
  num_messages_after: z.int(),
});

export const windowRoutes: readonly Route[] = [
  on(
    "post /conversations/:conversation/recompile",
    "chat",
    "Get the compiled prompt of a conversation, which is always up to date",
    {
      ...named,
      output: z.string(),
      run: async (call) => compiledPrompt(call.runtime, await conversationOf(call).find()),
    },
  ),
  on("post /conversations/:conversation/compact", "chat", "Summarize older messages of a conversation", {
    ...named,
    output: compactionShape,
    run: async (call) => compact(call.runtime, await conversationOf(call).find()),
  }),
  on("post /agents/:agent/summarize", "chat", "Summarize older messages of an agent", {
    body: anyBody,
    output: compactionShape,
    run: async ({ runtime, params }) => compact(runtime, await ownConversation(runtime, params.agent)),
  }),
  on("patch /agents/:agent/reset-messages", "chat", "Remove all messages of an agent from its window", {
    body: anyBody,
    output: z.null(),
    run: async ({ runtime, params }) => {
      const { id, agentId } = await ownConversation(runtime, params.agent);
      await (await openIn(runtime, { agentId, conversationId: id })).clearWindow();
      return null;
    },
  }),
  on("post /agents/:agent/recompile", "chat", "Get the compiled prompt of an agent, which is always up to date", {
    query: z.looseObject({}),
    body: anyBody,
    output: z.string(),
    run: async ({ runtime, params }) => compiledPrompt(runtime, await ownConversation(runtime, params.agent)),
  }),
  on(
    "get /agents/:agent/context",
    "read",
    "Get what the window of an agent contains, and how many tokens its parts have",
    {
      query: z.looseObject({}),
      output: z.looseObject({ context_window_size_max: z.int(), context_window_size_current: z.int() }),
      run: ({ runtime, params }) => windowOf(runtime, params.agent),
    },
  ),
];

async function compact(
  runtime: UserRuntime,
  { id, agentId }: Pick<ConversationRecord, "id" | "agentId">,
): Promise<z.output<typeof compactionShape>> {
  const agent = await openIn(runtime, { agentId, conversationId: id });
  // The prompt counts as a message.
  const before = agent.messages.length + 1;
  try {
    const { summary, messages } = await agent.compact();
    // The summary replaces the messages.
    return { summary, num_messages_before: before, num_messages_after: before - messages + 1 };
  } catch (error) {
    if (!(error instanceof RequestError) || error.code !== "summary_refused") throw error;
    const [last] = await agent.compactions(1);
    const summary = last?.summary ?? "No messages were summarized: there are too few.";
    return { summary, num_messages_before: before, num_messages_after: before };
  }
}

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
