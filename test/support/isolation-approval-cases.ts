// What a stranger gets who asks for the waiting calls of a conversation of Ada's: a case for each function of that port.
import type { FilledTalk } from "./isolation-scene.ts";
import type { PortCase } from "./isolation-source-cases.ts";
import { newMessage } from "./store-builders.ts";

const now = new Date("2026-11-21T10:00:00Z");
const approved = { verdict: "approved", by: "user", reason: null, arguments: null, at: now } as const;
const callOf = ({ conversationId, waitingMessageId }: FilledTalk) => ({
  conversationId,
  messageId: waitingMessageId,
  callId: "call-2",
});

export const approvalCases: Readonly<Record<string, PortCase>> = {
  "approvals.request": {
    call: (user, of) =>
      user.approvals.request(of.lease, [
        { awaits: "approval", ...callOf(of), arguments: "{}", preview: null, requestedAt: now, expiresAt: null },
      ]),
    gives: "conversation_not_found",
  },
  "approvals.answer": {
    call: (user, of) =>
      user.approvals.answer(of.lease, {
        callMessageId: of.callMessageId,
        messages: [newMessage({ role: "tool" })],
        results: [{ callId: callOf(of).callId, status: "ok" }],
      }),
    gives: "conversation_not_found",
  },
  "approvals.decide": {
    call: (user, of) => user.approvals.decide(of.lease, callOf(of), approved),
    gives: "conversation_not_found",
  },
  "approvals.ofMessage": { call: (user, of) => user.approvals.ofMessage(of.waitingMessageId), gives: [] },
  "approvals.lastDefinition": { call: (user) => user.approvals.lastDefinition("core_memory_append"), gives: null },
  "approvals.waiting": {
    call: async (user, of) =>
      (await user.approvals.waiting(of.agentId)).filter(({ messageId }) => messageId === of.waitingMessageId),
    gives: "agent_not_found",
  },
};
