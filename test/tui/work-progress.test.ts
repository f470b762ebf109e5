// The row above the prompt while the agent works: time, tokens and the model's silence.
import type { AgentEvent, EventBody } from "../../src/agent/events.ts";
import { widthOf } from "../../src/surfaces/terminal/screen/text-width.ts";
import type { ViewState } from "../../src/surfaces/terminal/view/chat-view.ts";
import { openingState, reduceView } from "../../src/surfaces/terminal/view/view-state.ts";
import { stepStart } from "../support/fake-agent.ts";
import { liveFrame } from "../support/live-frame.tsx";
import { newStatus } from "../support/new-status.ts";

const startMs = Date.parse("2026-11-21T12:00:00Z");
const header = { agentId: "a", conversationId: "c", turnId: "t", sequence: 0 };
const delta = (text: string): EventBody => ({ type: "text-delta", step: 1, text });
const call: EventBody = { type: "tool-call", step: 1, callId: "c1", name: "web_search", arguments: "{}" };
const usage = { inputTokens: 900, outputTokens: 70, cachedInputTokens: 0 };

/** The events at their seconds after the beginning of the work. */
function working(events: readonly (readonly [number, EventBody])[], columns = 80): ViewState {
  const idle = openingState({ status: newStatus(), size: { columns, rows: 24 } });
  const began = reduceView(idle, { type: "begin", activity: "thinking", atMs: startMs });
  return events.reduce(
    (state, [seconds, body]) =>
      reduceView(state, {
        type: "events",
        events: [{ ...header, ...body } as AgentEvent],
        atMs: startMs + seconds * 1000,
      }),
    began,
  );
}

function rowAt(seconds: number, state: ViewState): string {
  const { rows } = liveFrame(state, new Date(startMs + seconds * 1000));
  for (const row of rows) expect(widthOf(row)).toBeLessThan(state.size.columns);
  // The spinner turns with time.
  return rows.find((text) => text.endsWith("Esc") || text.includes("…"))?.replace(/^[⠀-⣿]/u, "⠋") ?? "(none)";
}

const streaming = working([
  [0, stepStart()],
  [1, delta("x".repeat(1360))],
  [11, delta("")],
]);

it.each([
  ["nothing in the first second", 0.9, working([]), "⠋ thinking… Esc"],
  ["the time", 3, working([[0, stepStart()]]), "⠋ thinking… 3 s · Esc"],
  ["the estimated tokens of the running reply", 12.9, streaming, "⠋ replying… 12 s · 340 tokens · Esc"],
  ["silence of 5 s", 16, streaming, "⠋ replying… 16 s · 340 tokens · no answer for 5 s · Esc"],
  ["less silence not at all", 15.9, streaming, "⠋ replying… 15 s · 340 tokens · Esc"],
  ["minutes", 125, working([[0, stepStart()]]), "⠋ thinking… 2 min 5 s · no answer for 2 min 5 s · Esc"],
  [
    "no silence while a tool runs",
    60,
    working([
      [0, stepStart()],
      [1, call],
    ]),
    "⠋ running web_search… 1 min 0 s · Esc",
  ],
  [
    "the reported tokens of finished steps",
    4,
    working([
      [0, stepStart()],
      [1, delta("x".repeat(400))],
      [2, { type: "step-end", step: 1, usage }],
      [2, stepStart()],
      [3, delta("x".repeat(40))],
    ]),
    "⠋ replying… 4 s · 80 tokens · Esc",
  ],
  [
    "no silence before a retry is due",
    12,
    working([
      [0, stepStart()],
      [1, { type: "retry", step: 1, attempt: 2, delayMs: 10_000, reason: "overloaded" }],
    ]),
    "⠋ waiting to retry… 12 s · Esc",
  ],
  [
    "silence after a retry",
    17,
    working([
      [0, stepStart()],
      [1, { type: "retry", step: 1, attempt: 2, delayMs: 10_000, reason: "overloaded" }],
    ]),
    "⠋ waiting to retry… 17 s · no answer for 6 s · Esc",
  ],
] as const)("shows %s", (_, seconds, state, text) => {
  expect(rowAt(seconds, state)).toBe(text);
});

it("is cut at the width of a narrow terminal", () => {
  expect(rowAt(16, working([[0, stepStart()]], 30))).toMatch(/^⠋ thinking… 16 s · no answer.*…$/u);
});

it("cuts only what is waited for at 40 columns", () => {
  const holder = "process 123456 on the host build-machine-7";
  const waiting = working([[0, { type: "turn-queued", holder, ahead: 0 }]], 40);
  expect(rowAt(16, waiting)).toMatch(/^⠋ waiting for process 1\d*.*… 16 s · Esc$/u);
});

it("keeps its end when the screen is low, and a long input that waits is cut at the width", () => {
  const waiting = { ...streaming, queue: ["first input ".repeat(20), "second"], size: { columns: 40, rows: 7 } };
  const { rows, replyRows, cursor } = liveFrame(waiting, new Date(startMs + 3000));
  expect(replyRows).toBe(0);
  expect(rows.slice(0, 3).map((row) => row.replace(/^[⠀-⣿]/u, "⠋"))).toEqual([
    "⠋ replying… 3 s · 340 tokens · Esc",
    `next: ${"first input ".repeat(3).slice(0, 19)}… (and 1 more)`,
    "",
  ]);
  expect([rows.length, cursor]).toEqual([5, { x: 2, y: 3 }]);
});

it("lists up to three inputs that wait, and counts the others", () => {
  const rowsOf = (queue: readonly string[]): readonly string[] =>
    liveFrame({ ...streaming, queue }, new Date(startMs + 3000)).rows.filter((row) => /^(?:next:| {6})/u.test(row));
  expect(rowsOf(["one", "two\nlines", "three"])).toEqual(["next: one", "      two lines", "      three"]);
  expect(rowsOf(["one", "two", "x".repeat(99), "four", "five"]).at(-1)).toMatch(/^ {6}x{58,}… \(and 2 more\)$/u);
});

it("starts again with the next work", () => {
  const finished = reduceView(streaming, { type: "finish", window: newStatus().window, waitsForApproval: false });
  expect(rowAt(20, finished)).toBe("(none)");
  const next = reduceView(finished, { type: "begin", activity: "thinking", atMs: startMs + 20_000 });
  expect(rowAt(22, next)).toBe("⠋ thinking… 2 s · Esc");
});
