// Wraps text between words at the width of the terminal.
// Invariant: no text is lost, and a word that is longer than a line, such as a path, is not split.

/** Returns the text with lines of at most `columns` characters. Continuation lines keep the indentation of their line. */
export function wrapWords(text: string, columns: number): string {
  return text
    .split("\n")
    .map((line) => wrapLine(line, columns))
    .join("\n");
}

function wrapLine(line: string, columns: number): string {
  if (line.length <= columns) return line;
  const indent = /^ {0,20}/u.exec(line)?.[0] ?? "";
  const lines: string[] = [];
  let current = indent;
  for (const word of line.slice(indent.length).split(" ")) {
    const isFirst = current === indent;
    if (!isFirst && current.length + 1 + word.length > columns) {
      lines.push(current);
      current = indent + word;
    } else current += isFirst ? word : ` ${word}`;
  }
  return [...lines, current].join("\n");
}
