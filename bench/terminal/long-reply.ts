// A deterministic long reply in Markdown: paragraphs, lists, code and tables alternate.

const parts: readonly ((round: number) => string)[] = [
  (round) => `## Part ${round}\n\n`,
  () =>
    "The harbour was **quiet** that morning, and *nobody* had yet asked for `tide_table()` or for the boats. ".repeat(
      4,
    ),
  () =>
    "\n\n- one thing to bring\n  - and one that goes with it\n- another, with a [link](https://example.org/tides)\n\n",
  (round) =>
    `\`\`\`ts\n${`export const tide${round} = (hour: number): number => Math.sin(hour / 12) * 3; // metres\n`.repeat(8)}\`\`\`\n\n`,
  () => `| hour | metres | 潮 |\n|-----:|:-------|----|\n${"| 12 | 3.1 | 高 |\n".repeat(6)}\n`,
  () => "1. Cast off.\n2. Hoist the sail.\n3. Mind the buoys 🛟 and the ferry.\n\n",
];

/** Returns deltas of about four characters each, as a provider streams them; the last one says that it is the end. */
export function longReply(tokens: number): readonly string[] {
  const pieces: string[] = [];
  for (let round = 1; pieces.length < tokens; round += 1) {
    const text = parts.map((part) => part(round)).join("");
    pieces.push(...(text.match(/\s{0,4}\S{1,4}|\s{1,4}/gu) ?? []));
  }
  return [...pieces.slice(0, tokens - 1), "\n\nENDOFREPLY"];
}
