// How each tone looks: named colours of the terminal's own palette, so that light and dark backgrounds both work.
// Invariant: neither black nor white is ever named, and without colour the tones still differ where it matters.
import type { TextProps } from "ink";
import type { Tone } from "./row.ts";

export type Style = Pick<TextProps, "color" | "dimColor" | "bold" | "italic" | "underline" | "strikethrough">;
export type Theme = Readonly<Record<Tone, Style>>;

export const colourTheme: Theme = {
  plain: {},
  faint: { dimColor: true },
  strong: { bold: true },
  // As grep marks what it has found.
  match: { color: "red", bold: true },
  heading: { color: "magenta", bold: true },
  emphasis: { italic: true },
  deleted: { strikethrough: true },
  link: { underline: true },
  code: { color: "cyan" },
  keyword: { color: "magenta" },
  string: { color: "green" },
  literal: { color: "yellow" },
  comment: { dimColor: true },
  accent: { color: "magenta" },
  added: { color: "green" },
  removed: { color: "red" },
  warning: { color: "yellow" },
  failure: { color: "red", bold: true },
};

/** For NO_COLOR: weight alone. */
export const plainTheme: Theme = {
  plain: {},
  faint: { dimColor: true },
  strong: { bold: true },
  match: { bold: true },
  heading: { bold: true },
  emphasis: { italic: true },
  deleted: { strikethrough: true },
  link: { underline: true },
  code: {},
  keyword: { bold: true },
  string: {},
  literal: {},
  comment: { dimColor: true },
  accent: { bold: true },
  added: {},
  removed: {},
  warning: { bold: true },
  failure: { bold: true },
};
