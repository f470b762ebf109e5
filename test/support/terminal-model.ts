// A small model of a terminal: what is on its screen and in its scrollback after a program has written to it.
// Invariant: it knows only the sequences that the chat uses, and throws on any other. A sequence may be split between writes.
import { graphemesOf, graphemeWidth } from "../../src/surfaces/terminal/screen/text-width.ts";

export interface ModelOptions {
  readonly columns: number;
  readonly rows: number;
  /** Columns of a character. Default: as the chat measures it. */
  readonly widthOf?: (grapheme: string) => number;
  /** Receives the answers to questions. */
  readonly answer?: (text: string) => void;
}

export interface TerminalModel {
  write(text: string): void;
  /** The lines of the screen, without trailing spaces. */
  screen(): readonly string[];
  /** The scrollback, and the lines of the screen down to the last one that is not empty. */
  everything(): readonly string[];
  /** The styles of a line's columns, each with the address of its link. */
  stylesOf(line: number): readonly string[];
  cursor(): { readonly x: number; readonly y: number; readonly isVisible: boolean };
  /** Modes that are on: `?2004`. At first, a terminal wraps (`?7`) and shows its cursor (`?25`). */
  modes(): readonly string[];
}

interface Column {
  text: string;
  style: string;
}

/* oxlint-disable no-control-regex -- sequences begin with a control character */
const beginning = /\u001b(?:\[[<=>?]?[\d;]*|\][^\u0007\u001b]*\u001b?)?$/u;
const token =
  /\u001b\[([<=>?]?)([\d;]*)([@-~])|\u001b\](?:8;;)?([^\u0007\u001b]*)(?:\u0007|\u001b\\)|[\r\n\b\u0007]|[^\u001b\r\n\b\u0007]+/gy;
/* oxlint-enable no-control-regex */

