// Reviewed screen snapshots: `screens/NAME.80x24.txt`. `UPDATE_SCREENS=1` writes them; review the difference then.
// Invariant: values that differ between runs (ids, days, the spinner) are replaced by signs of the same width; a screen may
// be shifted by a few rows, because that depends on the height of the live region between two events.
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { packageRoot } from "../../src/base/package-root.ts";
import { largeSize, usualSize } from "./chat-terminal.ts";
import { colouredText } from "./coloured-text.ts";
import { pause, type Terminal, type TerminalSize } from "./terminal.ts";

const longestMs = 120_000;
const slackRows = 4;
/** Fewer rows are not accepted as the end of a snapshot. */
const minRows = 5;
const updateMs = 600;
const folder = path.join(packageRoot(), "test", "pty", "screens");
// A row may end within an id, so only the beginning of the id may be shown.
const digits = (count: number): string => `(?:[0-9a-f]\n?){${count}}`;
const idPattern = new RegExp(
  `\\b${digits(8)}-\n?${digits(4)}(?:-\n?${digits(4)}-\n?${digits(4)}-\n?${digits(12)})?`,
  "gu",
);

// How long the work took until the screen was shown, and whether the model was silent meanwhile.
const progressPattern =
  /(⠿ [^\n…]+… )(?:(?:\d+ min )?\d+ s · )?((?:[\d,]+ tokens? · )?)(?:no answer for [\d mins]+ · )?(?=Esc$)/gmu;

// How long the model thought.
const thoughtPattern = /(?<=^✻ thought) for (?:\d+ min )?\d+ s(?= · )/gmu;

// What differs from run to run and may be wrapped anywhere: the doctor's findings about the machine, and how many events of a
// turn were logged together.
const machine: readonly (readonly [RegExp, string])[] = [
  [/(?<=\bNode )\d{2}\.\d{1,2}\.\d{1,2}/gu, "00.0.0"],
  [/[\d,]{3,12} MB are free/gu, "00,000 MB are free"],
  [/(?<=schema is up to date )\(\d{4}_[\w-]{1,60}\)/gu, "(0000_name)"],
  [/(?<=^ok {2,7}lock {11})[\s\S]{1,400}?(?=\n(?:ok|warning|failed) )/gmu, "(who has the data folder open)"],
  // The end of such a finding, if the screen starts within it.
  [/^(?: {19}[^\n]{1,100}\n)+(?=ok {2,7}database )/gu, "(who has the data folder open)\n"],
  [
    /(?<=^ {2}removed {3}events {2})…[^\n]{1,100}(?:\n {2}(?!redacted|removed|undone)[^\n]{1,100})?/gmu,
    "(events of the turn)",
  ],
];

/**
 * Printed before the chat takes over the screen, the second line only if the first start takes some time. A narrow screen may
 * show only the end of that line.
 */
const slowStart =
  /^palimpsest: (?:preparing the data folder|the data folder is ready after) [^\n]*\n|^(?:er )?\d+\.\d s\n/gmu;

export interface ScreenOptions {
  /** Compares colours as well; `␛` stands for an escape. */
  readonly coloured?: boolean;
  /** Compares the notice about a silent model, which other screens may show on a slow machine. */
  readonly silence?: boolean;
  /** Rows that may be added or missing at the top of the snapshot. */
  readonly slack?: number;
}

export interface SizedScreens extends ScreenOptions {
  /** The other sizes; default: the large one. */
  readonly sizes?: readonly TerminalSize[];
}

/** Compares at the usual size, then at the others: resizes the terminal to each and back, and compares again. */
export async function expectScreens(terminal: Terminal, name: string, options: SizedScreens = {}): Promise<void> {
  await expectScreen(terminal, name, options);
  for (const size of options.sizes ?? [largeSize]) {
    await terminal.resize(size);
    // How many rows of its scrollback the terminal brings back depends on the changes of size before.
    await expectScreen(terminal, name, { ...options, slack: size.rows });
  }
  await terminal.resize(usualSize);
  if (process.env["UPDATE_SCREENS"] === "1") await terminal.untilQuiet();
  else await expectScreen(terminal, name, { ...options, slack: usualSize.rows });
}

