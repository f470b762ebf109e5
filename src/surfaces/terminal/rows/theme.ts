// Defines the styles of all tones, for dark and light backgrounds and without colours.
// Invariant: no style uses black or white, and without colour the important tones still differ.
import type { Tone } from "./row.ts";

/** A named colour of the terminal's palette, or an index into the 256 colours (16 to 255 look the same in all terminals). */
export type Color = "red" | "green" | "yellow" | "magenta" | "cyan" | number;

export interface Style {
  readonly color?: Color;
  readonly dimColor?: boolean;
  readonly bold?: boolean;
  readonly italic?: boolean;
  readonly underline?: boolean;
  readonly strikethrough?: boolean;
}
export type Theme = Readonly<Record<Tone, Style>>;
export type ThemeName = "dark" | "light" | "none";

/** The styles without colours, which are the same for every background. */
const shapes = {
  plain: {},
  faint: { dimColor: true },
  strong: { bold: true },
  emphasis: { italic: true },
  deleted: { strikethrough: true },
  link: { underline: true },
  comment: { dimColor: true },
} as const;

/** Returns the styles with colours. Yellow, cyan and green depend on the background. */
function coloured(yellow: Color, cyan: Color, green: Color): Theme {
  return {
    ...shapes,
    // Matches have the same colour as in grep.
    match: { color: "red", bold: true },
    heading: { color: "magenta", bold: true },
    code: { color: cyan },
    keyword: { color: "magenta" },
    string: { color: green },
    literal: { color: yellow },
    accent: { color: "magenta" },
    added: { color: green },
    removed: { color: "red" },
    warning: { color: yellow },
    failure: { color: "red", bold: true },
  };
}

export const themes: Readonly<Record<ThemeName, Theme>> = {
  dark: coloured("yellow", "cyan", "green"),
  // Yellow, cyan and green of most palettes have too little contrast on white, so the light theme has #875f00,
  // #005f87 and #00875f. Terminals with 16 colours show the nearest colour.
  light: coloured(94, 24, 29),
  /** The theme without colours, for NO_COLOR: styles such as bold and underline only. */
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
  /** The requested theme. Default `auto`. */
  readonly theme?: ThemeName | "auto";
  readonly colorFgBg?: string;
}

/**
 * Returns the requested theme, or else the one for the terminal. `colorFgBg` is COLORFGBG, which some terminals set to the
 * numbers of the text colour and, last, the background colour, out of 16. A missing or invalid value counts as dark.
 */
export function themeFor({ color, theme = "auto", colorFgBg }: ThemeRequest): ThemeName {
  if (!color) return "none";
  if (theme !== "auto") return theme;
  const background = /^[^;]{0,20}(?:;[^;]{0,20})?;(\d{1,2})$/.exec(colorFgBg ?? "")?.[1];
  if (background === undefined) return "dark";
  const number = Number(background);
  // 7 is light grey, 8 is dark grey, and 9 to 15 are the bright colours.
  return number === 7 || (number >= 9 && number <= 15) ? "light" : "dark";
}
