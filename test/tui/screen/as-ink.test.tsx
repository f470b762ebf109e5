// Random states of a small program, drawn by Ink on one terminal and through the screen on another: both show the same. Guards
// against a version of Ink that writes its frames in another way.
import chalk from "chalk";
import { Box, render, Static, Text, useCursor } from "ink";
import { EventEmitter } from "node:events";
import { createInkScreen } from "../../../src/surfaces/terminal/screen/ink-screen.ts";
import type { CursorPosition } from "../../../src/surfaces/terminal/screen/frame-diff.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { widthOf } from "../../../src/surfaces/terminal/screen/text-width.ts";
import { createTerminalModel, type TerminalModel } from "../../support/terminal-model.ts";

const size = { columns: 80, rows: 24 };
const words = ["harbour", "quiet", "潮の高さ", "e\u0301te\u0301", "was", "🛟", "👨‍👩‍👧‍👦", "x", "日本", "tide"];
const colors = ["red", "green", "cyan", undefined, undefined];

interface Span {
  readonly text: string;
  readonly color: string | undefined;
  readonly bold: boolean;
  readonly dimColor: boolean;
  readonly underline: boolean;
  /** The address that the text links to. */
  readonly link: string | undefined;
}

interface State {
  readonly items: readonly (readonly Span[])[];
  readonly live: readonly (readonly Span[])[];
  readonly cursor: CursorPosition | undefined;
}

/** Numbers below `max`, the same ones for a seed. */
function createRandom(seed: number): (max: number) => number {
  let state = seed;
  return (max) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * max);
  };
}

function randomRow(random: (max: number) => number): readonly Span[] {
  return Array.from({ length: random(4) }, () => ({
    text: `${Array.from({ length: 1 + random(4) }, () => words[random(words.length)]).join(" ")} `,
    color: colors[random(colors.length)],
    bold: random(4) === 0,
    dimColor: random(5) === 0,
    underline: random(7) === 0,
    link: random(8) === 0 ? `https://example.org/${random(3)}` : undefined,
  }));
}

function nextState(state: State, random: (max: number) => number): State {
  const live = state.live.map((row) => (random(3) === 0 ? randomRow(random) : row));
  const wanted = 1 + random(20);
  while (live.length > wanted) live.splice(random(live.length), 1);
  while (live.length < wanted) live.splice(random(live.length + 1), 0, randomRow(random));
  const added = random(3) === 0 ? Array.from({ length: 1 + random(30) }, () => randomRow(random)) : [];
  const cursor = random(6) === 0 ? undefined : { x: random(60), y: random(live.length) };
  return { items: [...state.items, ...added], live, cursor };
}

const Row = ({ spans }: { readonly spans: readonly Span[] }) => (
  <Text wrap="truncate-end">
    {spans.length === 0
      ? " "
      : spans.map(({ text, color, link, ...look }, at) => (
          <Text key={at} {...look} {...(color === undefined ? {} : { color })}>
            {link === undefined ? text : `\u001b]8;;${link}\u0007${text}\u001b]8;;\u0007`}
          </Text>
        ))}
  </Text>
);

function Program({ items, live, cursor }: State) {
  useCursor().setCursorPosition(cursor);
  return (
    <>
      <Static items={[...items]}>{(spans, at) => <Row key={at} spans={spans} />}</Static>
      <Box flexDirection="column" width={size.columns - 1}>
        {live.map((spans, at) => (
          <Row key={at} spans={spans} />
        ))}
      </Box>
    </>
  );
}

/** A stream to a model; as a terminal does, it returns to the first column at the end of a line. */
function terminalOf(model: TerminalModel): NodeJS.WriteStream {
  const write = (text: string, callback?: unknown): boolean => {
    model.write(text.replaceAll(/(?<!\r)\n/gu, "\r\n"));
    if (typeof callback === "function") (callback as () => void)();
    return true;
  };
  return Object.assign(new EventEmitter(), { isTTY: true, ...size, write }) as unknown as NodeJS.WriteStream;
}

interface Shown {
  /** Of the scrollback and the screen. */
  readonly text: readonly string[];
  /** Of the rows of the screen that are not empty. */
  readonly styles: readonly string[];
  readonly cursor: unknown;
}

function shownOn(model: TerminalModel): Shown {
  const { x, y, isVisible } = model.cursor();
  const rows = model.screen().map((text, at) => ({ text, styles: model.stylesOf(at) }));
  const styled = rows.filter(({ text }) => text !== "");
  const above = model.everything().length - model.screen().findLastIndex((text) => text !== "") - 1;
  return {
    text: model.everything(),
    styles: styled.map(({ text, styles }) => styles.slice(0, widthOf(text)).join("|")),
    cursor: isVisible ? { x, row: above + y } : "hidden",
  };
}

it.each([1, 2, 3, 4])("a program looks the same through the screen as with Ink alone, seed %i", async (seed) => {
  chalk.level = 2;
  const random = createRandom(seed);
  const [plain, through] = [createTerminalModel(size), createTerminalModel(size)];
  const screen = createInkScreen({ terminal: terminalOf(through), clock: systemClock, onResize: () => undefined });
  const options = { stdin: process.stdin, patchConsole: false, exitOnCtrlC: false, maxFps: 1_000 };
  let state: State = { items: [], live: [randomRow(random)], cursor: { x: 0, y: 0 } };
  const programs = [terminalOf(plain), screen.stdout].map((stdout) =>
    render(<Program {...state} />, { ...options, stdout }),
  );
  for (let step = 0; step < 25; step += 1) {
    state = nextState(state, random);
    for (const { rerender } of programs) rerender(<Program {...state} />);
    // Ink waits for at most a millisecond, with a timer that ends before this one.
    await new Promise((resolve) => setTimeout(resolve, 4));
    const [seen, wanted] = [shownOn(through), shownOn(plain)];
    // Ink alone has an empty line below its frame, and so a row less on the screen.
    const rows = Math.min(seen.styles.length, wanted.styles.length);
    expect({ ...seen, styles: seen.styles.slice(-rows) }).toEqual({ ...wanted, styles: wanted.styles.slice(-rows) });
  }
  expect(plain.everything().length).toBeGreaterThan(size.rows);
  for (const { unmount } of programs) unmount();
  await screen.end("keep");
});
