// Finds an agent's conversation for a group, and the other agents' messages that this agent has not received.
// Invariant: an agent has one conversation for each of its groups, with an id derived from the ids of agent and group. An
// agent receives each message of the others once, with the message's trust class. The metadata of its turns contains a mark
// for each other agent: the id of the last message received from that agent.
import * as z from "zod";
import { filesOf } from "../../../../base/message/message.ts";
import { valueOn } from "../../../../base/thrown-values.ts";
import type { SentMessage } from "../../../../agent/turn-options.ts";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import { conversationAt } from "../../follow-turn.ts";
import { uuidOfText } from "../../../../base/ids.ts";
import type { AgentRecord, ConversationMessage } from "../runtime-records.ts";
import type { NamedConversation } from "../turns/conversation-place.ts";
import { defaultTool } from "../turns/run-extension.ts";
import { spokenText } from "../turns/shown-message.ts";
import { given } from "../wire-record.ts";
import type { Group } from "./group-record.ts";

/** Returns an agent's conversation for a group. Its `find` creates the conversation if it does not exist. */
export function groupConversation(runtime: UserRuntime, group: Pick<Group, "id">, agentId: string): NamedConversation {
  const id = uuidOfText(`group ${group.id} ${agentId}`, 4);
  const find = () => conversationAt(runtime, agentId, { id, title: `group-${group.id}` });
  return { id, isOwn: false, find };
}

/** Maximum number of an agent's messages that another agent receives at once. */
const maxHeard = 100;

/** Returns the newest messages of an agent in a group, oldest first. */
async function messagesIn(
  runtime: UserRuntime,
  group: Pick<Group, "id">,
  agentId: string,
): Promise<readonly ConversationMessage[]> {
  const { id } = groupConversation(runtime, group, agentId);
  const page = await runtime.conversations
    .messages(id, { limit: maxHeard })
    .catch(valueOn("conversation_not_found", null));
  return page?.messages ?? [];
}

/** The key of the marks in a turn's metadata: the id of the last received message, by the id of its author. */
const key = "lettaHeard";
const marksShape = z.record(z.string(), z.string());

/** Returns the marks of the newest turn that has marks. Queued turns count, although no message shows their input yet. */
async function marksOf(runtime: UserRuntime, group: Pick<Group, "id">, agentId: string) {
  const { id: conversation } = groupConversation(runtime, group, agentId);
  const turns = await runtime.turns.list({ conversation }).catch(valueOn("conversation_not_found", []));
  return turns.map(({ metadata }) => marksShape.safeParse(metadata[key]).data).find((marks) => marks !== undefined);
}

interface Hearing {
  readonly group: Pick<Group, "id">;
  /** The id of the agent that receives the messages. `from`: the agents that wrote them. */
  readonly by: string;
  readonly from: readonly AgentRecord[];
  /** Whether the user's messages to the agents of `from` are received, too. */
  readonly withUser?: boolean;
}

/** Returns the other agents' messages that an agent has not received, oldest first, and metadata for its next turn. */
export async function heardBy(runtime: UserRuntime, { group, by, from, withUser = false }: Hearing) {
  const marks = { ...(await marksOf(runtime, group, by)) };
  const others = from.filter(({ id }) => id !== by);
  const all = await Promise.all(
    others.map(async (agent) => {
      const messages = await messagesIn(runtime, group, agent.id);
      const { [agent.id]: last = "" } = marks;
      marks[agent.id] = messages.at(-1)?.id ?? last;
      return messages.flatMap((message) => {
        const text = message.role === "assistant" ? saidIn(agent, message) : withUser ? message.text : "";
        const name = message.role === "assistant" ? agent.name : "user";
        const isNew = message.id > last && text.trim() !== "";
        const told: SentMessage = { role: "system", text, name, trust: message.trust };
        return isNew ? [{ at: message.at, message: told }] : [];
      });
    }),
  );
  const heard = all.flat().toSorted((one, other) => Number(one.at) - Number(other.at));
  return { heard, metadata: { [key]: marks } };
}

interface Asking {
  readonly group: Pick<Group, "id">;
  /** The agent that received the messages. */
  readonly by: AgentRecord;
  readonly keys: readonly string[];
}

/** Returns the messages with these keys among the newest ones that an agent received in a group, oldest first. */
export async function askedIn(
  runtime: UserRuntime,
  { group, by, keys }: Asking,
): Promise<readonly ConversationMessage[]> {
  return (await messagesIn(runtime, group, by.id)).filter(
    ({ idempotencyKey: key }) => key !== null && keys.includes(key),
  );
}

/** Returns a message that an agent received from the user, with its key and its files, to be sent to another agent. */
export async function sentAgain(
  runtime: UserRuntime,
  { group, by }: Omit<Asking, "keys">,
  message: ConversationMessage,
): Promise<SentMessage> {
  const { kind, text, speaker, idempotencyKey } = message;
  const conversation = groupConversation(runtime, group, by.id).id;
  return {
    ...(kind === "system" ? { role: "system" } : {}),
    text,
    ...given({ name: speaker, idempotencyKey }),
    files: await Promise.all(
      filesOf(message).map(async ({ location, name, mediaType }) =>
        location.type === "url"
          ? { url: location.url, name, mediaType }
          : runtime.conversations.file(conversation, location.id),
      ),
    ),
  };
}

function saidIn({ protocol }: AgentRecord, { text, calls }: ConversationMessage): string {
  if (protocol === "native") return text;
  return calls.flatMap((call) => spokenText(defaultTool, call) ?? []).join("\n");
}
