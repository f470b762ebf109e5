// The answers about a turn that its process has left: none of them looks like a complete one.
import type { AgentEvent } from "../../../src/agent/events.ts";
import { streamedAnswer, wholeAnswer } from "../../../src/server/letta/turns/turn-answer.ts";
import { notesOf } from "../../../src/server/letta/turns/run-notes.ts";
import { completionChunks, wholeCompletion } from "../../../src/server/openai/completion.ts";

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
  notes: notesOf({}, "send_message"),
  protocol: "native" as const,
  pause: null,
});
const stream = {
  isBackground: true,
  hasPings: false,
  startingAfter: 0,
  afterSequence: 0,
  turnId: "t",
  isNew: false,
};

test.each([
  ["a run", () => wholeAnswer(turn(), { afterSequence: 0 })],
  ["the stream of a run", () => drained(streamedAnswer(turn(), stream))],
  ["a completion", () => wholeCompletion(left(), place)],
  ["the chunks of a completion", () => drained(completionChunks(left(), place))],
])("%s says that the server ends", async (_name, answer: () => Promise<unknown>) => {
  await expect(answer()).rejects.toMatchObject({ status: 503, code: "runtime_closing" });
});
