// The question for a terminal's background colour (OSC 11), and its answer.
// Invariant: an answer in an unknown form has no effect.

/** The sequence that asks the question. A terminal that does not know it does not answer. */
export const backgroundQuestion = "\u001b]11;?\u001b\\";

export type Background = "light" | "dark";

const answer = /^11;rgba?:([\da-f]{1,4}(?:\/[\da-f]{1,4}){2,3})$/iu;

/** Returns the background in an answer, such as `11;rgb:ffff/ffff/dddd`, by its brightness; null for another text. */
export function backgroundOf(content: string): Background | null {
  const colour = answer.exec(content)?.[1];
  if (colour === undefined) return null;
  const [red = 0, green = 0, blue = 0] = colour
    .split("/")
    .map((part) => Number.parseInt(part, 16) / (16 ** part.length - 1));
  return 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 ? "light" : "dark";
}
