// Reads stored messages in Letta's form: of a conversation, of a run, or one by its id.
// Invariant: nothing is written. The prompt of a conversation is not stored but compiled for the request.
import * as z from "zod";
import { RequestError } from "../../../../base/errors.ts";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import { Fault } from "../../fault.ts";
import { openForReading } from "../../follow-turn.ts";
import type { ConversationMessage, ConversationRecord, FoundMessage } from "../runtime-records.ts";
import { readMessageId } from "../ids.ts";
import { messageQuery, queryFlag, queryTexts } from "../pages.ts";
import { each } from "../wire-record.ts";
import { readableConversation } from "./conversation-place.ts";
import { readRows, type RowSource } from "./row-pages.ts";
import { defaultTool, messageToolOf, readRunExtension } from "./run-extension.ts";
import type { ShownMessage } from "./shown-message.ts";
import { promptRow, type RowOptions, rowsOf, type StoredRow } from "./stored-rows.ts";

type Conversation = Pick<ConversationRecord, "id" | "agentId" | "leafId" | "createdAt">;

/** The parameters of a list of messages. */
export const messagesQuery = z.looseObject({
  ...messageQuery,
  include_return_message_types: queryTexts.optional(),
  use_assistant_message: queryFlag.optional(),
  ...each(z.string().optional(), "assistant_message_tool_name", "assistant_message_tool_kwarg"),
});

export type MessageQuery = z.output<z.ZodObject<(typeof messagesQuery)["shape"]>>;

const defaultLimit = 100;

/** Returns a page of a conversation's rows, in the order that the query asks for. */
export async function readConversation(
  runtime: UserRuntime,
  conversation: Conversation,
  query: MessageQuery,
): Promise<readonly StoredRow[]> {
  const { order = "desc", limit = defaultLimit, before, after } = query;
  return readRows(await rowSource(runtime, conversation, query), { order, limit, before, after });
}

export async function rowSource(
  runtime: UserRuntime,
  conversation: Conversation,
  query: MessageQuery,
): Promise<RowSource> {
  return {
    // A conversation without messages might not be stored yet, so nothing is read.
    conversations: conversation.leafId === null ? empty(runtime) : runtime.conversations,
    conversationId: conversation.id,
    options: await rowOptions(runtime, conversation.agentId, query),
    prompt: () => readPrompt(runtime, conversation),
  };
}

function empty({ conversations }: Pick<UserRuntime, "conversations">): RowSource["conversations"] {
  return { message: conversations.message, messages: async () => ({ messages: [], hasOlder: false, hasNewer: false }) };
}

/** Returns the shown messages of the rows: of all types, or of those that the query names. */
export function shownOf(
  rows: readonly StoredRow[],
  { include_return_message_types: types }: { readonly include_return_message_types?: readonly string[] | undefined },
): readonly ShownMessage[] {
  const all = rows.flatMap(({ shown }) => shown);
  return types === undefined ? all : all.filter(({ message_type: type }) => types.includes(type));
}

async function rowOptions(runtime: UserRuntime, agentId: string, query: MessageQuery): Promise<RowOptions> {
  const { protocol } = await runtime.agents.find(agentId);
  return { protocol, messageTool: messageToolOf(query) };
}

/** Returns the compiled prompt of a conversation as its first row. */
export async function readPrompt(runtime: UserRuntime, conversation: Conversation): Promise<StoredRow> {
  return promptRow(conversation.id, { at: conversation.createdAt, text: await compiledPrompt(runtime, conversation) });
}

/** Returns the text that precedes the messages of a conversation in a request to the model. */
export async function compiledPrompt(
  runtime: UserRuntime,
  conversation: Pick<Conversation, "id" | "agentId" | "leafId">,
): Promise<string> {
  const agent = await openForReading(runtime, conversation);
  const { instructions, memory } = agent.context().system;
  return [instructions, memory].filter((text) => text !== "").join("\n\n");
}

/** Returns the rows of a run, oldest first, in the form that the run's first request asked for. */
export async function readRun(runtime: UserRuntime, turnId: string): Promise<readonly StoredRow[]> {
  const turn = await runtime.turns.find(turnId);
  const { messageTool, types } = readRunExtension(turn);
  const { protocol } = await runtime.agents.find(turn.agentId);
  const stored = await runtime.turns.messages(turnId);
  const messages = [];
  for (const { id, role } of stored) if (role !== "tool") messages.push(await runtime.conversations.message(id));
  const rows = rowsOf(messages, { protocol, messageTool });
  return rows.map((row) => ({
    ...row,
    shown: shownOf([row], types === null ? {} : { include_return_message_types: types }),
  }));
}

/** Returns the shown messages with this id. Throws RequestError or Fault `message_not_found`. */
export async function readMessage(runtime: UserRuntime, id: string): Promise<readonly ShownMessage[]> {
  const named = readMessageId(id);
  if (named === null) throw messageNotFound(id);
  const conversation = named.mark === "derived" ? await conversationOf(runtime, named.uuid) : null;
  if (conversation !== null) return (await readPrompt(runtime, conversation)).shown;
  const message = await runtime.conversations.message(named.uuid);
  const { protocol } = await runtime.agents.find(message.agentId);
  const reply = await replyTo(runtime, message);
  const rows = rowsOf([message, ...reply], { protocol, messageTool: defaultTool });
  const row = rows.find((one) => one.id === id);
  if (row === undefined) throw messageNotFound(id);
  return row.shown;
}

/** Returns the reply to a message of the user; empty if there is none. The message is shown with the id of its reply's step. */
async function replyTo(
  { conversations }: UserRuntime,
  { id, role, conversationId }: FoundMessage,
): Promise<readonly ConversationMessage[]> {
  if (role !== "user") return [];
  const page = await conversations.messages(conversationId, { after: id, limit: 10 }).catch(unlessMissing);
  const reply = page?.messages.find((message) => message.role === "assistant");
  return reply === undefined ? [] : [reply];
}

async function conversationOf(runtime: UserRuntime, id: string): Promise<ConversationRecord | null> {
  const found = await runtime.conversations.find(id).catch(unlessMissing);
  return found ?? readableConversation(runtime, `agent-${id}`, null).catch(unlessMissing);
}

/** Returns null for an error about a missing record, such as a message that is on a branch; rethrows any other error. */
function unlessMissing(error: unknown): null {
  if (error instanceof RequestError && /^(?:conversation|agent|message)_not_found$/u.test(error.code)) return null;
  throw error;
}

function messageNotFound(id: string): Fault {
  return new Fault(404, "message_not_found", `Message with id ${id} not found`);
}
