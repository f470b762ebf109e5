// What terminals send, and the keys, pastes and answers in it.
import { createInputParser, type Input } from "../../src/surfaces/terminal/keys/input-parser.ts";
import { pressed, typed } from "../../src/surfaces/terminal/keys/key-codes.ts";

const key = (text: string): Input => ({ type: "key", ...typed(text) });
const named = (chord: string): Input => ({ type: "key", ...pressed(chord) });
const up = named("up");
const escape = named("escape");

function inputsOf(...chunks: readonly string[]): readonly Input[] {
  const parser = createInputParser();
  return [...chunks.flatMap((chunk) => parser.push(chunk)), ...parser.flush()];
}

describe("a key", () => {
  it.each<[string, string, readonly Input[]]>([
    ["a letter", "a", [key("a")]],
    ["a wide character", "日", [key("日")]],
    ["an emoji of two units", "👍", [key("👍")]],
    ["Enter", "\r", [named("enter")]],
    ["Ctrl+J", "\n", [named("ctrl+j")]],
    ["Tab", "\t", [named("tab")]],
    ["Backspace", "\u007f", [named("backspace")]],
    ["Backspace of other terminals", "\b", [named("backspace")]],
    ["Ctrl+C", "\u0003", [named("ctrl+c")]],
    ["Esc", "\u001b", [escape]],
    ["Esc twice", "\u001b\u001b", [escape, escape]],
    ["Alt+B", "\u001bb", [named("alt+b")]],
    ["Alt+Enter", "\u001b\r", [named("alt+enter")]],
    ["Alt+Backspace", "\u001b\u007f", [named("alt+backspace")]],
    ["Alt+é", "\u001bé", [named("alt+é")]],
    ["Up", "\u001b[A", [up]],
    ["Up in application mode", "\u001bOA", [up]],
    ["Alt+Up with an escape", "\u001b\u001b[A", [named("alt+up")]],
    ["Alt+Up", "\u001b[1;3A", [named("alt+up")]],
    ["Ctrl+Left", "\u001b[1;5D", [named("ctrl+left")]],
    ["Ctrl+Right of an old xterm", "\u001bO5C", [named("ctrl+right")]],
    ["Home and End", "\u001b[H\u001b[F", [named("home"), named("end")]],
    ["Home and End by numbers", "\u001b[1~\u001b[4~", [named("home"), named("end")]],
    ["Delete", "\u001b[3~", [named("delete")]],
    ["Ctrl+Delete", "\u001b[3;5~", [named("ctrl+delete")]],
    ["Page Up and Down", "\u001b[5~\u001b[6~", [named("pageup"), named("pagedown")]],
    ["Shift+Tab", "\u001b[Z", [named("shift+tab")]],
    ["Enter of the keypad", "\u001bOM", [named("enter")]],
  ])("%s", (_title, sent, expected) => {
    expect(inputsOf(sent)).toEqual(expected);
  });

  it.each<[string, string, readonly Input[]]>([
    ["Esc", "\u001b[27u", [escape]],
    ["Shift+Enter", "\u001b[13;2u", [named("shift+enter")]],
    ["Shift+Enter by modifyOtherKeys", "\u001b[27;2;13~", [named("shift+enter")]],
    ["Ctrl+C", "\u001b[99;5u", [named("ctrl+c")]],
    ["Ctrl+C by modifyOtherKeys", "\u001b[27;5;99~", [named("ctrl+c")]],
    ["Ctrl+Shift+C", "\u001b[67;6u", [named("ctrl+c")]],
    ["Alt+B", "\u001b[98;3u", [named("alt+b")]],
    ["a letter with Shift", "\u001b[97;2u", [key("A")]],
    ["a letter with Num Lock", "\u001b[97;129u", [key("a")]],
    ["a letter with its other layouts", "\u001b[1092:1060:97;5u", [named("ctrl+ф")]],
    ["Ctrl+H, which is Backspace", "\u001b[104;5u", [named("backspace")]],
    ["Ctrl+[, which is Esc", "\u001b[91;5u", [escape]],
    ["Up with Num Lock", "\u001b[1;129A", [up]],
    ["a digit of the keypad", "\u001b[57404u", [key("5")]],
    ["Enter of the keypad", "\u001b[57414u", [named("enter")]],
    ["a released key", "\u001b[97;1:3u\u001b[1;1:3A", []],
    ["Caps Lock", "\u001b[57358u", []],
    ["a code that is no character", "\u001b[1114112u\u001b[55296u", []],
  ])("in the keyboard protocol: %s", (_title, sent, expected) => {
    expect(inputsOf(sent)).toEqual(expected);
  });

  it("does not type the reports of the focus", () => {
    const focus = (hasFocus: boolean) => ({ type: "focus", hasFocus });
    expect(inputsOf("a\u001b[I\u001b[Ob")).toEqual([key("a"), focus(true), focus(false), key("b")]);
  });

  it.each([
    ["F1 to F5", "\u001bOP\u001b[11~\u001b[[A\u001b[15~"],
    ["Ctrl+F1", "\u001b[1;5P"],
    ["Shift+F13", "\u001b[25;5~"],
    ["an old xterm's Ctrl+F1", "\u001bO5P"],
    ["a mouse", "\u001b[<0;10;10M"],
  ])("without a meaning is ignored: %s", (_title, sent) => {
    expect(inputsOf(`a${sent}b`)).toEqual([key("a"), key("b")]);
  });
});

