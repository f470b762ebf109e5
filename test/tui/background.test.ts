// The terminal's background: its answer is recognized, never typed, and decides only a theme that nobody chose.
import { createManualClock } from "../support/manual-clock.ts";
import { createBackgroundTheme } from "../../src/tui/background-theme.ts";
import { type Background, createBackgroundFilter } from "../../src/tui/keys/background-answer.ts";

function filtered(...chunks: readonly string[]): { readonly typed: string; readonly reported: readonly Background[] } {
  const reported: Background[] = [];
  const filter = createBackgroundFilter((background) => reported.push(background));
  return { typed: chunks.map(filter).join("|"), reported };
}

describe("the answer to the question about the background", () => {
  it.each<[string, Background]>([
    ["\u001b]11;rgb:ffff/ffff/ffff\u001b\\", "light"],
    ["\u001b]11;rgb:fd/f6/e3\u0007", "light"],
    ["\u001b]11;rgb:0000/2b2b/3636\u0007", "dark"],
    ["\u001b]11;rgba:ffff/ffff/ffff/0000\u001b\\", "light"],
    ["\u001b]11;rgb:f/f/f\u0007", "light"],
  ])("%j is %s", (answer, background) => {
    expect(filtered(`a${answer}b`)).toEqual({ typed: "ab", reported: [background] });
  });

  it("is removed wherever it is split", () => {
    const answer = "\u001b]11;rgb:ffff/ffff/ffff\u001b\\";
    for (let at = 2; at < answer.length; at += 1)
      expect(filtered(`x${answer.slice(0, at)}`, `${answer.slice(at)}y`)).toEqual({
        typed: "x|y",
        reported: ["light"],
      });
  });

  it("is removed after its escape character, which was read alone", () => {
    const typed = filtered("\u001b", "]11;rgb:0/0/0\u0007y");
    expect(typed).toEqual({ typed: "\u001b|y", reported: ["dark"] });
  });

  it("is removed in an unknown form, which decides nothing", () => {
    expect(filtered("\u001b]11;?\u0007", "\u001b]11;#ffffff\u001b\\y")).toEqual({ typed: "|y", reported: [] });
  });

  it.each(["]11;rgb:0/0/0\u0007", "]1", "\u001b", "\u001b[A", "\u001b]12;x\u0007", "11;rgb:"])(
    "is not confused with the input %j",
    (input) => {
      expect(filtered(input, "z")).toEqual({ typed: `${input}|z`, reported: [] });
    },
  );

  it("holds back a similar key sequence only until the next key", () => {
    expect(filtered("\u001b]", "z")).toEqual({ typed: "|\u001b]z", reported: [] });
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
    expect(names).toEqual([{ type: "theme", name: "light" }]);
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
