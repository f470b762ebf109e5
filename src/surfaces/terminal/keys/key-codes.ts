// Decodes the codes of keys that terminals send: control characters, xterm's sequences, and kitty's keyboard protocol.
// Invariant: an unknown code is not a key. References: xterm's ctlseqs ("PC-Style Function Keys"), and
// https://sw.kovidgoyal.net/kitty/keyboard-protocol.
import type { Key } from "./key.ts";

/** A key with the text that it types; a letter with Ctrl or Alt has the letter as its text. */
export interface PressedKey {
  readonly input: string;
  readonly key: Key;
}

type KeyName = Exclude<keyof Key, "ctrl" | "shift" | "meta">;

/** Keys by the last character of their sequence: `CSI A`, `CSI 1;5 A`, `SS3 A`. */
const keysByLetter: Readonly<Record<string, KeyName>> = {
  A: "upArrow",
  B: "downArrow",
  C: "rightArrow",
  D: "leftArrow",
  F: "end",
  H: "home",
  M: "return",
  Z: "tab",
};

/** Keys by the number of their sequence, which ends in `~`. */
const keysByNumber: Readonly<Record<number, KeyName>> = {
  1: "home",
  3: "delete",
  4: "end",
  5: "pageUp",
  6: "pageDown",
  7: "home",
  8: "end",
};

/** Keys by the code of a character in the keyboard protocol; codes from 57414 on are keys of the keypad. */
const keysByCode: Readonly<Record<number, KeyName>> = {
  8: "backspace",
  9: "tab",
  13: "return",
  27: "escape",
  127: "backspace",
  57414: "return",
  57417: "leftArrow",
  57418: "rightArrow",
  57419: "upArrow",
  57420: "downArrow",
  57421: "pageUp",
  57422: "pageDown",
  57423: "home",
  57424: "end",
  57426: "delete",
};

const firstOfKeypad = 57399;
const keypadTexts = "0123456789./*-+";
/** The range of private-use characters that represent keys. */
const keyCodes = { from: 57344, to: 63743 } as const;

const bits = { shift: 1, alt: 2, ctrl: 4, meta: 32 } as const;

/** Decodes the modifiers of a sequence, a number that begins at 1; 1 means no modifiers. */
function modifiersOf(parameter: number): Pick<Key, "ctrl" | "shift" | "meta"> {
  const set = Math.max(0, (parameter || 1) - 1);
  return {
    ...((set & bits.ctrl) === 0 ? {} : { ctrl: true }),
    ...((set & bits.shift) === 0 ? {} : { shift: true }),
    ...((set & (bits.alt | bits.meta)) === 0 ? {} : { meta: true }),
  };
}

function named(name: KeyName | undefined, modifiers: Key): PressedKey | null {
  return name === undefined ? null : { input: "", key: { [name]: true, ...modifiers } };
}

/** Returns the key of `CSI … letter` or `SS3 letter`. */
export function keyOfLetter(letter: string, modifiers: number): PressedKey | null {
  return named(keysByLetter[letter], letter === "Z" ? { shift: true } : modifiersOf(modifiers));
}

/** Returns the key of `CSI number ~`. */
export function keyOfNumber(number: number, modifiers: number): PressedKey | null {
  return named(keysByNumber[number], modifiersOf(modifiers));
}

/** Returns the key of a character's code with modifiers: `CSI code ; modifiers u`, or xterm's `CSI 27 ; modifiers ; code ~`. */
export function keyOfCode(code: number, modifiers: number): PressedKey | null {
  const name = keysByCode[code];
  if (name !== undefined) return named(name, modifiersOf(modifiers));
  const text = textOf(code);
  if (text === null) return null;
  const { ctrl = false, meta = false, shift = false } = modifiersOf(modifiers);
  if (ctrl) return keyOfControl(text.toLowerCase(), meta);
  const typed = shift ? text.toUpperCase() : text;
  return { input: typed, key: meta ? { meta } : {} };
}

/** Keys by the letter that, with Ctrl, sends the same control character. */
const namesOfControls: Readonly<Record<string, KeyName>> = { h: "backspace", i: "tab", m: "return", "[": "escape" };

function keyOfControl(letter: string, meta: boolean): PressedKey {
  const name = namesOfControls[letter];
  const modifiers: Key = meta ? { meta } : {};
  return name === undefined
    ? { input: letter, key: { ctrl: true, ...modifiers } }
    : { input: "", key: { [name]: true, ...modifiers } };
}

function textOf(code: number): string | null {
  const keypad = keypadTexts[code - firstOfKeypad];
  if (keypad !== undefined) return keypad;
  const isCharacter = code >= 32 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return isCharacter && !(code >= keyCodes.from && code <= keyCodes.to) ? String.fromCodePoint(code) : null;
}

/** Returns the key of one character as terminals send it without a sequence. Alt precedes it with an escape. */
export function keyOfCharacter(character: string, meta: boolean): PressedKey {
  const modifiers: Key = meta ? { meta } : {};
  const code = character.codePointAt(0) ?? 0;
  const name = keysByCode[code];
  if (code < 128 && name !== undefined) return { input: "", key: { [name]: true, ...modifiers } };
  // A line feed is Ctrl+J, and is distinguished from Enter by its text.
  if (character === "\n") return { input: "\n", key: modifiers };
  if (code >= 1 && code <= 26) return { input: String.fromCharCode(code + 96), key: { ctrl: true, ...modifiers } };
  return { input: character, key: modifiers };
}
