// Calls that wait for approval: which there are, and that of two decisions the first holds. On the engine at hand.
import type { ApprovalDecision, CallReference } from "../../src/store/port/approval-store.ts";
import { useStore } from "../support/database.ts";
import { callTool, ids, newTalk, type Talk } from "../support/store-builders.ts";

const { test: opened } = useStore();

const requestedAt = new Date("2026-11-21T10:00:00.123Z");
const expiresAt = new Date("2026-11-22T10:00:00.123Z");
const denied: ApprovalDecision = {
  verdict: "denied",
  by: "user",
  reason: "no\u0000",
  arguments: null,
  at: new Date("2026-11-21T11:00:00Z"),
};
const approved: ApprovalDecision = { ...denied, verdict: "approved", reason: null, arguments: '{"euros":5}' };

async function ask(talk: Talk, callId = "call-1"): Promise<CallReference> {
  const { conversationId } = talk;
  const { callMessageId: messageId } = await callTool(talk, { callId });
  const call = { conversationId, messageId, callId };
  await talk.user.approvals.request(talk.lease, [
    { awaits: "approval", ...call, arguments: '{"euros":500}', preview: "pays 500 euros", requestedAt, expiresAt },
  ]);
  return call;
}

test("a call that needs approval waits, with its whole reply, until the decision", async () => {
  const talk = await newTalk(opened.store.as("ada"));
  const { approvals } = talk.user;
  const call = await ask(talk);
  const waiting = {
    awaits: "approval",
    ...call,
    toolName: "core_memory_append",
    arguments: '{"euros":500}',
    preview: "pays 500 euros",
    requestedAt,
    expiresAt,
    decision: null,
  };
  expect(await approvals.waiting(talk.agentId)).toEqual([waiting]);
  expect(await approvals.ofMessage(call.messageId)).toEqual([waiting]);
  await approvals.decide(talk.lease, call, approved);
  expect(await approvals.waiting(talk.agentId)).toEqual([]);
  expect(await approvals.ofMessage(call.messageId)).toEqual([{ ...waiting, decision: approved }]);
});

test("requests are stored with their events, or neither is", async () => {
  const talk = await newTalk(opened.store.as("ada"));
  const { callMessageId: messageId, message } = await callTool(talk);
  const { turnId } = message;
  const call = {
    awaits: "approval",
    conversationId: talk.conversationId,
    messageId,
    arguments: "{}",
    preview: null,
  } as const;
  const request = (callId: string) =>
    talk.user.approvals.request(talk.lease, [{ ...call, callId, requestedAt, expiresAt }], {
      turnId,
      first: 1,
      last: 2,
      events: "[]",
    });
  await expect(request("other")).rejects.toMatchObject({ code: "approval_not_found" });
  expect(await talk.user.events.last(turnId)).toBe(0);
  await request("call-1");
  expect(await talk.user.events.last(turnId)).toBe(2);
});

test("the first decision counts, and characters of a reason that cannot be stored are replaced", async () => {
  const talk = await newTalk(opened.store.as("ada"));
  const call = await ask(talk);
  await talk.user.approvals.decide(talk.lease, call, denied);
  await expect(talk.user.approvals.decide(talk.lease, call, approved)).rejects.toMatchObject({
    code: "approval_not_found",
  });
  const [asked] = await talk.user.approvals.ofMessage(call.messageId);
  expect(asked?.decision).toEqual({ ...denied, reason: "no\uFFFD" });
});

test("of two concurrent decisions one counts", async () => {
  const talk = await newTalk(opened.store.as("ada"));
  const call = await ask(talk);
  const both = await Promise.allSettled(
    [denied, approved].map((one) => talk.user.approvals.decide(talk.lease, call, one)),
  );
  expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
});

test("a call waits once, and its result cannot be stored while it waits", async () => {
  const talk = await newTalk(opened.store.as("ada"));
  const result = await callTool(talk);
  const call = { conversationId: talk.conversationId, messageId: result.callMessageId, callId: result.callId };
  const request = () =>
    talk.user.approvals.request(talk.lease, [
      { awaits: "approval", ...call, arguments: "{}", preview: null, requestedAt, expiresAt: null },
    ]);
  await request();
  await expect(request()).rejects.toMatchObject({ code: "approval_not_found" });
  await expect(talk.user.turns.commitToolResult(result)).rejects.toMatchObject({ code: "message_not_found" });
  await talk.user.approvals.decide(talk.lease, call, denied);
  await talk.user.turns.commitToolResult(result);
});

test("a call whose message was popped is not listed", async () => {
  const talk = await newTalk(opened.store.as("ada"));
  const call = await ask(talk);
  await talk.user.conversations.moveLeaf(talk.lease, { from: call.messageId, to: null });
  expect(await talk.user.approvals.waiting(talk.agentId)).toEqual([]);
});

test.each([
  ["no uuid", "nonsense"],
  ["of nothing", ids.next()],
])("a message id that is %s has no approvals and takes no decision", async (_what, messageId) => {
  const talk = await newTalk(opened.store.as("ada"));
  expect(await talk.user.approvals.ofMessage(messageId)).toEqual([]);
  const call = { conversationId: talk.conversationId, messageId, callId: "call-1" };
  await expect(talk.user.approvals.decide(talk.lease, call, denied)).rejects.toMatchObject({
    code: "approval_not_found",
  });
});

describe("a call that waits for its result", () => {
  async function waitForResult(talk: Talk) {
    const result = await callTool(talk);
    const call = { conversationId: talk.conversationId, messageId: result.callMessageId, callId: result.callId };
    const wait = { awaits: "result", ...call, arguments: "{}", preview: null, requestedAt, expiresAt: null } as const;
    await talk.user.approvals.request(talk.lease, [wait]);
    const { callMessageId, callId, message } = result;
    const answer = { callMessageId, messages: [message], results: [{ callId, status: "ok" as const }] };
    return { call, result, answer };
  }

  test("is not listed as waiting for approval, and takes one result", async () => {
    const talk = await newTalk(opened.store.as("ada"));
    const { call, answer } = await waitForResult(talk);
    expect(await talk.user.approvals.waiting(talk.agentId)).toEqual([]);
    expect(await talk.user.approvals.ofMessage(call.messageId)).toMatchObject([{ awaits: "result", decision: null }]);
    await expect(talk.user.approvals.decide(talk.lease, call, denied)).rejects.toMatchObject({
      code: "approval_not_found",
    });
    await talk.user.approvals.answer(talk.lease, answer);
    const next = {
      ...answer,
      messages: [{ ...answer.messages[0]!, id: ids.next(), parentId: answer.messages[0]!.id }],
    };
    await expect(talk.user.approvals.answer(talk.lease, next)).rejects.toMatchObject({ code: "result_not_awaited" });
  });

  test("stores no result if another call of the answer does not wait", async () => {
    const talk = await newTalk(opened.store.as("ada"));
    const { answer, result } = await waitForResult(talk);
    const [message] = answer.messages;
    const other = { ...message!, id: ids.next(), parentId: message!.id };
    const both = {
      ...answer,
      messages: [message!, other],
      results: [...answer.results, { callId: "call-9", status: "ok" as const }],
    };
    await expect(talk.user.approvals.answer(talk.lease, both)).rejects.toMatchObject({ code: "result_not_awaited" });
    await talk.user.turns.commitToolResult(result);
  });
});
