// Extracts the text of a PDF by page; scanned pages without text are not read.
// Invariant: an encrypted or damaged file is refused with the reason, and the document is always closed.
import { SourceFileError } from "../errors.ts";
import type { Section } from "./section.ts";

export interface PdfOptions {
  readonly signal?: AbortSignal;
}

/** Throws SourceFileError, or the signal's reason between two pages. */
export async function pdfSections(bytes: Uint8Array, { signal }: PdfOptions = {}): Promise<readonly Section[]> {
  const { getDocumentProxy } = await import("unpdf");
  // The library takes ownership of the bytes, so it gets a copy.
  const pdf: PdfDocument = await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 }).catch(refuse);
  try {
    const sections: Section[] = [];
    for (let page = 1; page <= pdf.numPages; page += 1) {
      signal?.throwIfAborted();
      const content = await pdf
        .getPage(page)
        .then((one) => one.getTextContent())
        .catch(refuse);
      const text = pageText(content.items.filter(isPiece));
      if (text !== "") sections.push({ text, style: "prose", place: { page } });
    }
    return sections;
  } finally {
    await pdf.destroy();
  }
}

/** The parts of the library in use; its own types do not resolve from an ES module. */
interface PdfDocument {
  readonly numPages: number;
  getPage(number: number): Promise<{ getTextContent(): Promise<{ readonly items: readonly object[] }> }>;
  destroy(): Promise<void>;
}

interface Piece {
  readonly str: string;
  readonly hasEOL: boolean;
  /** Height in points. */
  readonly height: number;
  /** The last two are the position on the page, in points from the left and the bottom. */
  readonly transform: readonly number[];
}

function isPiece(item: object): item is Piece {
  return "str" in item;
}

/** A gap between lines that exceeds this multiple of the letters' height starts a paragraph. */
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

/** Compares names of errors: the library's classes are another copy in some bundles. */
function refuse(cause: unknown): never {
  const name = typeof cause === "object" && cause !== null && "name" in cause ? cause.name : undefined;
  if (name === "PasswordException") throw new SourceFileError("it is encrypted and needs a password", { cause });
  throw new SourceFileError("it is not a PDF, or a damaged one", { cause });
}
