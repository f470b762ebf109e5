// Defines the location of a passage in its source, and formats it for citations.
// Invariant: the text is one line for any name of a file or heading.

export interface Citation {
  readonly name: string;
  readonly file?: string;
  /** Page number, from 1. */
  readonly page?: number;
  /** The headings above the passage, outermost first, joined by " > ". */
  readonly heading?: string;
  /** First and last line, from 1, both included. */
  readonly lineFrom?: number;
  readonly lineTo?: number;
}

/** Returns the known parts as text: `handbook, guide.md, page 3, under Guide > Install, lines 4-9`. */
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
