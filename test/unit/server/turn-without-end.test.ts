// The answers about an unfinished turn: none of them looks like a complete one, and none lacks what was stored.
import type { AgentEvent, EventBody } from "../../../src/agent/events.ts";
import { noUsage } from "../../../src/base/message/message.ts";
import { streamedAnswer, wholeAnswer } from "../../../src/surfaces/http/letta/turns/turn-answer.ts";
import { runExtensionOf } from "../../../src/surfaces/http/letta/turns/run-extension.ts";
import { completionChunks, wholeCompletion } from "../../../src/surfaces/http/openai/completion.ts";
import { replayRun } from "../../../src/surfaces/stream/ai-sdk/replay-run.ts";

const header = { agentId: "a", conversationId: "c", turnId: "t" };

async function* left(): AsyncGenerator<AgentEvent, void> {
  yield { ...header, sequence: 1, type: "turn-start", messageId: "m" };
  yield { ...header, sequence: 2, type: "text-delta", step: 1, text: "Half" };
}

async function* leftAndRead() {
  for await (const event of left()) yield { event, counts: true };
}

async function drained(stream: AsyncIterable<unknown>): Promise<void> {
  for await (const _event of stream);
}

const place = { model: "main", conversationId: "c", created: 0, includeUsage: true };
const turn = () => ({
  events: leftAndRead(),
  extension: runExtensionOf({}, "send_message"),
  protocol: "native" as const,
  pause: null,
});
const stream = { isBackground: true, hasPings: false, startingAfter: 0, afterSequence: 0, turnId: "t", isNew: false };

test.each([
  ["a run", () => wholeAnswer(turn(), 0)],
  ["the stream of a run", () => drained(streamedAnswer(turn(), stream))],
  ["a completion", () => wholeCompletion(left(), place)],
  ["the chunks of a completion", () => drained(completionChunks(left(), place))],
])("%s says that the server ends", async (_name, answer: () => Promise<unknown>) => {
  await expect(answer()).rejects.toMatchObject({ status: 503, code: "runtime_closing" });
});

test("the result of an approved call is shown although the process ended in the model call after it", async () => {
  const [first, lost, second] = [1, 2, 3].map((at) => `00000000-0000-7000-8000-00000000000${at}`) as [
    string,
    string,
    string,
  ];
  const call = { step: 1, callId: "call", name: "increment", arguments: "{}" };
  const replied = (step: number, messageId: string, text: string): EventBody[] => [
    { type: "step-start", step, messageId, model: "m", window: { tokens: 1, limit: 10 } },
    { type: "text-delta", step, text },
  ];
  const bodies: readonly EventBody[] = [
    { type: "turn-start", messageId: "input" },
    ...replied(1, first, "One moment."),
    { type: "approval-requested", ...call, preview: null, expiresAt: null },
    { type: "turn-end", stopReason: "awaiting-approval", text: "One moment.", steps: 1, usage: noUsage },
    { type: "turn-start", messageId: "input", replyId: first },
    { type: "tool-result", step: 1, callId: "call", name: "increment", status: "ok", text: "Done" },
    ...replied(2, lost, "Never sto"),
    { type: "turn-start", messageId: "input", replyId: first },
    ...replied(2, second, "It is done."),
    { type: "step-end", step: 2, usage: noUsage },
    { type: "turn-end", stopReason: "end-turn", text: "It is done.", steps: 2, usage: noUsage },
  ];
  const events = bodies.map((body, at): AgentEvent => ({ ...header, ...body, sequence: at + 1 }));
  const kept = new Set(replayRun(events));
  async function* read() {
    for (const event of events) yield { event, counts: kept.has(event) };
  }
  const shown: string[] = [];
  for await (const { data } of streamedAnswer({ ...turn(), events: read() }, stream))
    if (typeof data === "object" && data !== null && "message_type" in data) shown.push(String(data["message_type"]));
  expect(shown.filter((type) => type.endsWith("_message"))).toEqual([
    "assistant_message",
    "approval_request_message",
    "tool_return_message",
    "assistant_message",
  ]);
});