test("text that arrives together stays together, and keys with sequences are split off", () => {
  expect(inputsOf("hellp\u007fo\r")).toEqual([key("hellp\u007fo\r")]);
  expect(inputsOf("ab\u001b[Acd")).toEqual([key("ab"), up, key("cd")]);
});

test("letters that look like a sequence without its escape are text", () => {
  expect(inputsOf("[200~")).toEqual([key("[200~")]);
  expect(inputsOf("]11;rgb:0/0/0\u0007")).toEqual([key("]11;rgb:0/0/0\u0007")]);
});

describe("a paste", () => {
  const paste = (text: string): Input => ({ type: "paste", text });

  it("is one text, whatever is in it", () => {
    expect(inputsOf("a\u001b[200~one\rtwo\u001b[A\u0003\u001b\u001b[201~b")).toEqual([
      key("a"),
      paste("one\rtwo\u001b[A\u0003\u001b"),
      key("b"),
    ]);
  });

  it("may be split anywhere", () => {
    const sent = "\u001b[200~one\u001b[2\u001b[201~x";
    for (let at = 1; at < sent.length; at += 1) {
      const inputs = inputsOf(sent.slice(0, at), sent.slice(at));
      expect([at, inputs]).toEqual([at, [paste("one\u001b[2"), key("x")]]);
    }
  });

  it("without an end mark ends with Ctrl+C", () => {
    expect(inputsOf("\u001b[200~half", " of it", "\u0003", "x")).toEqual([paste("half of it"), key("x")]);
  });
});

describe("an answer", () => {
  const answers: readonly (readonly [string, readonly Input[]])[] = [
    ["\u001b]11;rgb:ffff/ffff/ffff\u001b\\", [{ type: "background", background: "light" }]],
    ["\u001b]11;rgb:0000/2b2b/3636\u0007", [{ type: "background", background: "dark" }]],
    ["\u001b]11;?\u0007", []],
    ["\u001b]52;c;aGVsbG8=\u0007", []],
    ["\u001b[0n", [{ type: "status" }]],
    ["\u001b[12;3R", [{ type: "cursor", row: 11 }]],
    ["\u001b[8;24;80t", [{ type: "size", size: { columns: 80, rows: 24 } }]],
    ["\u001b[?0u", [{ type: "keyboard" }]],
    ["\u001b[?62;4c", []],
  ];

  it.each(answers)("%j is no key, wherever it is split", (answer, expected) => {
    expect(inputsOf(`x${answer}y`)).toEqual([key("x"), ...expected, key("y")]);
    for (let at = 1; at < answer.length; at += 1)
      expect(inputsOf(`x${answer.slice(0, at)}`, `${answer.slice(at)}y`)).toEqual([key("x"), ...expected, key("y")]);
  });
});

test.each(["\u001b[0n", "\u001b[12;3R", "\u001b[8;24;80t", "\u001b[?0u", "\u001b]11;?\u0007"])(
  "Esc together with the answer %j is Esc",
  (answer) => {
    expect(inputsOf(`\u001b${answer}`)[0]).toEqual(escape);
    expect(inputsOf("\u001b", answer)).toEqual([escape, ...inputsOf(answer)]);
  },
);

describe("half a sequence", () => {
  it.each([
    ["\u001b", "escape"],
    ["\u001b\u001b", "escape"],
    ["\u001b[1;5", "sequence"],
    ["\u001b]11;rgb:", "sequence"],
    ["\u001bO", "sequence"],
    ["x", "nothing"],
    ["\u001b[200~pasting\u001b[20", "nothing"],
  ])("%j is waited for as %s", (sent, expected) => {
    const parser = createInputParser();
    parser.push(sent);
    expect(parser.waitsFor()).toBe(expected);
  });

  it("that does not arrive is dropped, and what follows is read as usual", () => {
    const parser = createInputParser();
    parser.push("\u001b[1;5");
    expect(parser.flush()).toEqual([]);
    expect(parser.push("D")).toEqual([key("D")]);
  });

  it("that turns out to be Alt with a bracket is that key", () => {
    expect(inputsOf("\u001b]", "z")).toEqual([named("alt+]"), key("z")]);
  });
});
