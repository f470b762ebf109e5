// The thoughts of the model: one row each, which Ctrl+T replaces with their text.
import type { AgentEvent, EventBody } from "../../src/agent/events.ts";
import { itemRows } from "../../src/surfaces/terminal/rows/item-rows.ts";
import { rowText, rowWidth } from "../../src/surfaces/terminal/rows/row.ts";
import { contentWidth, type ViewState } from "../../src/surfaces/terminal/view/chat-view.ts";
import { openingState, reduceView } from "../../src/surfaces/terminal/view/view-state.ts";
import { stepStart } from "../support/fake-agent.ts";
import { liveFrame } from "../support/live-frame.tsx";
import { newStatus } from "../support/new-status.ts";

const header = { agentId: "a", conversationId: "c", turnId: "t", sequence: 0 };
const think = (text: string): EventBody => ({ type: "thought-delta", step: 1, text });
const say = (text: string): EventBody => ({ type: "text-delta", step: 1, text });
const opened = reduceView(openingState({ status: newStatus(), size: { columns: 80, rows: 24 } }), {
  type: "begin",
  activity: "thinking",
  atMs: 0,
});

const after = (state: ViewState, events: readonly (readonly [number, EventBody])[]): ViewState =>
  events.reduce(
    (current, [seconds, body]) =>
      reduceView(current, { type: "events", events: [{ ...header, ...body } as AgentEvent], atMs: seconds * 1000 }),
    state,
  );

const toggled = (state: ViewState): ViewState => reduceView(state, { type: "thoughts" });
const finished = ({ items, size }: ViewState): string =>
  items
    .flatMap((item) => itemRows(item, contentWidth(size)))
    .map(rowText)
    .join("\n");
const live = (state: ViewState): readonly string[] => liveFrame(state, new Date(9000)).rows;

const answered = after(opened, [
  [0, stepStart()],
  [2, think("She sails,")],
  [3.4, think(" so I ask\nabout the boat.")],
  [5, say("Which boat?")],
]);

test("a finished thought is one row with the time from the model call to its end", () => {
  expect(finished(answered)).toBe("\n✻ thought for 3 s · Ctrl+T");
});

test("a thought of less than a second has no time", () => {
  const quick = after(opened, [
    [0, stepStart()],
    [0.4, think("Hm.")],
    [0.5, say("Yes.")],
  ]);
  expect(finished(quick)).toBe("\n✻ thought · Ctrl+T");
});

test("the time of a second thought begins after the reply between them", () => {
  const again = after(answered, [
    [7, think("A dinghy?")],
    [8, say(" A dinghy?")],
  ]);
  expect(finished(again).match(/thought for \d s/gu)).toEqual(["thought for 3 s", "thought for 2 s"]);
});

test("Ctrl+T shows finished thoughts and those to come, and hides them again", () => {
  const shown = toggled(answered);
  expect(finished(shown)).toBe("\n✻ She sails, so I ask\n  about the boat.");
  expect(shown.hint).toBe("Thoughts are shown. Ctrl+T hides them.");
  const more = after(shown, [
    [6, think("A dinghy?")],
    [7, say("A dinghy?")],
  ]);
  expect(finished(more)).toContain("✻ A dinghy?");
  expect(finished(toggled(more))).not.toContain("dinghy?\n");
  expect(finished(toggled(more))).toContain("✻ thought for 1 s · Ctrl+T");
});

test("a running thought is drawn only while thoughts are shown", () => {
  const thinking = after(opened, [
    [0, stepStart()],
    [2, think("She sails.")],
  ]);
  expect(live(thinking).join("\n")).not.toContain("sails");
  expect(live(toggled(thinking))).toContain("✻ She sails.");
  expect(live(toggled(toggled(thinking))).join("\n")).not.toContain("sails");
});

test.each([
  ["many lines", "a line of thought\n".repeat(300)],
  ["one line", "word ".repeat(20_000)],
  ["no spaces", "思".repeat(20_000)],
])("a long running thought takes at most half of the screen: %s", (_title, text) => {
  const thinking = toggled(
    after(opened, [
      [0, stepStart()],
      [2, think(`${text}end`)],
    ]),
  );
  const rows = live(thinking);
  const activity = rows.findIndex((row) => /^[⠀-⣿]/u.test(row));
  expect(activity).toBe(13);
  expect(rows[activity - 1]).toMatch(/end$/u);
  expect(finished(after(thinking, [[3, say("ok")]])).replaceAll(/\s/gu, "")).toBe(
    `✻${`${text}end`.replaceAll(/\s/gu, "")}`,
  );
});

test("a narrow screen cuts the row of a thought", () => {
  const narrow = reduceView(answered, { type: "redraw", size: { columns: 20, rows: 10 } });
  for (const item of narrow.items) for (const row of itemRows(item, 19)) expect(rowWidth(row)).toBeLessThan(20);
});

test("a retry drops the thought of the failed call", () => {
  const retried = after(opened, [
    [0, stepStart()],
    [2, think("half a")],
    [3, { type: "retry", step: 1, attempt: 2, delayMs: 0, reason: "overloaded" }],
    [4, say("Yes.")],
  ]);
  expect(finished(retried)).not.toContain("thought");
});
