// Finds the conversations that Letta's clients name: by an id, or as an agent's own messages.
// Invariant: an agent's own messages are in a conversation with the agent's UUID, created when it is first needed.
import { valueOn } from "../../../../base/thrown-values.ts";
import * as z from "zod";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import { invalidField } from "../../fault.ts";
import { conversationAt } from "../../follow-turn.ts";
import { idOf } from "../ids.ts";
import type { ConversationRecord } from "../runtime-records.ts";

type Runtime = Pick<UserRuntime, "conversations" | "agents">;

/** Returns the conversation with an agent's own messages, and creates it if needed. Throws RequestError `agent_not_found`. */
export async function ownConversation(runtime: Runtime, agentId: string): Promise<ConversationRecord> {
  const { id } = await runtime.agents.find(agentId);
  return conversationAt(runtime, id, { id });
}

/** A conversation that a request names: its id, and how it is found and created. */
export interface NamedConversation {
  readonly id: string;
  /** Whether the request names the conversation as an agent's own messages. */
  readonly isOwn: boolean;
  /** Returns the conversation. Throws RequestError `agent_not_found` and `conversation_not_found`. */
  readonly find: () => Promise<ConversationRecord>;
}

/** For a request that names only an agent: returns the conversation with the agent's own messages. */
export function ownOf(runtime: Runtime, agentId: string): NamedConversation {
  return { id: agentId, isOwn: true, find: () => ownConversation(runtime, agentId) };
}

const agentId = /^agent-[\da-f-]{36}$/iu;

/** The name of a conversation in a path: a UUID after `conv-`, `default`, or, in Letta's older form, the id of an agent. */
export const conversationName = z.union([idOf("conv"), z.literal("default"), z.string().regex(agentId)]);

/** The path parameter of routes that accept every name of a conversation. */
export const namedPath = z.looseObject({ conversation: conversationName });
export const namedQuery = z.looseObject({ agent_id: z.string().optional() });

/**
 * Returns the conversation with this name; `default` is the own conversation of `agent`. Throws Fault `request_invalid` for
 * `default` without an agent.
 */
function namedConversation(runtime: Runtime, name: string, agent: string | null | undefined): NamedConversation {
  const named = name === "default" ? (agent ?? null) : name;
  if (named === null) throw invalidField("agent_id", "Expected `agent_id` with the conversation `default`.");
  if (agentId.test(named)) return ownOf(runtime, named.slice("agent-".length).toLowerCase());
  return { id: named, isOwn: false, find: () => runtime.conversations.find(named) };
}

interface NamedCall {
  readonly runtime: Runtime;
  readonly params: z.output<typeof namedPath>;
  readonly query: z.output<typeof namedQuery>;
  readonly body?: { readonly agent_id?: string | null | undefined } | null | undefined;
}

/** Returns the conversation that a request names in its path; its agent is in the body or in the query. */
export function conversationOf({ runtime, params, query, body }: NamedCall): NamedConversation {
  return namedConversation(runtime, params.conversation, body?.agent_id ?? query.agent_id);
}

/** Finds a conversation for reading. If an agent's own conversation does not exist yet, an empty one is returned. */
export async function readableConversation(
  runtime: Runtime,
  name: string,
  agent: string | null | undefined,
): Promise<ConversationRecord> {
  const named = namedConversation(runtime, name, agent);
  if (!named.isOwn) return named.find();
  const { id, createdAt } = await runtime.agents.find(named.id);
  const found = await runtime.conversations.find(id).catch(valueOn("conversation_not_found", null));
  return found ?? { id, agentId: id, title: null, leafId: null, createdAt, updatedAt: createdAt };
}
