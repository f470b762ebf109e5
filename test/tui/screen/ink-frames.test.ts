// Frames of Ink on a model of a terminal: lines of <Static> once, the newest live region, and what was erased again.
import { createInkFrames, type InkFrames } from "../../../src/surfaces/terminal/screen/ink-frames.ts";
import { createTerminalModel, type TerminalModel } from "../../support/terminal-model.ts";

const size = { columns: 80, rows: 24 };
const live = ["", "> ", "status", "keys"];
const cursor = { x: 2, y: 1 };
const unlimited = Number.POSITIVE_INFINITY;

const messages = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `message ${at + 1}.`);

function drawn(count: number): { readonly frames: InkFrames; readonly model: TerminalModel } {
  const frames = createInkFrames();
  const model = createTerminalModel(size);
  frames.add({ finished: messages(count), live, cursor }, size);
  model.write(frames.next(size, unlimited));
  return { frames, model };
}

/** Erases and draws again, with the lines that were taken back. */
function redraw(
  frames: InkFrames,
  model: TerminalModel,
  { all, erase }: { all: readonly string[]; erase: string },
): void {
  const { lines, rowsAbove } = frames.takeBack(model.cursor().y, size);
  frames.add({ finished: all.slice(all.length - lines), live: null, cursor }, size);
  model.write(frames.again(size, erase === "drawn" ? rowsAbove : "screen"));
}

it("draws each line once, above the live region, and nothing without a change", () => {
  const { frames, model } = drawn(40);
  expect(model.everything()).toEqual([...messages(40), ...live].map((line) => line.trimEnd()));
  expect(frames.next(size, unlimited)).toBe("");
  expect(model.cursor()).toEqual({ x: 2, y: 21, isVisible: true });
});

it("a frame that only moves the cursor keeps the live region", () => {
  const { frames, model } = drawn(2);
  frames.add({ finished: [], live: null, cursor: { x: 0, y: 2 } }, size);
  expect(frames.next(size, unlimited)).toBe("\r\n");
  expect(model.everything().at(-1)).toBe("keys");
});

describe("a redraw", () => {
  it.each(["drawn", "screen"])("that erases what is %s leaves no copy of a line and loses none", (erase) => {
    const { frames, model } = drawn(30);
    const before = model.everything();
    for (let times = 0; times < 3; times += 1) {
      redraw(frames, model, { all: messages(30), erase });
      expect(model.everything()).toEqual(before);
    }
  });

  it("that was undone leaves no copy of a line and loses none, also of lines that came meanwhile", () => {
    const { frames, model } = drawn(30);
    const { lines, undo } = frames.takeBack(model.cursor().y, size);
    frames.add({ finished: messages(31).slice(30 - lines), live: null, cursor }, size);
    undo(1);
    redraw(frames, model, { all: messages(31), erase: "drawn" });
    expect(model.everything()).toEqual([...messages(31), ...live].map((line) => line.trimEnd()));
  });

  it("takes no line back if the live region is higher than the screen", () => {
    const { frames } = drawn(30);
    expect(frames.takeBack(0, size)).toEqual({ lines: 0, rowsAbove: 0, undo: expect.any(Function) });
  });

  it("keeps the lines above, except for one of the whole screen", () => {
    const frames = createInkFrames();
    const model = createTerminalModel(size);
    frames.add({ finished: messages(2), live, cursor }, size);
    model.write(`$ program\r\n${frames.next(size, unlimited)}`);
    const before = model.everything();
    redraw(frames, model, { all: messages(2), erase: "drawn" });
    expect(model.everything()).toEqual(before);
    redraw(frames, model, { all: messages(2), erase: "screen" });
    expect(model.everything()).toEqual(before.slice(1));
  });

  it("loses no line if the terminal has got more rows meanwhile, and has brought back some of its scrollback", () => {
    const low = { columns: 80, rows: 10 };
    const frames = createInkFrames();
    frames.add({ finished: messages(30), live, cursor }, low);
    const model = createTerminalModel(size);
    model.write(frames.next(low, unlimited));
    const before = model.everything();
    const { lines, rowsAbove } = frames.takeBack(low.rows - 3, low);
    expect(lines).toBe(6);
    frames.add({ finished: messages(30).slice(-lines), live: null, cursor }, low);
    model.write(frames.again(low, rowsAbove));
    expect(model.everything()).toEqual(before);
  });

  it("takes back lines that were not drawn yet", () => {
    const frames = createInkFrames();
    frames.add({ finished: messages(30), live, cursor }, size);
    const model = createTerminalModel(size);
    model.write(frames.next(size, 100));
    const shown = model.everything().length - live.length;
    expect(shown).toBeLessThan(30);
    expect(frames.takeBack(model.cursor().y, size).lines).toBe(30);
    expect(frames.hasMore()).toBe(false);
  });

  it("counts the rows of a narrower terminal, and a line of which the beginning has scrolled off only once", () => {
    const narrow = { columns: 10, rows: 6 };
    const frames = createInkFrames();
    frames.add({ finished: ["one", "x".repeat(25), "y".repeat(12)], live: ["> "], cursor: { x: 2, y: 0 } }, size);
    frames.next(size, unlimited);
    // On the screen: two of three rows of the second line, two of the third one, and the prompt on the fifth row.
    expect(frames.takeBack(4, narrow)).toEqual({ lines: 2, rowsAbove: 4, undo: expect.any(Function) });
    frames.add({ finished: ["x".repeat(9), "y".repeat(9)], live: null, cursor: { x: 2, y: 0 } }, narrow);
    frames.again(narrow, "screen");
    // Now the screen is higher: the beginning above them is a row of its own, but not a line.
    expect(frames.takeBack(3, narrow)).toEqual({ lines: 2, rowsAbove: 3, undo: expect.any(Function) });
  });
});

it("draws many lines in parts, in order, and what continues them only after all of them", () => {
  const frames = createInkFrames();
  const model = createTerminalModel(size);
  frames.add({ finished: messages(30), live: ["reply", ...live], cursor: { x: 2, y: 2 } }, size);
  frames.continuing(1);
  let parts = 0;
  do {
    model.write(frames.next(size, 150));
    parts += 1;
    expect(model.screen().includes("reply")).toBe(!frames.hasMore());
    expect(model.screen()).toContain("status");
    expect(model.screen()[model.cursor().y]).toBe(">");
  } while (frames.hasMore());
  expect(parts).toBeGreaterThan(3);
  expect(model.everything()).toEqual([...messages(30), "reply", ...live].map((line) => line.trimEnd()));
});

it("the last frame has no live region, and the cursor is below it", () => {
  const { frames, model } = drawn(2);
  model.write(frames.last(size));
  expect(model.everything().at(-1)).toBe("message 2.");
  expect(model.cursor()).toEqual({ x: 0, y: 3, isVisible: true });
});

it("a frame that is left stays, and the cursor is below it, visible", () => {
  const { frames, model } = drawn(2);
  frames.add({ finished: [], live: null, cursor: undefined }, size);
  model.write(frames.next(size, unlimited));
  expect(model.cursor().isVisible).toBe(false);
  model.write(frames.leave());
  expect(model.everything().at(-1)).toBe("keys");
  expect(model.cursor()).toEqual({ x: 0, y: model.everything().length, isVisible: true });
});