export function createTerminalModel(options: ModelOptions): TerminalModel {
  const { columns, rows, widthOf = graphemeWidth, answer = () => undefined } = options;
  const blank = (): Column[] => Array.from({ length: columns }, () => ({ text: " ", style: "" }));
  let lines = Array.from({ length: rows }, blank);
  const scrollback: Column[][] = [];
  const modes = new Set<string>(["?7", "?25"]);
  let [x, y, style, link, held] = [0, 0, "", "", ""];

  const lineFeed = (): void => {
    if (y < rows - 1) {
      y += 1;
      return;
    }
    scrollback.push(...lines.splice(0, 1));
    lines.push(blank());
  };
  const print = (text: string): void => {
    for (const grapheme of graphemesOf(text)) {
      const width = widthOf(grapheme);
      const line = lines[y] ?? [];
      if (width === 0) {
        const base = line[x - 1]?.text === "" ? line[x - 2] : line[x - 1];
        if (base !== undefined) base.text += grapheme;
        continue;
      }
      if (x + width > columns && !modes.has("?7")) continue;
      if (x + width > columns) throw new Error(`wrote beyond the last column: ${JSON.stringify(text)}`);
      split(line, x);
      split(line, x + width);
      const look = link === "" ? style : `${style} ${link}`;
      line[x] = { text: grapheme, style: look };
      for (let further = 1; further < width; further += 1) line[x + further] = { text: "", style: look };
      x += width;
    }
  };
  const erase = (line: Column[], from: number): void => {
    split(line, from);
    line.splice(from, columns, ...blank().slice(from));
  };
  const controls: Readonly<Record<string, (numbers: readonly number[]) => void>> = {
    A: ([count = 1]) => void (y = Math.max(0, y - count)),
    B: ([count = 1]) => void (y = Math.min(rows - 1, y + count)),
    C: ([count = 1]) => void (x = Math.min(columns - 1, x + count)),
    D: ([count = 1]) => void (x = Math.max(0, x - count)),
    G: ([column = 1]) => void (x = column - 1),
    H: ([row = 1, column = 1]) => void ([y, x] = [row - 1, column - 1]),
    J: ([kind = 0]) => {
      if (kind !== 0) scrollback.push(...lines.map((line) => [...line]));
      erase(lines[y] ?? [], kind === 0 ? x : 0);
      lines = lines.map((line, at) => (at > y || kind !== 0 ? blank() : line));
    },
    K: () => erase(lines[y] ?? [], x),
    L: ([count = 1]) => {
      lines.splice(y, 0, ...Array.from({ length: count }, blank));
      lines.length = rows;
      x = 0;
    },
    M: ([count = 1]) => {
      lines.splice(y, count);
      while (lines.length < rows) lines.push(blank());
      x = 0;
    },
    // The others are about the stack of titles.
    t: ([kind]) => (kind === 18 ? answer(`\u001b[8;${rows};${columns}t`) : undefined),
    n: ([kind]) => answer(kind === 6 ? `\u001b[${y + 1};${x + 1}R` : "\u001b[0n"),
  };
  const setMode = (mark: string, parameters: string, final: string): void => {
    if (final === "h") modes.add(mark + parameters);
    else if (final === "l") modes.delete(mark + parameters);
  };
  const control = ([whole, mark = "", parameters = "", final = ""]: RegExpMatchArray): void => {
    if (mark !== "") setMode(mark, parameters, final);
    else if (final === "m") style = styleAfter(style, parameters);
    else {
      const act = controls[final];
      if (act === undefined) throw new Error(`an unknown sequence: ${JSON.stringify(whole)}`);
      act(parameters === "" ? [] : parameters.split(";").map(Number));
    }
  };
  const textOf = (line: readonly Column[]): string =>
    line
      .map(({ text }) => text)
      .join("")
      .trimEnd();
  return {
    write(written) {
      const whole = held + written;
      held = beginning.exec(whole)?.[0] ?? "";
      const text = whole.slice(0, whole.length - held.length);
      let end = 0;
      for (const found of text.matchAll(token)) {
        end = found.index + found[0].length;
        const [piece] = found;
        link = linkAfter(link, found);
        if (piece === "\r") x = 0;
        else if (piece === "\n") lineFeed();
        else if (piece === "\b") x = Math.max(0, x - 1);
        else if (piece.startsWith("\u001b[")) control(found);
        else if (!piece.startsWith("\u001b") && piece !== "\u0007") print(piece);
      }
      if (end !== text.length) throw new Error(`not understood: ${JSON.stringify(text.slice(end, end + 20))}`);
    },
    screen: () => lines.map(textOf),
    everything() {
      const all = [...scrollback, ...lines].map(textOf);
      return all.slice(0, all.findLastIndex((line) => line !== "") + 1);
    },
    stylesOf: (line) => (lines[line] ?? []).map((column) => column.style),
    cursor: () => ({ x, y, isVisible: modes.has("?25") }),
    modes: () => [...modes],
  };
}

/** Returns the address of the link after a sequence: its own if it begins or ends a link. */
function linkAfter(link: string, [piece, , , , address = ""]: RegExpMatchArray): string {
  return piece.startsWith("\u001b]8;;") ? address : link;
}

/** What a style replaces or ends: such as any other colour of the text. */
const families = [/^(?:1|22)$/u, /^(?:2|22)$/u, /^2?3$/u, /^2?4$/u, /^2?7$/u, /^2?9$/u, /^(?:3[0-79]|9[0-7]|38;.*)$/u];
const ends = new Set(["22", "23", "24", "27", "29", "39"]);

/** Returns the styles after a sequence, by their numbers: `1;35`. */
function styleAfter(style: string, parameters: string): string {
  let styles: string[] = style.match(/38;5;\d+|\d+/gu) ?? [];
  for (const code of parameters.match(/38;5;\d+|\d+/gu) ?? ["0"]) {
    const ended = families.filter((family) => family.test(code));
    styles = styles.filter((one) => code !== "0" && !ended.some((family) => family.test(one)));
    if (code !== "0" && !ends.has(code)) styles.push(code);
  }
  return styles.toSorted((one, other) => Number.parseInt(one, 10) - Number.parseInt(other, 10)).join(";");
}

/** A character that is overwritten in part disappears. */
function split(line: Column[], at: number): void {
  if (line[at]?.text !== "") return;
  let start = at;
  while (start > 0 && line[start]?.text === "") start -= 1;
  for (let column = start; column === start || line[column]?.text === ""; column += 1)
    line[column] = { text: " ", style: line[column]?.style ?? "" };
}
