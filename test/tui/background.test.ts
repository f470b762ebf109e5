// The terminal's background: its answer is recognized, never typed, and decides only a theme that nobody chose.
import { createManualClock } from "../support/manual-clock.ts";
import { createBackgroundTheme } from "../../src/surfaces/terminal/background-theme.ts";
import { type Background, backgroundOf } from "../../src/surfaces/terminal/keys/input-parser.ts";

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
