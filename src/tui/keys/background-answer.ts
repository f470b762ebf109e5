// Asks the terminal for its background colour (OSC 11), and removes the answer from the typed keys.
// Invariant: an answer never becomes typed text, also if it is split between chunks; other input passes unchanged.

/** The question. A terminal that does not know it answers nothing. */
export const backgroundQuestion = "\u001b]11;?\u001b\\";

export type Background = "light" | "dark";

/* oxlint-disable no-control-regex -- an answer begins and ends with control characters */
const answer =
  /\u001b?\]11;(?:rgba?:([\da-f]{1,4}(?:\/[\da-f]{1,4}){2,3})|[^\u0007\u001b]{0,60})(?:\u0007|\u001b\\)/giu;
const beginning = /\u001b\](?:1(?:1(?:;[^\u0007\u001b]{0,60}\u001b?)?)?)?$/u;
/* oxlint-enable no-control-regex */

/** Returns a function that removes answers from the chunks of the input and reports the colour in each. */
export function createBackgroundFilter(report: (background: Background) => void): (chunk: string) => string {
  let held = "";
  let endedInEscape = false;
  return (chunk) => {
    const whole = held + chunk;
    const kept = whole.replaceAll(answer, (found: string, colour: string | undefined, offset: number) => {
      // Without its escape character, it is an answer only if that character ended the previous chunk.
      if (!found.startsWith("\u001b") && !(offset === 0 && endedInEscape)) return found;
      if (colour !== undefined) report(backgroundOf(colour));
      return "";
    });
    held = beginning.exec(kept)?.[0] ?? "";
    endedInEscape = chunk.endsWith("\u001b");
    return kept.slice(0, kept.length - held.length);
  };
}

/** Returns whether a colour such as `ffff/ffff/dddd` is light, by its weighted brightness. */
function backgroundOf(colour: string): Background {
  const [red = 0, green = 0, blue = 0] = colour
    .split("/")
    .map((part) => Number.parseInt(part, 16) / (16 ** part.length - 1));
  return 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 ? "light" : "dark";
}
