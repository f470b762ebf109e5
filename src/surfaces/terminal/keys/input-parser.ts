// Splits what a terminal sends into keys, pastes, and answers to questions.
// Invariant: sequences may be split between chunks at any place; an answer or an unknown sequence never becomes typed text,
// and text in a paste is never a key.
import { appendAll } from "../../../base/lists.ts";
import type { ScreenSize } from "../screen/screen-size.ts";
import { type Key, keyOfCharacter, keyOfCode, keyOfLetter, keyOfNumber, modifier, typed } from "./key-codes.ts";

/** Asks for the background colour (OSC 11). A terminal that does not know the sequence does not answer. */
export const backgroundQuestion = "\u001b]11;?\u001b\\";

export type Background = "light" | "dark";

export type Input =
  /** A key, or text of several characters that arrived together. */
  | ({ readonly type: "key" } & Key)
  | { readonly type: "paste"; readonly text: string }
  | { readonly type: "background"; readonly background: Background }
  /** The terminal's window gets or loses the focus (mode 1004). */
  | { readonly type: "focus"; readonly hasFocus: boolean }
  /** The answer to `CSI 5 n`: the terminal has shown everything that was written before the question. */
  | { readonly type: "status" }
  /** The answer to `CSI 6 n`: the row of the cursor, from 0. */
  | { readonly type: "cursor"; readonly row: number }
  /** The answer to `CSI 18 t`: the size of the screen. */
  | { readonly type: "size"; readonly size: ScreenSize }
  /** The answer to `CSI ? u`: the terminal knows the keyboard protocol of kitty. */
  | { readonly type: "keyboard" };

const escape = "\u001b";
const pasteEnd = "\u001b[201~";
const interrupt = "\u0003";

