// Decodes the codes of keys that terminals send: control characters, xterm's sequences, and kitty's keyboard protocol.
// Invariant: an unknown code is not a key. References: xterm's ctlseqs ("PC-Style Function Keys"), and
// https://sw.kovidgoyal.net/kitty/keyboard-protocol.

/** A pressed key, by its name in the key table, or typed text. Either `chord` or `text` is empty. */
export interface Key {
  /** The name: `enter`, `ctrl+a`, `alt+shift+up`. */
  readonly chord: string;
  /** Typed text of one or several characters. */
  readonly text: string;
}

/** Returns the key with the name `chord`. */
export function pressed(chord: string): Key {
  return { chord, text: "" };
}

/** Returns the key event of text that the user typed. */
export function typed(text: string): Key {
  return { chord: "", text };
}

/** Keys by the last character of their sequence: `CSI A`, `CSI 1;5 A`, `SS3 A`. */
const keysByLetter: Readonly<Record<string, string>> = {
  A: "up",
  B: "down",
  C: "right",
  D: "left",
  F: "end",
  H: "home",
  M: "enter",
  Z: "tab",
};

/** Keys by the number of their sequence, which ends in `~`. */
const keysByNumber: Readonly<Record<number, string>> = {
  1: "home",
  3: "delete",
  4: "end",
  5: "pageup",
  6: "pagedown",
  7: "home",
  8: "end",
};

/** Keys by the code of a character in the keyboard protocol; codes from 57414 on are keys of the keypad. */
const keysByCode: Readonly<Record<number, string>> = {
  8: "backspace",
  9: "tab",
  13: "enter",
  27: "escape",
  127: "backspace",
  57414: "enter",
  57417: "left",
  57418: "right",
  57419: "up",
  57420: "down",
  57421: "pageup",
  57422: "pagedown",
  57423: "home",
  57424: "end",
  57426: "delete",
};

const firstOfKeypad = 57399;
const keypadTexts = "0123456789./*-+";
/** The range of private-use characters that represent keys. */
const keyCodes = { from: 57344, to: 63743 } as const;

/** The bit of each modifier in a sequence. Kitty's protocol distinguishes Meta from Alt. */
export const modifier = { shift: 1, alt: 2, ctrl: 4, meta: 32 } as const;

function has(modifiers: number, bits: number): boolean {
  return (modifiers & bits) !== 0;
}

/** Returns a name with its modifiers. Esc has none, because an escape may also be the beginning of a sequence. */
function nameOf(key: string, modifiers: number): string {
  if (key === "escape") return key;
  const ctrl = has(modifiers, modifier.ctrl) ? "ctrl+" : "";
  const alt = has(modifiers, modifier.alt | modifier.meta) ? "alt+" : "";
  return `${ctrl}${alt}${has(modifiers, modifier.shift) ? "shift+" : ""}${key}`;
}

function named(key: string | undefined, modifiers: number): Key | null {
  return key === undefined ? null : pressed(nameOf(key, modifiers));
}

/** Returns the key of `CSI … letter` or `SS3 letter`. */
export function keyOfLetter(letter: string, modifiers: number): Key | null {
  return named(keysByLetter[letter], letter === "Z" ? modifiers | modifier.shift : modifiers);
}

/** Returns the key of `CSI number ~`. */
export function keyOfNumber(number: number, modifiers: number): Key | null {
  return named(keysByNumber[number], modifiers);
}

/** Keys by the letter that, with Ctrl, sends the same control character. */
const namesOfControls: Readonly<Record<string, string>> = { h: "backspace", i: "tab", m: "enter", "[": "escape" };

/** Returns the key of a character's code with modifiers: `CSI code ; modifiers u`, or xterm's `CSI 27 ; modifiers ; code ~`. */
export function keyOfCode(code: number, modifiers: number): Key | null {
  const name = keysByCode[code];
  if (name !== undefined) return named(name, modifiers);
  const text = textOf(code);
  if (text === null) return null;
  const lower = text.toLowerCase();
  // The case of a letter already expresses Shift, so Shift is not a modifier of a letter.
  const others = modifiers & ~modifier.shift;
  const control = has(modifiers, modifier.ctrl) ? namesOfControls[lower] : undefined;
  if (control !== undefined) return named(control, others & ~modifier.ctrl);
  if (has(modifiers, modifier.ctrl | modifier.alt | modifier.meta)) return named(lower, others);
  return typed(has(modifiers, modifier.shift) ? text.toUpperCase() : text);
}

function textOf(code: number): string | null {
  const keypad = keypadTexts[code - firstOfKeypad];
  if (keypad !== undefined) return keypad;
  const isCharacter = code >= 32 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return isCharacter && !(code >= keyCodes.from && code <= keyCodes.to) ? String.fromCodePoint(code) : null;
}

/** Returns the key of one character that a terminal sends without a sequence. With Alt, an escape comes before it. */
export function keyOfCharacter(character: string, isAlt = false): Key {
  const code = character.codePointAt(0) ?? 0;
  const alt = isAlt ? modifier.alt : 0;
  const name = code < 128 ? keysByCode[code] : undefined;
  const isControl = code >= 1 && code <= 26;
  if (name === undefined && isControl) return pressed(nameOf(String.fromCharCode(code + 96), alt | modifier.ctrl));
  return name === undefined && !isAlt ? typed(character) : pressed(nameOf(name ?? character.toLowerCase(), alt));
}
