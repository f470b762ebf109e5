// The doctor's finding about the terminal.
import type { Finding } from "../../../runtime/doctor.ts";
import type { World } from "../world.ts";

// Minimum size: below it, the chat's own lines do not fit.
const minColumns = 40;
const minRows = 10;

type Terminal = Pick<World, "isTerminal" | "hasColor" | "hasUtf8" | "terminalName" | "stdout">;

export function terminalFinding(terminal: Terminal): Finding {
  const { isTerminal, hasUtf8, terminalName } = terminal;
  const { columns, rows } = sizeOf(terminal.stdout);
  const facts = [
    isTerminal ? "a terminal" : "no terminal: the chat works line by line",
    ...(terminalName === null ? [] : [`TERM=${terminalName}`]),
    ...(columns === null || rows === null ? [] : [`${columns} columns and ${rows} rows`]),
    coloursOf(terminal),
    hasUtf8 ? "UTF-8" : "no UTF-8",
  ];
  const advice = adviceFor(terminal, { columns, rows });
  return { check: "terminal", verdict: advice === null ? "ok" : "warning", found: `${facts.join(", ")}.`, advice };
}

interface Size {
  readonly columns: number | null;
  readonly rows: number | null;
}

function sizeOf(stdout: World["stdout"]): Size {
  const number = (value: unknown): number | null => (typeof value === "number" && value > 0 ? value : null);
  return {
    columns: "columns" in stdout ? number(stdout.columns) : null,
    rows: "rows" in stdout ? number(stdout.rows) : null,
  };
}

/** Describes the colour depth in bits that Node reports. */
function coloursOf({ hasColor, stdout }: Terminal): string {
  if (!hasColor) return "no colours";
  const isAsked = "getColorDepth" in stdout && typeof stdout.getColorDepth === "function";
  const bits: unknown = isAsked ? (stdout.getColorDepth as () => unknown)() : null;
  if (bits === 24) return "16 million colours";
  return typeof bits === "number" && bits > 1 ? `${2 ** bits} colours` : "colours";
}

function adviceFor({ terminalName, hasUtf8 }: Terminal, { columns, rows }: Size): string | null {
  if (terminalName === "dumb" && columns !== null) {
    return "Set TERM to the terminal's type, such as xterm-256color: with dumb, the chat works line by line.";
  }
  if (!hasUtf8) return "Set LANG to a UTF-8 locale, such as C.UTF-8: other text may come out garbled.";
  if (columns !== null && columns < minColumns) {
    return `Make the window wider: the chat needs ${minColumns} columns.`;
  }
  return rows !== null && rows < minRows ? `Make the window higher: the chat needs ${minRows} rows.` : null;
}
