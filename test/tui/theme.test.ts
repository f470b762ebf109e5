// The terminal's background and the themes: its answer is recognized, never typed, and decides only a theme that nobody chose; the
// constraints of themes, and `/theme`.
import { themeFor, themes } from "../../src/surfaces/terminal/rows/theme.ts";
import { openingState, reduceView } from "../../src/surfaces/terminal/view/view-state.ts";
import { createBackgroundTheme } from "../../src/surfaces/terminal/background-theme.ts";
import { type Background, backgroundOf } from "../../src/surfaces/terminal/keys/input-parser.ts";
import { pressed, typed } from "../../src/surfaces/terminal/keys/key-codes.ts";
import { createChat } from "../../src/surfaces/terminal/create-chat.ts";
import { newStatus } from "../support/new-status.ts";
import { createManualClock } from "../support/manual-clock.ts";
import { createFakeAgent, createFakeRuntime } from "../support/fake-agent.ts";
import { shownText } from "../support/run-command.ts";

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

describe("the answer to the question about the background", () => {
  it.each<[string, Background | null]>([
    ["11;rgb:ffff/ffff/ffff", "light"],
    ["11;rgb:fd/f6/e3", "light"],
    ["11;rgb:0000/2b2b/3636", "dark"],
    ["11;rgba:ffff/ffff/ffff/0000", "light"],
    ["11;rgb:f/f/f", "light"],
    ["11;#ffffff", null],
    ["11;?", null],
    ["10;rgb:ffff/ffff/ffff", null],
  ])("%j is %s", (answer, background) => {
    expect(backgroundOf(answer)).toBe(background);
  });
});

describe("the theme by the background", () => {
  const themed = (session: Parameters<typeof createBackgroundTheme>[0]) => {
    const clock = createManualClock();
    const names: unknown[] = [];
    const theme = createBackgroundTheme(session, { dispatch: (action) => names.push(action) }, clock);
    return { clock, names, theme };
  };

  it("is asked once and applied", () => {
    const { theme, names } = themed({ color: true });
    expect([theme.shouldAskBackground(), theme.shouldAskBackground()]).toEqual([true, false]);
    theme.showBackground("light");
    expect(names).toEqual([{ type: "set", change: { theme: "light" } }]);
  });

  it.each([{ color: false }, { color: true, theme: "dark" } as const])("is not asked with %j", (session) => {
    const { theme, names } = themed(session);
    expect(theme.shouldAskBackground()).toBe(false);
    theme.showBackground("light");
    expect(names).toEqual([]);
  });

  it("is not applied after two seconds, when the user may have chosen one", async () => {
    const { theme, names, clock } = themed({ color: true });
    theme.shouldAskBackground();
    await clock.advance(2_001);
    theme.showBackground("light");
    expect(names).toEqual([]);
  });
});

function open() {
  const session = { runtime: createFakeRuntime(), agent: createFakeAgent(), version: "0", color: true };
  const chat = createChat(session, { columns: 100, rows: 30 });
  return {
    theme: () => chat.getState().theme,
    async say(line: string) {
      chat.handleKey(typed(line));
      chat.handleKey(pressed("enter"));
      for (let tick = 0; tick < 10; tick += 1) await new Promise((resolve) => setTimeout(resolve, 5));
    },
    shown: () => shownText(chat.getState(), 99),
  };
}

test("/theme NAME changes it", async () => {
  const { theme, say, shown } = open();
  for (const name of ["light", "none", "DARK"]) {
    await say(`/theme ${name}`);
    expect(theme()).toBe(name.toLowerCase());
    expect(shown()).toContain(`The theme is ${name.toLowerCase()} from now on`);
  }
});

test.each([
  ["/theme", "Themes: dark, light, none."],
  ["/theme ligth", "Did you mean light?"],
  ["/theme constructor", 'There is no theme "constructor". There are dark, light, none.'],
  ["/theme 字 %_ </human>", 'There is no theme "字 %_ </human>".'],
])("%s changes nothing", async (line, said) => {
  const { theme, say, shown } = open();
  const before = theme();
  await say(line);
  expect(theme()).toBe(before);
  expect(shown()).toContain(said);
});
