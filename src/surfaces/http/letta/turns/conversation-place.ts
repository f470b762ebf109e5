// Finds the conversations that Letta's clients name: by an id, or as an agent's own messages.
// Invariant: an agent's own messages are in a conversation with the agent's UUID, created when it is first needed.
import { valueOn } from "../../../../base/thrown-values.ts";
import * as z from "zod";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import { invalidField } from "../../fault.ts";
import { idOf } from "../ids.ts";
import type { ConversationRecord } from "../runtime-records.ts";

type Runtime = Pick<UserRuntime, "conversations" | "agents">;

/** Returns the conversation with an agent's own messages, and creates it if needed. Throws RequestError `agent_not_found`. */
export async function ownConversation(runtime: Runtime, agentId: string): Promise<ConversationRecord> {
  const { id } = await runtime.agents.find(agentId);
  return conversationAt(runtime, id, { id });
}

/** Returns an agent's conversation with the wanted id, and creates the conversation if it does not exist. */
export async function conversationAt(
  { conversations }: Pick<Runtime, "conversations">,
  agentId: string,
  wanted: { readonly id: string; readonly title?: string },
): Promise<ConversationRecord> {
  const find = () => conversations.find(wanted.id).catch(valueOn("conversation_not_found", null));
  const found = await find();
  if (found !== null) return found;
  try {
    return await conversations.create(agentId, wanted);
  } catch (error) {
    // Another request may have created the conversation meanwhile.
    const created = await find();
    if (created === null) throw error;
    return created;
  }
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

/** Like `ownConversation`, for reading: returns an empty conversation if none exists yet, instead of creating it. */
async function readableOwn({ conversations, agents }: Runtime, agentId: string): Promise<ConversationRecord> {
  const { id, createdAt } = await agents.find(agentId);
  const found = await conversations.find(id).catch(valueOn("conversation_not_found", null));
  return found ?? { id, agentId: id, title: null, leafId: null, createdAt, updatedAt: createdAt };
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
export function namedConversation(runtime: Runtime, name: string, agent: string | null | undefined): NamedConversation {
  return named(runtime, name === "default" ? agent : name, ownConversation);
}

/** Finds a conversation for reading. If an agent's own conversation does not exist yet, an empty one is returned. */
export async function readableConversation(
  runtime: Runtime,
  name: string,
  agent: string | null | undefined,
): Promise<ConversationRecord> {
  return named(runtime, name === "default" ? agent : name, readableOwn).find();
}

function named(
  runtime: Runtime,
  name: string | null | undefined,
  own: (runtime: Runtime, agentId: string) => Promise<ConversationRecord>,
): NamedConversation {
  if (name === null || name === undefined)
    throw invalidField("agent_id", "Expected `agent_id` with the conversation `default`.");
  if (!agentId.test(name)) return { id: name, isOwn: false, find: () => runtime.conversations.find(name) };
  const id = name.slice("agent-".length).toLowerCase();
  return { id, isOwn: true, find: () => own(runtime, id) };
}
