// Represents the look of a text: the parameters of the terminal's sequence for styles (SGR), and a link's address (OSC 8).
// Invariant: a look is complete: switching to it also resets the styles of the previous look.

export interface Look {
  /** The parameters, such as `1;35`; empty for plain text. */
  readonly codes: string;
  /** Whether the look is visible on a space: underlined, struck through, inverse or with a background. */
  readonly hasLine: boolean;
  /** The address that the text links to; empty for none. */
  readonly link: string;
}

export const plainLook: Look = { codes: "", hasLine: false, link: "" };

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
  if (parameters === "" || parameters === "0") return { ...plainLook, link: look.link };
  const changed = styles.filter(([begins, ends]) => begins.test(parameters) || ends === parameters);
  const begun = changed.some(([, ends]) => ends === parameters) ? [] : [parameters];
  const kept = stylesOf(look).filter((one) => !changed.some(([begins]) => begins.test(one)));
  const codes = [...kept, ...begun].toSorted((one, other) => Number.parseInt(one, 10) - Number.parseInt(other, 10));
  return { ...look, codes: codes.join(";"), hasLine: codes.some((code) => showsOnSpace.test(code)) };
}

/** Returns the codes of each style: `1` and `38;5;94` for `1;38;5;94`. */
function stylesOf({ codes }: Look): readonly string[] {
  return codes.match(/[34]8;(?:5;\d+|2;\d+;\d+;\d+)|\d+/gu) ?? [];
}

export function isSameLook(one: Look, other: Look): boolean {
  return one.codes === other.codes && one.link === other.link;
}

/** Returns the sequence that switches from one look to another; empty if they are the same. */
export function switchLook(from: Look, to: Look): string {
  const link = from.link === to.link ? "" : `\u001b]8;;${to.link}\u0007`;
  if (from.codes === to.codes) return link;
  if (to.codes === "") return `${link}\u001b[m`;
  return `${link}\u001b[${from.codes === "" ? "" : "0;"}${to.codes}m`;
}
