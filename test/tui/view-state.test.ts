// How events change the view: finished items never change, and the live part stays small.
import type { AgentEvent, EventBody } from "../../src/agent/events.ts";
import { noUsage } from "../../src/base/message/message.ts";
import { contentWidth, tailBudget, type ViewState } from "../../src/surfaces/terminal/view/chat-view.ts";
import { itemRows } from "../../src/surfaces/terminal/rows/item-rows.ts";
import { editorOf } from "../../src/surfaces/terminal/input/line-editor.ts";
import { rowText } from "../../src/surfaces/terminal/rows/row.ts";
import { widthOf } from "../../src/surfaces/terminal/screen/text-width.ts";
import { openingState, reduceView } from "../../src/surfaces/terminal/view/view-state.ts";
import { stepStart, turnEnd } from "../support/fake-agent.ts";
import { liveFrame } from "../support/live-frame.tsx";
import { newStatus } from "../support/new-status.ts";

const status = newStatus();

const opened = (columns = 80, rows = 24): ViewState => openingState({ status, size: { columns, rows } });

function after(state: ViewState, ...bodies: readonly EventBody[]): ViewState {
  const header = { agentId: "a", conversationId: "c", turnId: "t", sequence: 0 };
  return reduceView(state, { type: "events", events: bodies.map((body): AgentEvent => ({ ...header, ...body })) });
}

const text = (delta: string): EventBody => ({ type: "text-delta", step: 1, text: delta });
const call = (name: string, args = "{}"): EventBody => ({
  type: "tool-call",
  step: 1,
  callId: "c1",
  name,
  arguments: args,
});
const result = (name: string, words: string, outcome: "ok" | "failed" = "ok"): EventBody => ({
  type: "tool-result",
  step: 1,
  callId: "c1",
  name,
  status: outcome,
  text: words,
});

const now = new Date("2026-11-21T12:00:00Z");
const live = (state: ViewState): string => liveFrame(state, now).rows.join("\n");
const finished = (state: ViewState): string =>
  state.items
    .flatMap((item) => itemRows(item, contentWidth(state.size)))
    .map(rowText)
    .join("\n");

test("streamed text is live until the step ends, then finished", () => {
  const streaming = after(opened(), stepStart(), text("Hello "), text("Ada"));
  expect(streaming.items).toEqual([]);
  expect(live(streaming)).toContain("● Hello Ada");
  const ended = after(streaming, { type: "step-end", step: 1, usage: noUsage }, turnEnd());
  expect(ended.blocks).toEqual([]);
  expect(finished(ended)).toContain("● Hello Ada");
});

test("hints of notices name the command that was started, and nothing else does", () => {
  const state = openingState({ status, size: { columns: 80, rows: 24 }, command: "npm start --" });
  const hint = "`palimpsest doctor` checks it.";
  const shown = reduceView(state, {
    type: "show",
    items: [
      { kind: "notice", level: "failure", text: hint, advice: hint },
      { kind: "user", text: hint },
    ],
  });
  const error = { code: "store_failed" as const, message: hint };
  const lines = finished(after(shown, { ...turnEnd(), stopReason: "model-error", error } as EventBody)).split("\n");
  expect(lines.filter((line) => line.includes("`npm start -- doctor` checks it."))).toHaveLength(3);
  expect(lines.filter((line) => line.includes(hint))).toHaveLength(1);
});

test("retry voids the step's text", () => {
  const voided = after(
    opened(),
    stepStart(),
    text("half a rep"),
    { type: "retry", step: 1, attempt: 2, delayMs: 2000, reason: "overloaded" },
    text("whole"),
    turnEnd(),
  );
  expect(finished(voided)).not.toContain("half a rep");
  expect(finished(voided)).toContain("Retrying in 2 s (attempt 2): overloaded.");
  expect(finished(voided)).toContain("● whole");
});

test("a failure that ends the turn voids the text of its model call, and says so of text that is already finished", () => {
  const failure: EventBody = {
    ...turnEnd(),
    stopReason: "model-error",
    error: { code: "model_unavailable", message: "The provider is away." },
  } as EventBody;
  const failed = finished(after(opened(), stepStart(), text("half a rep"), failure));
  expect(failed).not.toContain("half a rep");
  expect(failed).toContain("The provider is away.\n");
  const long = finished(after(opened(), stepStart(), text("line\n".repeat(40)), failure));
  expect(long).toContain("The provider is away. Ignore the text of this step above.");
});

test("retry reports voided text that is already finished", () => {
  const long = "line\n".repeat(40);
  const voided = after(opened(), stepStart(), text(long), {
    type: "retry",
    step: 1,
    attempt: 2,
    delayMs: 0,
    reason: "truncated",
  });
  expect(finished(voided)).toContain("Ignore the text of this step above.");
});

test("a memory edit shows its change with fill level and limit", () => {
  const edited = after(
    opened(),
    stepStart(),
    call("core_memory_append", '{"name":"human","content":"Name: Ada"}'),
    result("core_memory_append", '"human" now has 19 of 2000 characters. Line 2 now:\nName: Ada'),
    {
      type: "memory-edit",
      step: 1,
      callId: "c1",
      label: "human",
      before: "Likes tea",
      after: "Likes tea\nName: Ada",
      revision: 1,
      limit: 2000,
    },
  );
  expect(finished(edited)).toBe(
    '⏺ core_memory_append human · "Name: Ada"\n✎ human 19/2000  + Name: Ada  /undo human undoes it',
  );
  const again = after(edited, {
    type: "memory-edit",
    step: 1,
    callId: "c2",
    label: "human",
    before: "",
    after: "Name: Ben",
    revision: 2,
    limit: 2000,
  });
  // Only the first edit of a chat says how it is undone.
  expect(finished(again).split("\n").at(-1)).toBe("✎ human 9/2000  + Name: Ben");
});

