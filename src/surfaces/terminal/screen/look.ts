// The look (style) of a text, as parameters of the terminal's sequence for styles (SGR).
// Invariant: a look is complete: switching to it does not depend on the look before, except on whether that was plain.

export interface Look {
  /** The parameters, such as `1;35`; empty for plain text. */
  readonly codes: string;
  /** Whether the look is visible on a space: underlined, struck through, inverse or with a background. */
  readonly hasLine: boolean;
}

export const plainLook: Look = { codes: "", hasLine: false };

/** For each style, the codes that begin it and the code that ends it. The same code ends bold and dim. */
const styles: readonly (readonly [begins: RegExp, ends: string])[] = [
  [/^1$/u, "22"],
  [/^2$/u, "22"],
  [/^3$/u, "23"],
  [/^4$/u, "24"],
  [/^7$/u, "27"],
  [/^9$/u, "29"],
  [/^(?:3[0-7]|9[0-7]|38;.*)$/u, "39"],
  [/^(?:4[0-7]|10[0-7]|48;.*)$/u, "49"],
];
const showsOnSpace = /^(?:4|7|9|4[0-7]|48;.*|10[0-7])$/u;

/** Returns the look after a sequence that begins or ends one style. Empty parameters end all styles. */
export function lookAfter(look: Look, parameters: string): Look {
  if (parameters === "" || parameters === "0") return plainLook;
  const changed = styles.filter(([begins, ends]) => begins.test(parameters) || ends === parameters);
  const begun = changed.some(([, ends]) => ends === parameters) ? [] : [parameters];
  const kept = stylesOf(look).filter((one) => !changed.some(([begins]) => begins.test(one)));
  const codes = [...kept, ...begun].toSorted((one, other) => Number.parseInt(one, 10) - Number.parseInt(other, 10));
  return { codes: codes.join(";"), hasLine: codes.some((code) => showsOnSpace.test(code)) };
}

/** Returns the codes of each style: `1` and `38;5;94` for `1;38;5;94`. */
function stylesOf({ codes }: Look): readonly string[] {
  return codes.match(/[34]8;(?:5;\d+|2;\d+;\d+;\d+)|\d+/gu) ?? [];
}

/** Returns the sequence that switches from one look to another; empty if they are the same. */
export function switchLook(from: Look, to: Look): string {
  if (from.codes === to.codes) return "";
  if (to.codes === "") return "\u001b[m";
  return `\u001b[${from.codes === "" ? "" : "0;"}${to.codes}m`;
}
