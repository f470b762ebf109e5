// A PDF by its pages, as far as it holds text; what is only a picture of text is not read.
// Invariant: what is encrypted or damaged is refused with its reason, and the document is closed again.
import { SourceFileError } from "../errors.ts";
import type { Section } from "./section.ts";

export interface PdfOptions {
  readonly signal?: AbortSignal;
}

/** Throws SourceFileError, or the signal's reason between two pages. */
export async function pdfSections(bytes: Uint8Array, { signal }: PdfOptions = {}): Promise<readonly Section[]> {
  const { getDocumentProxy } = await import("unpdf");
  // It keeps the bytes it is given, and takes them away from their owner.
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

/** What is used of the library, whose own types do not resolve from an ES module. */
interface PdfDocument {
  readonly numPages: number;
  getPage(number: number): Promise<{ getTextContent(): Promise<{ readonly items: readonly object[] }> }>;
  destroy(): Promise<void>;
}

interface Piece {
  readonly str: string;
  readonly hasEOL: boolean;
  /** Points. */
  readonly height: number;
  /** The last two are where it stands on the page, in points from the left and the bottom. */
  readonly transform: readonly number[];
}

function isPiece(item: object): item is Piece {
  return "str" in item;
}

/** A gap between lines of more than so many times the height of the letters begins a paragraph. */
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

/** By the library's names of errors: its classes are another copy in some bundles. */
function refuse(cause: unknown): never {
  const name = typeof cause === "object" && cause !== null && "name" in cause ? cause.name : undefined;
  if (name === "PasswordException") throw new SourceFileError("it is encrypted and asks for a password", { cause });
  throw new SourceFileError("it is no PDF, or a damaged one", { cause });
}
