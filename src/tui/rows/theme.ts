// How each tone looks, for dark and light backgrounds and without colours.
// Invariant: neither black nor white is ever named, and without colour the tones still differ where it matters.
import type { TextProps } from "ink";
import type { Tone } from "./row.ts";

export type Style = Pick<TextProps, "color" | "dimColor" | "bold" | "italic" | "underline" | "strikethrough">;
export type Theme = Readonly<Record<Tone, Style>>;
export type ThemeName = "dark" | "light" | "none";

/** What looks the same on every background. */
const shapes = {
  plain: {},
  faint: { dimColor: true },
  strong: { bold: true },
  emphasis: { italic: true },
  deleted: { strikethrough: true },
  link: { underline: true },
  comment: { dimColor: true },
} as const;

// Named colours are of the terminal's own palette. Yellow and cyan are hardly seen on white: a light background has
// others in their place, which terminals of 256 or 16 colours show by the nearest that they have.
const lightYellow = "#8a5a00";
const lightCyan = "#00687a";
const lightGreen = "#1a7f37";

export const themes: Readonly<Record<ThemeName, Theme>> = {
  dark: {
    ...shapes,
    // As grep marks what it has found.
    match: { color: "red", bold: true },
    heading: { color: "magenta", bold: true },
    code: { color: "cyan" },
    keyword: { color: "magenta" },
    string: { color: "green" },
    literal: { color: "yellow" },
    accent: { color: "magenta" },
    added: { color: "green" },
    removed: { color: "red" },
    warning: { color: "yellow" },
    failure: { color: "red", bold: true },
  },
  light: {
    ...shapes,
    match: { color: "red", bold: true },
    heading: { color: "magenta", bold: true },
    code: { color: lightCyan },
    keyword: { color: "magenta" },
    string: { color: lightGreen },
    literal: { color: lightYellow },
    accent: { color: "magenta" },
    added: { color: lightGreen },
    removed: { color: "red" },
    warning: { color: lightYellow },
    failure: { color: "red", bold: true },
  },
  /** For NO_COLOR: weight and shape alone. */
  none: {
    ...shapes,
    match: { bold: true },
    heading: { bold: true },
    code: {},
    keyword: { bold: true },
    string: {},
    literal: {},
    accent: { bold: true },
    added: {},
    removed: {},
    warning: { bold: true },
    failure: { bold: true },
  },
};

export interface ThemeRequest {
  /** Whether colours may be used. */
  readonly color: boolean;
  /** Default `auto`. */
  readonly theme?: ThemeName | "auto";
  readonly colorFgBg?: string;
}

/**
 * The theme that is wished, or else that for the terminal. `colorFgBg` is what some terminals say of themselves in COLORFGBG:
 * the numbers of the text's colour and, last, of the background's, out of 16. One that says nothing, or nothing that is
 * understood, counts as dark.
 */
export function themeFor({ color, theme = "auto", colorFgBg }: ThemeRequest): ThemeName {
  if (!color) return "none";
  if (theme !== "auto") return theme;
  const background = /^[^;]{0,20}(?:;[^;]{0,20})?;(\d{1,2})$/.exec(colorFgBg ?? "")?.[1];
  if (background === undefined) return "dark";
  const number = Number(background);
  // 7 is light grey, 8 dark grey, and above it are the bright colours.
  return number === 7 || (number >= 9 && number <= 15) ? "light" : "dark";
}
