// Where in a loaded source a passage stands, in words for people: in the terminal and on the command line.

/** A source, and the place in it as far as it is known. Pages and lines count from 1. */
export interface SourcePlace {
  readonly name: string;
  readonly place: {
    readonly file: string;
    readonly page?: number;
    readonly lineFrom?: number;
    readonly lineTo?: number;
  } | null;
}

/** `handbook: guide.md, page 3, lines 4 to 9`. */
export function sourceText({ name, place }: SourcePlace): string {
  if (place === null) return name;
  const { file, page, lineFrom, lineTo = lineFrom } = place;
  const lines = lineFrom === lineTo ? `line ${lineFrom}` : `lines ${lineFrom} to ${lineTo}`;
  return [
    `${name}: ${file}`,
    ...(page === undefined ? [] : [`page ${page}`]),
    ...(lineFrom === undefined ? [] : [lines]),
  ].join(", ");
}
