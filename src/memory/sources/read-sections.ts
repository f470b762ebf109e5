// Reads a file's bytes as sections, with the reader of its kind.
// Invariant: a reader is loaded for the first file of its kind.
import { SourceFileError } from "../../base/errors.ts";
import type { SourceFileKind } from "../../store/port/source-store.ts";
import { decodeText } from "./decode-text.ts";
import { htmlCharset } from "./html-charset.ts";
import { jsonLinesSections } from "./json-lines-sections.ts";
import { markdownSections } from "./markdown-sections.ts";
import { maxCharacters, type Section, tooMuchText } from "./section.ts";
import { textSection } from "./text-section.ts";

type Reader = (bytes: Uint8Array) => readonly Section[] | Promise<readonly Section[]>;

const readers: Readonly<Record<SourceFileKind, Reader>> = {
  text: (bytes) => textSection(decodeText(bytes), "prose"),
  code: (bytes) => textSection(decodeText(bytes), "code"),
  markdown: (bytes) => markdownSections(decodeText(bytes)),
  "json-lines": (bytes) => jsonLinesSections(decodeText(bytes)),
  async html(bytes) {
    const text = decodeText(bytes, htmlCharset(bytes));
    const { htmlSections } = await import("./html-sections.ts");
    return htmlSections(text);
  },
  async pdf(bytes) {
    if (bytes.byteLength === 0) throw new SourceFileError("it is empty");
    const { pdfSections } = await import("./pdf-sections.ts");
    return pdfSections(bytes);
  },
};

/** Throws SourceFileError with the reason for a file that cannot be read, also for one without text. */
export async function readSections(bytes: Uint8Array, kind: SourceFileKind): Promise<readonly Section[]> {
  const sections = await readers[kind](bytes);
  if (sections.reduce((sum, { text }) => sum + text.length, 0) > maxCharacters) throw tooMuchText();
  if (sections.some(({ text }) => /\S/u.test(text))) return sections;
  throw new SourceFileError(
    kind === "pdf" ? "it contains no text: its pages may be images" : "it contains only white space",
  );
}
