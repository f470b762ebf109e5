// A running turn as the inspector shows it, from its events.
import type { AgentEvent, EventBody } from "../../../src/agent/events.ts";
import { noProgress, progressAfter } from "../../../src/surfaces/inspector/conversations/turn-progress.ts";

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
  expect(progress).toMatchObject({
    step: 2,
    said: "One",
    text: "Two",
    thought: "Hm.",
    notes: ["Attempt 2: overloaded"],
    window: { tokens: 20, limit: 100 },
    stopReason: null,
  });
});

test("calls go from running or waiting to their result", () => {
  const call = { step: 1, callId: "1", name: "add", arguments: "{}" };
  const waiting = after(
    { type: "tool-call", ...call },
    { type: "approval-requested", ...call, preview: null, expiresAt: null },
  );
  expect(waiting.calls).toEqual([{ callId: "1", name: "add", arguments: "{}", status: "waiting", result: null }]);
  const ended = after(
    { type: "tool-call", ...call },
    { type: "tool-result", step: 1, callId: "1", name: "add", status: "failed", text: "no" },
    { type: "tool-result", step: 1, callId: "2", name: "other", status: "ok", text: "yes" },
  );
  expect(ended.calls).toEqual([
    { callId: "1", name: "add", arguments: "{}", status: "failed", result: "no" },
    { callId: "2", name: "other", arguments: "", status: "ok", result: "yes" },
  ]);
});

test("edits, notes and the end", () => {
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
  expect(progress.edits).toEqual([{ label: "human", revision: 4, before: "", after: "x" }]);
  expect(progress.notes).toEqual(["Waits for a server; 2 before it", "Nearly full."]);
  expect([progress.stopReason, progress.error]).toEqual(["model-error", "It failed."]);
});
