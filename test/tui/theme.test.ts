// The theme of a terminal, and the constraints of themes.
import { themeFor, themes } from "../../src/surfaces/terminal/rows/theme.ts";
import { openingState, reduceView } from "../../src/surfaces/terminal/view/view-state.ts";
import { newStatus } from "../support/new-status.ts";

test.each([
  ["15;0", "dark"],
  ["0;15", "light"],
  ["0;7", "light"],
  ["12;8", "dark"],
  ["0;default;15", "light"],
  ["15;default;0", "dark"],
  ["0;default", "dark"],
  ["", "dark"],
  ["15", "dark"],
  ["0;99", "dark"],
  ["0;15\u001b[31m", "dark"],
  [";".repeat(1e6), "dark"],
  ["日本;15", "light"],
] as const)("COLORFGBG %j is %s", (colorFgBg, name) => {
  expect(themeFor({ color: true, colorFgBg })).toBe(name);
});

test("without colours it is none, whatever the background", () => {
  expect(themeFor({ color: false, colorFgBg: "0;15" })).toBe("none");
  expect(themeFor({ color: true })).toBe("dark");
  expect(themeFor({ color: false, theme: "light" })).toBe("none");
  expect(themeFor({ color: true, theme: "light" })).toBe("light");
  expect(themeFor({ color: true, theme: "none", colorFgBg: "0;15" })).toBe("none");
  expect(themeFor({ color: true, theme: "auto", colorFgBg: "0;15" })).toBe("light");
});

test("none has no colour", () => {
  expect(Object.values(themes.none).filter((style) => "color" in style)).toEqual([]);
});

test.each(["dark", "light"] as const)("%s uses neither black nor white", (name) => {
  const colours = Object.values(themes[name]).map((style) => style.color);
  expect(colours).toContain("red");
  for (const colour of colours) expect(["black", "white", "whiteBright", "blackBright"]).not.toContain(colour);
});

// Contrast as defined by WCAG 2.1 (1.4.3): at least 4.5 for small text.
test("the colours of light are readable on white", () => {
  const own = Object.values(themes.light).flatMap(({ color }) => (typeof color === "number" ? [color] : []));
  expect(own.length).toBeGreaterThan(3);
  for (const colour of own) expect(1.05 / (luminance(colour) + 0.05)).toBeGreaterThan(4.5);
});

test("light uses none of the colours that are invisible on white", () => {
  const colours = Object.values(themes.light).map((style) => style.color);
  for (const colour of ["yellow", "cyan", "green"]) expect(colours).not.toContain(colour);
});

test("an action changes the theme", () => {
  const state = openingState({ status: newStatus(), size: { columns: 80, rows: 24 }, theme: "dark" });
  expect(state.theme).toBe("dark");
  expect(reduceView(state, { type: "set", change: { theme: "light" } }).theme).toBe("light");
});

/** Of a colour in the cube of the 256 colours. */
function luminance(colour: number): number {
  const [red = 0, green = 0, blue = 0] = [36, 6, 1].map((unit) => {
    const share = ([0, 95, 135, 175, 215, 255][Math.floor((colour - 16) / unit) % 6] ?? 0) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
