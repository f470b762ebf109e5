// The redactor finds a forgotten text however it was written down, and leaves nothing of it.
import { createRedactor, forgottenMark } from "../../../src/base/redactor.ts";

describe("a redactor", () => {
  it.each([
    ["in another case", "my pin is 4711", "My PIN is 4711!", `${forgottenMark}!`],
    ["with other white space", "my pin is 4711", "So: my pin\n  is\t4711.", `So: ${forgottenMark}.`],
    ["with other diacritics", "Setúbal", "SETUBAL and Setúbal", `${forgottenMark} and ${forgottenMark}`],
    ["in JSON in a string", 'say "hi" now', String.raw`{"text":"say \"hi\" now"}`, `{"text":"${forgottenMark}"}`],
    [
      "in JSON in JSON",
      'say "hi"\nnow',
      String.raw`"{\"a\":\"say \\\"hi\\\"\\nnow\"}"`,
      String.raw`"{\"a\":\"${forgottenMark}\"}"`,
    ],
    ["with escaped letters", "Café Zoë", String.raw`{"a":"caf\u00e9 Zo\u00EB"}`, `{"a":"${forgottenMark}"}`],
    ["with a backslash", String.raw`C:\keys`, String.raw`{"a":"C:\\keys"}`, `{"a":"${forgottenMark}"}`],
    ["several times", "abc", "abcabc x abc", `${forgottenMark} x ${forgottenMark}`],
    ["with characters of patterns", "a.b*(c)[d]", "x a.b*(c)[d] y", `x ${forgottenMark} y`],
    ["beside emoji", "秘密の鍵", "🙂秘密の鍵🙂", `🙂${forgottenMark}🙂`],
  ])("finds a text %s", (_how, text, within, left) => {
    const redactor = createRedactor([text]);
    expect([redactor.has(within), redactor.redact(within)]).toEqual([true, left]);
    expect(redactor.has(left)).toBe(false);
  });

  it("replaces the longest of several texts, and leaves a text without them as it is", () => {
    const redactor = createRedactor(["4711", "my pin is 4711"]);
    expect(redactor.redact("my pin is 4711, not 47111")).toBe(`${forgottenMark}, not ${forgottenMark}1`);
    expect(redactor.redact("my pin is 471")).toBe("my pin is 471");
  });

  it("finds a short text that nobody asked for only as whole words, also after an escape in JSON", () => {
    const redactor = createRedactor(["tea", "4711", "秘密の鍵"], ["4711"]);
    expect(redactor.redact("Teas, tea, steam, 47110")).toBe(`Teas, ${forgottenMark}, steam, ${forgottenMark}0`);
    expect(redactor.redact(String.raw`{"a":"milk\ntea\nsteam"}`)).toBe(
      String.raw`{"a":"milk\n${forgottenMark}\nsteam"}`,
    );
    expect(redactor.redact("我的秘密の鍵是")).toBe(`我的${forgottenMark}是`);
  });

  it("finds nothing for blank texts", () => {
    expect(createRedactor(["", "  \n"]).has("anything")).toBe(false);
  });

  it("shows the words around the first place on one line", () => {
    const text = `${"before ".repeat(20)}the\nsecret code${" after".repeat(20)}`;
    expect(createRedactor(["secret  CODE"]).excerpt(text)).toMatch(/^….*before the secret code after.*…$/u);
    expect(createRedactor(["secret"]).excerpt("none")).toBeNull();
  });
});
