// Extracts the text of a PDF by page; scanned pages without text are not read.
// Invariant: a file is refused with the reason if it is encrypted or damaged, or has too much text or too many pages; the
// document is always closed.
import { SourceFileError } from "../../base/errors.ts";
import { maxCharacters, type Section, tooMuchText } from "./section.ts";

/** Maximum number of pages: more than any book has. */
export const maxPages = 10_000;

/**
 * Returns a section per page. Throws SourceFileError for an encrypted or damaged file, and for too many pages or too much text.
 */
export async function pdfSections(bytes: Uint8Array): Promise<readonly Section[]> {
  const { getDocumentProxy } = await import("unpdf");
  // The library takes ownership of the bytes, so it receives a copy.
  const pdf: PdfDocument = await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 }).catch(refuse);
  try {
    if (pdf.numPages > maxPages) throw new SourceFileError(`it has more than ${maxPages} pages. Split it`);
    const sections: Section[] = [];
    let room = maxCharacters;
    for (let page = 1; page <= pdf.numPages; page += 1) {
      const found = await pdf.getPage(page).catch(refuse);
      const text = pageText(await piecesOf(found, room));
      room -= text.length;
      if (text !== "") sections.push({ text, style: "prose", place: { page } });
    }
    return sections;
  } finally {
    await pdf.destroy();
  }
}

/** The parts of `unpdf` in use, declared here because its own types do not resolve from an ES module. */
interface PdfDocument {
  readonly numPages: number;
  getPage(number: number): Promise<PdfPage>;
  destroy(): Promise<void>;
}

interface PdfPage {
  streamTextContent(): ReadableStream<{ readonly items: readonly object[] }>;
}

/**
 * Returns the pieces of a page, which is read in parts. Throws SourceFileError once they have more than `room` UTF-16 units.
 */
async function piecesOf(page: PdfPage, room: number): Promise<readonly Piece[]> {
  const reader = page.streamTextContent().getReader();
  const pieces: Piece[] = [];
  let length = 0;
  for (let next = await reader.read().catch(refuse); !next.done; next = await reader.read().catch(refuse)) {
    for (const piece of next.value.items.filter((item): item is Piece => "str" in item)) {
      pieces.push(piece);
      length += piece.str.length;
    }
    if (length > room) throw tooMuchText();
  }
  return pieces;
}

interface Piece {
  readonly str: string;
  readonly hasEOL: boolean;
  /** Height in points. */
  readonly height: number;
  /** The last two numbers are the position on the page, in points from the left and the bottom. */
  readonly transform: readonly number[];
}

/** Minimum gap between lines that starts a paragraph, as a multiple of the letters' height. */
const paragraphGap = 2;

function pageText(pieces: readonly Piece[]): string {
  let text = "";
  let last: Piece | undefined;
  for (const piece of pieces) {
    if (piece.str !== "") {
      if (last !== undefined && text.endsWith("\n") && gapOf(last, piece) > paragraphGap) text += "\n";
      last = piece;
    }
    text += piece.hasEOL ? `${piece.str}\n` : piece.str;
  }
  return text.trim();
}

function gapOf(above: Piece, below: Piece): number {
  const distance = (above.transform[5] ?? 0) - (below.transform[5] ?? 0);
  return below.height > 0 ? distance / below.height : 0;
}

/**
 * Throws SourceFileError for an error of the library. Compares error names, because some bundles contain a second copy of the
 * library's classes.
 */
function refuse(cause: unknown): never {
  const name = typeof cause === "object" && cause !== null && "name" in cause ? cause.name : undefined;
  if (name === "PasswordException") throw new SourceFileError("it is encrypted and needs a password", { cause });
  throw new SourceFileError("it is not a PDF, or a damaged one", { cause });
}
