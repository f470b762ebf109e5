// Every function of a user's store for messages between agents, called by somebody else with this user's ids.
import type { AgentMessageRecord } from "../../src/store/port/agent-message-store.ts";
import type { TestStore } from "./database.ts";
import type { PortCase } from "./isolation-source-cases.ts";
import type { FilledTalk } from "./isolation-scene.ts";
import { ids, type Talk } from "./store-builders.ts";

/** A message of a call to the agent itself, as the owner of the tables could write one. */
export async function fillAgentMessage(
  test: Pick<TestStore, "ownerRows">,
  { user, agentId, conversationId }: Talk,
  { messageId, text }: { readonly messageId: string; readonly text: string },
): Promise<string> {
  const id = ids.next();
  await test.ownerRows(
    `insert into agent_messages (user_id, id, agent_id, conversation_id, call_message_id, call_id, to_agent_id, to_conversation_id,
       chain_id, hop, budget, path, waits, text, trust, status)
     values ($1, $2::uuid, $3::uuid, $4::uuid, $5::uuid, 'call-1', $3::uuid, $4::uuid, $2::uuid, 1, 9, '[]', true, $6, 'user', 'queued')`,
    [user.userId, id, agentId, conversationId, messageId, text],
  );
  return id;
}

const hasSecret = (rows: readonly Pick<AgentMessageRecord, "id">[], { agentMessageId }: FilledTalk): boolean =>
  rows.some(({ id }) => id === agentMessageId);

export const agentMessageCases: Readonly<Record<string, PortCase>> = {
  "agentMessages.send": [
    (user, of) =>
      user.agentMessages.send({
        id: ids.next(),
        agentId: of.agentId,
        call: { conversationId: of.conversationId, messageId: of.callMessageId, callId: "other" },
        text: "intrusion",
        waits: false,
        to: { token: of.agentMessageId.slice(-8) },
      }),
    "message_not_found",
  ],
  "agentMessages.list": [
    async (user, of) => hasSecret(await user.agentMessages.list(of.agentId, { limit: 10 }), of),
    false,
  ],
  "agentMessages.open": [async (user, of) => hasSecret(await user.agentMessages.open(), of), false],
  "agentMessages.queued": [
    async (user, of) => hasSecret(await user.agentMessages.queued(of.agentId, of.conversationId), of),
    false,
  ],
  "agentMessages.answerWithTurn": [
    (user, of) => user.agentMessages.answerWithTurn({ id: of.agentMessageId } as AgentMessageRecord, ids.next()),
    false,
  ],
  "agentMessages.end": [(user, of) => user.agentMessages.end(of.agentMessageId, "intrusion"), undefined],
};