/* oxlint-disable no-control-regex -- sequences begin with a control character */
/** Groups: Alt's escape; parameters and final character of CSI; digits and letter of SS3; content of OSC. */
const sequence =
  /(\u001b?)(?:\u001b\[(?:\[[A-E]|([0-?]*)[ -/]*([@-~]))|\u001bO(\d*)([A-Za-z])|\u001b\](\d[^\u0007\u001b]*)(?:\u0007|\u001b\\))/uy;
const beginning = /\u001b{1,2}(?:\[[0-?]*[ -/]*|\[\[|O\d*|\](?:\d[^\u0007\u001b]{0,400}\u001b?)?)?$/uy;
const onlyEscapes = /^\u001b{1,2}$/u;
/* oxlint-enable no-control-regex */

/** Creates a parser that has read nothing. */
export function createInputParser() {
  let held = "";
  let pasted: string | null = null;

  /** Adds the part of the text that belongs to the current paste. Returns the rest. */
  const takePaste = (text: string, inputs: Input[]): string => {
    if (pasted === null) return text;
    // Ctrl+C ends a paste whose end mark did not arrive.
    const end = text === interrupt ? { at: 0, length: 1 } : { at: text.indexOf(pasteEnd), length: pasteEnd.length };
    if (end.at === -1) {
      const kept = text.length - partialEnd(text);
      pasted += text.slice(0, kept);
      held = text.slice(kept);
      return "";
    }
    inputs.push({ type: "paste", text: pasted + text.slice(0, end.at) });
    pasted = null;
    return text.slice(end.at + end.length);
  };

  const take = (rest: string, inputs: Input[]): string => {
    const text = takePaste(rest, inputs);
    if (text === "") return "";
    const at = text.indexOf(escape);
    if (at !== 0) {
      inputs.push(keysOfText(at === -1 ? text : text.slice(0, at)));
      return at === -1 ? "" : text.slice(at);
    }
    const found = at0(sequence, text);
    if (found !== null) {
      if (found[2] === "200" && found[3] === "~") pasted = "";
      else appendAll(inputs, inputOf(found));
      return text.slice(found[0].length);
    }
    if (at0(beginning, text) !== null) {
      held = text;
      return "";
    }
    const [key, length] = escapedKey(text);
    inputs.push({ type: "key", ...key });
    return text.slice(length);
  };

  return {
    push(chunk: string): readonly Input[] {
      const inputs: Input[] = [];
      let rest = held + chunk;
      held = "";
      while (rest !== "") rest = take(rest, inputs);
      return inputs;
    },
    /** Returns what the end of the last chunk may be: the key Esc (`escape`), the beginning of a sequence, or neither. */
    waitsFor(): "nothing" | "escape" | "sequence" {
      if (held === "" || pasted !== null) return "nothing";
      return onlyEscapes.test(held) ? "escape" : "sequence";
    },
    /** Ends the wait for further text: returns each held escape as the key Esc, or drops an incomplete sequence. */
    flush(): readonly Input[] {
      const escapes = onlyEscapes.test(held) ? held.length : 0;
      held = "";
      return Array.from({ length: escapes }, () => ({ type: "key", ...keyOfCharacter(escape) }));
    },
  };
}

function at0(pattern: RegExp, text: string): RegExpExecArray | null {
  pattern.lastIndex = 0;
  return pattern.exec(text);
}

/** Returns the length of the longest suffix of the text that is a prefix of the mark that ends a paste. */
function partialEnd(text: string): number {
  for (let length = Math.min(pasteEnd.length - 1, text.length); length > 0; length -= 1)
    if (pasteEnd.startsWith(text.slice(-length))) return length;
  return 0;
}

function keysOfText(text: string): Input {
  const isOne = text.length === ((text.codePointAt(0) ?? 0) > 0xffff ? 2 : 1);
  return { type: "key", ...(isOne ? keyOfCharacter(text) : typed(text)) };
}

/** Returns the first key of a text that begins with an escape, and its length: Esc before a second escape, else Alt+key. */
function escapedKey(text: string): readonly [Key, number] {
  const [, character = ""] = text;
  if (character === escape) return [keyOfCharacter(escape), 1];
  return [keyOfCharacter(character, true), 1 + character.length];
}

function inputOf([, alt, parameters = "", final, digits, letter, content]: RegExpMatchArray): readonly Input[] {
  const answers = content === undefined ? answerOf(parameters, final) : answerOfColour(content);
  // An escape before an answer of the terminal is the key Esc, not Alt.
  if (answers !== null) return alt === "" ? answers : [{ type: "key", ...keyOfCharacter(escape) }, ...answers];
  const bits = alt === "" ? 0 : modifier.alt;
  const key =
    letter === undefined ? keyOfSequence(parameters, final, bits) : keyOfLetter(letter, bitsOf(Number(digits)) | bits);
  return key === null ? [] : [{ type: "key", ...key }];
}

function answerOfColour(content: string): readonly Input[] {
  const background = backgroundOf(content);
  return background === null ? [] : [{ type: "background", background }];
}

const colourAnswer = /^11;rgba?:([\da-f]{1,4}(?:\/[\da-f]{1,4}){2,3})$/iu;

/** Returns the background in an answer, such as `11;rgb:ffff/ffff/dddd`, by its brightness; null for another text. */
export function backgroundOf(content: string): Background | null {
  const colour = colourAnswer.exec(content)?.[1];
  if (colour === undefined) return null;
  const [red = 0, green = 0, blue = 0] = colour
    .split("/")
    .map((part) => Number.parseInt(part, 16) / (16 ** part.length - 1));
  return 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 ? "light" : "dark";
}

function answerOf(parameters: string, final: string | undefined): readonly Input[] | null {
  if (final === "n") return [{ type: "status" }];
  if (final === "I" || final === "O") return [{ type: "focus", hasFocus: final === "I" }];
  const [kind, rows = 0, columns = 0] = parameters.split(";").map(Number);
  if (final === "t") return kind === 8 ? [{ type: "size", size: { columns, rows } }] : [];
  if (final === "R") return [{ type: "cursor", row: Math.max(1, Number.parseInt(parameters, 10) || 1) - 1 }];
  return final === "u" && parameters.startsWith("?") ? [{ type: "keyboard" }] : null;
}

/** The event `released` of a key in the keyboard protocol. */
const released = 3;

/** Returns the modifier bits of a key. The terminal sends the bits plus 1. */
function bitsOf(parameter: number): number {
  return Math.max(0, (parameter || 1) - 1);
}

function keyOfSequence(parameters: string, final = "", alt = 0): Key | null {
  // A parameter may have parts after colons, such as the event in `97;5:3`.
  const numbers = parameters.split(";").map((parameter) => parameter.split(":").map(Number));
  if (/^[<=>?]/u.test(parameters) || numbers[1]?.[1] === released) return null;
  const [first = 0, second = 1, third = 0] = numbers.map(([number = 0]) => number);
  const modifiers = bitsOf(second) | alt;
  if (final === "u") return keyOfCode(first, modifiers);
  if (final === "~") return first === 27 ? keyOfCode(third, modifiers) : keyOfNumber(first, modifiers);
  return keyOfLetter(final, modifiers);
}
