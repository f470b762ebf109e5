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
  "approvals.request": [
    (user, of) =>
      user.approvals.request(of.lease, [
        { awaits: "approval", ...callOf(of), arguments: "{}", preview: null, requestedAt: now, expiresAt: null },
      ]),
    "conversation_not_found",
  ],
  "approvals.answer": [
    (user, of) =>
      user.approvals.answer(of.lease, {
        callMessageId: of.callMessageId,
        messages: [newMessage({ role: "tool" })],
        results: [{ callId: callOf(of).callId, status: "ok" }],
      }),
    "conversation_not_found",
  ],
  "approvals.decide": [(user, of) => user.approvals.decide(of.lease, callOf(of), approved), "conversation_not_found"],
  "approvals.ofMessage": [(user, of) => user.approvals.ofMessage(of.waitingMessageId), []],
  "approvals.lastDefinition": [(user) => user.approvals.lastDefinition("core_memory_append"), null],
  "approvals.waiting": [
    async (user, of) =>
      (await user.approvals.waiting(of.agentId)).filter(({ messageId }) => messageId === of.waitingMessageId),
    "agent_not_found",
  ],
};
