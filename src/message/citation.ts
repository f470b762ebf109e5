// Where a passage of a source stands, for an answer to cite: as it is handed out, and in words.
// Invariant: one line, whatever a file or a heading is called.

export interface Citation {
  /** The source's name. */
  readonly name: string;
  readonly file?: string;
  /** From 1. */
  readonly page?: number;
  readonly heading?: string;
  /** From 1, both included. */
  readonly lineFrom?: number;
  readonly lineTo?: number;
}

/** `handbook, guide.md, page 3, under Guide > Install, lines 4-9`: what is known of it. */
export function citationText({ name, file, page, heading, lineFrom, lineTo = lineFrom }: Citation): string {
  const lines = lineFrom === lineTo ? `line ${lineFrom}` : `lines ${lineFrom}-${lineTo}`;
  const parts = [
    name,
    file,
    page === undefined ? undefined : `page ${page}`,
    heading === undefined ? undefined : `under ${heading}`,
    lineFrom === undefined ? undefined : lines,
  ];
  return parts
    .filter((part) => part !== undefined)
    .join(", ")
    .replaceAll(/[\r\n\u2028\u2029]+/gu, " ");
}
