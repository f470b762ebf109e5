// What the chat writes over time, on a model of a terminal: finished items once, the newest live rows, and redraws.
import { createPainter, type Painter } from "../../src/tui/screen/painter.ts";
import type { ScreenSize, ViewState } from "../../src/tui/view/chat-view.ts";
import { openingState, reduceView } from "../../src/tui/view/view-state.ts";
import { newStatus } from "../support/new-status.ts";
import { createTerminalModel, type TerminalModel } from "../support/terminal-model.ts";

const usual: ScreenSize = { columns: 80, rows: 24 };
const now = new Date(0);
const unlimited = { now, maxBytes: Number.POSITIVE_INFINITY };

function withMessages(count: number, size = usual): ViewState {
  const items = Array.from({ length: count }, (_, index) => ({ kind: "user" as const, text: `message ${index + 1}.` }));
  return reduceView(openingState({ status: newStatus(), size, history: [] }), { type: "show", items });
}

function paint(state: ViewState): { readonly painter: Painter; readonly model: TerminalModel } {
  const painter = createPainter(state);
  const model = createTerminalModel(usual);
  model.write(painter.frame(state, unlimited));
  return { painter, model };
}

/** How often each message is in the scrollback and on the screen. */
const counts = (model: TerminalModel, count: number): readonly number[] =>
  Array.from(
    { length: count },
    (_, index) => model.everything().filter((row) => row === `> message ${index + 1}.`).length,
  );
const once = (count: number): readonly number[] => Array.from({ length: count }, () => 1);

it("draws each item once, above the prompt", () => {
  const state = withMessages(20);
  const { painter, model } = paint(state);
  expect(counts(model, 20)).toEqual(once(20));
  expect(model.screen().at(-3)).toBe(">");
  expect(painter.frame(state, unlimited)).toBe("");
});

describe("a redraw", () => {
  it.each(["chat", "screen"] as const)("that erases the %s leaves no copy of a row and loses none", (erase) => {
    const state = withMessages(30);
    const { painter, model } = paint(state);
    const before = model.everything();
    model.write(painter.redraw(state, { now, cursorRow: model.cursor().y, erase }));
    expect(model.everything()).toEqual(before);
    model.write(painter.redraw(state, { now, cursorRow: model.cursor().y, erase }));
    expect(model.everything()).toEqual(before);
  });

  it("keeps the lines above the chat, except for one of the whole screen", () => {
    const state = withMessages(2);
    const painter = createPainter(state);
    const model = createTerminalModel(usual);
    model.write(`$ palimpsest\r\n${painter.frame(state, unlimited)}`);
    const before = model.everything();
    model.write(painter.redraw(state, { now, cursorRow: model.cursor().y, erase: "chat" }));
    expect(model.everything()).toEqual(before);
    model.write(painter.redraw(state, { now, cursorRow: model.cursor().y, erase: "screen" }));
    expect(model.everything()).toEqual(before.slice(1));
  });

  it("in another width wraps the rows on the screen again", () => {
    const text = "word ".repeat(30).trim();
    const long = reduceView(withMessages(1), { type: "show", items: [{ kind: "user", text }] });
    const { painter, model } = paint(long);
    const narrow = reduceView(long, { type: "resize", size: { columns: 40, rows: 24 } });
    model.write(painter.redraw(narrow, { now, cursorRow: model.cursor().y, erase: "chat" }));
    const rows = model.everything().filter((row) => row.includes("word"));
    expect(Math.max(...rows.map((row) => row.length))).toBeLessThan(40);
    expect(rows.join(" ").split("word")).toHaveLength(31);
  });
});

it("after the terminal was lent, draws the rows that fill the cleared screen", () => {
  const state = reduceView(withMessages(30), { type: "redraw", size: usual });
  const { model } = paint(state);
  const drawn = model.everything().filter((row) => row.startsWith("> message"));
  expect(drawn[0]).toBe("> message 19.");
  expect(drawn.at(-1)).toBe("> message 30.");
});

it("draws many rows in parts, in order, and live text only after all of them", () => {
  let state = withMessages(30);
  state = reduceView(state, { type: "begin", activity: "replying" });
  state = { ...state, blocks: [{ kind: "reply", text: "live text", continues: false, opening: "" }] };
  const painter = createPainter(state);
  const model = createTerminalModel(usual);
  let frames = 0;
  do {
    model.write(painter.frame(state, { now, maxBytes: 200 }));
    frames += 1;
    expect(model.screen().join("\n").includes("live text")).toBe(!painter.hasMore());
    expect(model.screen().join("\n")).toContain("replying…");
  } while (painter.hasMore());
  expect(frames).toBeGreaterThan(3);
  expect(counts(model, 30)).toEqual(once(30));
});

it("changes the numbers of a reply when the spinner turns, not with each part of its text", () => {
  const state = reduceView(withMessages(1), { type: "begin", activity: "replying", atMs: 0 });
  const said = (characters: number): ViewState => ({
    ...state,
    progress: { startedMs: 0, tokens: 0, characters, heardMs: 0 },
  });
  const { painter, model } = paint(said(4));
  const at = (ms: number) => ({ ...unlimited, now: new Date(ms) });
  model.write(painter.frame(said(4), at(240)));
  expect(painter.frame(said(40), at(250))).toBe("");
  model.write(painter.frame(said(40), at(360)));
  expect(model.screen().join("\n")).toContain("10 tokens");
});

it("the last frame has no live rows, and the cursor is below it", () => {
  const state = withMessages(2);
  const { painter, model } = paint(state);
  model.write(painter.last(state));
  expect(model.everything().at(-1)).toBe("> message 2.");
  expect(model.cursor()).toEqual({ x: 0, y: model.everything().length + 1, isVisible: true });
});

it("a frame that is left stays, and the cursor is below it", () => {
  const { painter, model } = paint(withMessages(2));
  model.write(painter.leave());
  expect(model.everything().at(-1)).toContain("Enter send");
  expect(model.cursor().y).toBe(model.everything().length);
});
