// A running turn as the inspector shows it, from its events.
import type { AgentEvent, EventBody } from "../../../src/agent/events.ts";
import {
  endNotes,
  noProgress,
  progressAfter,
  textsOf,
} from "../../../src/surfaces/inspector/conversations/turn-progress.ts";

function after(...bodies: readonly EventBody[]) {
  const header = { agentId: "a", conversationId: "c", turnId: "t" };
  return bodies.reduce(
    (progress, body, at) => progressAfter(progress, { ...header, sequence: at + 1, ...body } as AgentEvent),
    noProgress,
  );
}

const stepStart = (step: number): EventBody => {
  return { type: "step-start", step, messageId: "m", model: "x", window: { tokens: 10 * step, limit: 100 } };
};

test("text of steps is joined, and that of a repeated call is discarded", () => {
  const progress = after(
    stepStart(1),
    { type: "text-delta", step: 1, text: "One" },
    stepStart(2),
    { type: "text-delta", step: 2, text: "lost" },
    { type: "retry", step: 2, attempt: 2, delayMs: 1, reason: "overloaded" },
    { type: "text-delta", step: 2, text: "Two" },
    { type: "thought-delta", step: 2, text: "Hm." },
  );
  expect(textsOf(progress.turn)).toEqual({ said: "One", text: "Two", thought: "Hm." });
  expect(progress).toMatchObject({
    turn: { step: 2, window: { tokens: 20, limit: 100 }, end: null },
    notes: ["Attempt 2: overloaded"],
  });
});

test("text of a reply that its process did not store is discarded", () => {
  const { turn } = after(
    stepStart(1),
    { type: "text-delta", step: 1, text: "lost" },
    { type: "turn-start", messageId: "i", replyId: null },
    { ...stepStart(2), messageId: "n" } as EventBody,
    { type: "text-delta", step: 2, text: "kept" },
  );
  expect(textsOf(turn)).toEqual({ said: "", text: "kept", thought: "" });
});

test("edits and notes; after the end only what is in no message", () => {
  const progress = after(
    { type: "turn-queued", holder: "a server", ahead: 2 },
    { type: "memory-edit", step: 1, callId: "1", label: "human", before: "", after: "x", revision: 4, limit: 9 },
    { type: "warning", code: "memory-pressure", message: "Nearly full." },
    {
      type: "turn-end",
      stopReason: "model-error",
      text: "",
      steps: 1,
      usage: { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0 },
      error: { code: "model_request", message: "It failed." },
    } as EventBody,
  );
  expect(progress.turn.edits).toMatchObject([{ label: "human", revision: 4, before: "", after: "x" }]);
  expect(progress.notes).toEqual(["Waits for a server; 2 before it", "Nearly full."]);
  const { turn, notes } = endNotes(progress);
  expect([turn.edits, turn.end?.stopReason, turn.end?.error?.message, notes]).toEqual([
    [],
    "model-error",
    "It failed.",
    progress.notes,
  ]);
});
