// What the stream for Ink passes on of a real program.
import chalk from "chalk";
import { render, Static, Text, useCursor } from "ink";
import type { CursorPosition } from "../../../src/surfaces/terminal/screen/frame-diff.ts";
import { createInkStdout, type InkFrame } from "../../../src/surfaces/terminal/screen/ink-stdout.ts";

interface ProgramProps {
  readonly items: readonly string[];
  readonly live: string;
  readonly cursor?: CursorPosition;
}

function Program({ items, live, cursor }: ProgramProps) {
  useCursor().setCursorPosition(cursor);
  return (
    <>
      <Static items={[...items]}>{(item) => <Text key={item}>{item}</Text>}</Static>
      <Text color="red">{live}</Text>
    </>
  );
}

async function framesOf(...states: readonly ProgramProps[]): Promise<readonly InkFrame[]> {
  chalk.level = 2;
  const frames: InkFrame[] = [];
  const others: string[] = [];
  const stdout = createInkStdout({
    terminal: { columns: 20 } as NodeJS.WriteStream,
    onFrame: (frame) => frames.push(frame),
    onOther: (text) => others.push(text),
  });
  const options = { stdout, stdin: process.stdin, patchConsole: false, exitOnCtrlC: false, maxFps: 1_000 };
  const program = render(<Program items={[]} live="" />, options);
  frames.length = 0;
  for (const state of states) {
    program.rerender(<Program {...state} />);
    await new Promise((resolve) => setTimeout(resolve, 4));
  }
  program.unmount();
  expect(others.join("")).toBe("");
  return frames;
}

it("a frame has its lines with their styles, without the bytes that erase the one before", async () => {
  const [first, second] = await framesOf({ items: [], live: "one\ntwo" }, { items: [], live: "one" });
  expect(first).toEqual({
    finished: [],
    live: ["\u001b[31mone\u001b[39m", "\u001b[31mtwo\u001b[39m"],
    cursor: undefined,
  });
  expect(second?.live).toEqual(["\u001b[31mone\u001b[39m"]);
});

it("lines of <Static> are passed on once, beside the live region", async () => {
  const frames = await framesOf({ items: ["a", "b\nc"], live: "x" }, { items: ["a", "b\nc"], live: "y" });
  expect(frames.map(({ finished }) => finished)).toEqual([["a", "b", "c"], []]);
  expect(frames.map(({ live }) => live?.length)).toEqual([1, 1]);
});

it("the cursor is where it was placed, also when nothing else has changed, and then hidden", async () => {
  const at = (cursor?: CursorPosition) => ({ items: [], live: "one\ntwo\nthree", ...(cursor && { cursor }) });
  const frames = await framesOf(at({ x: 1, y: 2 }), at({ x: 0, y: 0 }), at());
  expect(frames.map(({ cursor }) => cursor)).toEqual([{ x: 1, y: 2 }, { x: 0, y: 0 }, undefined]);
  expect(frames.map(({ live }) => live?.length)).toEqual([3, undefined, undefined]);
});

it("a frame higher than any terminal is a frame like all others", async () => {
  const lines = "line\n".repeat(2_000).trim();
  const frames = await framesOf({ items: ["a"], live: lines }, { items: ["a"], live: `${lines}!` });
  expect(frames.map(({ live, finished }) => [live?.length, finished.length])).toEqual([
    [2_000, 1],
    [2_000, 0],
  ]);
});

it("passes on what is written outside of frames, and calls back", async () => {
  const others: string[] = [];
  const terminal = {} as NodeJS.WriteStream;
  const stdout = createInkStdout({ terminal, onFrame: () => undefined, onOther: (text) => others.push(text) });
  await new Promise<void>((resolve) => void stdout.write("\u001b[?2004h", () => resolve()));
  stdout.write("\u001b[?25l");
  expect([others, stdout.columns]).toEqual([["\u001b[?2004h"], 80]);
});