/** Waits until the terminal shows the snapshot. Throws with both screens if it does not. */
export async function expectScreen(terminal: Terminal, name: string, options: ScreenOptions = {}): Promise<void> {
  const { columns, rows } = terminal.size();
  const file = path.join(folder, `${name}.${columns}x${rows}.txt`);
  if (process.env["UPDATE_SCREENS"] === "1") {
    // Otherwise it shows the old screen, or nothing: it is cleared some time before the redraw.
    do {
      await pause(updateMs);
      await terminal.untilQuiet();
    } while ((await terminal.screen()) === "");
    await writeFile(file, (await shownScreen(terminal, options)).replace(slowStart, ""));
    return;
  }
  const expected = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new Error(`no kept screen ${file}: look at it with UPDATE_SCREENS=1 (${error.code})`);
  });
  const began = performance.now();
  let shown = await shownScreen(terminal, options);
  while (!isSame(expected, shown, options.slack)) {
    if (performance.now() - began > longestMs)
      throw new Error(difference({ name: `${name} at ${columns}x${rows}`, expected, shown }));
    await pause(50);
    shown = await shownScreen(terminal, options);
  }
}

async function shownScreen(terminal: Terminal, { coloured, silence }: ScreenOptions): Promise<string> {
  const screen = coloured === true ? colouredText(await terminal.colouredScreen()) : await terminal.screen();
  const cursor = await terminal.cursor();
  const rowsBelow = cursor === null ? 0 : screen.split("\n").length - 1 - cursor.y;
  const place = cursor === null ? "hidden" : `in column ${cursor.x}, ${rowsBelow} rows above the last`;
  return `${normalized(screen, silence === true ? "no answer for 0 s · " : "")}\ncursor ${place}\n`;
}

function isSame(expected: string, shown: string, slack = slackRows): boolean {
  const [shorter = "", longer = ""] = [expected, shown]
    .map((screen) => screen.replace(slowStart, ""))
    .sort((a, b) => a.length - b.length);
  if (shorter === longer) return true;
  if (!`\n${longer}`.endsWith(`\n${shorter}`) || shorter.split("\n").length < minRows) return false;
  return longer.split("\n").length - shorter.split("\n").length <= slack;
}

function normalized(screen: string, silence: string): string {
  return machine
    .reduce((text, [pattern, shown]) => text.replaceAll(pattern, shown), screen)
    .replaceAll("\u001b", "␛")
    .replaceAll(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/gu, "⠿")
    .replaceAll(thoughtPattern, "")
    .replaceAll(progressPattern, `$1$2${silence}`)
    .replaceAll(idPattern, (id) => id.replaceAll(/[0-9a-f]/gu, "x"))
    .replaceAll(/(?<=\/tmp\/pty-)\w{6}/gu, "XXXXXX")
    .replaceAll(/(?<=127\.0\.0\.1:)\d{5}/gu, "00000")
    .replaceAll(/\b\d{1,2} min ago|\bjust now\b/gu, "just now")
    .replaceAll(/\b20\d\d-\d\d-\d\d\b/gu, "YYYY-MM-DD")
    .replaceAll(/\b\d\d:\d\d(?::\d\d)?\b/gu, (time) => time.replaceAll(/\d/gu, "0"))
    .replaceAll(/(?<=Palimpsest (?:␛\[[\d;]{0,9}m){0,4})\d+\.\d+\.\d+/gu, "0.0.0");
}

function difference({ name, expected, shown }: { name: string; expected: string; shown: string }): string {
  const frame = (text: string): string => text.replaceAll(/^/gmu, "| ");
  return `${name} is not as kept.\nKept:\n${frame(expected)}\nShown:\n${frame(shown)}\nUPDATE_SCREENS=1 keeps what is shown.`;
}
