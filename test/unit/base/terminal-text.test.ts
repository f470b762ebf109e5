// Only sequences that control a terminal are removed.
import fc from "fast-check";
import { createControlStripper, stripControl } from "../../../src/base/terminal-text.ts";

// oxlint-disable-next-line no-control-regex -- the characters that must not be in the output
const forbidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/u;

describe("stripControl", () => {
  it.each([
    ["plain text", "Grüße, 世界 👩‍🚀\n\tand a tab", "Grüße, 世界 👩‍🚀\n\tand a tab"],
    ["a colour", "\u001b[1;31mred\u001b[0m", "red"],
    ["a private sequence", "\u001b[?1049hscreen\u001b[?25l", "screen"],
    ["a CSI with intermediates", "a\u001b[1 qb", "ab"],
    ["a title ended by BEL", "a\u001b]0;title\u0007b", "ab"],
    ["a hyperlink ended by ST", "\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\", "link"],
    ["a clipboard write", "\u001b]52;c;aGk=\u0007ok", "ok"],
    ["DCS", "a\u001bPq#0\u001b\\b", "ab"],
    ["APC", "a\u001b_Gf=100;AAAA\u001b\\b", "ab"],
    ["PM", "a\u001b^secret\u001b\\b", "ab"],
    ["SOS", "a\u001bXtext\u001b\\b", "ab"],
    ["8-bit CSI", "a\u009b31mb", "ab"],
    ["8-bit OSC and ST", "a\u009d0;title\u009cb", "ab"],
    ["8-bit DCS, SOS, PM and APC", "\u0090q\u009ca\u0098x\u009cb\u009ey\u009cc\u009fz\u009cd", "abcd"],
    ["a character set", "\u001b(0lqk", "lqk"],
    ["a reset", "\u001bcx", "x"],
    ["an escape at the end", "abc\u001b", "abc"],
    ["an unterminated CSI", "abc\u001b[12;", "abc"],
    ["an unterminated OSC, whose line is lost and no more", "a\u001b]0;title\nsecond line", "a\nsecond line"],
    ["a string cut off by another sequence", "a\u001b]0;title\u001b[31mb", "ab"],
    ["a string cancelled by CAN", "a\u001bPq\u0018b", "ab"],
    ["a CSI broken by a line end", "a\u001b[31\nb", "a\nb"],
    ["bell, backspace, delete", "a\u0007b\bc\u007fd", "abcd"],
    ["a lone carriage return", "safe\rfake", "safe\nfake"],
    ["CR LF", "one\r\ntwo", "one\ntwo"],
    ["CR at the end", "one\r", "one\n"],
    ["two CRs", "one\r\rtwo", "one\n\ntwo"],
    ["bidirectional overrides", "a\u202egpj.exe\u202c\u2066b\u2069", "agpj.exeb"],
    ["NUL inside a sequence", "a\u001b[\u000031mb", "a31mb"],
  ])("%s", (_, text, expected) => {
    expect(stripControl(text)).toBe(expected);
  });

  const nasty = fc.array(
    fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom(
        "\u001b",
        "\u001b[",
        "\u001b]",
        "\u001bP",
        "\u009b",
        "\u009d",
        "\u009c",
        "\u0007",
        "\r",
        "\n",
        "31m",
        "\\",
        "é",
        "👍",
      ),
    ),
    { maxLength: 30 },
  );

  it("returns no forbidden character for any input", () => {
    fc.assert(fc.property(nasty, (parts) => !forbidden.test(stripControl(parts.join("")))));
  });

  it("changes nothing in its own output", () => {
    fc.assert(
      fc.property(nasty, (parts) => {
        const once = stripControl(parts.join(""));
        expect(stripControl(once)).toBe(once);
      }),
    );
  });

  it("does not change text without control characters", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => forbidden.test(text) || stripControl(text) === text),
    );
  });

  it("returns the same for a text in chunks, however it is split", () => {
    fc.assert(
      fc.property(nasty, fc.array(fc.nat(200), { maxLength: 10 }), (parts, cuts) => {
        const text = parts.join("");
        const edges = [
          0,
          ...cuts.map((cut) => Math.min(cut, text.length)).sort((one, other) => one - other),
          text.length,
        ];
        const stripper = createControlStripper();
        const pieces = edges.slice(1).map((edge, index) => stripper.push(text.slice(edges[index], edge)));
        expect(pieces.join("") + stripper.end()).toBe(stripControl(text));
      }),
    );
  });

  it("reads each character a bounded number of times", () => {
    let looked = 0;
    const text = "\u001b]\u001b\u0080\r\u001b[".repeat(10_000);
    const charCodeAt = (index: number): number => {
      looked += 1;
      return text.charCodeAt(index);
    };
    createControlStripper().push({ length: text.length, charCodeAt, toString: () => text } as unknown as string);
    expect(looked).toBeGreaterThan(text.length / 2);
    expect(looked).toBeLessThanOrEqual(3 * text.length);
  });
});

describe("createControlStripper", () => {
  it("holds back a possible beginning of a sequence", () => {
    const stripper = createControlStripper();
    expect(stripper.push("before\u001b")).toBe("before");
    expect(stripper.push("[3")).toBe("");
    expect(stripper.push("1mafter\r")).toBe("after");
    expect(stripper.push("\nnext")).toBe("\nnext");
    expect(stripper.end()).toBe("");
  });

  it("can be used again after its end", () => {
    const stripper = createControlStripper();
    expect(stripper.push("a\u001b]0;unfinished")).toBe("a");
    expect(stripper.end()).toBe("");
    expect(stripper.push("b")).toBe("b");
  });
});
