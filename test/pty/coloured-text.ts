// The colours of a captured screen, written so that equal screens are equal texts.
// Invariant: each style is complete, is written where a visible character has it first in a row, and spaces have none: how
// they came to be empty depends on what was drawn before.

/* oxlint-disable no-control-regex -- styles begin with an escape */
const piece = /\u001b\[([\d;]*)m|[^\u001b]/gu;
/* oxlint-enable no-control-regex */

interface Style {
  /** Bold, faint and the like. */
  shapes: readonly string[];
  color: string;
}

/** Rewrites the styles of a screen. */
export function colouredText(screen: string): string {
  let style: Style = { shapes: [], color: "" };
  return screen
    .split("\n")
    .map((row) => {
      let written = "";
      let text = "";
      for (const [character, codes] of row.matchAll(piece)) {
        if (codes !== undefined) {
          style = applied(style, codes);
          continue;
        }
        const wanted = [...style.shapes, style.color].filter((code) => code !== "").join(";");
        if (character !== " " && wanted !== written) {
          text += `\u001b[${wanted}m`;
          written = wanted;
        }
        text += character;
      }
      return text.trimEnd();
    })
    .join("\n");
}

function applied(style: Style, codes: string): Style {
  const color = /(?:^|;)(38;5;\d+|3[0-7]|39|9[0-7])(?:;|$)/u.exec(codes)?.[1];
  const shapes = /(?:^|;)38;/u.test(codes) ? [] : codes.split(";").filter((code) => /^[1-9]$/u.test(code));
  const isReset = /^(?:0|$|0;)/u.test(codes);
  return {
    shapes: isReset ? shapes : [...new Set([...style.shapes, ...shapes])].toSorted(),
    color: color === "39" ? "" : (color ?? (isReset ? "" : style.color)),
  };
}
