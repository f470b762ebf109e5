// When the screen is drawn: at most 30 times per second, and always after the last change.
import { openingState } from "../../src/surfaces/terminal/view/view-state.ts";
import { createChatStore, type ChatStore } from "../../src/surfaces/terminal/chat-store.ts";
import { createFrames } from "../../src/surfaces/terminal/frames.ts";
import { insertText } from "../../src/surfaces/terminal/input/line-editor.ts";
import { createManualClock, type ManualClock } from "../support/manual-clock.ts";
import { newStatus } from "../support/new-status.ts";

interface Scene {
  readonly store: ChatStore;
  readonly clock: ManualClock;
  /** The hint at each redraw. */
  readonly drawn: (string | null)[];
  readonly end: () => void;
}

function open(): Scene {
  const store = createChatStore(openingState({ status: newStatus(), size: { columns: 80, rows: 24 } }));
  const clock = createManualClock();
  const drawn: (string | null)[] = [];
  const end = createFrames(store, clock).subscribe(() => drawn.push(store.getState().hint));
  return { store, clock, drawn, end };
}

const hint = (store: ChatStore, text: string): void => store.dispatch({ type: "set", change: { hint: text } });

const type = (store: ChatStore, text: string): void =>
  store.dispatch({ type: "edit", editor: insertText(store.getState().editor, text) });

test("a change after a pause is drawn at once", () => {
  const { store, drawn } = open();
  hint(store, "one");
  expect(drawn).toEqual(["one"]);
});

test("later changes are drawn together, including the last", async () => {
  const { store, clock, drawn } = open();
  for (const text of ["one", "two", "three"]) hint(store, text);
  expect(drawn).toEqual(["one"]);
  await clock.advance(33);
  expect(drawn).toEqual(["one"]);
  await clock.advance(1);
  expect(drawn).toEqual(["one", "three"]);
  await clock.advance(1000);
  expect(drawn).toHaveLength(2);
});

test("changes every millisecond for a second, while the spinner turns, cause at most 30 repaints", async () => {
  const { store, clock, drawn } = open();
  store.dispatch({ type: "begin", activity: "thinking" });
  for (let ms = 0; ms < 1000; ms += 1) {
    hint(store, String(ms));
    await clock.advance(1);
  }
  expect(drawn.length).toBeLessThanOrEqual(30);
  expect(drawn.length).toBeGreaterThanOrEqual(25);
  await clock.advance(34);
  expect(drawn.at(-1)).toBe("999");
});

test("typed text is drawn 15 ms after the last repaint, with all other changes, and the next repaint is later", async () => {
  const { store, clock, drawn } = open();
  hint(store, "one");
  await clock.advance(10);
  // Typing removes the hint.
  type(store, "q");
  hint(store, "two");
  await clock.advance(4);
  expect(drawn).toEqual(["one"]);
  await clock.advance(1);
  expect(drawn).toEqual(["one", "two"]);
  hint(store, "three");
  await clock.advance(52);
  expect(drawn).toEqual(["one", "two"]);
  await clock.advance(1);
  expect(drawn).toEqual(["one", "two", "three"]);
});

test("text that is typed 15 ms after the last repaint is drawn at once", async () => {
  const { store, clock, drawn } = open();
  hint(store, "one");
  await clock.advance(15);
  hint(store, "two");
  expect(drawn).toEqual(["one"]);
  type(store, "q");
  expect(drawn).toEqual(["one", null]);
  // Here the wait of the earlier change ends without effect.
  await clock.advance(40);
  expect(drawn).toHaveLength(2);
});

test.each([1, 7, 16, 33])(
  "keys every %i ms, with changes each, cause at most 30 repaints per second",
  async (everyMs) => {
    const { store, clock, drawn } = open();
    for (let ms = 0; ms < 1000; ms += 1) {
      if (ms % everyMs === 0) type(store, "q");
      hint(store, String(ms));
      await clock.advance(1);
    }
    expect(drawn.length).toBeLessThanOrEqual(30);
    expect(drawn.length).toBeGreaterThanOrEqual(25);
    await clock.advance(53);
    expect(drawn.at(-1)).toBe("999");
  },
);

test("the spinner turns while the agent works, and stops with it", async () => {
  const { store, clock, drawn } = open();
  store.dispatch({ type: "begin", activity: "thinking" });
  for (let turn = 0; turn < 5; turn += 1) await clock.advance(120);
  expect(drawn).toHaveLength(6);
  store.dispatch({ type: "finish", window: { tokens: 0, limit: 1 }, waitsForApproval: false });
  for (let turn = 0; turn < 5; turn += 1) await clock.advance(120);
  const count = drawn.length;
  for (let turn = 0; turn < 5; turn += 1) await clock.advance(120);
  expect(drawn).toHaveLength(count);
});

test("a removed listener is not called", async () => {
  const { store, clock, drawn, end } = open();
  hint(store, "one");
  hint(store, "two");
  end();
  await clock.advance(1000);
  expect(drawn).toEqual(["one"]);
});

test("a clock that is set back delays a repaint by at most one frame", async () => {
  const { store, clock, drawn } = open();
  hint(store, "one");
  await clock.advance(-3_600_000);
  hint(store, "two");
  await clock.advance(34);
  expect(drawn).toEqual(["one", "two"]);
});
