// The look of a text as parameters of the terminal's sequence for styles (SGR).
// Invariant: a look is complete, so switching to it needs no knowledge of the one before, except whether there was one.
import type { Color, Style } from "../rows/theme.ts";

export interface Look {
  /** Such as `1;35`; empty for plain text. */
  readonly codes: string;
  /** Whether it shows on a space: underlined or struck through. */
  readonly hasLine: boolean;
}

export const plainLook: Look = { codes: "", hasLine: false };

const colorCodes: Readonly<Record<Exclude<Color, number>, number>> = {
  red: 31,
  green: 32,
  yellow: 33,
  magenta: 35,
  cyan: 36,
};

/** Returns the look of a style. */
export function lookOf(style: Style): Look {
  const { bold, dimColor, italic, underline, strikethrough, color } = style;
  const codes = [
    ...(bold === true ? [1] : []),
    ...(dimColor === true ? [2] : []),
    ...(italic === true ? [3] : []),
    ...(underline === true ? [4] : []),
    ...(strikethrough === true ? [9] : []),
    ...(color === undefined ? [] : [typeof color === "number" ? `38;5;${color}` : colorCodes[color]]),
  ].join(";");
  return { codes, hasLine: underline === true || strikethrough === true };
}

/** Returns the sequence that switches from one look to another; empty if they are the same. */
export function switchLook(from: Look, to: Look): string {
  if (from.codes === to.codes) return "";
  if (to.codes === "") return "\u001b[m";
  return `\u001b[${from.codes === "" ? "" : "0;"}${to.codes}m`;
}
