// Adapts error texts for people who do not write programs.
// Invariant: pure.

const call = /`(?:runtime|agent|host)\.[^`]*`/u;

/** Returns a text without the sentences that name functions of the library; the text itself if nothing else would be left. */
export function withoutCalls(text: string): string {
  const kept = text
    .replaceAll(/ \(`(?:runtime|agent|host)\.[^`]*`\)/gu, "")
    .split(/(?<=[.;:!?])\s+/u)
    .filter((sentence) => !call.test(sentence))
    .join(" ");
  return kept === "" ? text : kept.replace(/[;:]$/u, ".");
}