test.each([
  ["core_memory_replace", 'Replaced 2 occurrences.\n"human" now has 2 of 20 characters. Line 1 now:\n12'],
  ["scratchpad_add", 'Replaced 2 occurrences.\n"scratchpad" is empty now.'],
])("of the result of %s, only the note about the edit is shown", (name, returned) => {
  const edited = after(opened(), stepStart(), call(name, "{}"), result(name, returned));
  expect(finished(edited)).toBe(`⏺ ${name}\n  ⎿ Replaced 2 occurrences.`);
});

test("a replaced line shows as removed and added", () => {
  const edited = after(opened(), {
    type: "memory-edit",
    step: 1,
    callId: "c1",
    label: "human",
    before: "a\nLives in Porto",
    after: "a\nLives in Lisbon",
    revision: 2,
    limit: 100,
  });
  expect(finished(edited)).toBe(
    "✎ human 17/100\n    - Lives in Porto\n    + Lives in Lisbon\n    /undo human undoes it",
  );
});

test("a call is live while it runs; its result is clipped to a few rows", () => {
  const running = after(
    opened(),
    stepStart(),
    call("conversation_search", '{"query":"sailing","request_heartbeat":true}'),
  );
  expect(live(running)).toContain("⏺ conversation_search sailing");
  expect(live(running)).toContain("running conversation_search…");
  const done = after(running, result("conversation_search", "one\ntwo\nthree\nfour\nfive\nsix"));
  expect(finished(done)).toBe(
    "⏺ conversation_search sailing\n  ⎿ one\n    two\n    three\n    four\n    … 2 more rows",
  );
});

test("send_message is shown as a reply", () => {
  const said = after(
    opened(),
    stepStart(),
    call("send_message", '{"message":"Hi"}'),
    text("Hi"),
    result("send_message", "None"),
    turnEnd(),
  );
  expect(finished(said)).toBe("\n● Hi");
});

test.each([
  ["interrupted", "Interrupted. The text so far is kept."],
  ["max-steps", "Stopped after 3 steps"],
  ["length", "truncated"],
] as const)("stop reason %s is shown", (stopReason, words) => {
  const ended = after(opened(), stepStart(), text("partial"), {
    type: "turn-end",
    stopReason,
    text: "",
    steps: 3,
    usage: noUsage,
  });
  expect(finished(ended)).toContain("● partial");
  expect(finished(ended)).toContain(words);
});

test("an error says what to do", () => {
  const ended = after(opened(), {
    type: "turn-end",
    stopReason: "model-error",
    text: "",
    steps: 1,
    usage: noUsage,
    error: { code: "model_auth", message: "The key was refused." },
  });
  expect(finished(ended)).toBe(
    "✗ The key was refused.\n  Check the key of this provider, restart the chat, and /retry.",
  );
});

test("the window's fill level follows the steps", () => {
  expect(live(after(opened(), stepStart()))).toContain("12% of 32k");
});

const shapes: readonly (readonly [string, string])[] = [
  ["many lines", "a line of text\n".repeat(200)],
  ["one endless line", "word ".repeat(1000)],
  ["one endless word", "x".repeat(3000)],
  ["wide text", "日本語の長い文章です。".repeat(150)],
  ["a fenced block", `\`\`\`\n${"code line\n".repeat(100)}\`\`\`\nend`],
];

describe.each([
  [80, 24],
  [40, 15],
  [200, 50],
  [40, 6],
])("at %d by %d", (columns, rows) => {
  test.each(shapes)("the live region stays shorter than the screen: %s", (_title, whole) => {
    let state: ViewState = { ...opened(columns, rows), editor: editorOf("typed\n".repeat(20)), queue: ["next"] };
    state = after(state, stepStart());
    for (let offset = 0; offset < whole.length; offset += 137) {
      state = after(state, text(whole.slice(offset, offset + 137)));
      // Each frame takes milliseconds, and most are like the one before.
      if (offset % 959 === 0) {
        const { rows: drawn, cursor } = liveFrame(state, now);
        expect(drawn.length).toBeLessThan(rows);
        expect(Math.max(...drawn.map(widthOf))).toBeLessThan(columns);
        expect(cursor?.y).toBeLessThan(drawn.length);
      }
      expect(state.blocks.flatMap((block) => itemRows(block, contentWidth(state.size))).length).toBeLessThanOrEqual(
        tailBudget(state.size) + 1,
      );
    }
    const words = [...state.items, ...state.blocks].map((item) => ("text" in item ? item.text : "")).join("");
    expect(words.replaceAll(/\s/g, "")).toBe(whole.replaceAll(/\s/g, ""));
  });
});

test("a change of size is a redraw, also when it is reverted", () => {
  const state = opened();
  const resized = reduceView(state, { type: "redraw", size: { columns: 60, rows: 20 } });
  expect([resized.redraws, resized.size]).toEqual([1, { columns: 60, rows: 20 }]);
  expect(reduceView(resized, { type: "redraw", size: resized.size }).redraws).toBe(2);
});
